"""The frontier: how fast the queue alone is, and what a million known URLs cost a crawl."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.report import Measurement
from bench.site import nginx
from webstrata.app import App, build_app
from webstrata.db.queue import frontier
from webstrata.jobs.running.queueing import queue_archive
from webstrata.model.crawl.tasks import Link, Task, TaskStatus
from webstrata.settings import load_settings

_QUEUED = 50_000
_AT_ONCE = 100
_KNOWN = 1_000_000
_LOADED_AT_ONCE = 20_000
_CLAIMED = 400
_CRAWLED = 2_000
_LEASE = timedelta(minutes=5)
_MEGABYTE = 1_000_000


def measure(folder: Path) -> list[Measurement]:
    """Return the queue's rate, and the size, the time of a claim and the peak memory with a million known URLs."""
    return [_queue_alone(folder / "queue"), *_a_million_known(folder)]


def _queue_alone(folder: Path) -> Measurement:
    app = build_app(load_settings({"WEBSTRATA_DATA_DIR": str(folder)}))
    origin = "https://bench.example"
    job_id = queue_archive(app.database, app.archive_root, (f"{origin}/",))
    _load(app, job_id, origin, _QUEUED)
    began, settled = time.monotonic(), 0
    claimed = _round(app, job_id, [])
    while claimed:
        settled += len(claimed)
        claimed = _round(app, job_id, claimed)
    seconds = time.monotonic() - began
    app.close()
    assert settled >= _QUEUED, settled
    return Measurement(f"claim and settle, {_AT_ONCE} a transaction", settled / seconds, "tasks/s", asked="≥ 5,000")


def _round(app: App, job_id: int, finished: list[Task], limit: int = _AT_ONCE) -> list[Task]:
    """Settle what was claimed and claim what is next, in one transaction, as a crawl does."""
    now = datetime.now(UTC)
    done = [replace(task, status=TaskStatus.FINISHED, attempts=1) for task in finished]
    with app.database.write() as session:
        assert frontier.settle(session, done, now) == []
        return frontier.claim(session, job_id, "bench", limit=limit, now=now, lease=_LEASE)


def _a_million_known(folder: Path) -> Iterator[Measurement]:
    root = folder / "site"
    _write_pages_that_link_to_all(root)
    data = folder / "million"
    environment = {
        "WEBSTRATA_DATA_DIR": str(data),
        "WEBSTRATA_ALLOW_PRIVATE_NETWORKS": "127.0.0.0/8",
        "WEBSTRATA_CONCURRENCY": "32",
        "WEBSTRATA_LOG_LEVEL": "WARNING",
    }
    with nginx(root, folder) as origin:
        app = build_app(load_settings(environment))
        job_id = queue_archive(app.database, app.archive_root, (f"{origin}/",))
        _load(app, job_id, origin, _KNOWN)
        began = time.monotonic()
        claimed = _round(app, job_id, [], _CLAIMED)
        took = time.monotonic() - began
        with app.database.write() as session:
            frontier.release(session, job_id, "bench", datetime.now(UTC))
        app.close()
        assert len(claimed) == _CLAIMED, len(claimed)
        size = sum(file.stat().st_size for file in data.glob("webstrata.db*"))
        peak = _peak_memory_of_a_crawl(origin, environment)
    yield Measurement("database of 1,000,000 known URLs", size / _MEGABYTE, "MB")
    yield Measurement(f"claim of {_CLAIMED} among them", took * 1000, "ms")
    yield Measurement(
        f"peak memory of a crawl that fetches {_CRAWLED:,} and meets them all", peak / _MEGABYTE, "MB", asked="≤ 500"
    )


def _write_pages_that_link_to_all(folder: Path) -> None:
    """Write as many pages as are fetched, which between them link to every known URL."""
    folder.mkdir(parents=True)
    links = _KNOWN // _CRAWLED
    for page in range(_CRAWLED):
        listed = "".join(f"<li><a href='/{page * links + n}.html'>{n}</a>" for n in range(links))
        (folder / f"{page}.html").write_text(f"<!doctype html><title>Page {page}</title><ul>{listed}</ul>")
    (folder / "index.html").write_text("<!doctype html><title>Home</title>")


def _load(app: App, job_id: int, origin: str, known: int) -> None:
    for start in range(0, known, _LOADED_AT_ONCE):
        links = [Link(f"{origin}/{number}.html") for number in range(start, min(start + _LOADED_AT_ONCE, known))]
        with app.database.write() as session:
            frontier.add_links(session, job_id, links, 1, datetime.now(UTC))


def _peak_memory_of_a_crawl(origin: str, environment: dict[str, str]) -> int:
    """Let the program go on with the job, and return the most bytes that it held in memory."""
    command = [sys.executable, "-m", "webstrata", "archive", origin, "--max-pages", str(_CRAWLED)]
    process = subprocess.Popen(command, env=os.environ | environment)
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, status
    return usage.ru_maxrss * 1024
