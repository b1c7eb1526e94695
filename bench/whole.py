"""From command to prompt: `webstrata archive` of a site, the first time and again unchanged, by stage."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import text

from bench.databases import durable_postgres
from bench.report import Measurement
from bench.site import nginx, write_site
from webstrata.db.engine import Database

SIZES = (3_000, 12_000, 50_000)

_ENDS = {"start": "crawl.start", "crawl": "crawl.end", "index": "index.end", "assets": "assets.end"}
"""The event that ends each stage; the summary ends with the command."""

_KILOBYTE, _MEGABYTE = 1024, 1_000_000


@dataclass(frozen=True)
class Run:
    """One run of the command."""

    seconds: float
    stages: dict[str, float]
    peak_bytes: int
    cpu_seconds: float
    """Of the command and the processes that it started; those of a database server are not among them."""


@dataclass(frozen=True)
class Archive:
    """Where an archive is."""

    kind: str
    url: str
    folder: Path


def measure(folder: Path, sizes: Sequence[int] = SIZES) -> list[Measurement]:
    """Return what a person waits for at each size, on each database of `DATABASES`, and what the archive takes."""
    found: list[Measurement] = []
    per_page: dict[str, float] = {}
    for size in sizes:
        root = folder / f"site-{size}"
        write_site(root, size)
        html = sum(file.stat().st_size for file in root.glob("*.html"))
        for archive in _archives(folder / str(size)):
            with nginx(root, folder) as origin:
                first, disk = _run(archive, origin, folder), _bytes_of(archive) / html
                again = _run(archive, origin, folder)
            where = f"{size:,} pages, {archive.kind}"
            found += _measurements(where, first, again, disk)
            per_page.setdefault(archive.kind, first.seconds / size)
            if size != sizes[0]:
                growth = first.seconds / size / per_page[archive.kind]
                found.append(Measurement(f"{where}: a page, of one at {sizes[0]:,}", growth, "×", asked="≤ 1.2"))
    return found


def _measurements(where: str, first: Run, again: Run, disk: float) -> Iterator[Measurement]:
    for name, run in (("first time", first), ("again", again)):
        yield Measurement(f"{where}, {name}: command to prompt", run.seconds, "s")
        yield Measurement(f"{where}, {name}: processor time", run.cpu_seconds, "s")
        for stage, seconds in run.stages.items():
            yield Measurement(f"{where}, {name}: {stage}", seconds, "s")
    yield Measurement(f"{where}: all of it, of the crawl", first.seconds / first.stages["crawl"], "×", asked="≤ 1.5")
    yield Measurement(f"{where}: again, of the first time", again.seconds / first.seconds, "×", asked="≤ 0.5")
    yield Measurement(f"{where}: on disk, of the HTML's bytes", disk, "×", asked="≤ 1.5")
    peak = max(first.peak_bytes, again.peak_bytes) / _MEGABYTE
    yield Measurement(f"{where}: largest process", peak, "MB", asked="≤ 400")


def _archives(folder: Path) -> Iterator[Archive]:
    kinds = os.environ.get("DATABASES", "sqlite postgresql").split()
    if "sqlite" in kinds:
        data = folder / "sqlite"
        data.mkdir(parents=True)
        yield Archive("SQLite", f"sqlite:///{data / 'webstrata.db'}", data)
    if "postgresql" in kinds:
        data = folder / "postgresql"
        data.mkdir(parents=True)
        with durable_postgres() as url:
            yield Archive("PostgreSQL", url, data)


def _run(archive: Archive, origin: str, folder: Path) -> Run:
    """Run the command as a person does, but with its log in a file that says when each stage ended."""
    environment = os.environ | {
        "WEBSTRATA_DATABASE_URL": archive.url,
        "WEBSTRATA_DATA_DIR": str(archive.folder),
        "WEBSTRATA_ALLOW_PRIVATE_NETWORKS": "127.0.0.0/8",
        "WEBSTRATA_CONCURRENCY": "32",
        "WEBSTRATA_MAX_PAGES": "1000000",
        "WEBSTRATA_LOG_LEVEL": "INFO",
        "WEBSTRATA_LOG_FORMAT": "json",
    }
    log = folder / "command.log"
    began, began_at = time.monotonic(), time.time()
    with log.open("wb") as err:
        command = [sys.executable, "-m", "webstrata", "archive", origin]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - began
    assert os.waitstatus_to_exitcode(status) == 0, log.read_text(encoding="utf-8")[-2_000:]
    cpu_seconds = usage.ru_utime + usage.ru_stime
    return Run(seconds, _stages(log, began_at, seconds), usage.ru_maxrss * _KILOBYTE, cpu_seconds)


def _stages(log: Path, began_at: float, seconds: float) -> dict[str, float]:
    """Return how long each stage took, from the times of the events that end them."""
    ended: dict[str, float] = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        if line.startswith("{"):
            event = json.loads(line)
            ended[event["event"]] = datetime.fromisoformat(event["timestamp"]).timestamp() - began_at
    stages, before = {}, 0.0
    for stage, event in _ENDS.items():
        stages[stage], before = ended[event] - before, ended[event]
    return stages | {"summary": seconds - before}


def _bytes_of(archive: Archive) -> int:
    """Return what an archive takes: its files, and its database where that is elsewhere."""
    size = sum(file.stat().st_size for file in archive.folder.rglob("*") if file.is_file())
    database = Database(archive.url)
    if not database.is_sqlite:
        with database.read() as session:
            size += int(session.scalar(text("SELECT pg_database_size(current_database())")) or 0)
    database.dispose()
    return size
