"""The browser of a worker: Chromium driven by Playwright, restarted when it crashes or hangs, ended with the worker."""

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import structlog

from webstrata.errors import TransientFetchError
from webstrata.fetch.browser.failures import launch_error, page_error
from webstrata.fetch.browser.folders import kill_browser, launcher_of, work_folder
from webstrata.fetch.browser.options import BrowserOptions, PageOptions
from webstrata.fetch.browser.programs import check_browser

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Playwright

    from webstrata.fetch.browser.proxy import PageProxy
    from webstrata.fetch.browser.responses import ResponseSource
    from webstrata.fetch.browser.upstream import Upstream

log = structlog.get_logger()

_Opened = TypeVar("_Opened")

_LAUNCH_SECONDS = 30.0
CLOSE_SECONDS = 5.0
_SCRIPT_MEGABYTES = 1_024
"""The memory limit of a page's scripts; a page above it crashes."""

_NOWHERE = "http://127.0.0.1:9"
"""The proxy for requests that belong to no page; nothing listens at this address."""

_NO_PEERS = (
    "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete globalThis[name];"
)
"""Disables WebRTC and WebTransport, whose datagrams bypass proxies."""


class BrowserPage:
    """A blank page with its own browser context, and the proxy for all of its connections."""

    def __init__(self, page: "Page", proxy: "PageProxy") -> None:
        """Collect the resources that were opened for one page."""
        self.page = page
        self.proxy = proxy


