"""Admin API commands for jobs: create, stop, resume, retry and clean up."""

from typing import Annotated, Any

import structlog
from fastapi import APIRouter, Body, Depends

from webstrata.api import present
from webstrata.api.jobs.admin_jobs import job_view
from webstrata.api.jobs.job_schemas import CleanupReportSchema, CleanupRequestSchema, JobDetailSchema, NewJobSchema
from webstrata.app import App
from webstrata.http.audit_trail import ActingParts
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import JobId
from webstrata.http.error_responses import show_storage_errors
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.headers import ADMIN_PATH
from webstrata.http.same_origin import refuse_other_sites
from webstrata.http.secrets import secrets_of
from webstrata.jobs.folders.cleanup import cleanup_job
from webstrata.jobs.running import queueing
from webstrata.jobs.sources.registry import make_job
from webstrata.model.jobs.registry import seeds_of

log = structlog.get_logger()

_Responses = dict[int | str, dict[str, Any]]
_UNFIT: _Responses = {404: {"model": ErrorSchema}, 409: {"model": ErrorSchema}}

router = APIRouter(
    prefix=ADMIN_PATH + "/jobs",
    tags=["admin"],
    dependencies=[Depends(require_admin), Depends(refuse_other_sites)],
    responses={**ADMIN_RESPONSES, **_UNFIT},
)


@router.post("", status_code=201)
def create(app: ActingParts, body: NewJobSchema) -> JobDetailSchema:
    """Queue a job of a source, with the settings that are stored for the source."""
    with show_storage_errors():
        made = make_job(
            app.database,
            app.archive_root,
            body.source.casefold(),
            extra_seeds=seeds_of(body.seeds),
            overrides=body.overrides,
        )
    return _job_after(app, "create", made.id)


@router.post("/{job_id}/stop")
def stop(app: ActingParts, job_id: JobId) -> JobDetailSchema:
    """Stop a job: at once when it waits, within seconds when it crawls; its captures stay."""
    job_view(app, job_id)
    queueing.request_stop(app.recovery(), job_id)
    return _job_after(app, "stop", job_id)


@router.post("/{job_id}/resume")
def resume(app: ActingParts, job_id: JobId) -> JobDetailSchema:
    """Queue a finished job again: it continues where it stopped, and retries the URLs that failed."""
    job_view(app, job_id)
    queueing.resume_job(app.recovery(), job_id)
    return _job_after(app, "resume", job_id)


@router.post("/{job_id}/retry")
def retry(app: ActingParts, job_id: JobId) -> JobDetailSchema:
    """Retry a failed job: its crawl, or only its index if only that failed."""
    job_view(app, job_id)
    queueing.retry_job(app.database, job_id)
    return _job_after(app, "retry", job_id)


@router.post("/{job_id}/cleanup")
def cleanup(
    app: ActingParts, job_id: JobId, body: Annotated[CleanupRequestSchema, Body(default_factory=CleanupRequestSchema)]
) -> CleanupReportSchema:
    """Delete a job's temporary crawler files; a dry run, which is the default, only reports what would be deleted."""
    job_view(app, job_id)
    with show_storage_errors():
        report = cleanup_job(
            app.database,
            app.archive_root,
            job_id,
            mode=body.mode,
            force=body.force,
            dry_run=body.dryRun,
            replay_enabled=app.settings.replay_base_url is not None,
        )
    return present.cleanup_report(report)


def _job_after(app: App, order: str, job_id: int) -> JobDetailSchema:
    log.info("admin.job", order=order, job_id=job_id)
    return present.job_detail(job_view(app, job_id), secrets_of(app.settings))
