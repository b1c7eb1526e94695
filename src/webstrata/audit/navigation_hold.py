"""Blocks navigation of an audited page while a control is clicked: no request for another page reaches a server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from webstrata.fetch.browser.holding import hold_page

if TYPE_CHECKING:
    from playwright.async_api import Page


@asynccontextmanager
async def hold_on_page(page: "Page") -> AsyncIterator[list[str]]:
    """Refuse navigations of a page to other pages, and yield the list of the URLs that were refused.

    Reloads are allowed, as many pages reload after a choice in a consent dialog.
    """
    here, refused = page.url.partition("#")[0], list[str]()
    session = await hold_page(page, lambda url: url.partition("#")[0] == here, refused)
    try:
        yield refused
    finally:
        await session.detach()
