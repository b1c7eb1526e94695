"""The home page: search box, latest captures, changes and sources."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from webstrata.app import App
from webstrata.db.changes import change_lists
from webstrata.db.changes.change_lists import EventFilter, EventView
from webstrata.db.engine import Session
from webstrata.db.operations import catalog
from webstrata.db.queue import run_reports
from webstrata.errors import ConflictError, UsageError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import Parts
from webstrata.http.same_origin import require_same_origin
from webstrata.jobs.running.queueing import queue_archive
from webstrata.jobs.sources.source_choice import known_source
from webstrata.model.changes.values import SIGNIFICANT
from webstrata.model.search.values import SearchRequest, Sort, View
from webstrata.model.urls import parse_url, with_scheme
from webstrata.search.service import search
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

LATEST_SHOWN = 8
CHANGES_SHOWN = 6
CHANGES_WEIGHED = 100
SOURCES_SHOWN = 12
JOBS_SHOWN = 3

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/")
def home(request: Request, app: Parts) -> HTMLResponse:
    """Show the search box, the latest captures and the sources."""
    return _home(request, app)


@router.post("/archive", dependencies=[Depends(require_same_origin), Depends(require_admin_visitor)])
def archive(request: Request, app: ActingParts, url: Annotated[str, Form()] = "") -> Response:
    """Queue a job for a site and show it; for an invalid address, show the form with the error."""
    known = None
    try:
        seeds = (parse_url(with_scheme(url)).href,)
        known = known_source(app.database, seeds)
        job_id = queue_archive(app.database, app.archive_root, seeds)
    except (UsageError, ConflictError) as error:
        status = 422 if isinstance(error, UsageError) else 409
        code = known.code if known else None
        return _home(request, app, status=status, archive_url=url, archive_problem=str(error), archive_source=code)
    return RedirectResponse(f"/jobs/{job_id}{'?known=1' if known else ''}", status_code=303)


def _home(
    request: Request,
    app: App,
    *,
    status: int = 200,
    archive_url: str = "",
    archive_problem: str | None = None,
    archive_source: str | None = None,
) -> HTMLResponse:
    with app.database.read() as session:
        totals, sources = catalog.totals(session), catalog.sources(session)
        under_way = [
            run_reports.progress(session, job.id, datetime.now(UTC))
            for job in catalog.jobs_under_way(session, limit=JOBS_SHOWN)
        ]
        changes = _latest_changes(session) if app.settings.change_tracking_enabled else []
    newest = SearchRequest(view=View.PAGES, sort=Sort.NEWEST, page_size=LATEST_SHOWN)
    latest = search(app.database, newest, pages_fastpath=app.settings.pages_fastpath)
    return render(
        request,
        "home.html",
        status=status,
        totals=totals,
        under_way=under_way,
        sources=sources[:SOURCES_SHOWN],
        sources_total=len(sources),
        latest=latest.results,
        changes=changes,
        archive_url=archive_url,
        archive_problem=archive_problem,
        archive_source=archive_source,
    )


def _latest_changes(session: Session) -> list[EventView]:
    """Return the latest changes worth knowing: those of the newest job first, the most significant of a job first."""
    newest = change_lists.list_events(session, EventFilter(min_significance=SIGNIFICANT), limit=CHANGES_WEIGHED)
    return sorted(newest, key=lambda event: (-(event.to_job_id or 0), -event.significance))[:CHANGES_SHOWN]
