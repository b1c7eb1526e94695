"""Crawling 3,000 linked pages of 15 KB: ours, with WARC and durable frontier, against wget, Scrapy and a bare loop."""

import asyncio
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import aiohttp

from bench.peers import environment
from bench.report import Measurement
from bench.site import PAGES, nginx, write_site
from webstrata.app import build_app
from webstrata.db.operations import catalog
from webstrata.settings import load_settings

_ROUNDS = 3
_SPIDER = """
import scrapy
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
class Bench(CrawlSpider):
    name = "bench"
    rules = [Rule(LinkExtractor(), callback="got", follow=True)]
    def __init__(self, origin, **kw):
        self.start_urls = [origin + "/"]
        super().__init__(**kw)
    def got(self, response):
        return None
"""


def measure(folder: Path) -> list[Measurement]:
    """Return everybody's pages a second."""
    root = folder / "site"
    write_site(root)
    best: dict[str, float] = {}
    with nginx(root, folder) as origin:
        # In turns, and the best of each: what else the machine does must not decide.
        for number in range(_ROUNDS):
            room = folder / f"round-{number}"
            room.mkdir()
            for what, seconds_of in _CONTENDERS.items():
                best[what] = min(best.get(what, math.inf), seconds_of(origin, room))
    return [
        Measurement(what, PAGES / seconds, "pages/s", ours=n == 0) for n, (what, seconds) in enumerate(best.items())
    ]


def _webstrata(origin: str, folder: Path) -> float:
    environment = {
        "WEBSTRATA_DATA_DIR": str(folder / "webstrata"),
        "WEBSTRATA_ALLOW_PRIVATE_NETWORKS": "127.0.0.0/8",
        "WEBSTRATA_CONCURRENCY": "32",
        "WEBSTRATA_LOG_LEVEL": "WARNING",
    }
    subprocess.run([sys.executable, "-m", "webstrata", "archive", origin], env=os.environ | environment, check=True)
    app = build_app(load_settings(environment))
    with app.database.read() as session:
        (job,), _ = catalog.jobs(session, limit=1)
    app.close()
    assert (job.pages_crawled or 0) >= PAGES, job
    assert job.started_at is not None, job
    assert job.finished_at is not None, job
    return (job.finished_at - job.started_at).total_seconds()


def _wget(origin: str, folder: Path) -> float:
    if shutil.which("wget") is None:
        raise SystemExit("bench: wget is missing (Debian: apt-get install wget)")
    target = folder / "wget"
    target.mkdir()
    command = [
        "wget",
        "--quiet",
        "--recursive",
        "--level=inf",
        "--no-verbose",
        f"--warc-file={target}/out",
        "--no-warc-keep-log",
        origin + "/",
    ]
    began = time.monotonic()
    subprocess.run(command, cwd=target, check=False)
    return time.monotonic() - began


def _scrapy(origin: str, folder: Path) -> float:
    python = environment("scrapy", "scrapy")
    spider = folder / "spider.py"
    spider.write_text(_SPIDER)
    options = [
        "-s",
        "CONCURRENT_REQUESTS=32",
        "-s",
        "CONCURRENT_REQUESTS_PER_DOMAIN=32",
        "-s",
        "DOWNLOAD_DELAY=0",
        "-s",
        "LOG_LEVEL=INFO",
    ]
    done = subprocess.run(
        [python, "-m", "scrapy", "runspider", str(spider), "-a", f"origin={origin}", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    elapsed = re.search(r"'elapsed_time_seconds': ([\d.]+)", done.stderr)
    assert elapsed, done.stderr[-2000:]
    return float(elapsed.group(1))


def _bare(origin: str, _folder: Path) -> float:
    return asyncio.run(_fetch_all(origin))


async def _fetch_all(origin: str) -> float:
    """Fetch every page with nothing around it: what the client alone can do."""
    numbers = iter(range(PAGES))

    async def worker(session: aiohttp.ClientSession) -> None:
        for number in numbers:
            async with session.get(f"{origin}/{number}.html") as response:
                await response.read()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=32)) as session:
        began = time.monotonic()
        await asyncio.gather(*(worker(session) for _ in range(32)))
        return time.monotonic() - began


_CONTENDERS: dict[str, Callable[[str, Path], float]] = {
    "webstrata archive (WARC, durable)": _webstrata,
    "wget --recursive --warc-file": _wget,
    "Scrapy (neither)": _scrapy,
    "bare aiohttp loop (neither)": _bare,
}
