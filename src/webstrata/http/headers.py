"""Headers that every response carries: the API's version, and security headers for browsers."""

from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webstrata.http.caching import NEVER

RAW_PATH = "/api/snapshots/raw/"
ADMIN_PATH = "/api/admin"
ADMIN_PATHS = (ADMIN_PATH, "/admin/api", "/audits")
"""Path prefixes of the administrators' API."""

PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; frame-src 'self'; "
    "frame-ancestors 'self'; base-uri 'none'; form-action 'self'; object-src 'none'"
)
_OURS_ALONE = "frame-ancestors 'self'"
RAW_POLICY = (
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline' data:; font-src data:; media-src data:; "
    "form-action 'none'; base-uri 'none'"
)
"""The policy of raw archived pages, which are hostile: no scripts, no origin, no requests to us or to the live web."""

REPLAY_POLICY = (
    "sandbox; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline' data:; font-src 'self' data:; "
    "media-src 'self' data:; frame-src 'self' data:; form-action 'none'; base-uri 'none'"
)
"""The policy of replayed pages: no scripts, no origin; images, sounds and frames only from this archive."""

_SANDBOXED = b"sandbox"
_FRAMING = "X-Frame-Options"

_EVERYWHERE = {
    "X-API-Version": "1",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Permissions-Policy": "geolocation=(), microphone=(), camera=()",
}


class SafeHeaders:
    """Adds the headers that a response does not have yet."""

    def __init__(self, app: ASGIApp, *, has_csp: bool = True, hsts_max_age: int | None = 31_536_000) -> None:
        """Wrap an application; the pages' policy and the HSTS time are optional."""
        self.app = app
        self._has_csp = has_csp
        self._hsts_max_age = hsts_max_age

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and complete its response's headers."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        additions = self._headers_for(scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                _complete(message, additions)
            await send(message)

        await self.app(scope, receive, send_with_headers)

    def _headers_for(self, scope: Scope) -> dict[str, str]:
        path: str = scope["path"]
        headers = dict(_EVERYWHERE)
        if path.startswith(RAW_PATH):
            headers["Content-Security-Policy"] = RAW_POLICY
        else:
            headers |= {"Content-Security-Policy": PAGE_POLICY} if self._has_csp else {}
            headers[_FRAMING] = "SAMEORIGIN"
        if path.startswith(ADMIN_PATHS):
            headers["Cache-Control"] = NEVER
        if self._hsts_max_age is not None and is_https(scope):
            headers["Strict-Transport-Security"] = f"max-age={self._hsts_max_age}"
        return headers


def _complete(message: Message, additions: dict[str, str]) -> None:
    """Add the headers that a response does not have."""
    raw: list[tuple[bytes, bytes]] = list(message.get("headers", ()))
    present = {name.lower(): value for name, value in raw}
    # Any site may frame sandboxed content, which can do nothing there.
    is_sandboxed = present.get(b"content-security-policy", b"").startswith(_SANDBOXED)
    for name, value in additions.items():
        encoded = name.lower().encode("latin-1")
        if encoded not in present and not (is_sandboxed and name == _FRAMING):
            raw.append((encoded, value.encode("latin-1")))
    message["headers"] = raw


def framed_by(origins: Iterable[str]) -> dict[str, str]:
    """Return the headers of a page that other sites may show in a frame.

    X-Frame-Options is removed from such pages; all current browsers obey `frame-ancestors` instead.
    """
    return {"Content-Security-Policy": PAGE_POLICY.replace(_OURS_ALONE, " ".join((_OURS_ALONE, *origins)))}


def is_https(scope: Scope) -> bool:
    """Return whether the client uses TLS to connect to us or to our proxy."""
    forwarded = Headers(scope=scope).get("x-forwarded-proto", "")
    return "https" in (scope.get("scheme"), forwarded.split(",")[0].strip().lower())
