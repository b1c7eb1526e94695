"""Wayback addresses: captures replayed by URL and time, TimeGates, and lists of captures."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from webstrata.app import App
from webstrata.errors import GoneError, NotFoundError, UsageError
from webstrata.http.archived_responses import EXACTLY, encodings_of, refusal_to_run, send_replay
from webstrata.http.browsing import site_url
from webstrata.http.caching import A_MINUTE, AN_HOUR
from webstrata.http.dependencies import Parts
from webstrata.http.headers import REPLAY_POLICY, framed_by
from webstrata.http.metrics.usage_counts import Event, count_event
from webstrata.model.browser.posted import posted_url, request_query
from webstrata.model.replay.replay_address import (
    REPLAY_PATH,
    Modifier,
    ReplayAddress,
    ReplayRequest,
    archived_url,
    parse_address,
    replay_path,
)
from webstrata.model.timestamps import earliest_moment, http_date, latest_moment, parse_http_date
from webstrata.replay.finding import FoundCapture, ReplayArchive
from webstrata.replay.memento import MementoAddresses, link_header
from webstrata.replay.responses import is_rewritten, replay
from webstrata.web.capture_list import show_captures
from webstrata.web.failures import PageRoute
from webstrata.web.pages import page_text, render
from webstrata.web.viewer.replay_host import IS_REPLAY_HOST

NEWEST = "9"
"""A timestamp after every capture."""
_EXACT_DIGITS = 14
"""The number of digits of a timestamp with seconds, which identifies one capture."""

router = APIRouter(route_class=PageRoute, include_in_schema=False)


async def sent_body(request: Request) -> bytes:
    """Return the body of a POST request, which the server limits to a megabyte."""
    return await request.body() if request.method == "POST" else b""


@router.api_route(REPLAY_PATH + "{address:path}", methods=["GET", "POST"])
def wayback(request: Request, app: Parts, body: Annotated[bytes, Depends(sent_body)]) -> Response:
    """Replay the capture at an address, redirect to it, or list captures.

    A POST gets the archived response to a request with the same body, or else a capture of the URL; its body is never
    forwarded.
    """
    refused = refusal_to_run(request)
    if refused is not None:
        return refused
    try:
        address = parse_address(*written_address(request, REPLAY_PATH))
        if address.request is ReplayRequest.LIST:
            return show_captures(request, app, address)
        url = archived_url(address.url)
        if body:
            url = posted_url(url, request.method, request_query(request.headers.get("content-type", ""), body))
        if address.request is ReplayRequest.TIMEGATE:
            return _redirect_to_closest(request, app, url)
    except UsageError as error:
        raise HTTPException(400, str(error)) from error
    return _replay(request, app, address, url)


def _withheld_at(archive: ReplayArchive, url: str, timestamp: str) -> GoneError | None:
    """Return why the capture at an exact address is not shown; None when none was withheld there."""
    if len(timestamp) < _EXACT_DIGITS:
        return None
    tombstone = archive.tombstone(url, latest_moment(timestamp))
    return None if tombstone is None else GoneError(tombstone.sentence, tombstone.shown())


def written_address(request: Request, prefix: str) -> tuple[str, str]:
    """Return the rest of a request's path after a prefix, and its query, both still encoded."""
    path: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    written = path.partition(b"?")[0].decode("utf-8", "replace")
    return written.partition(prefix)[2], request.scope["query_string"].decode("utf-8", "replace")


