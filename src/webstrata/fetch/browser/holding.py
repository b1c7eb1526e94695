"""Blocks navigations of a page's main frame before they reach a server."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page

log = structlog.get_logger()


async def hold_page(page: "Page", may_open: Callable[[str], bool], refused: list[str]) -> "CDPSession":
    """Refuse navigations of a page's main frame unless `may_open` allows the URL, and add refused URLs to a list.

    Returns the session; detaching it ends the blocking.
    """
    session = await page.context.new_cdp_session(page)
    tree = await session.send("Page.getFrameTree")
    main_frame = tree["frameTree"]["frame"]["id"]
    pending: set[asyncio.Task[None]] = set()

    def decide(event: dict[str, object]) -> None:
        request = event["request"]
        assert isinstance(request, dict)
        url = str(request["url"])
        leaves = event.get("frameId") == main_frame and not may_open(url)
        if leaves:
            refused.append(url)
        deciding = asyncio.ensure_future(_settle_request(session, str(event["requestId"]), leaves=leaves))
        pending.add(deciding)
        deciding.add_done_callback(pending.discard)

    session.on("Fetch.requestPaused", decide)
    await session.send("Fetch.enable", {"patterns": [{"resourceType": "Document", "requestStage": "Request"}]})
    return session


async def _settle_request(session: "CDPSession", request_id: str, *, leaves: bool) -> None:
    from playwright.async_api import Error

    try:
        if leaves:
            await session.send("Fetch.failRequest", {"requestId": request_id, "errorReason": "Aborted"})
        else:
            await session.send("Fetch.continueRequest", {"requestId": request_id})
    except Error:
        log.debug("browser.request.gone")
