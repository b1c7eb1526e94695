"""The pages of hauls: saved sets of captures to compare, share by link and export."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from webstrata.app import App
from webstrata.db.collections import hauls
from webstrata.errors import UsageError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.browsing import site_url
from webstrata.http.dependencies import Parts, Text
from webstrata.http.lookups import HaulId, used_haul
from webstrata.http.same_origin import require_same_origin
from webstrata.web.collections.listings import AVAILABILITY_WORDS
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

HAULS_PAGE = "/hauls"
ON_A_PAGE = 50
_MOST_DIGITS = 18

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_ADMIN = [Depends(require_admin_visitor)]
_OURS = [*_ADMIN, Depends(require_same_origin)]


@router.get(HAULS_PAGE, dependencies=_ADMIN)
def list_page(
    request: Request, app: Parts, add: Text = "", page: Annotated[int, Query(ge=1, le=1_000_000)] = 1
) -> HTMLResponse:
    """List the hauls with a form for a new one; `add` is a snapshot to begin it with."""
    return _list(request, app, page, snapshots=add)


@router.post(HAULS_PAGE, dependencies=_OURS)
def create(
    request: Request,
    app: ActingParts,
    name: Annotated[Text, Form(max_length=200)] = "",
    snapshots: Annotated[Text, Form(max_length=2_000)] = "",
) -> Response:
    """Save captures as a haul and show it; for invalid numbers, show the form with the reason."""
    try:
        with app.database.write() as session:
            haul_id = hauls.add_haul(session, _checked_name(name), _numbers(snapshots), datetime.now(UTC))
    except UsageError as error:
        return _list(request, app, 1, status=422, name=name, snapshots=snapshots, problem=str(error))
    return RedirectResponse(f"{HAULS_PAGE}/{haul_id}", status_code=303)


@router.get(f"{HAULS_PAGE}/{{haul_id}}")
def show(request: Request, app: Parts, haul_id: HaulId) -> HTMLResponse:
    """Show a haul: its captures side by side, the link to share, and its exports."""
    found = used_haul(app, haul_id)
    link = f"{site_url(request, app.settings)}{HAULS_PAGE}/{found.id}"
    return render(request, "haul.html", haul=found, link=link, availability_words=AVAILABILITY_WORDS)


@router.post(f"{HAULS_PAGE}/{{haul_id}}/delete", dependencies=_OURS)
def delete(app: ActingParts, haul_id: HaulId) -> Response:
    """Delete a haul and show the others."""
    with app.database.write() as session:
        hauls.delete_haul(session, haul_id)
    return RedirectResponse(HAULS_PAGE, status_code=303)


def _list(
    request: Request,
    app: App,
    page: int,
    *,
    status: int = 200,
    name: str = "",
    snapshots: str = "",
    problem: str | None = None,
) -> HTMLResponse:
    with app.database.read() as session:
        found, total = hauls.list_hauls(session, limit=ON_A_PAGE, offset=(page - 1) * ON_A_PAGE)
    return render(
        request,
        "hauls.html",
        status=status,
        hauls=found,
        total=total,
        most=hauls.MAX_CAPTURES,
        name=name,
        snapshots=snapshots,
        problem=problem,
        here=page,
        pages=-(-total // ON_A_PAGE),
        older=f"{HAULS_PAGE}?page={page + 1}",
        newer=f"{HAULS_PAGE}?page={page - 1}",
    )


def _checked_name(name: str) -> str:
    if not name.strip():
        raise UsageError("a haul needs a name")
    return " ".join(name.split())


def _numbers(text: str) -> list[int]:
    """Return the snapshot numbers that were typed, separated by commas or spaces."""
    words = text.replace(",", " ").split()
    for word in words:
        if not (word.isascii() and word.isdecimal() and len(word) <= _MOST_DIGITS):
            raise UsageError(f"{word[:40]!r} is not a snapshot number")
    return [int(word) for word in words]
