"""A real browser: Playwright on the Chromium that the system has."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tools import system_packages

# Nothing but what a test asks for may leave the browser.
QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium for the tests of one module.

    Not for the whole run: as long as Playwright's synchronous API is open its event loop counts as running, and every
    asyncio.run() in another test would fail.
    """
    program = system_packages.find(system_packages.BROWSER)
    assert program is not None, "no Chromium is installed; `make test` would have said so"
    # Chromium's sandbox does not work for root.
    arguments = [*QUIET, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=arguments)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A blank page with its own cookies and storage."""
    context = browser.new_context()
    yield context.new_page()
    context.close()
