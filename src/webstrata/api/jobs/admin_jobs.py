"""Admin API of jobs: lists, details, crawl history, logs and live progress."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from webstrata.api import present
from webstrata.api.jobs.job_schemas import (
    JobDetailSchema,
    JobListResponseSchema,
    JobLogSchema,
    JobProblemsSchema,
    JobSnapshotSummarySchema,
    JobStatusCountsSchema,
)
from webstrata.app import App
from webstrata.db.captures import problems
from webstrata.db.operations import catalog
from webstrata.db.queue.run_reports import JobProgress
from webstrata.errors import NotFoundError
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import LARGEST_OFFSET, CodeFilter, JobId, Limit, Offset, Parts, TextFilter
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.headers import ADMIN_PATH
from webstrata.http.live import EVENT_STREAM, live_view, viewer_slot
from webstrata.http.secrets import secrets_of
from webstrata.jobs.progress.log_view import LINES_SHOWN, log_tail
from webstrata.model.archive import JobView

LogLines = Annotated[int, Query(ge=1, le=1_000)]

router = APIRouter(
    prefix=ADMIN_PATH + "/jobs",
    tags=["admin"],
    dependencies=[Depends(require_admin)],
    responses=ADMIN_RESPONSES,
)

_Responses = dict[int | str, dict[str, Any]]
_UNKNOWN: _Responses = {404: {"model": ErrorSchema}}
_EVENTS: _Responses = {
    **_UNKNOWN,
    200: {"description": "Events `progress`, then one `end`.", "content": {EVENT_STREAM: {}}},
    429: {"model": ErrorSchema},
}


@router.get("")
def jobs(
    app: Parts, source: CodeFilter = None, status: TextFilter = None, limit: Limit = 50, offset: Offset = 0
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
    """Return the details of a job."""
    return present.job_detail(job_view(app, job_id), secrets_of(app.settings))


@router.get(
    "/{job_id}/events", response_class=StreamingResponse, dependencies=[Depends(viewer_slot)], responses=_EVENTS
)
async def events(app: Parts, job_id: JobId) -> StreamingResponse:
    """Stream the progress of a job, every second until it is over; every event is a JobProgressSchema in JSON."""
    return await live_view(app.database, job_id, _progress_json)


@router.get("/{job_id}/log", responses=_UNKNOWN)
def log(app: Parts, job_id: JobId, lines: LogLines = LINES_SHOWN) -> JobLogSchema:
    """Return the end of a job's newest log, without secrets; a job without a log has no lines."""
    found = log_tail(job_view(app, job_id), secrets_of(app.settings), lines)
    return JobLogSchema(name=found.name if found else None, lines=list(found.lines) if found else [])


@router.get("/{job_id}/problems", responses=_UNKNOWN)
def job_problems(app: Parts, job_id: JobId, limit: Limit = 50, offset: Offset = 0) -> JobProblemsSchema:
    """List the places in a job's files that could not be indexed, file by file."""
    total = job_view(app, job_id).index_problem_count
    with app.database.read() as session:
        found = problems.problems_of_job(session, job_id, limit=limit, offset=min(offset, LARGEST_OFFSET))
    return JobProblemsSchema(
        items=[present.record_problem(problem) for problem in found], total=total, limit=limit, offset=offset
    )


@router.get("/{job_id}/snapshots")
def job_snapshots(app: Parts, job_id: JobId, limit: Limit = 50, offset: Offset = 0) -> list[JobSnapshotSummarySchema]:
    """List a job's snapshots; an unknown job has none."""
    with app.database.read() as session:
        found = catalog.job_snapshots(session, job_id, limit=limit, offset=min(offset, LARGEST_OFFSET))
    return [present.job_snapshot(snapshot) for snapshot in found]


def job_view(app: App, job_id: int) -> JobView:
    """Return a job; NotFoundError when there is none."""
    with app.database.read() as session:
        found = catalog.job(session, job_id)
    if found is None:
        raise NotFoundError("Job not found")
    return found


def _progress_json(progress: JobProgress, now: datetime) -> str:
    return present.job_progress(progress, now).model_dump_json()
