"""One visit to a URL: check robots.txt, fetch, read the links, and decide the new state of the task."""

import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus

import structlog

from webstrata.content.html import PageLinks
from webstrata.content.links import MAX_REFERENCES, followed
from webstrata.content.robots_meta import RobotsDirectives
from webstrata.crawl.outcome import FoundLinks, Outcome
from webstrata.crawl.rendering import PageRendering, as_rendered, split_resources, with_navigations
from webstrata.crawl.robots import RobotsRules
from webstrata.crawl.scope import CrawlScope
from webstrata.errors import FetchError, StorageError, TransientFetchError, UnreadablePageError, WarcError
from webstrata.model.captures import EarlierCapture
from webstrata.model.crawl.fetching import FetchResult, retry_after
from webstrata.model.crawl.tasks import Link, RetryPolicy, Task, TaskStatus, TaskType, after_failure
from webstrata.model.urls import join

log = structlog.get_logger()


class DisallowedError(FetchError):
    """robots.txt disallows the URL."""

    kind = "robots"


@dataclass(frozen=True)
class Obeyed:
    """The robots directives of pages that a job obeys."""

    nofollow: bool
    noarchive: bool

    def of(self, stated: RobotsDirectives) -> RobotsDirectives:
        """Return the directives of a page that are obeyed."""
        return RobotsDirectives(self.nofollow and stated.nofollow, self.noarchive and stated.noarchive)

    def followed(self, links: Sequence[Link]) -> Sequence[Link]:
        """Return the links that may be followed."""
        return followed(links) if self.nofollow else links


