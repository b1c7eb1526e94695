"""How often one client may ask: a bucket of tokens for each client and kind of request.

A bucket holds a minute's worth and fills steadily; whoever empties it is told when to come back. There are never too
many buckets: the one that was not used for longest goes first. A process that serves alone has buckets of its own,
several have `SharedBuckets`.
"""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from webstrata.api.clients import client_address, is_local
from webstrata.settings import Network, Settings

MOST_BUCKETS = 50_000
_FOR_PROGRAMS = ("/api/", "/metrics", "/openapi.json")
_SAME_HOUSEHOLD = 64
"""Bits of an IPv6 address that one subscriber has: within them addresses are free to choose."""


class Kind(StrEnum):
    """What a request costs us, roughly."""

    DEFAULT = "default"
    SEARCH = "search"
    EXPORTS = "exports"
    REPORTS = "reports"
    LOGINS = "logins"


@dataclass(frozen=True)
class RatePolicy:
    """How many requests of each kind a client has a minute; 0 is no limit. And whom we believe about who it is."""

    per_minute: Mapping[Kind, int]
    trusted_proxies: Sequence[Network] = ()

    @classmethod
    def of(cls, settings: Settings) -> "RatePolicy":
        """Return what the settings say."""
        if not settings.rate_limiting_enabled:
            return cls(dict.fromkeys(Kind, 0), settings.trusted_proxies)
        per_minute = {
            Kind.DEFAULT: settings.rate_limit,
            Kind.SEARCH: settings.rate_limit_search,
            Kind.EXPORTS: settings.rate_limit_exports,
            Kind.REPORTS: settings.rate_limit_reports,
            Kind.LOGINS: settings.rate_limit_logins,
        }
        return cls(per_minute, settings.trusted_proxies)


class BucketStore(Protocol):
    """What knows how many tokens each client has left."""

    def take(self, kind: Kind, client: str, per_minute: int) -> float:
        """Take a token and return 0, or the seconds until there is one."""


class Buckets:
    """The tokens that each client has left at this process; it knows a limited number of clients."""

    def __init__(self, most: int = MOST_BUCKETS, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with nobody known."""
        self._most = most
        self._clock = clock
        self._left: OrderedDict[tuple[Kind, str], tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        """Return how many buckets there are."""
        return len(self._left)

    def take(self, kind: Kind, client: str, per_minute: int) -> float:
        """Take a token and return 0, or the seconds until there is one."""
        key, now = (kind, client), self._clock()
        tokens, filled_at = self._left.pop(key, (float(per_minute), now))
        tokens, wait = after_taking(tokens, filled_at, now, per_minute)
        self._left[key] = (tokens, now)
        while len(self._left) > self._most:
            self._left.popitem(last=False)
        return wait


def after_taking(tokens: float, filled_at: float, now: float, per_minute: int) -> tuple[float, float]:
    """Return what a bucket holds once a token was taken, and 0; without a token to take, the seconds until there is."""
    tokens = min(float(per_minute), tokens + (now - filled_at) * per_minute / 60)
    if tokens >= 1:
        return tokens - 1, 0.0
    return tokens, (1 - tokens) * 60 / per_minute


class RateLimits:
    """Answers 429 to clients that ask too often; those on this machine may ask as often as they like."""

    def __init__(self, app: ASGIApp, policy: RatePolicy, buckets: BucketStore | None = None) -> None:
        """Wrap an application."""
        self.app = app
        self._policy = policy
        self._buckets = Buckets() if buckets is None else buckets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or tell its sender when to come back."""
        wait = 0.0 if scope["type"] != "http" or is_local(scope) else self._wait(scope)
        answer = self.app if wait == 0.0 else _refusal(scope["path"], math.ceil(wait))
        await answer(scope, receive, send)

    def _wait(self, scope: Scope) -> float:
        kind = kind_of(scope["method"], scope["path"])
        per_minute = self._policy.per_minute[kind] if kind else 0
        if kind is None or per_minute == 0:
            return 0.0
        return self._buckets.take(kind, _household(client_address(scope, self._policy.trusted_proxies)), per_minute)


def kind_of(method: str, path: str) -> Kind | None:
    """Return what kind of request this is; None for the small files of the pages, which cost nothing."""
    if path.startswith("/static/"):
        return None
    if path in {"/search", "/api/search"} or path.startswith(("/search/", "/api/search/")):
        return Kind.SEARCH
    if path.startswith("/api/exports/"):
        return Kind.EXPORTS
    if method == "POST":
        return {"/api/reports": Kind.REPORTS, "/login": Kind.LOGINS}.get(path.rstrip("/"), Kind.DEFAULT)
    return Kind.DEFAULT


def _household(address: str) -> str:
    """Return what stands for a client: its address, or for IPv6 the network that is all its own."""
    if ":" not in address:
        return address
    return str(ipaddress.ip_network(f"{address.partition('%')[0]}/{_SAME_HOUSEHOLD}", strict=False))


def _refusal(path: str, seconds: int) -> Response:
    detail = f"Too many requests: try again in {seconds} second{'' if seconds == 1 else 's'}"
    headers = {"Retry-After": str(seconds), "Cache-Control": "no-store"}
    if path.startswith(_FOR_PROGRAMS):
        return JSONResponse({"detail": detail}, status_code=429, headers=headers)
    return PlainTextResponse(detail, status_code=429, headers=headers)
