"""Admin API of the audit log: who changed what, and when."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from webstrata.api.operations.admin_schemas import AuditEntrySchema, AuditLogSchema
from webstrata.api.present import timestamp
from webstrata.db.operations.audit_log import ChangeFilter, LoggedChange, entries, find_entry
from webstrata.errors import NotFoundError
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import LARGEST_OFFSET, Limit, Offset, Parts, SnapshotId, TextFilter
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.headers import ADMIN_PATH

router = APIRouter(
    prefix=ADMIN_PATH + "/audit-log",
    tags=["admin"],
    dependencies=[Depends(require_admin)],
    responses=ADMIN_RESPONSES,
)


@router.get("")
def audit_log(
    app: Parts,
    target: Annotated[TextFilter, Query(description="Such as job:12, source:hc or report:3.")] = None,
    action: Annotated[TextFilter, Query(description="Such as job.stop or source.schedule.")] = None,
    actor: Annotated[TextFilter, Query(description="admin token, web login, command line, …")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> AuditLogSchema:
    """List changes, newest first: who made each one, with the values before and after."""
    with app.database.read() as session:
        filters = ChangeFilter(target, action, actor)
        found, total = entries(session, filters, limit=limit, offset=min(offset, LARGEST_OFFSET))
    return AuditLogSchema(items=[_entry(change) for change in found], total=total, limit=limit, offset=offset)


@router.get("/{entry_id}", responses={404: {"model": ErrorSchema}})
def show_entry(
    app: Parts, entry_id: Annotated[SnapshotId, Path(description="The entry's number.")]
) -> AuditEntrySchema:
    """Return one entry of the audit log."""
    with app.database.read() as session:
        found = find_entry(session, entry_id)
    if found is None:
        raise NotFoundError("There is no such entry: it may have expired")
    return _entry(found)


def _entry(change: LoggedChange) -> AuditEntrySchema:
    return AuditEntrySchema(
        id=change.id,
        at=timestamp(change.at),
        actor=change.actor,
        action=change.action,
        target=change.target,
        details=dict(change.details),
        requestId=change.request_id,
        client=change.client,
    )
