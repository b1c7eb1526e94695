"""The snapshot page: one capture of a page, with its timeline."""

import mimetypes
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from webstrata.db.captures.page_metadata import load_metadata
from webstrata.db.changes import change_lists
from webstrata.db.engine import Database
from webstrata.db.operations import catalog
from webstrata.db.replay.page_links import links_of, resources_of
from webstrata.db.retention.tombstones import missing_snapshot
from webstrata.errors import NotFoundError
from webstrata.http.browsing import site_url
from webstrata.http.dependencies import Parts, SnapshotId
from webstrata.http.headers import RAW_PATH, RAW_POLICY, framed_by
from webstrata.model.archive import RecordPlace, SnapshotView
from webstrata.model.captures import DateSource
from webstrata.replay.raw import find_record_for_snapshot, record_file
from webstrata.web import present
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.timeline import draw_strip
from webstrata.web.viewer.page_wacz import wacz_links
from webstrata.web.viewer.viewer_frame import can_be_framed, frame_for

_UNCERTAIN = {
    DateSource.HTTP: "the record's date cannot be read, this is the Date header of the response",
    DateSource.FILE: "the record's date cannot be read, this is when its WARC file was last changed",
}

MOST_LINKS = 200
"""Links listed beside an archived page at most."""

MOST_MISSING = 50
"""Missing resources listed below an archived page at most."""

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/snapshot/{snapshot_id}")
def snapshot(snapshot_id: SnapshotId, request: Request, app: Parts) -> HTMLResponse:
    """Show a capture in a frame, with the captures before and after."""
    with app.database.read() as session:
        found = catalog.snapshot(session, snapshot_id)
        if found is None:
            raise missing_snapshot(session, snapshot_id, "There is no such snapshot in this archive")
        captures = catalog.timeline(session, found)
        place = catalog.record_place(session, snapshot_id)
        links = links_of(session, found, most=MOST_LINKS)
        resources = resources_of(session, snapshot_id)
        tracks = app.settings.change_tracking_enabled
        weighed = change_lists.significance_of_snapshots(session, [one.id for one in captures]) if tracks else {}
        event = change_lists.event_of_snapshot(session, snapshot_id) if tracks else None
        stated = load_metadata(session, found.content_hash) if found.content_hash else {}
    permalink = f"{site_url(request, app.settings)}/snapshot/{snapshot_id}"
    frame = frame_for(request, app.settings, found)
    return render(
        request,
        "snapshot.html",
        # Front ends on the origins that may use the API may show this page in a frame.
        headers=frame.allow_in(framed_by(app.settings.cors_origins)),
        frame=frame,
        snapshot=found,
        strip=draw_strip(captures, found, weighed),
        event=event,
        raw=f"{RAW_PATH}{snapshot_id}",
        links=links,
        resources=resources,
        missing=resources.missing[:MOST_MISSING],
        published=stated.get("published"),
        file_name=f"snapshot-{snapshot_id}{mimetypes.guess_extension(found.mime_type or 'text/html') or ''}",
        can_be_framed=can_be_framed(found.mime_type),
        unreadable=_unreadable(place, app.database, app.archive_root),
        uncertain_time=uncertain_time(place),
        wacz=wacz_links(request, app.settings, found),
        citation=citation(found, permalink, uncertain_time(place), place.content_hash if place else None),
    )


@router.get("/snapshot/{snapshot_id}/record")
def download_record(snapshot_id: SnapshotId, app: Parts) -> Response:
    """Send the WARC record of a capture, as it is in its file."""
    record = record_file(app.database, app.archive_root, snapshot_id)
    headers = {"Content-Disposition": f'attachment; filename="{record.name}"', "Content-Security-Policy": RAW_POLICY}
    return Response(record.content, media_type="application/warc", headers=headers)


def _unreadable(place: RecordPlace | None, database: Database, archive_root: Path) -> str | None:
    """Return why the archived bytes cannot be shown, so that the page gives a reason instead of an empty frame."""
    try:
        if place is not None:
            find_record_for_snapshot(place, database=database, archive_root=archive_root)
    except NotFoundError as error:
        return str(error)
    return None


def uncertain_time(place: RecordPlace | None) -> str | None:
    """Return why the time of a capture is uncertain, or None when its record names it."""
    source = None if place is None else place.date_source
    return None if source is None else _UNCERTAIN[source]


def citation(
    snapshot: SnapshotView, permalink: str, uncertain: str | None = None, content_hash: str | None = None
) -> str:
    """Return a citation of a snapshot, ready to copy."""
    doubt = f" (uncertain: {uncertain})" if uncertain else ""
    return "\n".join(
        (
            f"“{present.title_of(snapshot.title)}”. {snapshot.source_name}.",
            snapshot.url,
            f"Captured {present.to_the_second(snapshot.captured_at)}{doubt}.",
            permalink,
            *((f"SHA-256 of the content: {content_hash}",) if content_hash else ()),
        )
    )
