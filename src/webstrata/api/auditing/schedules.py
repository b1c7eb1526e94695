"""API of scheduled audits: list, add, pause, resume and remove."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Response

from webstrata.api.auditing.audits import AUDITS_PATH, Offset
from webstrata.api.auditing.schemas import (
    AuditScheduleListSchema,
    AuditScheduleSchema,
    AuditScheduleStateSchema,
    NewAuditScheduleSchema,
)
from webstrata.app import App
from webstrata.db.auditing import schedules
from webstrata.http.audit_trail import ActingParts
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import Limit, Parts, RowId
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.same_origin import refuse_other_sites
from webstrata.jobs.auditing.schedule_commands import AuditScheduleCommands
from webstrata.model.auditing.schedules import AuditSchedule

_UNKNOWN: dict[int | str, dict[str, Any]] = {404: {"model": ErrorSchema, "description": "There is no such schedule."}}
_TAKEN: dict[int | str, dict[str, Any]] = {409: {"model": ErrorSchema, "description": "The shop has a schedule."}}
_OURS = [Depends(refuse_other_sites)]

ScheduleId = Annotated[int, RowId, Path(description="A schedule's number.")]

router = APIRouter(
    prefix=f"{AUDITS_PATH}/schedules", tags=["audits"], dependencies=[Depends(require_admin)], responses=ADMIN_RESPONSES
)


@router.get("")
def list_schedules(app: Parts, limit: Limit = 200, offset: Offset = 0) -> AuditScheduleListSchema:
    """List the shops that are audited on a schedule, with their last audit, by their numbers."""
    with app.database.read() as session:
        total = schedules.count_schedules(session)
        found = schedules.list_schedules(session, limit=limit, offset=offset)
    return AuditScheduleListSchema(total=total, items=[_schedule_schema(one) for one in found])


@router.post("", status_code=201, dependencies=_OURS, responses=_TAKEN)
def add_schedule(app: ActingParts, new: NewAuditScheduleSchema) -> AuditScheduleSchema:
    """Add a schedule for the audits of a shop; the first audit is due at once."""
    (added,) = _commands(app).add([new.url], new.every, new.mode, datetime.now(UTC))
    return _schedule_schema(added)


@router.get("/{schedule_id}", responses=_UNKNOWN)
def show_schedule(app: Parts, schedule_id: ScheduleId) -> AuditScheduleSchema:
    """Return a schedule with its last audit."""
    with app.database.read() as session:
        return _schedule_schema(schedules.load_schedule(session, schedule_id))


@router.patch("/{schedule_id}", dependencies=_OURS, responses=_UNKNOWN)
def set_paused(app: ActingParts, schedule_id: ScheduleId, state: AuditScheduleStateSchema) -> AuditScheduleSchema:
    """Pause a schedule, or resume it; an audit that was missed is made at once."""
    return _schedule_schema(_commands(app).set_paused(schedule_id, state.paused))


@router.delete("/{schedule_id}", status_code=204, dependencies=_OURS, responses=_UNKNOWN)
def remove_schedule(app: ActingParts, schedule_id: ScheduleId) -> Response:
    """Remove a schedule; its audits stay."""
    _commands(app).remove(schedule_id)
    return Response(status_code=204)


def _commands(app: App) -> AuditScheduleCommands:
    return AuditScheduleCommands(app.database, app.archive_root)


def _schedule_schema(schedule: AuditSchedule) -> AuditScheduleSchema:
    return AuditScheduleSchema.model_validate(schedule.to_json())
