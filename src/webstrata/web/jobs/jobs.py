"""The jobs page: what is running, and the list of jobs with its filters."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse

from webstrata.db.operations import catalog
from webstrata.http.dependencies import Code, Parts, Text
from webstrata.http.storage_health import storage_trouble
from webstrata.model.jobs.job import JobStatus
from webstrata.web import present
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

JOBS_ON_A_PAGE = 50
MAX_PAGE = 1_000_000

router = APIRouter(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)])


@dataclass(frozen=True)
class JobFilter:
    """The filters of the list; empty means any."""

    status: str = ""
    source: str = ""

    def address(self, page: int | None = None) -> str:
        """Return the permanent address of these jobs; the first page needs no number."""
        fields = {name: value for name, value in asdict(self).items() if value}
        query = urlencode(fields | ({"page": page} if page else {}))
        return f"/jobs?{query}" if query else "/jobs"


@router.get("/jobs")
def jobs(
    request: Request,
    app: Parts,
    page: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 1,
    status: Text = "",
    source: Code = "",
) -> HTMLResponse:
    """List the jobs, newest first."""
    requested = JobFilter(status.strip(), source.strip())
    with app.database.read() as session:
        found, total = catalog.jobs(
            session,
            status=requested.status or None,
            source=requested.source or None,
            limit=JOBS_ON_A_PAGE,
            offset=(page - 1) * JOBS_ON_A_PAGE,
        )
        counts, sources = catalog.job_status_counts(session), catalog.sources_of_jobs(session)
    return render(
        request,
        "jobs.html",
        jobs=found,
        total=total,
        here=page,
        pages=-(-total // JOBS_ON_A_PAGE),
        wanted=requested,
        choices=_choices(requested, sources),
        has_jobs=bool(counts),
        summary=summary(counts),
        trouble=storage_trouble(app),
        moving=any(present.job_state(status).kind in {"working", "waiting"} for status in counts),
    )


def _choices(filters: JobFilter, sources: tuple[tuple[str, str], ...]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return the select fields: name, label and options, which include the current value even if unknown."""
    states = [(str(status), present.job_state(status).words) for status in JobStatus]
    lists = [("status", "State", "Any state", states), ("source", "Source", "All sources", list(sources))]
    chosen = asdict(filters)
    return [
        (name, label, [("", anything), *known, *_unknown(chosen[name], known)])
        for name, label, anything, known in lists
    ]


def _unknown(value: str, known: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [] if not value or value in dict(known) else [(value, f"{value} (unknown)")]


def summary(counts: Mapping[str, int]) -> str:
    """Return the number of jobs by status, in one sentence."""
    if not counts:
        return "No jobs yet. Archive a site to start one."
    kinds = dict.fromkeys(("working", "waiting", "failed", "stopped", "done"), 0)
    for status, jobs_there in counts.items():
        kinds[present.job_state(status).kind] += jobs_there
    words = {"working": "running", "waiting": "waiting", "failed": "failed", "stopped": "stopped", "done": "done"}
    parts = [f"{present.number(kinds[kind])} {word}" for kind, word in words.items() if kinds[kind]]
    lead = "" if kinds["working"] else "No job is running. "
    return f"{lead}{present.count(sum(counts.values()), 'job')}: {', '.join(parts)}."
