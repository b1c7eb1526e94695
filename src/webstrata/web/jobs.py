"""What is running? The jobs, and one job as it goes."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from webstrata.api.live import live_view, seated
from webstrata.api.parts import JobId, Parts
from webstrata.api.same_origin import require_same_origin
from webstrata.db import catalog, reports
from webstrata.db.reports import JobProgress
from webstrata.errors import NotFoundError
from webstrata.jobs.queueing import request_stop, resume_job
from webstrata.model.jobs import CLAIMABLE, JobStatus
from webstrata.web import present
from webstrata.web.failures import PageRoute
from webstrata.web.job_news import is_stopping, news_of
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

JOBS_ON_A_PAGE = 50
SNAPSHOTS_SHOWN = 50
MAX_PAGE = 1_000_000
GO_ON = {"failed": "Try again", "stopped": "Go on where it stopped"}
"""What is offered for a job that ended too early."""

STOPPABLE = (JobStatus.RUNNING, *CLAIMABLE)

router = APIRouter(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)])


@router.get("/jobs")
def jobs(request: Request, app: Parts, page: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 1) -> HTMLResponse:
    """List the jobs, newest first."""
    with app.database.read() as session:
        found, total = catalog.jobs(session, limit=JOBS_ON_A_PAGE, offset=(page - 1) * JOBS_ON_A_PAGE)
        counts = catalog.job_status_counts(session)
    return render(
        request,
        "jobs.html",
        jobs=found,
        total=total,
        here=page,
        pages=-(-total // JOBS_ON_A_PAGE),
        summary=summary(counts),
        moving=any(present.job_state(status).kind in {"working", "waiting"} for status in counts),
    )


@router.get("/jobs/{job_id}")
def job(job_id: JobId, request: Request, app: Parts) -> HTMLResponse:
    """Show one job; while it goes on its script keeps the page up to date, and once it is over loads it anew."""
    now = datetime.now(UTC)
    with app.database.read() as session:
        progress = reports.progress(session, job_id, now)
        if progress is None:
            raise NotFoundError("There is no such job in this archive")
        snapshots = catalog.job_snapshots(session, job_id, limit=SNAPSHOTS_SHOWN, offset=0)
    config = progress.job.config or {}
    return render(
        request,
        "job.html",
        job=progress.job,
        news=news_of(progress, now),
        moving=not progress.is_over,
        stopping=is_stopping(progress.job),
        stoppable=progress.job.status in STOPPABLE,
        go_on=go_on(progress),
        story=story(progress),
        snapshots=snapshots,
        seeds=_seeds(config),
        knobs=list(_knobs(config)),
    )


@router.get("/jobs/{job_id}/events", dependencies=[Depends(seated)])
async def events(job_id: JobId, app: Parts) -> Response:
    """Tell the page of a job what is new, until the job is over."""
    return await live_view(app.database, job_id, lambda progress, now: news_of(progress, now).to_json())


@router.post("/jobs/{job_id}/stop", dependencies=[Depends(require_same_origin)])
def stop(job_id: JobId, app: Parts) -> Response:
    """Stop a job and show it."""
    request_stop(app.database, job_id)
    return RedirectResponse(f"/jobs/{job_id}", status_code=303)


@router.post("/jobs/{job_id}/resume", dependencies=[Depends(require_same_origin)])
def resume(job_id: JobId, app: Parts) -> Response:
    """Let a job that is over go on, and show it."""
    resume_job(app.database, job_id)
    return RedirectResponse(f"/jobs/{job_id}", status_code=303)


def summary(counts: Mapping[str, int]) -> str:
    """Return how many jobs stand where, in one sentence."""
    if not counts:
        return "Nothing: no site has been archived yet."
    kinds = dict.fromkeys(("working", "waiting", "failed", "stopped", "done"), 0)
    for status, jobs_there in counts.items():
        kinds[present.job_state(status).kind] += jobs_there
    words = {"working": "running", "waiting": "waiting", "failed": "failed", "stopped": "stopped", "done": "done"}
    parts = [f"{present.number(kinds[kind])} {word}" for kind, word in words.items() if kinds[kind]]
    lead = "" if kinds["working"] else "Nothing right now. "
    return f"{lead}{present.count(sum(counts.values()), 'job')}: {', '.join(parts)}."


def go_on(progress: JobProgress) -> str | None:
    """Return what is offered for a job that is over and did not get everything."""
    if not progress.is_over:
        return None
    if progress.job.status == JobStatus.INDEXED and progress.counts.error:
        return f"Try the {present.count(progress.counts.error, 'failed page')} again"
    return GO_ON.get(present.job_state(progress.job.status).kind)


def story(progress: JobProgress) -> str:
    """Return the sentence that goes with a job's state."""
    job = progress.job
    if is_stopping(job):
        return "It stops within seconds; what it captured is kept."
    if job.status == JobStatus.STOPPED and not progress.is_over:
        return "What it captured is being indexed."
    if job.status == JobStatus.QUEUED:
        return "It starts as soon as a worker is free."
    return {
        "waiting": "It starts again by itself.",
        "working": "This page keeps itself up to date.",
        "failed": "It ended before everything was captured.",
        "stopped": "Somebody stopped it.",
        "done": f"{present.count(job.indexed_page_count, 'snapshot')} can be searched and read.".capitalize(),
    }[present.job_state(job.status).kind]


def _seeds(config: Mapping[str, object]) -> list[str]:
    seeds = config.get("seeds")
    return [str(seed) for seed in seeds] if isinstance(seeds, list | tuple) else []


def _knobs(config: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield what else a job was told, flat, in words."""
    for name, value in config.items():
        if name == "seeds" or value in ({}, [], None):
            continue
        if isinstance(value, Mapping):
            yield from ((str(key).replace("_", " ").capitalize(), str(inner)) for key, inner in value.items())
        else:
            yield name.replace("_", " ").capitalize(), str(value)
