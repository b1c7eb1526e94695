"""Access control of the admin API and pages.

If an admin token is set, requests need it. Without a token, staging and production refuse all requests, and development
allows clients on the same machine. Web pages may also log in: a cookie then replaces the token, for pages only, so that
no other site's form or script can use it on the API.
"""

import hashlib
import hmac
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import HTTPException, Request, Response, Security
from fastapi.security import APIKeyHeader, HTTPBearer
from starlette.datastructures import Headers

from webstrata.errors import UsageError
from webstrata.http.clients import IN_PROCESS, is_local, is_loopback, peer_of
from webstrata.http.dependencies import wired_parts
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.headers import is_https
from webstrata.model.actors import ADMIN_TOKEN, OPEN_DEVELOPMENT, WEB_LOGIN
from webstrata.settings import Environment, Settings

SESSION_COOKIE = "webstrata_admin"
SESSION_LENGTH = timedelta(hours=12)

ADMIN_RESPONSES: dict[int | str, dict[str, Any]] = {
    403: {
        "model": ErrorSchema,
        "description": "The admin token is missing or wrong, or the request was sent from a page of another site.",
    },
    500: {
        "model": ErrorSchema,
        "description": "Internal error, or no admin token is configured where one is required.",
    },
}
"""The responses in the API's description of routes that only administrators may use."""

# Only for the API's description: `_verdict` decides about access.
_AS_BEARER = HTTPBearer(
    scheme_name="adminBearer",
    description="The admin token. In development it may be unset; then only programs on the same machine have access.",
    auto_error=False,
)
_AS_HEADER = APIKeyHeader(
    name="X-Admin-Token",
    scheme_name="adminToken",
    description="The admin token; ignored if a bearer token is sent.",
    auto_error=False,
)

_GUARDED = (Environment.STAGING, Environment.PRODUCTION)


class AccessDecision(Enum):
    """Whether a request may pass."""

    ALLOWED = "allowed"
    REFUSED = "refused"
    NOT_CONFIGURED = "not configured"


async def require_admin(
    request: Request, _bearer: Annotated[object, Security(_AS_BEARER)], _header: Annotated[object, Security(_AS_HEADER)]
) -> None:
    """Allow only administrators: for API routes, which accept a token but no cookie."""
    verdict = _verdict(request, wired_parts(request).settings)
    if verdict is AccessDecision.NOT_CONFIGURED:
        raise HTTPException(500, "Admin token not configured for this environment")
    if verdict is AccessDecision.REFUSED:
        raise HTTPException(403, "Admin token required")


def admin_allowed(request: Request) -> bool:
    """Return whether a page may offer what only administrators may do; the login's cookie counts, too."""
    settings = wired_parts(request).settings
    if _verdict(request, settings) is AccessDecision.ALLOWED:
        return True
    return session_valid(settings, request.cookies.get(SESSION_COOKIE), datetime.now(UTC))


def access_method(request: Request) -> str:
    """Return how an administrator was authorised, in the audit log's words."""
    settings = wired_parts(request).settings
    if token_matches(settings, _token_among(request.headers)):
        return ADMIN_TOKEN
    if session_valid(settings, request.cookies.get(SESSION_COOKIE), datetime.now(UTC)):
        return WEB_LOGIN
    return OPEN_DEVELOPMENT


def token_matches(settings: Settings, given: str | bytes) -> bool:
    """Return whether a given token is the admin token, in constant time."""
    token = _token(settings)
    known = given.encode("utf-8", "surrogateescape") if isinstance(given, str) else given
    return token is not None and hmac.compare_digest(hashlib.sha256(known).digest(), hashlib.sha256(token).digest())


def token_verdict(settings: Settings, headers: Headers) -> bool | None:
    """Return whether the token of a request is correct; None if it has none or none is configured."""
    given = _token_among(headers)
    return token_matches(settings, given) if given and _token(settings) is not None else None


def issue_session(settings: Settings, now: datetime) -> str:
    """Return a cookie's value that is accepted in place of the admin token for some hours."""
    token = _token(settings)
    if token is None:
        raise UsageError("no admin token is set: set WEBSTRATA_ADMIN_TOKEN to sign in")
    expiry = int((now + SESSION_LENGTH).timestamp())
    return f"{expiry}.{_signature(token, expiry)}"


def session_valid(settings: Settings, cookie: str | None, now: datetime) -> bool:
    """Return whether we issued a cookie for the current token, and it has not expired."""
    token = _token(settings)
    expiry, dot, signature = (cookie or "").partition(".")
    if token is None or not dot or not (expiry.isascii() and expiry.isdecimal() and len(expiry) <= 12):
        return False
    genuine = hmac.compare_digest(signature.encode("utf-8", "surrogateescape"), _signature(token, int(expiry)).encode())
    return genuine and now.timestamp() < int(expiry)


def set_session_cookie(response: Response, request: Request, now: datetime) -> None:
    """Log a browser in; the caller has checked the token."""
    response.set_cookie(
        SESSION_COOKIE,
        issue_session(wired_parts(request).settings, now),
        max_age=int(SESSION_LENGTH.total_seconds()),
        httponly=True,
        samesite="strict",
        secure=is_https(request.scope),
    )


def clear_session_cookie(response: Response, request: Request) -> None:
    """Log a browser out."""
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="strict", secure=is_https(request.scope))


def from_this_machine(request: Request) -> bool:
    """Return whether a request comes from this machine, not through a proxy, and was addressed to this machine by name.

    The last condition stops DNS rebinding: a foreign site whose name points to this machine sends its own name as Host.
    """
    if not is_local(request.scope):
        return False
    return peer_of(request.scope) == IN_PROCESS or _names_this_machine(request.headers.get("host", ""))


def _verdict(request: Request, settings: Settings) -> AccessDecision:
    if _token(settings) is not None:
        return (
            AccessDecision.ALLOWED if token_matches(settings, _token_among(request.headers)) else AccessDecision.REFUSED
        )
    if settings.env in _GUARDED:
        return AccessDecision.NOT_CONFIGURED
    return AccessDecision.ALLOWED if from_this_machine(request) else AccessDecision.REFUSED


def _token(settings: Settings) -> bytes | None:
    """Return the admin token; None when it is empty."""
    secret = settings.admin_token
    return (secret.get_secret_value().encode() or None) if secret is not None else None


def _token_among(headers: Headers) -> bytes:
    """Return the bytes of the token in a request; a bearer token takes precedence."""
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    given = credentials if scheme.lower() == "bearer" else headers.get("x-admin-token", "")
    # Strip only HTTP's white space: for Python, the last byte of an `à` in UTF-8 is white space, too.
    return given.strip(" \t").encode("latin-1")


def _signature(token: bytes, expiry: int) -> str:
    return hmac.new(token, f"webstrata admin session until {expiry}".encode(), hashlib.sha256).hexdigest()


def _names_this_machine(host: str) -> bool:
    """Return whether a Host is a loopback address, or a name without a dot, which cannot be registered."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return is_loopback(name) or "." not in name.removesuffix(".localhost")
