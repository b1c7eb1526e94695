"""One visit to a URL: ask robots.txt, fetch, read the links, decide what becomes of the task."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus

import structlog

from webstrata.content.decode import decoded
from webstrata.content.links import MAX_PAGE_BYTES, is_page, links_of_page
from webstrata.crawl.outcome import Outcome
from webstrata.crawl.robots import RobotsRules
from webstrata.crawl.scope import Scope
from webstrata.crawl.wishes import PageWishes
from webstrata.errors import FetchError, StorageError, TransientFetchError, WarcError
from webstrata.model.captures import EarlierCapture
from webstrata.model.fetching import FetchResult, retry_after
from webstrata.model.tasks import Link, RetryPolicy, Task, TaskStatus, TaskType, after_failure
from webstrata.model.urls import join

log = structlog.get_logger()


class DisallowedError(FetchError):
    """robots.txt does not want this URL fetched."""

    kind = "robots"


@dataclass(frozen=True)
class Visitor:
    """Visits URLs for one job."""

    fetch: Callable[[str, Mapping[str, str]], Awaitable[FetchResult]]
    robots: RobotsRules | None
    scope: Scope
    retries: RetryPolicy
    recall: Callable[[EarlierCapture], tuple[Link, ...]]
    wishes: PageWishes

    async def visit(self, task: Task) -> Outcome:
        """Return what a visit ended in; it never raises for what a site does."""
        try:
            await self._ask_robots(task.url)
            result, links = await self._answer(task)
        except FetchError as error:
            failed = after_failure(task, error, self.retries, datetime.now(UTC), _jitter())
            return Outcome(failed, error_kind=error.kind)
        wished = self.wishes.of(result)
        followed = () if wished.nofollow else self.wishes.followed(links)
        admitted = self.scope.admitted(followed, task.depth + 1, result.url)
        done = replace(task, status=TaskStatus.FINISHED, attempts=task.attempts + 1, last_error=None)
        if wished.noarchive:
            return Outcome(replace(done, last_error=f"{task.url}: the page says noarchive"), links=admitted)
        return Outcome(done, result, admitted)

    async def _ask_robots(self, url: str) -> None:
        if self.robots is not None and not await self.robots.allows(url):
            raise DisallowedError(f"{url}: robots.txt does not allow it")

    async def _answer(self, task: Task) -> tuple[FetchResult, tuple[Link, ...]]:
        """Fetch a URL, if it changed since the last time, and return the answer and where the page leads."""
        earlier = task.earlier
        result = await self._fetched(task.url, earlier.conditions if earlier else {})
        if earlier is None or result.status != HTTPStatus.NOT_MODIFIED:
            return result, links_of(result, task.task_type)
        try:
            return result, await asyncio.to_thread(self.recall, earlier)
        except (WarcError, StorageError) as error:
            log.warning("crawl.recall.failed", url=task.url, reason=str(error))
        result = await self._fetched(task.url, {})
        return result, links_of(result, task.task_type)

    async def _fetched(self, url: str, conditions: Mapping[str, str]) -> FetchResult:
        result = await self.fetch(url, conditions)
        if result.transient:
            wait = retry_after(result.header("retry-after"), datetime.now(UTC))
            message = f"{url}: the server answered {result.status} {result.reason}".rstrip()
            raise TransientFetchError(message, wait, kind=f"http_{result.status}")
        return result


def _jitter() -> float:
    return random.random()  # noqa: S311 - spreads retries, guards nothing


def links_of(result: FetchResult, task_type: TaskType) -> tuple[Link, ...]:
    """Return where an answer leads: a redirect's target, or the links of a page."""
    if result.redirect_target is not None:
        target = join(result.url, result.redirect_target)
        return (Link(target, task_type),) if target else ()
    content_type = result.header("content-type")
    if not is_page(content_type):
        return ()
    body = decoded(result.body, result.header("content-encoding"), MAX_PAGE_BYTES)
    return links_of_page(body, content_type, result.url)
