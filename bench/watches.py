"""Watches: 10,000 that are due, of 200 sources, while other jobs wait."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.databases import databases
from bench.report import Measurement
from webstrata.db.engine import Database
from webstrata.db.migrate import make_ready
from webstrata.db.queue import jobs
from webstrata.db.watching import watches
from webstrata.jobs.watching.schedule import queue_due_watches
from webstrata.model.jobs.job import JobConfig
from webstrata.model.watching.watches import WatchRequest, check_watch, watched_page

_WATCHES, _SOURCES = 10_000, 200


def measure(folder: Path) -> list[Measurement]:
    """Return the time in which due watches are queued, on each database."""
    return [_measure(name, Database(url), folder / name) for name, url in databases(folder)]


def _measure(name: str, database: Database, root: Path) -> Measurement:
    make_ready(database)
    now = datetime.now(UTC)
    waiting = _fill(database, now)
    began = time.perf_counter()
    queued = queue_due_watches(database, root, now)
    seconds = time.perf_counter() - began
    assert len(queued) == _SOURCES, len(queued)
    with database.read() as session:
        assert all(view.watch.next_run_at > now for view in watches.list_watches(session))
        assert jobs.next_in_line(session, now) == waiting, "a job that waited comes first"
    database.engine.dispose()
    return Measurement(f"{_WATCHES:,} due watches of {_SOURCES} sources queued, {name}", seconds, "s", asked="≤ 5")


def _fill(database: Database, now: datetime) -> int:
    """Add the watches, and a job that waits; return that job."""
    with database.write() as session:
        sources = [
            jobs.ensure_source(session, f"site-{number}", name="Site", base_url=f"https://s{number}.example/")
            for number in range(_SOURCES + 1)
        ]
        for number in range(_WATCHES):
            checked = check_watch(WatchRequest(f"https://s{number % _SOURCES}.example/page/{number}"))
            page = watched_page(checked.url, checked.scope)
            watches.add_watch(session, sources[number % _SOURCES], checked, page, now - timedelta(minutes=1))
        config = JobConfig(seeds=("https://waits.example/",))
        return jobs.add_job(
            session, sources[-1], name="waits", output_dir="waits", config=config, queued_at=now - timedelta(hours=1)
        )
