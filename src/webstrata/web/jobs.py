"""What is running? The jobs, and one job as it goes."""

from collections.abc import Iterator, Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse

from webstrata.api.parts import JobId, Parts
from webstrata.db import catalog
from webstrata.errors import NotFoundError
from webstrata.model.archive import JobView
from webstrata.model.jobs import JobStatus
from webstrata.web import present
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

JOBS_ON_A_PAGE = 50
SNAPSHOTS_SHOWN = 50
MAX_PAGE = 1_000_000
AGAIN = {"failed": "Archive it again", "stopped": "Go on where it stopped"}
"""What is offered for a job that ended too early."""

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
    )


@router.get("/jobs/{job_id}")
def job(job_id: JobId, request: Request, app: Parts) -> HTMLResponse:
    """Show one job; while it goes on the page renews itself, and once it is over loads anew."""
    with app.database.read() as session:
        found = catalog.job(session, job_id)
        if found is None:
            raise NotFoundError("There is no such job in this archive")
        snapshots = catalog.job_snapshots(session, job_id, limit=SNAPSHOTS_SHOWN, offset=0)
    settled = present.is_settled(found.status)
    config = found.config or {}
    return render(
        request,
        "job.html",
        headers={"HX-Refresh": "true"} if settled and "hx-request" in request.headers else {},
        job=found,
        moving=not settled,
        again=AGAIN.get(present.job_state(found.status).kind),
        story=story(found),
        snapshots=snapshots,
        seeds=_seeds(config),
        knobs=list(_knobs(config)),
    )


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


def story(job: JobView) -> str:
    """Return the sentence that goes with a job's state."""
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
