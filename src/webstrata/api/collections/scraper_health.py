"""Scraper health: the rates of every run, and whether a source is improving, stable or declining."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from webstrata.api.collections import present_listings
from webstrata.api.collections.listing_schemas import HealthRunListSchema, HealthRunSchema, SourceHealthListSchema
from webstrata.db.collections import collection_lists
from webstrata.db.collections.collection_lists import CollectionFilter
from webstrata.errors import NotFoundError
from webstrata.http.dependencies import LARGEST_OFFSET, CodeFilter, JobNumber, Limit, Offset, Parts, SnapshotId
from webstrata.http.error_schemas import ErrorSchema

router = APIRouter(prefix="/api/scraper-health", tags=["listings"], responses={404: {"model": ErrorSchema}})

OfSource = Annotated[CodeFilter, Query(description="Only results of the source with this code.")]


@router.get("")
def list_runs(
    app: Parts,
    source: OfSource = None,
    job_id: Annotated[JobNumber | None, Query(alias="jobId")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> HealthRunListSchema:
    """List runs with their success rates and field fill rates, newest first."""
    filters = CollectionFilter(source=source, job_id=job_id)
    with app.database.read() as session:
        found, total = collection_lists.list_health(session, filters, limit=limit, offset=min(offset, LARGEST_OFFSET))
    items = [present_listings.health_run(view) for view in found]
    return HealthRunListSchema(items=items, total=total, limit=limit, offset=offset)


@router.get("/trends")
def trends(app: Parts, source: OfSource = None) -> SourceHealthListSchema:
    """Return the trend of each source with the runs from which it is computed."""
    with app.database.read() as session:
        found = collection_lists.source_health(session, source)
    return SourceHealthListSchema(items=[present_listings.source_health(health) for health in found])


@router.get("/{run_id}")
def show_run(app: Parts, run_id: Annotated[SnapshotId, Path(description="A run's number.")]) -> HealthRunSchema:
    """Return one run with its rates."""
    with app.database.read() as session:
        found, _ = collection_lists.list_health(session, CollectionFilter(row_id=run_id), limit=1)
    if not found:
        raise NotFoundError("There is no such run: it may have expired")
    return present_listings.health_run(found[0])
