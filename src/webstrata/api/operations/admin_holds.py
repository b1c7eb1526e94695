"""Admin API of legal holds and of withholding snapshots."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path

from webstrata.api.operations.retention_schemas import (
    HoldListSchema,
    HoldSchema,
    NewHoldSchema,
    TombstoneSchema,
    WithheldSchema,
    WithholdSchema,
)
from webstrata.api.present import timestamp
from webstrata.db.retention.holds import HoldView, list_holds
from webstrata.http.audit_trail import ActingParts
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import Parts, RowId
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.headers import ADMIN_PATH
from webstrata.http.same_origin import refuse_other_sites
from webstrata.retention.holds import place_hold, release_hold
from webstrata.retention.withholding import WithholdRequest, withhold_snapshots

_Responses = dict[int | str, dict[str, Any]]
_UNFIT: _Responses = {404: {"model": ErrorSchema}, 409: {"model": ErrorSchema}}
_OURS = [Depends(refuse_other_sites)]

HoldId = Annotated[int, RowId, Path(description="A legal hold's number.")]

router = APIRouter(
    prefix=ADMIN_PATH, tags=["retention"], dependencies=[Depends(require_admin)], responses=ADMIN_RESPONSES
)


@router.get("/holds")
def holds(app: Parts) -> HoldListSchema:
    """List the legal holds, newest first, also those that were released."""
    with app.database.read() as session:
        return HoldListSchema(items=[_hold(hold) for hold in list_holds(session)])


@router.post("/holds", status_code=201, dependencies=_OURS, responses=_UNFIT)
def place(app: ActingParts, new: NewHoldSchema) -> HoldSchema:
    """Place a legal hold on a source, a page, a snapshot or an audit session."""
    hold = place_hold(
        app.database,
        app.archive_root,
        datetime.now(UTC),
        new.reason,
        source=new.source,
        url=new.url,
        snapshot_id=new.snapshotId,
        session_id=new.sessionId,
    )
    return _hold(hold)


@router.delete("/holds/{hold_id}", dependencies=_OURS, responses=_UNFIT)
def release(app: ActingParts, hold_id: HoldId) -> HoldSchema:
    """Release a legal hold; it stays in the list."""
    return _hold(release_hold(app.database, app.archive_root, hold_id, datetime.now(UTC)))


@router.post("/withhold", dependencies=_OURS, responses=_UNFIT)
def withhold(app: ActingParts, body: WithholdSchema) -> WithheldSchema:
    """Withhold snapshots: they are no longer found or shown, and requests for them get 410 with the reason."""
    request = WithholdRequest(body.snapshotIds, body.reason, body.confirm)
    done = withhold_snapshots(
        app.database, app.archive_root, request, datetime.now(UTC), max_share=app.settings.retention_max_share
    )
    return WithheldSchema(items=[TombstoneSchema.model_validate(capture.shown()) for capture in done])


def _hold(hold: HoldView) -> HoldSchema:
    return HoldSchema(
        id=hold.id,
        scope=hold.target.scope,
        source=hold.target.source_code,
        page=hold.target.url_group,
        snapshotId=hold.target.snapshot_id,
        sessionId=hold.target.session_id,
        reason=hold.reason,
        createdAt=timestamp(hold.created_at),
        createdBy=hold.created_by,
        releasedAt=timestamp(hold.released_at) if hold.released_at else None,
        releasedBy=hold.released_by,
    )
