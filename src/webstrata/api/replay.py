"""API that resolves a URL and a moment to a capture of a job."""

import re
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request

from webstrata.api import present
from webstrata.api.public_schemas import ResolvedSchema
from webstrata.db.captures.snapshots import known_snapshots
from webstrata.errors import NotFoundError, UsageError
from webstrata.http.browsing import BrowseAddresses
from webstrata.http.dependencies import JobNumber, Parts, Text
from webstrata.http.error_schemas import ErrorSchema
from webstrata.model.timestamps import latest_moment
from webstrata.model.urls import parse_url
from webstrata.replay.finding import ReplayArchive

router = APIRouter(
    tags=["replay"],
    responses={
        400: {"model": ErrorSchema, "description": "The URL or the timestamp is invalid."},
        404: {"model": ErrorSchema, "description": "No capture was found."},
    },
)

_NEWEST = "9"
"""A timestamp after every capture."""

_DIGITS = re.compile(r"[0-9]{14}")


@router.get("/api/replay/resolve")
def resolve(
    app: Parts,
    request: Request,
    job_id: Annotated[JobNumber, Query(alias="jobId", description="The job whose captures are replayed.")],
    url: Annotated[Text, Query(min_length=1, max_length=4096, description="The URL to find a capture of.")],
    timestamp: Annotated[Text | None, Query(description="A timestamp in UTC: 14 digits, from year to second.")] = None,
) -> ResolvedSchema:
    """Return a job's capture of a URL: the closest to a timestamp, or the newest."""
    moment = latest_moment(_NEWEST) if timestamp is None else _moment(timestamp)
    try:
        address = parse_url(url).href
    except UsageError as error:
        raise HTTPException(400, str(error)) from error
    found = ReplayArchive(app.database, app.archive_root).closest_of_job(job_id, address, moment)
    if found is None:
        raise NotFoundError(f"Job {job_id} has no capture of {address}")
    with app.database.read() as session:
        snapshot = known_snapshots(session, [found.id]).get(found.id)
    snapshot_id = None if snapshot is None else snapshot.id
    addresses = BrowseAddresses.of(request, app.settings)
    return ResolvedSchema(
        found=True,
        snapshotId=snapshot_id,
        captureTimestamp=present.timestamp(found.captured_at),
        resolvedUrl=found.url,
        browseUrl=addresses.capture(found.url, found.captured_at, job_id, snapshot_id),
        mimeType=found.mime_type,
    )


def _moment(digits: str) -> datetime:
    try:
        if _DIGITS.fullmatch(digits):
            return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        pass
    raise HTTPException(400, f"{digits!r} is not a timestamp of 14 digits, such as 20240531120000")
