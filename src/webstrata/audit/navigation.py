"""Navigation of an audited page: attempts with growing waits, and one more reload after a bot block."""

import asyncio
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from webstrata.audit.judging import is_bot_block
from webstrata.audit.policy import NavigationPolicy
from webstrata.audit.session_log import SessionLog
from webstrata.audit.status import AuditProblem, problem_of_status
from webstrata.coordination.threads import in_thread
from webstrata.errors import BlockedAddressError, FetchError, NavigationFailedError, UnreadablePageError
from webstrata.model.auditing.sessions import AuditEventType
from webstrata.model.urls import join

if TYPE_CHECKING:
    from playwright.async_api import Page, Response

    from webstrata.fetch.browser.launch import BrowserPage

_MOST_REDIRECTS = 20
_LOAD_SECONDS = 15.0
"""The longest wait for the load event after the document has arrived."""


@dataclass(frozen=True)
class OpenedUrl:
    """A page that was opened."""

    final_url: str
    http_status: int | None
    attempts: int


@dataclass(frozen=True)
class _Attempt:
    status: int | None = None
    error: str | None = None
    is_final: bool = False
    is_timeout: bool = False

    def should_retry(self, policy: NavigationPolicy) -> bool:
        if self.is_final:
            return False
        return self.is_timeout or self.error is not None or self.status in policy.retried_statuses

    @property
    def problem(self) -> AuditProblem | None:
        if self.is_timeout:
            return AuditProblem.NAVIGATION_TIMEOUT
        return None if self.status is None else problem_of_status(self.status)

    @property
    def reason(self) -> str:
        return self.error or f"HTTP {self.status}"


async def open_url(opened: "BrowserPage", url: str, policy: NavigationPolicy, log: SessionLog) -> OpenedUrl:
    """Open a URL in a page; NavigationFailedError when all attempts fail."""
    attempt, tries = _Attempt(), 0
    for tries in range(1, policy.attempts + 1):
        attempt = await _try(opened, url, policy)
        await log.info(AuditEventType.NAVIGATION, f"Opened {url}: {attempt.reason}", attempt=tries, url=url)
        if not attempt.should_retry(policy):
            break
        if tries < policy.attempts:
            await _pause(policy, tries, attempt, log)
    if await _is_bot_block(opened.page, url, attempt):
        attempt = await _reload(opened, url, policy, attempt, log)
    if attempt.error is not None or attempt.status is None or attempt.status >= 400:
        raise NavigationFailedError(attempt.reason, attempt.problem, attempt.status)
    return OpenedUrl(opened.page.url, attempt.status, tries)


async def _try(opened: "BrowserPage", url: str, policy: NavigationPolicy) -> _Attempt:
    from playwright.async_api import Error
    from playwright.async_api import TimeoutError as SlowError

    page = opened.page
    try:
        response = await page.goto(url, wait_until="domcontentloaded", timeout=policy.timeout_seconds * 1000)
        await _wait_for_load(page)
    except SlowError:
        return _Attempt(error=f"no response within {policy.timeout_seconds:g} s", is_timeout=True)
    except Error as error:
        return _failed_attempt(opened, url, error.message.partition("\n")[0], policy)
    return _response_attempt(opened, url, response)


def _response_attempt(opened: "BrowserPage", url: str, response: "Response | None") -> _Attempt:
    if (failure := _failure(opened, url)) is not None:
        return _Attempt(error=str(failure), is_final=isinstance(failure, BlockedAddressError))
    return _Attempt(status=None if response is None else response.status)


def _failed_attempt(opened: "BrowserPage", url: str, reason: str, policy: NavigationPolicy) -> _Attempt:
    """Return a failed attempt, with the proxy's error if it has one: the browser only knows that the connection
    ended."""
    failure = _failure(opened, url)
    if isinstance(failure, BlockedAddressError):
        return _Attempt(error=str(failure), is_final=True)
    is_network = policy.retried_error_prefix in reason
    is_timeout = "TIMED_OUT" in reason or (failure is not None and failure.kind == "timeout")
    shown = str(failure) if failure is not None else reason.removeprefix("Page.goto: ")
    return _Attempt(error=shown[:300], is_final=not is_network and failure is None, is_timeout=is_timeout)


def _failure(opened: "BrowserPage", url: str) -> FetchError | None:
    """Return why a page, or what it redirects to, could not be fetched."""
    targets = {one.url: one.redirect_target for one in opened.proxy.exchanges if one.redirect_target}
    for _ in range(_MOST_REDIRECTS):
        target = join(url, targets[url]) if url in targets else None
        if target is None:
            break
        url = target
    return opened.proxy.failures.get(url)


async def _wait_for_load(page: "Page") -> None:
    """Wait for the load event, but only for a limited time, as some requests never end."""
    from playwright.async_api import TimeoutError as SlowError

    try:
        await page.wait_for_load_state("load", timeout=_LOAD_SECONDS * 1000)
    except SlowError:
        return


async def _pause(policy: NavigationPolicy, tries: int, attempt: _Attempt, log: SessionLog) -> None:
    backoff = policy.backoff_seconds[min(tries, len(policy.backoff_seconds)) - 1]
    wait = backoff + random.uniform(0, policy.jitter_seconds)  # noqa: S311 - spreads retries
    kind = AuditEventType.TIMEOUT if attempt.is_timeout else AuditEventType.RETRY
    await log.warning(kind, f"Trying again: {attempt.reason}", attempt=tries, wait_ms=round(wait * 1000))
    await asyncio.sleep(wait)


async def _is_bot_block(page: "Page", url: str, attempt: _Attempt) -> bool:
    """Return whether the shown page is a bot block, whatever its status."""
    from playwright.async_api import Error

    if attempt.error is not None or attempt.status is None or attempt.status in {404, 410}:
        return False
    try:
        html = await page.content()
    except Error:
        return False
    try:
        return await in_thread(is_bot_block, html, url, attempt.status)
    except UnreadablePageError:
        return False


async def _reload(
    opened: "BrowserPage", url: str, policy: NavigationPolicy, blocked: _Attempt, log: SessionLog
) -> _Attempt:
    """Reload a page that shows a bot block; NavigationFailedError when it still does."""
    attempt = blocked
    for _ in range(policy.bot_block_reloads):
        if (passed := await _wait_to_pass(opened, url, policy, attempt)) is not None:
            return passed
        wait_ms = round(policy.bot_block_wait_seconds * 1000)
        await log.warning(AuditEventType.RETRY, "Bot block: reloading", status=attempt.status, wait_ms=wait_ms)
        attempt = await _try(opened, url, policy)
        if not await _is_bot_block(opened.page, url, attempt):
            return attempt
    if (passed := await _wait_to_pass(opened, url, policy, attempt)) is not None:
        return passed
    problem = attempt.problem or AuditProblem.BOT_BLOCK
    raise NavigationFailedError(f"{AuditProblem.BOT_BLOCK}: {attempt.reason}", problem, attempt.status)


async def _wait_to_pass(
    opened: "BrowserPage", url: str, policy: NavigationPolicy, blocked: _Attempt
) -> _Attempt | None:
    """Wait, and return the result if the page has navigated by itself: many bot checks pass after a moment."""
    await asyncio.sleep(policy.bot_block_wait_seconds)
    if await _is_bot_block(opened.page, url, blocked):
        return None
    here = opened.page.url.partition("#")[0]
    statuses = [one.status for one in opened.proxy.exchanges if one.url == here]
    return replace(blocked, status=statuses[-1]) if statuses else None
