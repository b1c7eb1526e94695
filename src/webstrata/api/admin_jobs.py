"""What operators ask about jobs."""

from fastapi import APIRouter, Depends

from webstrata.api import present
from webstrata.api.auth import require_admin
from webstrata.api.headers import ADMIN_PATH
from webstrata.api.parts import LARGEST_OFFSET, Code, JobId, Limit, Offset, Parts, Text
from webstrata.api.schemas import (
    ErrorSchema,
    JobDetailSchema,
    JobListResponseSchema,
    JobSnapshotSummarySchema,
    JobStatusCountsSchema,
)
from webstrata.db import catalog
from webstrata.errors import NotFoundError

router = APIRouter(
    prefix=ADMIN_PATH + "/jobs",
    tags=["admin"],
    dependencies=[Depends(require_admin)],
    responses={403: {"model": ErrorSchema}, 500: {"model": ErrorSchema}},
)


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


@router.get("/{job_id}", responses={404: {"model": ErrorSchema}})
def job(app: Parts, job_id: JobId) -> JobDetailSchema:
    """Tell all that is known of a job."""
    with app.database.read() as session:
        found = catalog.job(session, job_id)
    if found is None:
        raise NotFoundError("Job not found")
    return present.job_detail(found)


@router.get("/{job_id}/snapshots")
def job_snapshots(app: Parts, job_id: JobId, limit: Limit = 50, offset: Offset = 0) -> list[JobSnapshotSummarySchema]:
    """List a job's snapshots; a job that is not there has none."""
    with app.database.read() as session:
        found = catalog.job_snapshots(session, job_id, limit=limit, offset=min(offset, LARGEST_OFFSET))
    return [present.job_snapshot(snapshot) for snapshot in found]
