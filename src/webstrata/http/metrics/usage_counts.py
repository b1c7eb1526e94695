"""Usage counts: requests are counted in memory and written to the database at intervals, not during requests."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, date, datetime
from enum import StrEnum
from threading import Lock

import structlog
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool

from webstrata.db.engine import Database
from webstrata.db.operations import usage as stored
from webstrata.errors import WebstrataError

log = structlog.get_logger()


class Event(StrEnum):
    """The kinds of requests that are counted; values are the names in the API and the database."""

    SEARCH_REQUESTS = "searchRequests"
    SNAPSHOT_DETAIL_VIEWS = "snapshotDetailViews"
    RAW_SNAPSHOT_VIEWS = "rawSnapshotViews"
    REPORT_SUBMISSIONS = "reportSubmissions"


class UsageCounter:
    """Counts the requests of one process by kind, and writes the counts to the database when asked to."""

    def __init__(self, database: Database, *, enabled: bool = True) -> None:
        """Begin with nothing counted."""
        self._database = database
        self._enabled = enabled
        self._changing = Lock()
        self._counts: Counter[tuple[date, str]] = Counter()

    def add(self, event: str, now: datetime) -> None:
        """Count one event."""
        if self._enabled:
            with self._changing:
                self._counts[now.astimezone(UTC).date(), Event(event).value] += 1

    def waiting(self) -> Mapping[tuple[date, str], int]:
        """Return the counts that are not written yet."""
        with self._changing:
            return dict(self._counts)

    def write(self) -> None:
        """Write the counts; when the database is unavailable, they are written the next time."""
        with self._changing:
            counts, self._counts = self._counts, Counter()
        if not counts:
            return
        try:
            with self._database.write() as session:
                stored.add_counts(session, counts)
        except WebstrataError as error:
            log.warning("usage.write.failed", reason=str(error))
            with self._changing:
                self._counts.update(counts)

    async def keep_writing(self, every_seconds: float) -> None:
        """Write at intervals, until cancelled."""
        while True:
            await asyncio.sleep(every_seconds)
            await run_in_threadpool(self.write)


def count_event(request: Request, event: str) -> None:
    """Count one event; routes call this after they have computed their response."""
    counter_of(request).add(event, datetime.now(UTC))


def counter_of(request: Request) -> UsageCounter:
    """Return the counter of the application that a request is for."""
    counter = request.app.state.usage
    assert isinstance(counter, UsageCounter)
    return counter


@asynccontextmanager
async def writing_usage_counts(api: FastAPI) -> AsyncIterator[None]:
    """Write an application's counts at intervals while it is served, and once more at the end."""
    counter, settings = api.state.usage, api.state.webstrata.settings
    assert isinstance(counter, UsageCounter)
    writing = asyncio.create_task(counter.keep_writing(settings.usage_write_seconds))
    try:
        yield
    finally:
        writing.cancel()
        with suppress(asyncio.CancelledError):
            await writing
        await run_in_threadpool(counter.write)
