"""The list of sources, each with its captures and its schedule."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from webstrata.app import App
from webstrata.db.operations import catalog
from webstrata.db.sources.sources import list_sources
from webstrata.errors import ConflictError, UsageError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import Parts
from webstrata.http.same_origin import require_same_origin
from webstrata.jobs.sources.source_commands import SourceCommands, SourceRequest
from webstrata.model.archive import SourceSummary
from webstrata.model.jobs.registry import SourceView
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor, visitor_of

router = APIRouter(route_class=PageRoute, include_in_schema=False)

Field = Annotated[str, Form(max_length=2_048)]


@dataclass(frozen=True)
class ListedSource:
    """A source in the list: its configuration, and a summary of its captures, if any."""

    view: SourceView
    captured: SourceSummary | None
    has_preview: bool = False


@router.get("/sources")
def sources(request: Request, app: Parts) -> HTMLResponse:
    """List the sources by name; readers see those with captures."""
    return _sources(request, app)


@router.post("/sources", dependencies=[Depends(require_same_origin), Depends(require_admin_visitor)])
def add(
    request: Request, app: ActingParts, url: Field = "", name: Field = "", code: Field = "", schedule: Field = ""
) -> Response:
    """Add a source, or schedule the one with the same seed, and show it; errors are shown in the form."""
    requested = SourceRequest((url.strip(),), code.strip().lower(), name.strip(), schedule=schedule)
    try:
        added = SourceCommands(app.database, app.archive_root).add(requested)
    except UsageError as error:
        return _sources(request, app, status=422, requested=requested, problem=str(error))
    except ConflictError as error:
        return _sources(request, app, status=422, requested=requested, problem=str(error), taken=requested.code)
    return RedirectResponse(f"/sources/{added.code}{'' if added.is_new else '?known=1'}", status_code=303)


def _sources(
    request: Request,
    app: App,
    *,
    status: int = 200,
    requested: SourceRequest | None = None,
    problem: str | None = None,
    taken: str | None = None,
) -> HTMLResponse:
    with app.database.read() as session:
        captured, known = catalog.sources(session), list_sources(session)
    pictured = app.previews().snapshots()
    listed = _listed_sources(captured, known, pictured, with_uncaptured=visitor_of(request).is_admin)
    return render(
        request,
        "sources.html",
        status=status,
        sources=listed,
        captures=sum(source.record_count for source in captured),
        wanted=requested or SourceRequest(("",)),
        problem=problem,
        taken=taken,
    )


def _listed_sources(
    captured: tuple[SourceSummary, ...], known: list[SourceView], pictured: frozenset[int], *, with_uncaptured: bool
) -> list[ListedSource]:
    """Return the sources that are shown, those with captures first, by name."""
    views = {view.code: view for view in known if view.code != catalog.HIDDEN_SOURCE}
    listed = [
        ListedSource(views.pop(source.code), source, has_preview=source.entry_record_id in pictured)
        for source in captured
        if source.code in views
    ]
    if with_uncaptured:
        rest = sorted(views.values(), key=lambda view: view.name.lower())
        listed += [ListedSource(view, None) for view in rest]
    return listed
