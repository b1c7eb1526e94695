"""Hauls: saved sets of captures to compare, share by link and export."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from webstrata.api.collections import present_listings
from webstrata.api.collections.haul_files import HaulFormat, haul_file
from webstrata.api.collections.listing_schemas import HaulListSchema, HaulSchema, NewHaulSchema
from webstrata.db.collections import hauls
from webstrata.http.audit_trail import ActingParts
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.browsing import site_url
from webstrata.http.caching import NEVER
from webstrata.http.dependencies import LARGEST_OFFSET, Limit, Offset, Parts, TextFilter
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.export_trail import record_export
from webstrata.http.lookups import HaulId, used_haul
from webstrata.http.same_origin import refuse_other_sites

HAULS_PATH = "/api/hauls"

router = APIRouter(tags=["listings"], responses={404: {"model": ErrorSchema}})
_ADMIN = [Depends(require_admin)]
_WRITING = [*_ADMIN, Depends(refuse_other_sites)]


@router.get(HAULS_PATH, dependencies=_ADMIN, responses=ADMIN_RESPONSES)
def list_hauls(
    app: Parts,
    q: Annotated[TextFilter, Query(description="Words of the name.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> HaulListSchema:
    """List the hauls, newest first; only for administrators, because anyone with the id of a haul can read it."""
    with app.database.read() as session:
        found, total = hauls.list_hauls(session, limit=limit, offset=min(offset, LARGEST_OFFSET), words=q)
    items = [present_listings.haul_summary(view) for view in found]
    return HaulListSchema(items=items, total=total, limit=limit, offset=offset)


@router.post(HAULS_PATH, status_code=201, dependencies=_WRITING, responses=ADMIN_RESPONSES)
def create_haul(app: ActingParts, request: Request, new: NewHaulSchema) -> HaulSchema:
    """Save up to 20 captures as a haul and return it with its link."""
    with app.database.write() as session:
        haul_id = hauls.add_haul(session, new.name, new.snapshotIds, datetime.now(UTC))
        return present_listings.haul(hauls.load_haul(session, haul_id), site_url(request, app.settings))


@router.get(f"{HAULS_PATH}/{{haul_id}}")
@router.get("/public_api/v1/hauls/{haul_id}")
def show_haul(app: Parts, request: Request, haul_id: HaulId) -> HaulSchema:
    """Return a haul: its captures with their prices and availability."""
    return present_listings.haul(used_haul(app, haul_id), site_url(request, app.settings))


@router.get(
    f"{HAULS_PATH}/{{haul_id}}/export",
    response_class=Response,
    responses={200: {"description": "The captures of a haul.", "content": {"text/csv": {}, "application/json": {}}}},
)
def export_haul(app: Parts, request: Request, haul_id: HaulId, format: HaulFormat = HaulFormat.CSV) -> Response:
    """Return a haul as a file: CSV for spreadsheets, or JSON."""
    found = present_listings.haul(used_haul(app, haul_id), site_url(request, app.settings))
    rows = [list(capture.model_dump().values()) for capture in found.captures]
    # The export's record is completed after the last part was read.
    list(record_export(request, "haul", format.value, {"captures": len(rows)}, iter([[tuple(row) for row in rows]])))
    content = haul_file(found, format)
    media_type = "application/json" if format is HaulFormat.JSON else "text/csv; charset=utf-8"
    name = f'attachment; filename="webstrata-haul-{found.id[:8]}.{format.value}"'
    return Response(content, headers={"Content-Type": media_type, "Content-Disposition": name, "Cache-Control": NEVER})


@router.delete(f"{HAULS_PATH}/{{haul_id}}", status_code=204, dependencies=_WRITING, responses=ADMIN_RESPONSES)
def delete_haul(app: ActingParts, haul_id: HaulId) -> None:
    """Delete a haul; its captures stay."""
    with app.database.write() as session:
        hauls.delete_haul(session, haul_id)
