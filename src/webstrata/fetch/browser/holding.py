"""Holds a page where it is: navigations of its main frame are refused before they reach a server."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page

log = structlog.get_logger()


async def hold_page(page: "Page", may_open: Callable[[str], bool], refused: list[str]) -> "CDPSession":
    """Refuse the navigations of a page's main frame that may not be opened, and add their URLs to a list.

    That lasts until the session that is returned is detached.
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
