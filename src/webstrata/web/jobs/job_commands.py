"""Buttons of a job's page: stop, resume, retry and clean up."""

from pathlib import Path
from typing import Annotated

import structlog
from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from webstrata.app import App
from webstrata.db.operations import catalog
from webstrata.errors import ConflictError, NotFoundError, StorageError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import JobId, Parts, SnapshotId
from webstrata.http.same_origin import require_same_origin
from webstrata.jobs.folders.cleanup import CleanupReport, cleanup_job
from webstrata.jobs.running import queueing
from webstrata.model.archive import JobView
from webstrata.model.jobs.cleanup import CleanupMode
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

log = structlog.get_logger()

MODES = {
    CleanupMode.TEMP_NONWARC: "Keep the WARC files",
    CleanupMode.TEMP: "Delete the WARC files in them too",
}

router = APIRouter(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)])
_OURS = [Depends(require_same_origin)]


@router.post("/jobs/{job_id}/stop", dependencies=_OURS)
def stop(job_id: JobId, app: ActingParts) -> Response:
    """Stop a job and show it."""
    queueing.request_stop(app.recovery(), job_id)
    return _show_job("stop", job_id)


@router.post("/jobs/{job_id}/resume", dependencies=_OURS)
def resume(job_id: JobId, app: ActingParts) -> Response:
    """Resume a job that is over, and show it."""
    queueing.resume_job(app.recovery(), job_id)
    return _show_job("resume", job_id)


@router.post("/jobs/{job_id}/retry", dependencies=_OURS)
def retry(job_id: JobId, app: ActingParts) -> Response:
    """Retry a failed job at the stage that failed, and show it."""
    queueing.retry_job(app.database, job_id)
    return _show_job("retry", job_id)


@router.post("/snapshot/{snapshot_id}/fetch-missing", dependencies=_OURS)
def fetch_missing(snapshot_id: SnapshotId, app: ActingParts) -> Response:
    """Queue a job that captures a page again with its requisites, and show the job."""
    queued = queueing.queue_missing(app.database, app.archive_root, snapshot_id)
    return _show_job("fetch-missing", queued.job_id)


@router.get("/jobs/{job_id}/cleanup")
def cleanup_plan(
    job_id: JobId, request: Request, app: Parts, mode: Annotated[CleanupMode, Query()] = CleanupMode.TEMP_NONWARC
) -> HTMLResponse:
    """Show what a cleanup would delete and move, with a button to confirm."""
    return _cleanup(request, app, _job(app, job_id), mode, dry_run=True)


@router.post("/jobs/{job_id}/cleanup", dependencies=_OURS)
def cleanup(job_id: JobId, request: Request, app: ActingParts, mode: Annotated[CleanupMode, Form()]) -> HTMLResponse:
    """Clean up and show what went."""
    return _cleanup(request, app, _job(app, job_id), mode, dry_run=False)


def _cleanup(request: Request, app: App, job: JobView, mode: CleanupMode, *, dry_run: bool) -> HTMLResponse:
    report: CleanupReport | None = None
    refusal = None
    try:
        replay_enabled = app.settings.replay_base_url is not None
        report = cleanup_job(
            app.database, app.archive_root, job.id, mode=mode, dry_run=dry_run, replay_enabled=replay_enabled
        )
    except (ConflictError, StorageError) as error:
        refusal = str(error)
    return render(
        request,
        "cleanup.html",
        status=409 if refusal else 200,
        job=job,
        mode=mode,
        modes=MODES,
        report=report,
        refusal=refusal,
        deleted=[(_below(job, part.path), part.bytes) for part in report.deleted] if report else [],
        moved=[(_below(job, part.after), part.bytes) for part in report.moved] if report else [],
    )


def _job(app: App, job_id: int) -> JobView:
    with app.database.read() as session:
        found = catalog.job(session, job_id)
    if found is None:
        raise NotFoundError("There is no such job in this archive")
    return found


def _below(job: JobView, path: Path) -> str:
    """Return a path relative to the job's folder."""
    folder = Path(job.output_dir).resolve()
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


def _show_job(order: str, job_id: int) -> Response:
    log.info("admin.job", order=order, job_id=job_id)
    return RedirectResponse(f"/jobs/{job_id}", status_code=303)