@dataclass(frozen=True)
class UrlVisitor:
    """Visits URLs for one job."""

    fetch: Callable[[str, Mapping[str, str]], Awaitable[FetchResult]]
    robots: RobotsRules | None
    scope: CrawlScope
    retries: RetryPolicy
    read_links: Callable[[FetchResult, EarlierCapture | None], Awaitable[FoundLinks]]
    read_earlier: Callable[[EarlierCapture], Awaitable[FoundLinks]]
    """Reads the links of an earlier capture, for a page that the server reports as not modified."""
    obeyed: Obeyed
    rendering: PageRendering | None = None
    """Opens pages in a browser, if the job does."""

    async def visit(self, task: Task) -> Outcome:
        """Return the outcome of a visit; nothing that a site does raises an exception."""
        try:
            await self._ask_robots(task.url)
            result, found, problem = await self._respond(task)
        except FetchError as error:
            failed = after_failure(task, error, self.retries, datetime.now(UTC), _jitter())
            return Outcome(failed, error_kind=error.kind)
        page = found.page
        directives = self.obeyed.of(page.directives)
        is_page = task.task_type is TaskType.PAGE
        links = self._leading_on(page.links, directives) if is_page else _nested_requisites(page.links, result)
        nesting = 1 if is_page else task.depth + 1
        resources, framed = self._resources(task, result)
        admitted = self.scope.admit_links([*links, *framed], task.depth + 1, result.url, nesting=nesting)
        noted = problem or (_note_cut_links(task.url) if page.is_cut else None)
        done = replace(task, status=TaskStatus.FINISHED, attempts=task.attempts + 1, last_error=noted)
        if directives.noarchive:
            return Outcome(replace(done, last_error=f"{task.url}: the page is marked noarchive"), links=admitted)
        return Outcome(done, result, admitted, found.record, "internal" if problem else None, found.kind, resources)

    def _resources(self, task: Task, result: FetchResult) -> tuple[tuple[FetchResult, ...], tuple[Link, ...]]:
        """Return the resources of a rendered page that are stored with it, and the pages in its frames."""
        if result.rendering is None or self.rendering is None or not self.rendering.keeps_resources:
            return (), ()
        depth = task.depth + 1
        return split_resources(result.rendering.resources, lambda url: bool(self.scope.admit_links([Link(url)], depth)))

    def _leading_on(self, links: Sequence[Link], directives: RobotsDirectives) -> Sequence[Link]:
        """Return the links of a page that may be followed; requisites are left out if the page itself is not stored."""
        if directives.nofollow:
            links = [link for link in links if link.task_type is TaskType.MEDIA]
        if directives.noarchive:
            links = [link for link in links if link.task_type is TaskType.PAGE]
        return self.obeyed.followed(links)

    async def _ask_robots(self, url: str) -> None:
        if self.robots is not None and not await self.robots.allows(url):
            raise DisallowedError(f"{url}: robots.txt does not allow it")

    async def _respond(self, task: Task) -> tuple[FetchResult, FoundLinks, str | None]:
        """Fetch a URL conditionally; return the response, its links, and the reason if the links cannot be read."""
        if self.rendering is not None:
            return await self._respond_rendered(task, self.rendering)
        earlier = task.earlier
        result = await self._fetch_url(task.url, earlier.conditions if earlier else {})
        if earlier is None or result.status != HTTPStatus.NOT_MODIFIED:
            return result, *await self._links(result, task)
        try:
            return result, await self.read_earlier(earlier), None
        except UnreadablePageError as error:
            return result, FoundLinks(), _unreadable(task.url, error)
        except (WarcError, StorageError) as error:
            log.warning("crawl.recall.failed", url=task.url, reason=str(error))
        result = await self._fetch_url(task.url, {})
        return result, *await self._links(result, task)

    async def _respond_rendered(
        self, task: Task, rendering: PageRendering
    ) -> tuple[FetchResult, FoundLinks, str | None]:
        """Fetch a URL over HTTP, unconditionally as a browser needs the content, or open it in the browser."""
        task = replace(task, earlier=None)
        if not rendering.comes_first(task):
            result = await self._fetch_url(task.url, {})
            found, problem = await self._links(result, task)
            if not rendering.is_needed(task, found):
                return result, found, problem
        result = _refuse_transient(await rendering.render(task.url))
        found, problem = await self._links(as_rendered(result), task)
        return result, with_navigations(found, result), problem

    async def _links(self, result: FetchResult, task: Task) -> tuple[FoundLinks, str | None]:
        """Return the links of a response; a page that cannot be parsed is stored without links, with the reason."""
        if result.redirect_target is not None:
            target = join(result.url, result.redirect_target)
            return FoundLinks(PageLinks((Link(target, task.task_type),) if target else ())), None
        try:
            return await self.read_links(result, task.earlier), None
        except UnreadablePageError as error:
            return FoundLinks(), _unreadable(result.url, error)

    async def _fetch_url(self, url: str, conditions: Mapping[str, str]) -> FetchResult:
        return _refuse_transient(await self.fetch(url, conditions))


def _refuse_transient(result: FetchResult) -> FetchResult:
    """Return a response; TransientFetchError when its status means that it should be retried."""
    if not result.transient:
        return result
    wait = retry_after(result.header("retry-after"), datetime.now(UTC))
    message = f"{result.url}: the server answered {result.status} {result.reason}".rstrip()
    raise TransientFetchError(message, wait, kind=f"http_{result.status}")


def _nested_requisites(links: Sequence[Link], result: FetchResult) -> Sequence[Link]:
    """Return the requisites of a requisite: resources of a style sheet, or a redirect's target, but no links."""
    if result.status >= HTTPStatus.BAD_REQUEST:
        return ()
    return [link for link in links if link.task_type is TaskType.MEDIA]


def _jitter() -> float:
    return random.random()  # noqa: S311 - spreads retries, guards nothing


def _unreadable(url: str, error: UnreadablePageError) -> str:
    log.warning("crawl.page.unreadable", url=url, reason=str(error))
    return f"{url}: its links were not read: {error}"


def _note_cut_links(url: str) -> str:
    log.warning("crawl.page.links_cut", url=url, most=MAX_REFERENCES)
    return f"{url}: it has more than {MAX_REFERENCES:,} links; the others were not read"
