"""API of one snapshot: its metadata, its page as it was archived, and the page's other captures."""

import re
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from webstrata.api import present
from webstrata.api.public_schemas import LatestSnapshotSchema, ResourceSchema, ResourcesSchema
from webstrata.api.schemas import SnapshotDetailSchema, TimelineSchema
from webstrata.db.operations import catalog
from webstrata.db.replay.page_links import resources_of
from webstrata.http.browsing import BrowseAddresses
from webstrata.http.caching import A_MINUTE, AN_HOUR, IfNoneMatch, cached_json, cached_response
from webstrata.http.dependencies import Parts, SnapshotId
from webstrata.http.error_responses import MAY_BE_WITHHELD
from webstrata.http.headers import RAW_PATH
from webstrata.http.lookups import known_snapshot
from webstrata.http.metrics.usage_counts import Event, count_event
from webstrata.model.captures import PageResource
from webstrata.model.content_types import HTML_TYPES
from webstrata.replay.banner import with_banner
from webstrata.replay.inert import with_inert_links
from webstrata.replay.raw import RawPage, raw_page

router = APIRouter(tags=["snapshots"], responses=MAY_BE_WITHHELD)

_HARMLESS = frozenset(
    (
        "text/plain",
        "application/pdf",
        "image/avif",
        "image/bmp",
        "image/gif",
        "image/jpeg",
        "image/png",
        "image/vnd.microsoft.icon",
        "image/webp",
        "image/x-icon",
    )
)
"""Content types that are served unchanged; others could be run by browsers, or make them guess the type."""

_AS_A_FILE = "application/octet-stream"
_SERVED_AS = ("text/html", *sorted(_HARMLESS), _AS_A_FILE)

_CHARSET = re.compile(r"[A-Za-z0-9._:+-]{1,40}")
_NAMES_OF_BROWSERS = {
    "euc_jp": "euc-jp",
    "euc_kr": "euc-kr",
    "iso2022_jp": "iso-2022-jp",
    "iso8859-16": "iso-8859-16",
    "mac-roman": "macintosh",
    "utf-16-be": "utf-16be",
    "utf-16-le": "utf-16le",
} | {f"cp{number}": f"windows-{number}" for number in range(1250, 1259)}
"""Browsers' names for charsets whose Python names they do not know."""


@router.get("/api/snapshot/{snapshot_id}", response_model=SnapshotDetailSchema)
def detail(app: Parts, request: Request, snapshot_id: SnapshotId, known: IfNoneMatch = "") -> Response:
    """Return a snapshot's metadata."""
    found = known_snapshot(app, snapshot_id)
    count_event(request, Event.SNAPSHOT_DETAIL_VIEWS)
    return cached_json(known, present.snapshot_detail(found, BrowseAddresses.of(request, app.settings)), AN_HOUR)


@router.get(
    RAW_PATH + "{snapshot_id}",
    response_class=Response,
    responses={
        200: {
            "description": "The archived page with a banner, or a file as captured; scripts are sent as plain bytes.",
            "content": {media_type: {} for media_type in _SERVED_AS},
        }
    },
)
def raw(
    app: Parts,
    request: Request,
    snapshot_id: SnapshotId,
    banner: Annotated[bool, Query(description="Insert the banner.")] = True,
    inert_links: Annotated[
        bool, Query(alias="inertLinks", description="Disable links that lead away from the page.")
    ] = False,
    known: IfNoneMatch = "",
) -> Response:
    """Return an archived page with a banner above it."""
    page = raw_page(app.database, app.archive_root, snapshot_id)
    count_event(request, Event.RAW_SNAPSHOT_VIEWS)
    if page.media_type in HTML_TYPES:
        content = with_inert_links(page.content, page.charset) if inert_links else page.content
        content = with_banner(content, page.charset, page.snapshot) if banner else content
        return cached_response(known, content, _labelled("text/html", page), AN_HOUR)
    if page.media_type in _HARMLESS:
        return cached_response(known, page.content, _labelled(page.media_type, page), AN_HOUR)
    return cached_response(known, page.content, _AS_A_FILE, AN_HOUR)


@router.get("/api/snapshots/{snapshot_id}/timeline", response_model=TimelineSchema)
def timeline(app: Parts, request: Request, snapshot_id: SnapshotId, known: IfNoneMatch = "") -> Response:
    """List all captures of a snapshot's page, oldest first."""
    snapshot = known_snapshot(app, snapshot_id)
    with app.database.read() as session:
        captures = catalog.timeline(session, snapshot)
    addresses = BrowseAddresses.of(request, app.settings)
    return cached_json(known, present.timeline(snapshot, captures, addresses), A_MINUTE)


@router.get("/api/snapshots/{snapshot_id}/latest", response_model=LatestSnapshotSchema)
def latest(
    app: Parts,
    snapshot_id: SnapshotId,
    require_html: Annotated[bool, Query(alias="requireHtml", description="Only HTML captures.")] = True,
    known: IfNoneMatch = "",
) -> Response:
    """Return the newest good capture of a snapshot's page."""
    snapshot = known_snapshot(app, snapshot_id)
    with app.database.read() as session:
        newest = catalog.latest_capture(session, snapshot, html_only=require_html)
    return cached_json(known, present.latest(newest), A_MINUTE)


@router.get("/api/snapshot/{snapshot_id}/resources", response_model=ResourcesSchema, tags=["resources"])
def resources(app: Parts, snapshot_id: SnapshotId, known: IfNoneMatch = "") -> Response:
    """List the images, styles, scripts and fonts of a snapshot's page, and the reasons why some are missing."""
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
    return cached_json(known, listed, A_MINUTE)


def _labelled(media_type: str, page: RawPage) -> str:
    """Return the content type with the archived charset, unless that is invalid in a header."""
    charset = (page.charset or "").lower()
    if not _CHARSET.fullmatch(charset):
        return media_type
    return f"{media_type}; charset={_NAMES_OF_BROWSERS.get(charset, charset)}"


def _resource(resource: PageResource) -> ResourceSchema:
    return ResourceSchema(
        url=resource.url,
        archived=resource.is_archived,
        statusCode=resource.status_code,
        captureTimestamp=None if resource.captured_at is None else present.timestamp(resource.captured_at),
        reason=resource.reason,
    )
