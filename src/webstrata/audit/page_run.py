"""Runs one page of an audit: opens it, waits until it is ready, dismisses popups, scrolls, and collects evidence."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from webstrata.audit.dismissing import PopupDismissal
from webstrata.audit.evidence import CollectedPage, EvidenceStore, collect_page, retry_extraction
from webstrata.audit.judging import JudgedEvidence, judge_evidence
from webstrata.audit.navigation import open_url
from webstrata.audit.page_scripts import TIMINGS
from webstrata.audit.policy import CrawlPolicy
from webstrata.audit.readiness import scroll_through, wait_until_ready
from webstrata.audit.session_log import SessionLog
from webstrata.audit.status import AuditProblem, PageOutcome
from webstrata.coordination.threads import in_thread
from webstrata.db.auditing import pages
from webstrata.db.engine import Database
from webstrata.errors import FetchError, NavigationFailedError, TransientFetchError, UnreadablePageError
from webstrata.fetch.browser.options import PageOptions
from webstrata.model.auditing.sessions import (
    AuditEventType,
    AuditLease,
    AuditPage,
    AuditPageStatus,
    AuditPageType,
    AuditViewport,
)
from webstrata.model.crawl.fetching import FetchResult

if TYPE_CHECKING:
    from webstrata.fetch.browser.launch import BrowserPage, BrowserPool

_BROWSER_ATTEMPTS = 2
"""The number of attempts at a page when the browser crashes."""

Accept = Callable[[str, str], Awaitable[bool]]
"""A function that decides from the rendered HTML and the final URL whether a page is the requested one."""


@dataclass(frozen=True)
class PageTools:
    """The tools that the pages of one session share."""

    pool: "BrowserPool"
    policy: CrawlPolicy
    database: Database
    lease: AuditLease
    store: EvidenceStore
    log: SessionLog
    confirm: Callable[[], Awaitable[None]]
    """Returns if the session still holds its domain; LeaseLostError otherwise."""
    record: Callable[[list[FetchResult]], Awaitable[None]] | None = None
    """Stores the exchanges of a page, for an evidence pack."""


@dataclass(frozen=True)
class VisitedPage:
    """A page that was read."""

    viewport: AuditViewport
    url: str
    final_url: str
    http_status: int | None
    collected: CollectedPage
    timings: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class PageFailure:
    """Why a page could not be read."""

    viewport: AuditViewport
    url: str
    reason: str
    problem: AuditProblem | None = None
    http_status: int | None = None


async def run_page(tools: PageTools, page_type: AuditPageType, viewport: AuditViewport, url: str) -> "PageRun":
    """Audit a page on a viewport and store its evidence or its failure."""
    page = await in_thread(_add, tools, page_type, viewport, url)
    return await store_page(tools, page, await visit_page(tools, viewport, url))


async def store_visited(tools: PageTools, page_type: AuditPageType, visited: VisitedPage) -> "PageRun":
    """Store the evidence of a page that was visited before it was chosen as the product page."""
    page = await in_thread(_add, tools, page_type, visited.viewport, visited.url)
    return await store_page(tools, page, visited)


@dataclass(frozen=True)
class PageRun:
    """The result of a page."""

    outcome: PageOutcome
    visited: VisitedPage | None
    reasons: tuple[str, ...] = ()
    """Why the evidence of the page is thin."""


async def visit_page(
    tools: PageTools, viewport: AuditViewport, url: str, accept: Accept | None = None
) -> VisitedPage | PageFailure | None:
    """Open a page and read it; None when `accept` refuses it. After a crash of the browser it is tried again."""
    failure = PageFailure(viewport, url, "the browser failed")
    for attempt in range(1, _BROWSER_ATTEMPTS + 1):
        await tools.confirm()
        try:
            async with asyncio.timeout(tools.policy.readiness.hard_timeout_seconds):
                return await _visit(tools, viewport, url, accept)
        except TimeoutError:
            seconds = tools.policy.readiness.hard_timeout_seconds
            await tools.log.error(AuditEventType.TIMEOUT, f"The page took more than {seconds:g} s", url=url)
            return PageFailure(viewport, url, f"more than {seconds:g} s", AuditProblem.NAVIGATION_TIMEOUT)
        except NavigationFailedError as error:
            await tools.log.error(AuditEventType.NAVIGATION, f"{url} failed: {error}", status=error.http_status)
            problem = None if error.problem is None else AuditProblem(error.problem)
            return PageFailure(viewport, url, str(error), problem, error.http_status)
        except TransientFetchError as error:
            await tools.log.warning(AuditEventType.RETRY, f"The browser failed: {error}", attempt=attempt, url=url)
            failure = PageFailure(viewport, url, str(error))
        except FetchError as error:
            failure = PageFailure(viewport, url, str(error))
            break
    await tools.log.error(AuditEventType.ERROR, f"{url} failed: {failure.reason}", url=url)
    return failure


async def store_page(tools: PageTools, page: AuditPage, visited: VisitedPage | PageFailure | None) -> PageRun:
    """Store how a page ended, and its evidence if it was read."""
    assert visited is not None
    if isinstance(visited, PageFailure):
        failed = replace(page, status=AuditPageStatus.FAILED, error=visited.reason, http_status=visited.http_status)
        await in_thread(_save, tools, failed)
        return PageRun(_outcome(failed, visited.problem), None)
    try:
        judged = await in_thread(judge_evidence, visited.collected, visited.final_url, page.page_type, tools.policy)
    except UnreadablePageError as error:
        await tools.log.error(AuditEventType.ERROR, f"The page cannot be read: {error}", url=visited.url)
        return await store_page(tools, page, PageFailure(visited.viewport, visited.url, str(error)))
    done = _finished_page(page, visited, judged)
    await tools.store.put_page(done, visited.collected, judged.features)
    await in_thread(_save, tools, done)
    await tools.log.info(
        AuditEventType.ARTIFACT,
        f"Stored the evidence of the {page.page_type} on {page.viewport}",
        low_confidence_reasons=list(judged.reasons),
    )
    return PageRun(_outcome(done, None), visited, judged.reasons)


async def _visit(tools: PageTools, viewport: AuditViewport, url: str, accept: Accept | None) -> VisitedPage | None:
    async with tools.pool.open_page(_page_options(tools.policy, viewport)) as opened:
        try:
            return await _read(tools, opened, viewport, url, accept)
        finally:
            if tools.record is not None:
                await tools.record(list(opened.proxy.exchanges))


async def _read(
    tools: PageTools, opened: "BrowserPage", viewport: AuditViewport, url: str, accept: Accept | None
) -> VisitedPage | None:
    policy, log, page = tools.policy, tools.log, opened.page
    found = await open_url(opened, url, policy.navigation, log)
    timings = await wait_until_ready(opened, policy.readiness, log)
    if accept is not None:
        html = await retry_extraction(page.content, "HTML", log)
        if not await accept(html, page.url):
            return None
    loaded_at = time.monotonic() - policy.readiness.least_seconds_after_load
    popups = PopupDismissal(page, policy.popups, log)
    await popups.run_pass()
    await scroll_through(opened, policy.scroll, policy.readiness, log)
    await asyncio.sleep(loaded_at + policy.popups.last_pass_seconds - time.monotonic())
    await popups.run_pass()
    await popups.hide_overlays()
    timings |= await retry_extraction(lambda: page.evaluate(TIMINGS), "timings", log)
    collected = await collect_page(page, log)
    timings["navigation_attempts"] = found.attempts
    return VisitedPage(viewport, url, page.url, found.http_status, collected, timings)


def _page_options(policy: CrawlPolicy, viewport: AuditViewport) -> PageOptions:
    screen = policy.viewports[viewport]
    return PageOptions(
        user_agent=screen.user_agent,
        width=screen.width,
        height=screen.height,
        scale=screen.device_scale_factor,
        is_mobile=screen.is_mobile,
        has_touch=screen.has_touch,
        locale=policy.locale,
        timezone=policy.timezone,
        request_timeout=policy.navigation.timeout_seconds,
    )


def _finished_page(page: AuditPage, visited: VisitedPage, judged: JudgedEvidence) -> AuditPage:
    return replace(
        page,
        status=AuditPageStatus.OK,
        final_url=visited.final_url,
        http_status=visited.http_status,
        load_timings=visited.timings,
        low_confidence_reasons=judged.reasons,
    )


def _outcome(page: AuditPage, problem: AuditProblem | None) -> PageOutcome:
    return PageOutcome(page.page_type, page.viewport, page.status, problem)


def _add(tools: PageTools, page_type: AuditPageType, viewport: AuditViewport, url: str) -> AuditPage:
    with tools.database.write() as session:
        return pages.add_page(session, tools.lease, page_type, viewport, url)


def _save(tools: PageTools, page: AuditPage) -> None:
    with tools.database.write() as session:
        pages.save_page(session, tools.lease, page)
