"""One visit to a URL: ask robots.txt, fetch, read the links, decide what becomes of the task."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from webstrata.content.decode import decoded
from webstrata.content.html import page_text
from webstrata.content.links import links_in
from webstrata.crawl.outcome import Outcome
from webstrata.crawl.robots import RobotsRules
from webstrata.crawl.scope import Scope
from webstrata.errors import FetchError, TransientFetchError
from webstrata.model.fetching import FetchResult, retry_after
from webstrata.model.tasks import Link, RetryPolicy, Task, TaskStatus, TaskType, after_failure
from webstrata.model.urls import join

_HTML = ("text/html", "application/xhtml+xml")


class DisallowedError(FetchError):
    """robots.txt does not want this URL fetched."""


@dataclass(frozen=True)
class Visitor:
    """Visits URLs for one job."""

    fetch: Callable[[str], Awaitable[FetchResult]]
    robots: RobotsRules | None
    scope: Scope
    retries: RetryPolicy

    async def visit(self, task: Task) -> Outcome:
        """Return what a visit ended in; it never raises for what a site does."""
        try:
            await self._ask_robots(task.url)
            result = await self._fetched(task.url)
        except FetchError as error:
            return Outcome(after_failure(task, error, self.retries, datetime.now(UTC), _jitter()))
        links = self.scope.admitted(links_of(result, task.task_type), task.depth + 1)
        done = replace(task, status=TaskStatus.FINISHED, attempts=task.attempts + 1, last_error=None)
        return Outcome(done, result, links)

    async def _ask_robots(self, url: str) -> None:
        if self.robots is not None and not await self.robots.allows(url):
            raise DisallowedError(f"{url}: robots.txt does not allow it")

    async def _fetched(self, url: str) -> FetchResult:
        result = await self.fetch(url)
        if result.transient:
            wait = retry_after(result.header("retry-after"), datetime.now(UTC))
            raise TransientFetchError(f"{url}: the server answered {result.status} {result.reason}".rstrip(), wait)
        return result


def _jitter() -> float:
    return random.random()  # noqa: S311 - spreads retries, guards nothing


def links_of(result: FetchResult, task_type: TaskType) -> tuple[Link, ...]:
    """Return where an answer leads: a redirect's target, or the links of a page."""
    if result.redirect_target is not None:
        target = join(result.url, result.redirect_target)
        return (Link(target, task_type),) if target else ()
    content_type = result.header("content-type") or ""
    if not content_type.lower().startswith(_HTML):
        return ()
    body = decoded(result.body, result.header("content-encoding"))
    return links_in(page_text(body, content_type), result.url)
