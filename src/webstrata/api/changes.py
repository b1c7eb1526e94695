"""What changed: the list of changes, comparisons, and feeds of them.

This archive does not keep track of changes: lists and feeds are empty, and there is nothing to compare.
"""

from enum import StrEnum
from typing import Annotated, Self
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Query, Request, Response
from pydantic import BaseModel, Field, model_validator

from webstrata.api import feeds
from webstrata.api.caching import A_MINUTE, NEVER, IfNoneMatch, kept
from webstrata.api.change_schemas import ChangesSchema, ComparisonSchema, LiveComparisonSchema
from webstrata.api.description import OFF
from webstrata.api.feeds import Feed
from webstrata.api.parts import CodeFilter, Day, JobNumber, Parts, SnapshotId, SnapshotNumber
from webstrata.api.present import site_url
from webstrata.api.schemas import ErrorSchema
from webstrata.api.snapshots import known_snapshot
from webstrata.api.sources import known_source
from webstrata.app import App
from webstrata.errors import NotFoundError

router = APIRouter(tags=["changes"], responses={404: {"model": ErrorSchema}})

OfSource = Annotated[CodeFilter, Query(description="Only of the source with this code.")]


class TextMode(StrEnum):
    """What is compared of a page: what it is about, or all of it."""

    MAIN = "main"
    FULL = "full"


class ChangeParameters(BaseModel):
    """Which changes are wanted; the names are part of the API's contract."""

    source: CodeFilter = Field(None, description="Only of the source with this code.")
    job_id: JobNumber | None = Field(None, alias="jobId", description="Only those that this job found.")
    latest: bool = Field(False, description="Only those that each source's newest job found.")
    include_unchanged: bool = Field(False, alias="includeUnchanged", description="Captures that changed nothing, too.")
    from_date: Day | None = Field(None, alias="from", description="First day (UTC), inclusive.")
    to_date: Day | None = Field(None, alias="to", description="Last day (UTC), inclusive.")
    page: int = Field(1, ge=1)
    page_size: int = Field(20, ge=1, le=100, alias="pageSize")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.from_date and self.to_date and self.from_date > self.to_date:
            raise ValueError("'from' must not be after 'to'")
        return self


@router.get("/api/changes", openapi_extra=OFF)
def changes(app: Parts, wanted: Annotated[ChangeParameters, Query()]) -> ChangesSchema:
    """List what changed between captures, newest first."""
    if wanted.source is not None:
        known_source(app, wanted.source)
    return ChangesSchema(enabled=False, total=0, page=wanted.page, pageSize=wanted.page_size, results=[])


@router.get("/api/changes/compare", openapi_extra=OFF)
def compare(
    app: Parts,
    to_snapshot_id: Annotated[SnapshotNumber, Query(alias="toSnapshotId", description="The capture after.")],
    from_snapshot_id: Annotated[
        SnapshotNumber | None, Query(alias="fromSnapshotId", description="The capture before; default: the last one.")
    ] = None,
) -> ComparisonSchema:
    """Compare two captures."""
    for snapshot_id in (to_snapshot_id, from_snapshot_id):
        if snapshot_id is not None:
            known_snapshot(app, snapshot_id)
    raise NotFoundError("This archive does not keep track of changes")


@router.get("/api/changes/rss", response_class=Response, responses=feeds.answers(feeds.RSS), openapi_extra=OFF)
def rss(app: Parts, request: Request, source: OfSource = None, known: IfNoneMatch = "") -> Response:
    """Feed readers the newest changes as RSS."""
    return kept(known, feeds.rss(_feed(app, request, source)), feeds.RSS, A_MINUTE)


@router.get("/api/changes/atom", response_class=Response, responses=feeds.answers(feeds.ATOM), openapi_extra=OFF)
def atom(app: Parts, request: Request, source: OfSource = None, known: IfNoneMatch = "") -> Response:
    """Feed readers the newest changes as Atom."""
    return kept(known, feeds.atom(_feed(app, request, source)), feeds.ATOM, A_MINUTE)


@router.get(
    "/api/changes/feed.json", response_class=Response, responses=feeds.answers(feeds.JSON_FEED), openapi_extra=OFF
)
def json_feed(app: Parts, request: Request, source: OfSource = None, known: IfNoneMatch = "") -> Response:
    """Feed readers the newest changes as a JSON Feed."""
    return kept(known, feeds.json_feed(_feed(app, request, source)), feeds.JSON_FEED, A_MINUTE)


@router.get(
    "/api/snapshots/{snapshot_id}/compare-live",
    tags=["snapshots"],
    openapi_extra=OFF,
    responses={
        400: {"model": ErrorSchema, "description": "The page's address is none that we may fetch."},
        413: {"model": ErrorSchema, "description": "The page is too large."},
        502: {"model": ErrorSchema, "description": "The page could not be fetched."},
    },
)
def compare_live(
    app: Parts,
    snapshot_id: SnapshotId,
    mode: Annotated[TextMode, Query(description="What is compared.")] = TextMode.MAIN,
) -> LiveComparisonSchema:
    """Compare a capture with the page as it is now."""
    snapshot = known_snapshot(app, snapshot_id)
    sentence = f"This archive does not compare snapshot {snapshot.id} with the live web ({mode})"
    raise HTTPException(404, sentence, headers={"Cache-Control": NEVER})


def _feed(app: App, request: Request, source: str | None) -> Feed:
    site = site_url(request, app.settings)
    address = f"{site}{request.url.path}"
    if source is None:
        return Feed(title="Webstrata: changes", home=f"{site}/", address=address)
    of = known_source(app, source)
    return Feed(
        f"Webstrata: changes of {of.name}", home=f"{site}/", address=f"{address}?{urlencode({'source': of.code})}"
    )
