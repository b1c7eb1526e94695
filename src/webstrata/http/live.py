"""Live progress of a job: server-sent events, for programs and for the pages."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from time import monotonic

import structlog
from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event

from webstrata.db.engine import Database
from webstrata.db.queue import run_reports
from webstrata.db.queue.run_reports import JobProgress
from webstrata.errors import DatabaseError, NotFoundError, TooManyViewersError
from webstrata.http.caching import NEVER

log = structlog.get_logger()

EVENT_STREAM = "text/event-stream"
MOST_VIEWERS = 64
"""The most live views per process, as each queries the database every second."""

_LOOK_SECONDS = 1.0
_HEARTBEAT_SECONDS = 10.0
"""Proxies close connections without traffic after about half a minute."""

_RECONNECT_MS = 3_000
_HEADERS = {"Cache-Control": NEVER, "X-Accel-Buffering": "no"}

Written = Callable[[JobProgress, datetime], str]
"""Writes a job's progress at a moment as one line of JSON."""


class Viewers:
    """Counts the live views, and limits them."""

    def __init__(self, most: int = MOST_VIEWERS) -> None:
        """Begin without viewers."""
        self._most = most
        self.watching = 0

    @contextmanager
    def reserve(self) -> Iterator[None]:
        """Reserve a viewer's slot while the block lasts; TooManyViewersError when none is free."""
        if self.watching >= self._most:
            raise TooManyViewersError(f"{self._most} live views are open already; close one or try again later")
        self.watching += 1
        try:
            yield
        finally:
            self.watching -= 1


async def viewer_slot(request: Request) -> AsyncIterator[None]:
    """Reserve a viewer's slot until the response ends: a dependency of routes."""
    viewers = request.app.state.viewers
    assert isinstance(viewers, Viewers)
    with viewers.reserve():
        yield


async def live_view(database: Database, job_id: int, written: Written) -> StreamingResponse:
    """Return a stream of a job's progress that ends when the job is over."""
    if await run_in_threadpool(_look, database, job_id) is None:
        raise NotFoundError("Job not found")
    return StreamingResponse(_events(database, job_id, written), media_type=EVENT_STREAM, headers=_HEADERS)


async def _events(database: Database, job_id: int, written: Written) -> AsyncIterator[bytes]:
    """Yield new progress every second, a heartbeat when nothing changed, and the end as its own event."""
    yield format_sse_event(retry=_RECONNECT_MS)
    last, spoke = "", monotonic()
    while (progress := await _seen(database, job_id)) is not None:
        data = written(progress, datetime.now(UTC))
        if progress.is_over:
            yield format_sse_event(event="end", data_str=data)
            return
        if data != last:
            yield format_sse_event(event="progress", data_str=data)
            last, spoke = data, monotonic()
        elif monotonic() - spoke >= _HEARTBEAT_SECONDS:
            yield format_sse_event(comment="still here")
            spoke = monotonic()
        await asyncio.sleep(_LOOK_SECONDS)


async def _seen(database: Database, job_id: int) -> JobProgress | None:
    """Return a job's progress; None when it cannot be read, which ends the stream: clients connect again."""
    try:
        return await run_in_threadpool(_look, database, job_id)
    except DatabaseError as error:
        log.error("live.database.away", job_id=job_id, reason=str(error))
        return None


def _look(database: Database, job_id: int) -> JobProgress | None:
    with database.read() as session:
        return run_reports.progress(session, job_id, datetime.now(UTC))
