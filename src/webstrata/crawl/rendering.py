"""Browser rendering in a crawl: which pages are opened, what they may request, and what is stored."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus

from webstrata.crawl.outcome import FoundLinks
from webstrata.crawl.robots import RobotsRules
from webstrata.crawl.scope import CrawlScope
from webstrata.errors import FetchError
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.crawl.tasks import Link, Task, TaskType
from webstrata.model.quality import QualityKind

_RENDERED_TYPE = (b"Content-Type", b"text/html; charset=utf-8")
_REPLACED = frozenset({b"content-type", b"content-encoding", b"content-length"})


@dataclass(frozen=True)
class RequestRules:
    """Decides what an open page may request: what the job captures as parts of pages, and robots.txt allows."""

    scope: CrawlScope
    robots: RobotsRules | None

    async def admit(self, url: str) -> bool:
        """Return whether a page may request a URL; when robots.txt cannot be fetched, it may not."""
        if self.scope.rules.why_not_requisite(url) is not None:
            return False
        try:
            return self.robots is None or await self.robots.allows(url)
        except FetchError:
            return False


@dataclass(frozen=True)
class PageRendering:
    """Opens pages of a job in the browser."""

    render: Callable[[str], Awaitable[FetchResult]]
    always: bool
    """Whether every page is opened, or only those that are empty without scripts."""
    keeps_resources: bool = True
    """Whether the job stores what pages load."""

    def is_needed(self, task: Task, found: FoundLinks) -> bool:
        """Return whether a page that was fetched over HTTP shows nothing without its scripts."""
        return task.task_type is TaskType.PAGE and found.kind is QualityKind.EMPTY

    def comes_first(self, task: Task) -> bool:
        """Return whether a URL is opened in the browser at once."""
        return self.always and task.task_type is TaskType.PAGE


def as_rendered(result: FetchResult) -> FetchResult:
    """Return a response with the rendered document as its body, for reading its links."""
    rendering = result.rendering
    if rendering is None or not rendering.html:
        return result
    headers = tuple(header for header in result.headers if header[0].lower() not in _REPLACED)
    return replace(result, body=rendering.html, headers=(*headers, _RENDERED_TYPE), rendering=None)


def with_navigations(found: FoundLinks, result: FetchResult) -> FoundLinks:
    """Return the links of a rendered page, including targets to which its scripts tried to navigate.

    They are not stored for later captures of the same payload, as many pages may have the same document before their
    scripts run.
    """
    moves = result.rendering.navigations if result.rendering else ()
    page = replace(found.page, links=(*found.page.links, *(Link(url) for url in moves)))
    return replace(found, page=page, record=None)


def split_resources(
    resources: Sequence[FetchResult], is_followed: Callable[[str], bool]
) -> tuple[tuple[FetchResult, ...], tuple[Link, ...]]:
    """Return which responses are stored with their page, and the framed pages that the job visits by themselves."""
    framed = [r for r in resources if r.posted is None and _is_page(r) and is_followed(r.url)]
    visited = {result.url for result in framed}
    stored = tuple(result for result in resources if result.capture_url not in visited)
    return stored, tuple(Link(result.url) for result in framed)


def _is_page(result: FetchResult) -> bool:
    return result.status == HTTPStatus.OK and "html" in (result.header("content-type") or "")
