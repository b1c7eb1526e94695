"""Rate limits: a token bucket for each client and kind of request.

A bucket holds a minute's worth and fills steadily; a client that empties it gets the time to wait in `Retry-After`. The
number of buckets is limited: the least recently used is dropped first. A single serving process has its own buckets;
several share `SharedBuckets`.
"""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from webstrata.http.clients import client_address, is_local
from webstrata.model.replay.replay_address import REPLAY_PATH
from webstrata.settings import Network, Settings

MOST_BUCKETS = 50_000
_FOR_PROGRAMS = ("/api/", "/admin/api/", "/public_api/", "/audits", "/metrics", "/openapi.json", "/cdx")
_FOR_ADMIN_PROGRAMS = ("/api/admin/", "/admin/api/", "/audits", "/metrics")
_COMPARING = ("/compare/", "/api/changes/compare")
_TOKEN_HEADERS = (b"authorization", b"x-admin-token")
_SAME_HOUSEHOLD = 64
"""The prefix length of a subscriber's IPv6 network, in which clients can choose any address."""

TokenVerdict = Callable[[Headers], bool | None]
"""A function that returns whether the admin token in headers is correct; None if none is given or configured."""


class RequestKind(StrEnum):
    """The kind of a request, by its cost."""

    DEFAULT = "default"
    SEARCH = "search"
    EXPORTS = "exports"
    COMPARE = "compare"
    REPLAY = "replay"
    REPORTS = "reports"
    LOGINS = "logins"
    TOKENS = "tokens"
    """Requests with a wrong admin token, on any route."""


@dataclass(frozen=True)
class RatePolicy:
    """How many requests per minute a client may send of each kind (0 for no limit), and which proxies are trusted."""

    per_minute: Mapping[RequestKind, int]
    trusted_proxies: Sequence[Network] = ()

    @classmethod
    def of(cls, settings: Settings) -> "RatePolicy":
        """Return the policy of the settings."""
        if not settings.rate_limiting_enabled:
            return cls(dict.fromkeys(RequestKind, 0), settings.trusted_proxies)
        per_minute = {
            RequestKind.DEFAULT: settings.rate_limit,
            RequestKind.SEARCH: settings.rate_limit_search,
            RequestKind.EXPORTS: settings.rate_limit_exports,
            RequestKind.COMPARE: settings.rate_limit_compare,
            RequestKind.REPLAY: settings.rate_limit_replay,
            RequestKind.REPORTS: settings.rate_limit_reports,
            RequestKind.LOGINS: settings.rate_limit_logins,
            RequestKind.TOKENS: settings.rate_limit_logins,
        }
        return cls(per_minute, settings.trusted_proxies)


class BucketStore(Protocol):
    """Stores how many tokens each client has left."""

    def take(self, kind: RequestKind, client: str, per_minute: int) -> float:
        """Take a token and return 0, or the seconds until there is one."""

    def wait(self, kind: RequestKind, client: str, per_minute: int) -> float:
        """Return the seconds until there is a token, and take none."""


