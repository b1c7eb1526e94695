"""What operators ask about jobs, and what they do with them."""

from datetime import datetime
from typing import Any

from fastapi import APIRouter, Depends
from fastapi.responses import StreamingResponse

from webstrata.api import present
from webstrata.api.auth import require_admin
from webstrata.api.headers import ADMIN_PATH
from webstrata.api.live import EVENT_STREAM, live_view, seated
from webstrata.api.parts import LARGEST_OFFSET, Code, JobId, Limit, Offset, Parts, Text
from webstrata.api.same_origin import refuse_other_sites
from webstrata.api.schemas import (
    ErrorSchema,
    JobDetailSchema,
    JobListResponseSchema,
    JobSnapshotSummarySchema,
    JobStatusCountsSchema,
)
from webstrata.app import App
from webstrata.db import catalog
from webstrata.db.reports import JobProgress
from webstrata.errors import NotFoundError
from webstrata.jobs.queueing import request_stop, resume_job

router = APIRouter(
    prefix=ADMIN_PATH + "/jobs",
    tags=["admin"],
    dependencies=[Depends(require_admin)],
    responses={403: {"model": ErrorSchema}, 500: {"model": ErrorSchema}},
)

_Answers = dict[int | str, dict[str, Any]]
_UNKNOWN: _Answers = {404: {"model": ErrorSchema}}
_UNFIT: _Answers = {**_UNKNOWN, 409: {"model": ErrorSchema}}
_EVENTS: _Answers = {
    **_UNKNOWN,
    200: {"description": "Events `progress` and, at last, `end`.", "content": {EVENT_STREAM: {}}},
    429: {"model": ErrorSchema},
}


@router.get("")
def jobs(
    app: Parts, source: Code | None = None, status: Text | None = None, limit: Limit = 50, offset: Offset = 0
) -> JobListResponseSchema:
    """List jobs, newest first."""
    with app.database.read() as session:
        found, total = catalog.jobs(
            session, source=source, status=status, limit=limit, offset=min(offset, LARGEST_OFFSET)
        )
    return JobListResponseSchema(
        items=[present.job_summary(job) for job in found], total=total, limit=limit, offset=offset
    )


@router.get("/status-counts")
def status_counts(app: Parts) -> JobStatusCountsSchema:
    """Count the jobs of each status."""
    with app.database.read() as session:
        return JobStatusCountsSchema(counts=catalog.job_status_counts(session))


@router.get("/{job_id}", responses=_UNKNOWN)
def job(app: Parts, job_id: JobId) -> JobDetailSchema:
    """Tell all that is known of a job."""
    return _detail(app, job_id)


@router.get("/{job_id}/events", response_class=StreamingResponse, dependencies=[Depends(seated)], responses=_EVENTS)
async def events(app: Parts, job_id: JobId) -> StreamingResponse:
    """Tell how a job is getting on, every second until it is over; every event is a JobProgressSchema in JSON."""
    return await live_view(app.database, job_id, _written)


@router.post("/{job_id}/stop", dependencies=[Depends(refuse_other_sites)], responses=_UNFIT)
def stop(app: Parts, job_id: JobId) -> JobDetailSchema:
    """Stop a job: at once when it waits, within seconds when it crawls; what it captured is kept."""
    _detail(app, job_id)
    request_stop(app.database, job_id)
    return _detail(app, job_id)


@router.post("/{job_id}/resume", dependencies=[Depends(refuse_other_sites)], responses=_UNFIT)
def resume(app: Parts, job_id: JobId) -> JobDetailSchema:
    """Put a job that is over back in the queue: it goes on where it was, and tries again what failed."""
    _detail(app, job_id)
    resume_job(app.database, job_id)
    return _detail(app, job_id)


@router.get("/{job_id}/snapshots")
def job_snapshots(app: Parts, job_id: JobId, limit: Limit = 50, offset: Offset = 0) -> list[JobSnapshotSummarySchema]:
    """List a job's snapshots; a job that is not there has none."""
    with app.database.read() as session:
        found = catalog.job_snapshots(session, job_id, limit=limit, offset=min(offset, LARGEST_OFFSET))
    return [present.job_snapshot(snapshot) for snapshot in found]


def _detail(app: App, job_id: int) -> JobDetailSchema:
    with app.database.read() as session:
        found = catalog.job(session, job_id)
    if found is None:
        raise NotFoundError("Job not found")
    return present.job_detail(found)


def _written(progress: JobProgress, now: datetime) -> str:
    return present.job_progress(progress, now).model_dump_json()
