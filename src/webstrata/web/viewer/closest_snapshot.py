"""Redirects to the snapshot closest to a moment; the date picker and links of replayed pages lead here."""

from datetime import UTC, datetime, time
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from webstrata.db.captures.snapshots import known_snapshots
from webstrata.errors import NotFoundError, UsageError
from webstrata.http.dependencies import Day, Parts, Text
from webstrata.model.replay.replay_address import Modifier, archived_url, replay_path
from webstrata.model.timestamps import is_timestamp, latest_moment
from webstrata.replay.finding import ReplayArchive
from webstrata.web.failures import PageRoute
from webstrata.web.wayback import NEWEST, show_not_archived

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/snapshot/closest")
def closest_snapshot(
    request: Request,
    app: Parts,
    url: Annotated[Text, Query(min_length=1, max_length=4096)],
    timestamp: Annotated[Text, Query(max_length=14)] = NEWEST,
    day: Annotated[Day | None, Query(alias="date")] = None,
) -> Response:
    """Redirect to the snapshot of a URL that is closest to a timestamp or a day, or show that there is none."""
    try:
        address = archived_url(url)
    except UsageError as error:
        raise HTTPException(400, str(error)) from error
    moment = _moment(timestamp) if day is None else datetime.combine(day, time(12), UTC)
    try:
        found = ReplayArchive(app.database, app.archive_root).find_capture(address, moment).capture
    except NotFoundError as error:
        return show_not_archived(request, app, address, Modifier.PAGE, error)
    with app.database.read() as session:
        snapshot = known_snapshots(session, [found.id]).get(found.id)
    path = replay_path(found.timestamp, found.url) if snapshot is None else f"/snapshot/{snapshot.id}"
    response = RedirectResponse("/", 302)
    # The header is set without encoding: a replay URL contains another URL, which must not be encoded again.
    response.headers["Location"] = path
    return response


def _moment(timestamp: str) -> datetime:
    if not is_timestamp(timestamp):
        raise HTTPException(400, f"{timestamp!r} is not a timestamp (expected 1 to 14 digits, such as 20240531120000)")
    return latest_moment(timestamp)
