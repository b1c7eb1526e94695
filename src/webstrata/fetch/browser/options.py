"""Options of a browser and its pages."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from webstrata.fetch.guard import NetworkGuard

MOST_AT_ONCE = 6
"""The most concurrent requests of a page, over all hosts: as many as browsers send to one host."""

Admit = Callable[[str], Awaitable[bool]]
"""Decides whether a page may request a URL."""


async def admit_all(_url: str) -> bool:
    """Allow a page to request any URL that the network guard permits."""
    return True


@dataclass(frozen=True)
class BrowserOptions:
    """How the browser of a worker is started and connected."""

    guard: NetworkGuard
    program: Path | None = None
    """The Chromium to start; None to look for an installed one."""
    connect_timeout: float = 30.0
    """Seconds that connecting to a host may take."""
    connections: int = 24
    """Number of connections to servers that are open at once, over all pages."""
    proxy: str | None = field(default=None, repr=False)
    """Address of an HTTP proxy for all connections; it may hold a password."""


@dataclass(frozen=True)
class PageOptions:
    """Options for opening one page: its window, and its limits."""

    user_agent: str | None = None
    """The User-Agent header and navigator.userAgent; None for Chromium's own."""
    product: str | None = None
    """A name that is added to Chromium's own user agent, so that sites know who asks."""
    width: int = 1280
    height: int = 800
    scale: float = 1.0
    is_mobile: bool = False
    has_touch: bool = False
    locale: str | None = None
    timezone: str | None = None
    max_bytes: int = 50_000_000
    """The most bytes that the page may receive in total; later requests fail."""
    max_body_bytes: int = 20_000_000
    """The most bytes of one response; longer ones are truncated."""
    request_timeout: float = 30.0
    """Seconds that one request may take."""
    has_service_workers: bool = False
    """Whether the page may start service workers: allowed for replay, never for pages of the web."""
    admit: Admit = admit_all
    """Decides which URLs the page may request, besides its own."""
