"""Waits until an audited page is ready: the DOM is quiet and the network idle; then scrolls it to load further
content."""

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from webstrata.audit.page_scripts import DOM_QUIET, SCROLL
from webstrata.audit.policy import ReadinessPolicy, ScrollPolicy
from webstrata.audit.session_log import SessionLog
from webstrata.fetch.browser.failures import is_lost_context
from webstrata.model.auditing.sessions import AuditEventType

if TYPE_CHECKING:
    from playwright.async_api import Page

    from webstrata.fetch.browser.launch import BrowserPage


async def wait_until_ready(opened: "BrowserPage", policy: ReadinessPolicy, log: SessionLog) -> dict[str, object]:
    """Wait until a loaded page is ready; after a soft limit, log that and continue."""
    began = time.monotonic()
    is_quiet, is_idle, _ = await asyncio.gather(
        _wait_until_quiet(opened.page, policy),
        opened.proxy.wait_until_idle(policy.network_idle_seconds, policy.soft_timeout_seconds),
        asyncio.sleep(policy.least_seconds_after_load),
    )
    for is_met, what in ((is_quiet, "The DOM keeps changing"), (is_idle, "The network is not idle")):
        if not is_met:
            await log.warning(AuditEventType.TIMEOUT, what, soft_timeout_seconds=policy.soft_timeout_seconds)
    return {
        "ready_ms": round((time.monotonic() - began) * 1000),
        "dom_quiet": bool(is_quiet),
        "network_idle": is_idle,
    }


async def _wait_until_quiet(page: "Page", policy: ReadinessPolicy) -> bool:
    """Wait until the DOM is quiet, even if a script or tag navigates to another page; return whether it is."""
    from playwright.async_api import Error

    deadline = time.monotonic() + policy.soft_timeout_seconds
    while (left := deadline - time.monotonic()) > 0:
        try:
            return bool(await page.evaluate(DOM_QUIET, [policy.dom_quiet_seconds, left]))
        except Error as error:
            if not is_lost_context(error.message):
                raise
        with suppress(Error):
            await page.wait_for_load_state("load", timeout=max(1.0, (deadline - time.monotonic()) * 1000))
    return False


async def scroll_through(
    opened: "BrowserPage", policy: ScrollPolicy, readiness: ReadinessPolicy, log: SessionLog
) -> None:
    """Scroll down step by step and back to the top, and wait until the loading ends."""
    steps = await opened.page.evaluate(SCROLL, [policy.step_share, policy.wait_seconds, policy.most_steps])
    is_idle = await opened.proxy.wait_until_idle(readiness.network_idle_seconds, readiness.soft_timeout_seconds)
    if steps >= policy.most_steps:
        await log.warning(AuditEventType.TIMEOUT, "The page is too long to be scrolled to its end", steps=steps)
    if not is_idle:
        await log.warning(AuditEventType.TIMEOUT, "The network is not idle after scrolling", steps=steps)