def _replay(request: Request, app: App, address: ReplayAddress, url: str) -> Response:
    archive, modifier = ReplayArchive(app.database, app.archive_root), address.modifier
    try:
        found = archive.find_capture(
            url,
            latest_moment(address.timestamp or NEWEST),
            since=earliest_moment(address.timestamp) if address.timestamp else None,
            decode=is_rewritten(modifier),
            allow_loops=modifier is Modifier.IDENTITY,
        )
    except NotFoundError as error:
        return show_not_archived(request, app, url, modifier, _withheld_at(archive, url, address.timestamp) or error)
    if found.capture.timestamp != address.timestamp and (gone := _withheld_at(archive, url, address.timestamp)):
        return show_not_archived(request, app, url, modifier, gone)
    exact = replay_path(found.capture.timestamp, found.capture.url, modifier)
    if modifier.is_page and found.capture.timestamp != address.timestamp:
        return _redirect(request, exact, {"Link": memento_links(request, app, found, url)})
    headers = {
        "Memento-Datetime": http_date(found.capture.captured_at),
        "Link": memento_links(request, app, found, url, archive if modifier.is_page else None),
    }
    if found.capture.timestamp != address.timestamp:
        # Subresources are sent without a redirect, which would double the number of requests.
        headers["Content-Location"] = exact
    if modifier.is_page:
        count_event(request, Event.RAW_SNAPSHOT_VIEWS)
    replayed = replay(found, modifier, encodings_of(request))
    return send_replay(request, replayed, headers, AN_HOUR if is_rewritten(modifier) else EXACTLY)


def _redirect_to_closest(request: Request, app: App, url: str) -> Response:
    """Respond as a TimeGate: redirect to the capture closest to Accept-Datetime, or to the newest."""
    moment = _accepted_moment(request)
    archive = ReplayArchive(app.database, app.archive_root)
    try:
        found = archive.find_capture(url, moment)
    except NotFoundError as error:
        response = show_not_archived(request, app, url, Modifier.PAGE, error)
        response.headers.add_vary_header("Accept-Datetime")
        return response
    headers = {"Vary": "Accept-Datetime", "Link": memento_links(request, app, found, url, archive)}
    return _redirect(request, replay_path(found.capture.timestamp, found.capture.url), headers)


def _accepted_moment(request: Request) -> datetime:
    stated = request.headers.get("accept-datetime")
    if stated is None:
        return latest_moment(NEWEST)
    try:
        return parse_http_date(stated)
    except UsageError as error:
        raise HTTPException(400, f"Accept-Datetime: {error}") from error


def _redirect(request: Request, path: str, headers: dict[str, str]) -> Response:
    # 307 keeps the method of a POST.
    status = 302 if request.method == "GET" else 307
    response = RedirectResponse("/", status, headers={"Cache-Control": A_MINUTE, **headers})
    # The header is set without encoding: the URL contains another URL, which must not be encoded again.
    response.headers["Location"] = path
    return response


def memento_links(
    request: Request, app: App, found: FoundCapture, url: str, archive: ReplayArchive | None = None
) -> str:
    """Return the Link header of a capture, with the captures around it when an archive to look them up is given."""
    addresses = MementoAddresses(site_url(request, app.settings), found.capture.url or url)
    return link_header(addresses, found.capture, archive.neighbours(found.capture) if archive else None)


def show_not_archived(
    request: Request, app: App, url: str, modifier: Modifier, error: NotFoundError | GoneError
) -> Response:
    """Respond that a capture is missing: with a page and a link to the live URL, or for subresources with a line of
    text."""
    if isinstance(error, NotFoundError):
        withheld = ReplayArchive(app.database, app.archive_root).tombstone(url, None)
        error = error if withheld is None else GoneError(withheld.sentence, withheld.shown())
    status = 410 if isinstance(error, GoneError) else 404
    if request.scope.get(IS_REPLAY_HOST) and "text/html" in request.headers.get("accept", ""):
        # In a frame, the surrounding page offers the live URL, as frames may not lead there.
        headers = {"Content-Security-Policy": REPLAY_POLICY, "Cache-Control": A_MINUTE}
        return HTMLResponse(page_text("replay_missing.html", url=url, what=str(error), status=status), status, headers)
    if not modifier.is_page:
        return PlainTextResponse(f"{error}\n", status_code=status, headers={"Cache-Control": A_MINUTE})
    host = url.partition("//")[2].partition("/")[0]
    return render(
        request,
        "not_archived.html",
        status=status,
        code=status,
        headers=framed_by(app.settings.cors_origins),
        url=url,
        what=str(error),
        site_list=f"{REPLAY_PATH}*/{host}/*",
    )
