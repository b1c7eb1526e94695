"""Where replayed addresses lead. This archive shows single pages and replays no sites: nothing is found yet."""

import re
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from webstrata.api.description import OFF
from webstrata.api.parts import JobNumber, Text
from webstrata.api.public_schemas import ResolvedSchema
from webstrata.api.schemas import ErrorSchema
from webstrata.errors import NotFoundError, UsageError
from webstrata.model.urls import parse_url

router = APIRouter(
    tags=["replay"],
    responses={
        400: {"model": ErrorSchema, "description": "No web address, or no moment."},
        404: {"model": ErrorSchema, "description": "Nothing is found there."},
    },
)

_DIGITS = re.compile(r"[0-9]{14}")


@router.get("/api/replay/resolve", openapi_extra=OFF)
def resolve(
    job_id: Annotated[JobNumber, Query(alias="jobId", description="The job whose captures are replayed.")],
    url: Annotated[Text, Query(min_length=1, max_length=4096, description="The address that was asked for.")],
    timestamp: Annotated[Text | None, Query(description="A moment in UTC: 14 digits, from year to second.")] = None,
) -> ResolvedSchema:
    """Tell which capture an address leads to at a moment."""
    moment = None if timestamp is None else _moment(timestamp)
    try:
        address = parse_url(url).href
    except UsageError as error:
        raise HTTPException(400, str(error)) from error
    when = "" if moment is None else f" at {moment.isoformat()}"
    raise NotFoundError(f"Job {job_id} replays nothing for {address}{when}")


def _moment(digits: str) -> datetime:
    try:
        if _DIGITS.fullmatch(digits):
            return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        pass
    raise HTTPException(400, f"{digits!r} is no moment of 14 digits, such as 20240531120000")
