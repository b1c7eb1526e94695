"""Collections that only administrators read: diagnostics, scrape metadata and the export history."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from webstrata.api.collections import present_listings
from webstrata.api.collections.listing_schemas import (
    DiagnosticListSchema,
    DiagnosticSchema,
    ExportEntrySchema,
    ExportHistorySchema,
    ScrapeListSchema,
    ScrapeSchema,
)
from webstrata.db.collections import collection_lists
from webstrata.db.collections.collection_lists import CollectionFilter
from webstrata.errors import NotFoundError
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import (
    LARGEST_OFFSET,
    CodeFilter,
    JobNumber,
    Limit,
    Offset,
    Parts,
    SnapshotId,
    SnapshotNumber,
    TextFilter,
)
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.headers import ADMIN_PATH

router = APIRouter(
    prefix=ADMIN_PATH,
    tags=["retention"],
    dependencies=[Depends(require_admin)],
    responses={**ADMIN_RESPONSES, 404: {"model": ErrorSchema}},
)

RowNumber = Annotated[SnapshotId, Path(description="The row's number.")]


@router.get("/diagnostics")
def list_diagnostics(
    app: Parts,
    source: CodeFilter = None,
    url: TextFilter = None,
    listing_id: Annotated[SnapshotNumber | None, Query(alias="listingId")] = None,
    snapshot_id: Annotated[SnapshotNumber | None, Query(alias="snapshotId")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> DiagnosticListSchema:
    """List how listings were extracted, newest first: each field's traces and a quality score."""
    filters = CollectionFilter(source=source, url=url, listing_id=listing_id, snapshot_id=snapshot_id)
    with app.database.read() as session:
        found, total = collection_lists.list_diagnostics(
            session, filters, limit=limit, offset=min(offset, LARGEST_OFFSET)
        )
    items = [present_listings.diagnostic(view) for view in found]
    return DiagnosticListSchema(items=items, total=total, limit=limit, offset=offset)


@router.get("/diagnostics/{row_id}")
def show_diagnostic(app: Parts, row_id: RowNumber) -> DiagnosticSchema:
    """Return how one listing was extracted."""
    with app.database.read() as session:
        found, _ = collection_lists.list_diagnostics(session, CollectionFilter(row_id=row_id), limit=1)
    if not found:
        raise _expired()
    return present_listings.diagnostic(found[0])


@router.get("/scrape-metadata")
def list_scrapes(
    app: Parts,
    source: CodeFilter = None,
    url: TextFilter = None,
    job_id: Annotated[JobNumber | None, Query(alias="jobId")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> ScrapeListSchema:
    """List attempts to fetch URLs, newest first."""
    filters = CollectionFilter(source=source, url=url, job_id=job_id)
    with app.database.read() as session:
        found, total = collection_lists.list_scrapes(session, filters, limit=limit, offset=min(offset, LARGEST_OFFSET))
    items = [present_listings.scrape(view) for view in found]
    return ScrapeListSchema(items=items, total=total, limit=limit, offset=offset)


@router.get("/scrape-metadata/{row_id}")
def show_scrape(app: Parts, row_id: RowNumber) -> ScrapeSchema:
    """Return one attempt to fetch a URL."""
    with app.database.read() as session:
        found, _ = collection_lists.list_scrapes(session, CollectionFilter(row_id=row_id), limit=1)
    if not found:
        raise _expired()
    return present_listings.scrape(found[0])


@router.get("/export-history")
def list_exports(
    app: Parts, kind: TextFilter = None, actor: TextFilter = None, limit: Limit = 50, offset: Offset = 0
) -> ExportHistorySchema:
    """List exports with their callers, newest first."""
    filters = CollectionFilter(kind=kind, actor=actor)
    with app.database.read() as session:
        found, total = collection_lists.list_exports(session, filters, limit=limit, offset=min(offset, LARGEST_OFFSET))
    items = [present_listings.export_entry(view) for view in found]
    return ExportHistorySchema(items=items, total=total, limit=limit, offset=offset)


@router.get("/export-history/{row_id}")
def show_export(app: Parts, row_id: RowNumber) -> ExportEntrySchema:
    """Return one export."""
    with app.database.read() as session:
        found, _ = collection_lists.list_exports(session, CollectionFilter(row_id=row_id), limit=1)
    if not found:
        raise _expired()
    return present_listings.export_entry(found[0])


def _expired() -> NotFoundError:
    return NotFoundError("There is no such row: it may have expired")
