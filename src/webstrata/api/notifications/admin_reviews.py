"""Admin API of reviews: mark a change as reviewed, important or noise."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from webstrata.api.present import timestamp
from webstrata.http.audit_trail import ActingParts
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import SnapshotNumber, Text
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.headers import ADMIN_PATH
from webstrata.http.same_origin import refuse_other_sites
from webstrata.model.notifications.values import MAX_NOTE, ReviewStatus
from webstrata.notifications.reviewing import mark_change

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
    marked = mark_change(app.database, app.archive_root, change_id, new.status, new.note)
    review, at = marked.review, marked.review.reviewed_at if marked.review else None
    assert review is not None
    assert at is not None
    return ReviewSchema(
        changeId=marked.id,
        status=review.status,
        note=review.note,
        reviewedAt=timestamp(at),
        reviewedBy=review.reviewed_by or "",
    )


@router.delete("/{change_id}/review", status_code=204)
def remove_review(app: ActingParts, change_id: ChangeId) -> Response:
    """Remove the mark of a change."""
    mark_change(app.database, app.archive_root, change_id, None, None)
    return Response(status_code=204)
