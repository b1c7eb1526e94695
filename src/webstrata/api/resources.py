"""Resources of a snapshot: what its page needs to be shown, and which of that is archived."""

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from webstrata.api.caching import A_MINUTE, IfNoneMatch, kept_json
from webstrata.api.error_answers import MAY_BE_WITHHELD
from webstrata.api.parts import Parts, SnapshotId
from webstrata.api.present import timestamp
from webstrata.api.snapshots import known_snapshot
from webstrata.db.page_resources import resources_of
from webstrata.model.page_resources import PageResource

# ruff: noqa: N815

router = APIRouter(tags=["resources"], responses=MAY_BE_WITHHELD)


class ResourceSchema(BaseModel):
    """Something that a page shows, with its capture closest in time."""

    url: str
    archived: bool
    statusCode: int | None
    captureTimestamp: str | None
    reason: str | None = Field(description="Why it is missing.")


class ResourcesSchema(BaseModel):
    """The resources of a snapshot's page."""

    snapshotId: int
    known: bool = Field(description="Whether it is stored what the page needs.")
    total: int
    archived: int
    cut: bool = Field(description="Whether there are more than are listed.")
    resources: list[ResourceSchema]


@router.get("/api/snapshot/{snapshot_id}/resources", response_model=ResourcesSchema)
def resources(app: Parts, snapshot_id: SnapshotId, known: IfNoneMatch = "") -> Response:
    """List what a snapshot's page needs to be shown, and why any of it is missing."""
    snapshot = known_snapshot(app, snapshot_id)
    with app.database.read() as session:
        found = resources_of(session, snapshot.id)
    listed = ResourcesSchema(
        snapshotId=snapshot.id,
        known=found.is_known,
        total=len(found.listed),
        archived=found.archived,
        cut=found.is_cut,
        resources=[_resource(one) for one in found.listed],
    )
    return kept_json(known, listed, A_MINUTE)


def _resource(resource: PageResource) -> ResourceSchema:
    return ResourceSchema(
        url=resource.url,
        archived=resource.is_archived,
        statusCode=resource.status_code,
        captureTimestamp=None if resource.captured_at is None else timestamp(resource.captured_at),
        reason=resource.reason,
    )