class BrowserPool:
    """One browser for all pages of a worker; it starts with the first page, and again after a crash."""

    def __init__(self, options: BrowserOptions) -> None:
        """Prepare; MissingExtraError when Playwright or Chromium is not installed."""
        self._program = check_browser(options.program)
        self._options = options
        self._upstream: Upstream | None = None
        self._starting = asyncio.Lock()
        self._running: _RunningBrowser | None = None

    async def __aenter__(self) -> Self:
        """Prepare the connections to servers; nothing is started yet."""
        from webstrata.fetch.browser.upstream import Upstream

        self._upstream = Upstream(self._options)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the browser and everything it started."""
        if self._upstream is not None:
            self._upstream.close()
        await self._end()

    @asynccontextmanager
    async def open_page(
        self, options: PageOptions, source: "ResponseSource | None" = None
    ) -> AsyncIterator[BrowserPage]:
        """Yield a blank page with its own cookies, cache and proxy; its responses come from a source, or the web.

        TransientFetchError when the browser does not start or ends in the meantime. If a page cannot be closed in time,
        the browser is ended, and the next page gets a new one.
        """
        from webstrata.fetch.browser.proxy import PageProxy

        assert self._upstream is not None
        async with PageProxy(source or self._upstream, options) as proxy:
            running = await self._running_browser()
            with as_fetch_errors():
                context = await running.in_time(_new_context(running.browser, options, proxy.address))
            try:
                with as_fetch_errors():
                    await context.add_init_script(_NO_PEERS)
                    page = await running.in_time(context.new_page())
                    page.set_default_timeout(options.request_timeout * 1000)
                    context.on("page", _close_window)
                    yield BrowserPage(page, proxy)
            finally:
                await self._close(running, context)

    async def _running_browser(self) -> "_RunningBrowser":
        async with self._starting:
            if self._running is not None and not self._running.browser.is_connected():
                log.warning("browser.crashed")
                await self._end()
            if self._running is None:
                self._running = await _RunningBrowser.start(self._program)
            return self._running

    async def _close(self, running: "_RunningBrowser", context: "BrowserContext") -> None:
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await context.close()
        except TimeoutError:
            log.warning("browser.hangs")
            running.kill()
        except Error:
            log.debug("browser.context.lost")

    async def _end(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            await running.close()


class _RunningBrowser:
    """A Chromium, the Playwright that drives it, and the folder of both."""

    def __init__(self, stack: AsyncExitStack, folder: Path, browser: "Browser") -> None:
        self._stack = stack
        self._folder = folder
        self.browser = browser

    @classmethod
    async def start(cls, program: Path) -> "_RunningBrowser":
        from playwright.async_api import async_playwright

        async with AsyncExitStack() as stack:
            folder = stack.enter_context(work_folder(program))
            with as_fetch_errors():
                driver = await stack.enter_async_context(async_playwright())
            browser = await _launch(driver, folder)
            log.info("browser.started", program=str(program), version=browser.version, sandbox=_has_sandbox())
            return cls(stack.pop_all(), folder, browser)
        raise AssertionError

    async def in_time(self, step: Coroutine[None, None, _Opened]) -> _Opened:
        """Return the result of a step of opening a page; kill the browser if it does not respond."""
        try:
            async with asyncio.timeout(_LAUNCH_SECONDS):
                return await step
        except TimeoutError:
            self.kill()
            raise TransientFetchError("the browser does not respond", kind="browser") from None

    def kill(self) -> None:
        kill_browser(self._folder)

    async def close(self) -> None:
        from playwright.async_api import Error

        with suppress(Error, TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.browser.close()
        self.kill()
        await self._stack.aclose()


async def _launch(driver: "Playwright", folder: Path) -> "Browser":
    """Start the browser of a work folder; FetchError with what the browser printed when it does not start."""
    from playwright.async_api import Error

    try:
        return await driver.chromium.launch(
            executable_path=launcher_of(folder),
            args=_arguments(),
            proxy={"server": _NOWHERE, "bypass": "<-loopback>"},
            env=_environment(folder),
            artifacts_dir=folder / "artifacts",
            chromium_sandbox=_has_sandbox(),
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            timeout=_LAUNCH_SECONDS * 1000,
        )
    except Error as error:
        raise launch_error(error.message) from error


def _has_sandbox() -> bool:
    """Return whether Chromium runs in its sandbox, which does not work for root."""
    return os.geteuid() != 0


def _arguments() -> list[str]:
    from webstrata.fetch.browser.streams import TRUSTED_KEY

    return [
        f"--ignore-certificate-errors-spki-list={TRUSTED_KEY}",
        "--disable-quic",
        "--dns-prefetch-disable",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-gpu",
        "--disable-sync",
        "--no-pings",
        f"--js-flags=--max-old-space-size={_SCRIPT_MEGABYTES}",
    ]


def _environment(folder: Path) -> dict[str, str | float | bool]:
    """Return the browser's environment, without this process's variables, which contain secrets."""
    return {"PATH": os.defpath, "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8"}


async def _new_context(browser: "Browser", options: PageOptions, proxy: str) -> "BrowserContext":
    return await browser.new_context(
        proxy={"server": proxy, "bypass": "<-loopback>"},
        service_workers="allow" if options.has_service_workers else "block",
        accept_downloads=False,
        viewport={"width": options.width, "height": options.height},
        user_agent=_user_agent(options, browser.version),
        device_scale_factor=options.scale,
        is_mobile=options.is_mobile,
        has_touch=options.has_touch,
        locale=options.locale,
        timezone_id=options.timezone,
    )


async def _close_window(window: "Page") -> None:
    """Close a window that a page opened; a page could open any number."""
    from playwright.async_api import Error

    with suppress(Error):
        await window.close()


def _user_agent(options: PageOptions, version: str) -> str | None:
    if options.user_agent is not None or options.product is None:
        return options.user_agent
    chromium = f"Chrome/{version.partition('.')[0]}.0.0.0 Safari/537.36"
    return f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) {chromium} {options.product}"


@contextmanager
def as_fetch_errors() -> Iterator[None]:
    """Turn Playwright's failures into ours."""
    from playwright.async_api import Error
    from playwright.async_api import TimeoutError as SlowError

    try:
        yield
    except SlowError as error:
        raise TransientFetchError("the browser takes too long", kind="timeout") from error
    except Error as error:
        raise page_error(error.message) from error
