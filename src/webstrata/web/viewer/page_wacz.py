"""The WACZ file of a snapshot's page: its download, and the link that opens it in ReplayWeb.page."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO
from urllib.parse import quote, urlencode, urlsplit

import xxhash
from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse
from starlette.background import BackgroundTask

from webstrata.db.collections import export_history
from webstrata.http.browsing import site_url
from webstrata.http.caching import A_MINUTE
from webstrata.http.dependencies import Parts, SnapshotId
from webstrata.http.export_trail import acting_database
from webstrata.http.ranges import requested_range
from webstrata.model.archive import SnapshotView
from webstrata.model.timestamps import fourteen_digits
from webstrata.settings import Settings
from webstrata.warc.packages.page_package import PagePackage, make_page_package
from webstrata.web.failures import PageRoute

REPLAY_WEB_PAGE = "https://replayweb.page"

_WACZ_PATH = "/snapshot/{snapshot_id}/page.wacz"
_MEDIA_TYPE = "application/wacz+zip"
_ON_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})
_COPY_BYTES = 262_144
_FOR_REPLAY_WEB_PAGE = {
    "Access-Control-Allow-Origin": REPLAY_WEB_PAGE,
    "Access-Control-Expose-Headers": "Accept-Ranges, Content-Length, Content-Range, ETag",
}
"""ReplayWeb.page reads the file from its own origin, in parts and without cookies."""

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@dataclass(frozen=True)
class WaczLinks:
    """Where the WACZ file of a page is, and where ReplayWeb.page shows it, if it can load it from here."""

    download: str
    replay_web_page: str | None


def wacz_links(request: Request, settings: Settings, snapshot: SnapshotView) -> WaczLinks:
    """Return the links to a page's WACZ; browsers load only https addresses and those of their own machine."""
    path, site = _WACZ_PATH.format(snapshot_id=snapshot.id), site_url(request, settings)
    parts = urlsplit(site)
    if parts.scheme != "https" and parts.hostname not in _ON_THIS_MACHINE:
        return WaczLinks(path, None)
    shown = urlencode({"view": "pages", "url": snapshot.url, "ts": fourteen_digits(snapshot.captured_at)})
    return WaczLinks(path, f"{REPLAY_WEB_PAGE}/?source={quote(site + path, safe='')}#{shown}")


@router.options(_WACZ_PATH)
def allow_range_requests(snapshot_id: SnapshotId) -> Response:  # noqa: ARG001 - a part of the path
    """Allow ReplayWeb.page to ask for parts of the file."""
    allowed = {
        "Access-Control-Allow-Methods": "GET, HEAD",
        "Access-Control-Allow-Headers": "Range",
        "Access-Control-Allow-Private-Network": "true",
    }
    return Response(status_code=204, headers=_FOR_REPLAY_WEB_PAGE | allowed)


@router.get(_WACZ_PATH)
def download_wacz(snapshot_id: SnapshotId, request: Request, app: Parts) -> Response:
    """Send the WACZ file of a snapshot's page with what it shows, or a part of the file."""
    package = make_page_package(app.database, app.archive_root, snapshot_id)
    asked = request.headers.get("range", "")
    if not asked:
        _record_export(request, snapshot_id, package)
    return _send(package, snapshot_id, asked)


def _send(package: PagePackage, snapshot_id: int, asked: str) -> Response:
    file, size = package.file, package.size
    headers = {
        **_FOR_REPLAY_WEB_PAGE,
        "Accept-Ranges": "bytes",
        "Cache-Control": f"{A_MINUTE}, no-transform",
        "Content-Disposition": f'attachment; filename="snapshot-{snapshot_id}.wacz"',
        "ETag": _etag(file),
    }
    part = requested_range(asked, size) if asked else None
    if part is not None and not part:
        file.close()
        return Response(status_code=416, headers=headers | {"Content-Range": f"bytes */{size}"})
    sent = range(size) if part is None else part
    if part is not None:
        headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{size}"
    return StreamingResponse(
        _pieces(file, sent),
        status_code=200 if part is None else 206,
        media_type=_MEDIA_TYPE,
        headers=headers | {"Content-Length": str(len(sent))},
        background=BackgroundTask(file.close),
    )


def _etag(file: IO[bytes]) -> str:
    digest = xxhash.xxh3_128()
    file.seek(0)
    while data := file.read(_COPY_BYTES):
        digest.update(data)
    return f'"{digest.hexdigest()}"'


def _pieces(file: IO[bytes], sent: range) -> Iterator[bytes]:
    file.seek(sent.start)
    left = len(sent)
    while left > 0 and (data := file.read(min(_COPY_BYTES, left))):
        left -= len(data)
        yield data


def _record_export(request: Request, snapshot_id: int, package: PagePackage) -> None:
    """Record a download in the export history; an archive that can only be read has none."""
    database, now = acting_database(request), datetime.now(UTC)
    if database.is_read_only:
        return
    with database.write() as session:
        number = export_history.begin_export(session, "captures", "wacz", {"snapshot": snapshot_id}, now)
        export_history.finish_export(session, number, package.report.captures, now)
