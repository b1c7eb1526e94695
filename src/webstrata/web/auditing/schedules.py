"""Forms of the audits page for schedules: add, pause, resume and remove."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import Field

from webstrata.errors import NotFoundError, WebstrataError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import Text
from webstrata.http.same_origin import require_same_origin
from webstrata.jobs.auditing.schedule_commands import AuditScheduleCommands
from webstrata.model.auditing.sessions import AuditMode
from webstrata.model.urls import with_scheme
from webstrata.web.auditing.evidence import EVIDENCE_PAGE, ScheduleForm, show_list
from webstrata.web.failures import PageRoute
from webstrata.web.visitor import require_admin_visitor

SCHEDULES = f"{EVIDENCE_PAGE}/schedules"
_SECTION = f"{EVIDENCE_PAGE}#schedules"

router = APIRouter(
    route_class=PageRoute,
    include_in_schema=False,
    dependencies=[Depends(require_admin_visitor), Depends(require_same_origin)],
)


@router.post(SCHEDULES)
def add(
    request: Request,
    app: ActingParts,
    url: Annotated[Text, Form(max_length=4096)] = "",
    every: Annotated[Text, Form(max_length=200)] = "",
    mode: Annotated[AuditMode, Form()] = AuditMode.STANDARD,
) -> Response:
    """Add a schedule of audits; for an invalid one, show the form with the reason."""
    orders = AuditScheduleCommands(app.database, app.archive_root)
    try:
        orders.add([with_scheme(url)], every, mode, datetime.now(UTC))
    except WebstrataError as error:
        return show_list(request, app, 1, status=422, schedule=ScheduleForm(url, every, mode, str(error)))
    return RedirectResponse(_SECTION, status_code=303)


@router.post(f"{SCHEDULES}/{{schedule_id}}/{{action}}")
def act(app: ActingParts, schedule_id: Annotated[int, Field(ge=1, lt=2**31)], action: str) -> Response:
    """Pause, resume or remove a schedule."""
    orders = AuditScheduleCommands(app.database, app.archive_root)
    if action == "remove":
        orders.remove(schedule_id)
    elif action in {"pause", "resume"}:
        orders.set_paused(schedule_id, action == "pause")
    else:
        raise NotFoundError("A schedule can be paused, resumed or removed")
    return RedirectResponse(_SECTION, status_code=303)