class Buckets:
    """The tokens that each client has left in this process, for a limited number of clients."""

    def __init__(self, most: int = MOST_BUCKETS, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin without buckets."""
        self._most = most
        self._clock = clock
        self._left: OrderedDict[tuple[RequestKind, str], tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        """Return how many buckets there are."""
        return len(self._left)

    def take(self, kind: RequestKind, client: str, per_minute: int) -> float:
        """Take a token and return 0, or the seconds until there is one."""
        key, now = (kind, client), self._clock()
        tokens, filled_at = self._left.pop(key, (float(per_minute), now))
        tokens, wait = after_taking(tokens, filled_at, now, per_minute)
        self._left[key] = (tokens, now)
        while len(self._left) > self._most:
            self._left.popitem(last=False)
        return wait

    def wait(self, kind: RequestKind, client: str, per_minute: int) -> float:
        """Return the seconds until there is a token, and take none."""
        now = self._clock()
        tokens, filled_at = self._left.get((kind, client), (float(per_minute), now))
        return after_taking(tokens, filled_at, now, per_minute)[1]


def after_taking(tokens: float, filled_at: float, now: float, per_minute: int) -> tuple[float, float]:
    """Return the tokens in a bucket after one was taken, and 0; if there is none, the seconds until the next."""
    tokens = min(float(per_minute), tokens + (now - filled_at) * per_minute / 60)
    if tokens >= 1:
        return tokens - 1, 0.0
    return tokens, (1 - tokens) * 60 / per_minute


class RateLimits:
    """Responds 429 to clients that send too many requests; clients on this machine have no limit.

    Wrong admin tokens have their own limit. Above it, a client's tokens are not checked at all; otherwise guessing
    could continue at full speed. The admin API then responds 429. Pages treat the client as a reader without token, as
    a proxy may add bearer tokens of another application to every request.
    """

    def __init__(
        self,
        app: ASGIApp,
        policy: RatePolicy,
        buckets: BucketStore | None = None,
        token_verdict: TokenVerdict = lambda _headers: None,
    ) -> None:
        """Wrap an application; `token_verdict` returns whether the admin token of a request is right, if it has one."""
        self.app = app
        self._policy = policy
        self._buckets = Buckets() if buckets is None else buckets
        self._token_verdict = token_verdict

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or respond with the time to wait."""
        if scope["type"] != "http" or is_local(scope):
            await self.app(scope, receive, send)
            return
        client = _household(client_address(scope, self._policy.trusted_proxies))
        wait, guess_wait = self._wait(scope, client), self._wait_to_guess(scope, client)
        if guess_wait and not scope["path"].startswith(_FOR_ADMIN_PROGRAMS):
            scope, guess_wait = _without_token(scope), 0.0
        wait = max(wait, guess_wait)
        app = self.app if wait == 0.0 else _refusal(scope["path"], math.ceil(wait))
        await app(scope, receive, send)

    def _wait(self, scope: Scope, client: str) -> float:
        kind = kind_of(scope["method"], scope["path"])
        per_minute = self._policy.per_minute[kind] if kind else 0
        return self._buckets.take(kind, client, per_minute) if kind and per_minute else 0.0

    def _wait_to_guess(self, scope: Scope, client: str) -> float:
        """Count a wrong token, and return how long a client with too many wrong tokens has to wait."""
        per_minute = self._policy.per_minute[RequestKind.TOKENS]
        is_right = self._token_verdict(Headers(scope=scope)) if per_minute and _looks_at_token(scope["path"]) else None
        if is_right is None:
            return 0.0
        wait = self._buckets.wait(RequestKind.TOKENS, client, per_minute)
        if wait == 0.0 and not is_right:
            self._buckets.take(RequestKind.TOKENS, client, per_minute)
        return wait


def kind_of(method: str, path: str) -> RequestKind | None:
    """Return the kind of a request; None for the small static files of the pages, which are not limited."""
    if path.startswith(("/static/", REPLAY_PATH)):
        return None if path.startswith("/static/") else RequestKind.REPLAY
    if path in {"/search", "/api/search"} or path.startswith(("/search/", "/api/search/")):
        return RequestKind.SEARCH
    if path.startswith("/api/exports/"):
        return RequestKind.EXPORTS
    if path == "/compare" or path.startswith(_COMPARING) or path.endswith("/compare-live"):
        return RequestKind.COMPARE
    if method == "POST":
        return {"/api/reports": RequestKind.REPORTS, "/login": RequestKind.LOGINS}.get(
            path.rstrip("/"), RequestKind.DEFAULT
        )
    return RequestKind.DEFAULT


def _looks_at_token(path: str) -> bool:
    """Return whether a route checks the admin token: all but the public API and the files of the pages."""
    return path.startswith(_FOR_ADMIN_PROGRAMS) or not path.startswith(("/api/", "/static/"))


def _without_token(scope: Scope) -> Scope:
    """Return the scope of a request without its token."""
    kept = [(name, value) for name, value in scope["headers"] if name.lower() not in _TOKEN_HEADERS]
    return {**scope, "headers": kept}


def _household(address: str) -> str:
    """Return the key of a client: its address, or for IPv6 its whole network."""
    if ":" not in address:
        return address
    return str(ipaddress.ip_network(f"{address.partition('%')[0]}/{_SAME_HOUSEHOLD}", strict=False))


def _refusal(path: str, seconds: int) -> Response:
    detail = f"Too many requests: try again in {seconds} second{'' if seconds == 1 else 's'}"
    headers = {"Retry-After": str(seconds), "Cache-Control": "no-store"}
    if path.startswith(_FOR_PROGRAMS):
        return JSONResponse({"detail": detail}, status_code=429, headers=headers)
    return PlainTextResponse(detail, status_code=429, headers=headers)
