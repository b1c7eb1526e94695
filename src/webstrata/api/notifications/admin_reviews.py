"""Admin API of reviews: mark a change as reviewed, important or noise."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from webstrata.api.present import timestamp
from webstrata.db.notifications.reviews import MAX_NOTE, review_change
from webstrata.http.audit_trail import ActingParts
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import SnapshotNumber, Text
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.headers import ADMIN_PATH
from webstrata.http.same_origin import refuse_other_sites
from webstrata.model.notifications.values import ReviewStatus

# ruff: noqa: N815

ChangeId = Annotated[SnapshotNumber, Path(description="A change's number.")]

router = APIRouter(
    prefix=f"{ADMIN_PATH}/changes",
    tags=["notifications"],
    dependencies=[Depends(require_admin), Depends(refuse_other_sites)],
    responses={**ADMIN_RESPONSES, 404: {"model": ErrorSchema}},
)


class NewReviewSchema(BaseModel):
    """The mark of a change."""

    model_config = ConfigDict(extra="forbid")

    status: ReviewStatus
    note: Text | None = Field(None, max_length=MAX_NOTE)


class ReviewSchema(BaseModel):
    """The mark of a change, and who set it."""

    changeId: int
    status: ReviewStatus
    note: str | None
    reviewedAt: str
    reviewedBy: str


@router.put("/{change_id}/review")
def review(app: ActingParts, change_id: ChangeId, new: NewReviewSchema) -> ReviewSchema:
    """Mark a change as reviewed, important or noise; without a note, the note that it has stays."""
    now = datetime.now(UTC)
    with app.database.write() as session:
        event = review_change(session, change_id, new.status, new.note, now)
        return ReviewSchema(
            changeId=event.id,
            status=new.status,
            note=event.review_note,
            reviewedAt=timestamp(now),
            reviewedBy=event.reviewed_by or "",
        )


@router.delete("/{change_id}/review", status_code=204)
def remove_review(app: ActingParts, change_id: ChangeId) -> Response:
    """Remove the mark of a change."""
    with app.database.write() as session:
        review_change(session, change_id, None, None, datetime.now(UTC))
    return Response(status_code=204)
