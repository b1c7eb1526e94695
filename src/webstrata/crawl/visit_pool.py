"""The visits of one worker: waiting for a connection, in progress, or finished with an outcome."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace

import structlog

from webstrata.crawl.outcome import Outcome
from webstrata.crawl.visit import UrlVisitor
from webstrata.errors import OUR_TROUBLE, WebstrataError
from webstrata.model.crawl.tasks import Task, TaskStatus

log = structlog.get_logger()

MOST_WAITING_BYTES = 64_000_000
"""The most bytes of responses that wait to be written; above it no visit begins."""


class Visits:
    """Begins visits when connections are free, and collects their outcomes."""

    def __init__(self, visitor: UrlVisitor, most: int, wake: asyncio.Event, on_response: Callable[[], None]) -> None:
        """Begin with nothing; `wake` is set when a visit ends, and `on_response` is called after each response."""
        self._visitor = visitor
        self._most = most
        self._wake = wake
        self._on_response = on_response
        self._ready: deque[Task] = deque()
        self._under_way: dict[asyncio.Task[None], Task] = {}
        self._outcomes: list[Outcome] = []
        self._waiting_bytes = 0
        self._trouble: WebstrataError | None = None

    @property
    def held(self) -> list[Task]:
        """Return the tasks that are under way or wait for a connection."""
        return [*self._under_way.values(), *self._ready]

    @property
    def any_under_way(self) -> bool:
        """Return whether anything is being visited."""
        return bool(self._under_way)

    @property
    def came_back(self) -> int:
        """Return the number of visits that have ended and were not collected yet."""
        return len(self._outcomes)

    def raise_trouble(self) -> None:
        """Raise the first internal error of a visit, if there was one."""
        if self._trouble is not None:
            raise self._trouble

    def begin(self, tasks: Iterable[Task]) -> None:
        """Visit some tasks as soon as there are connections for them."""
        self._ready.extend(tasks)
        self._fill_connections()

    def take(self) -> list[Outcome]:
        """Return the outcomes since the last call."""
        outcomes, self._outcomes, self._waiting_bytes = self._outcomes, [], 0
        self._fill_connections()
        return outcomes

    def begin_no_more(self) -> None:
        """Drop the tasks whose visits have not begun."""
        self._ready.clear()

    async def cancel(self) -> None:
        """Cancel all visits; finished ones retain their outcomes."""
        self.begin_no_more()
        visiting = list(self._under_way)
        for visit in visiting:
            visit.cancel()
        await asyncio.gather(*visiting, return_exceptions=True)

    def _fill_connections(self) -> None:
        while self._ready and len(self._under_way) < self._most and self._waiting_bytes < MOST_WAITING_BYTES:
            task = self._ready.popleft()
            visiting = asyncio.create_task(self._visit(task))
            self._under_way[visiting] = task
            visiting.add_done_callback(self._finish_visit)

    def _finish_visit(self, visiting: asyncio.Task[None]) -> None:
        del self._under_way[visiting]
        self._fill_connections()
        self._wake.set()

    async def _visit(self, task: Task) -> None:
        try:
            outcome = await self._visitor.visit(task)
        except OUR_TROUBLE as error:
            self._trouble = error
            return
        except Exception as error:
            # Any error affects only this page.
            log.exception("crawl.visit.broken", url=task.url)
            reason = f"{task.url}: {type(error).__name__}: {error}"
            given_up = replace(task, status=TaskStatus.ERROR, attempts=task.attempts + 1, last_error=reason)
            outcome = Outcome(given_up, error_kind="internal")
        self._keep(outcome)

    def _keep(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        if outcome.result is not None:
            self._waiting_bytes += outcome.size
            self._on_response()
