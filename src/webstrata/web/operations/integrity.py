"""The integrity page of administrators: the last check of the archive's files, and the one under way."""

from datetime import UTC, datetime

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from webstrata.db.operations import integrity, integrity_checks
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import Parts
from webstrata.http.same_origin import require_same_origin
from webstrata.jobs.packages.integrity_schedule import request_check
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

INTEGRITY_PAGE = "/admin/integrity"

_MOST_SHOWN = 100

router = APIRouter(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)])


@router.get(INTEGRITY_PAGE)
def show(request: Request, app: Parts) -> HTMLResponse:
    """Show the last check, its problems, and how far the one under way has come."""
    with app.database.read() as session:
        last = integrity_checks.last_check(session)
        running = integrity_checks.running_check(session)
        problems = integrity_checks.problems_of(session, last.id, _MOST_SHOWN) if last else []
        total_bytes = integrity.recorded_bytes(session)
    return render(
        request,
        "integrity.html",
        last=last,
        running=running,
        problems=problems,
        total_bytes=total_bytes,
        interval_days=app.settings.verify_interval_days,
    )


@router.post(f"{INTEGRITY_PAGE}/check", dependencies=[Depends(require_same_origin)])
def check(app: ActingParts) -> Response:
    """Ask workers for a check and show the page again."""
    request_check(app.database, datetime.now(UTC))
    return RedirectResponse(INTEGRITY_PAGE, status_code=303)
