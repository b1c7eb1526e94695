"""Signing in and out of the pages that only administrators see."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import urlsplit

import structlog
from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from webstrata.db.operations import audit_log
from webstrata.http.audit_trail import actor_of
from webstrata.http.auth import clear_session_cookie, set_session_cookie, token_matches
from webstrata.http.dependencies import Parts
from webstrata.http.same_origin import require_same_origin
from webstrata.model.actors import WEB_LOGIN
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.visitor import visitor_of

log = structlog.get_logger()

AFTER_LOGIN = "/jobs"

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/login")
def ask(request: Request, following: Annotated[str, Query(alias="next")] = AFTER_LOGIN) -> Response:
    """Show the form; redirect administrators who are signed in already."""
    visitor = visitor_of(request)
    if visitor.is_admin:
        return RedirectResponse(local_path(following), status_code=303)
    if not visitor.may_sign_in:
        raise HTTPException(404, "Sign-in is not available: no admin token is set")
    return render(request, "login.html", next=local_path(following), problem=None)


@router.post("/login", dependencies=[Depends(require_same_origin)])
def sign_in(
    request: Request,
    app: Parts,
    token: Annotated[str, Form()] = "",
    following: Annotated[str, Form(alias="next")] = AFTER_LOGIN,
) -> Response:
    """Sign a visitor in who sent the right token: set a cookie that replaces it."""
    if not token_matches(app.settings, token.strip()):
        log.warning("login.refused", client=actor_of(request).client)
        problem = "That is not the admin token."
        return render(request, "login.html", status=403, next=local_path(following), problem=problem)
    if not app.database.is_read_only:
        with app.acting_as(replace(actor_of(request), name=WEB_LOGIN)).database.write() as session:
            audit_log.record(session, "login", "pages")
    response = RedirectResponse(local_path(following), status_code=303)
    set_session_cookie(response, request, datetime.now(UTC))
    return response


@router.post("/logout", dependencies=[Depends(require_same_origin)])
def sign_out(request: Request) -> Response:
    """Sign out: delete the cookie."""
    response = RedirectResponse("/", status_code=303)
    clear_session_cookie(response, request)
    return response


def local_path(address: str) -> str:
    """Return an address if it is a path of this site, else the default page after signing in."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return AFTER_LOGIN
    is_local = address.startswith("/") and not address.startswith(("//", "/\\")) and not parts.netloc
    return address if is_local and address.isprintable() else AFTER_LOGIN
