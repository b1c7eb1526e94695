"""The visitor of a page and their rights, which decide what the page offers."""

from dataclasses import dataclass
from datetime import UTC, datetime

from fastapi import HTTPException, Request

from webstrata.http.auth import SESSION_COOKIE, admin_allowed, session_valid
from webstrata.http.dependencies import wired_parts


@dataclass(frozen=True)
class Visitor:
    """The rights of the visitor of a page."""

    is_admin: bool
    is_signed_in: bool
    may_sign_in: bool


def visitor_of(request: Request) -> Visitor:
    """Return the rights of the sender of a request."""
    settings = wired_parts(request).settings
    token = settings.admin_token
    return Visitor(
        is_admin=admin_allowed(request),
        is_signed_in=session_valid(settings, request.cookies.get(SESSION_COOKIE), datetime.now(UTC)),
        may_sign_in=token is not None and bool(token.get_secret_value()),
    )


async def require_admin_visitor(request: Request) -> None:
    """Allow only administrators; the error explains how to sign in."""
    visitor = visitor_of(request)
    if visitor.is_admin:
        return
    if visitor.may_sign_in:
        raise HTTPException(403, "Sign in with the admin token to continue")
    raise HTTPException(403, "No admin token is set for this archive: WEBSTRATA_ADMIN_TOKEN sets one")
