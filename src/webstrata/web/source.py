"""When is it archived? One source for those who run the archive: its schedule, its jobs and what they are made from."""

from collections.abc import Callable
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, Path, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from webstrata.app import App
from webstrata.db.operations import catalog
from webstrata.db.sources.source_scopes import source_scopes
from webstrata.db.sources.sources import source_view
from webstrata.errors import ConflictError, NotFoundError, UsageError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import Code, Parts
from webstrata.http.error_responses import show_storage_errors
from webstrata.http.same_origin import require_same_origin
from webstrata.jobs.sources.registry import make_job
from webstrata.jobs.sources.source_commands import SourceCommands
from webstrata.jobs.sources.source_deletion import delete_source
from webstrata.logs import without_secrets
from webstrata.model.jobs.registry import SourceView
from webstrata.model.jobs.source_scope import others_on_domain
from webstrata.web.failures import PageRoute
from webstrata.web.jobs.job import in_words
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

JOBS_SHOWN = 10

router = APIRouter(
    prefix="/sources", route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)]
)
_OURS = [Depends(require_same_origin)]

SourceCode = Annotated[Code, Path(max_length=64)]
_COMMANDS: dict[str, Callable[[SourceCommands, str], None]] = {
    "pause": SourceCommands.pause,
    "resume": SourceCommands.resume,
    "enable": lambda commands, code: commands.set_enabled(code, True),
    "disable": lambda commands, code: commands.set_enabled(code, False),
}


@router.get("/{code}")
def source(code: SourceCode, request: Request, app: Parts, known: bool = False) -> HTMLResponse:
    """Show one source; `known` when it was there already for an address that was to be added."""
    return _source(request, app, code, is_known=known)


@router.post("/{code}/archive", dependencies=_OURS)
def archive(code: SourceCode, request: Request, app: ActingParts) -> Response:
    """Queue a job of a source now and show it; for a disabled source, show an error."""
    if not _view(app, code).enabled:
        return _source(request, app, code, status=409, refusal=f"{code} is disabled")
    with show_storage_errors():
        made = make_job(app.database, app.archive_root, code)
    return RedirectResponse(f"/jobs/{made.id}", status_code=303)


@router.post("/{code}/remove", dependencies=_OURS)
def remove(code: SourceCode, request: Request, app: ActingParts) -> Response:
    """Remove a source without captures and show the others; for any other, show why it stays."""
    _view(app, code)
    try:
        SourceCommands(app.database, app.archive_root).remove(code)
    except ConflictError as error:
        return _source(request, app, code, status=409, refusal=str(error))
    return RedirectResponse("/sources", status_code=303)


@router.post("/{code}/delete", dependencies=_OURS)
def delete(
    code: SourceCode, request: Request, app: ActingParts, confirm: Annotated[str, Form(max_length=500)] = ""
) -> Response:
    """Delete a source with its captures when its name was typed, and show the others."""
    _view(app, code)
    try:
        done = delete_source(app.database, app.archive_root, code, confirm)
    except (ConflictError, UsageError) as error:
        return _source(request, app, code, status=409, refusal=str(error))
    return RedirectResponse("/sources" if done.is_removed else f"/sources/{quote(code)}", status_code=303)


@router.post("/{code}/schedule", dependencies=_OURS)
def schedule(
    code: SourceCode, request: Request, app: ActingParts, when: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """Say when a source is archived; what is no schedule comes back with what would be one."""
    _view(app, code)
    try:
        SourceCommands(app.database, app.archive_root).set_schedule(code, when)
    except UsageError as error:
        return _source(request, app, code, status=422, when=when, problem=str(error))
    return _shown(code)


@router.post("/{code}/{order}", dependencies=_OURS)
def run_command(code: SourceCode, order: str, app: ActingParts) -> Response:
    """Pause or resume a schedule, or enable or disable a source."""
    _view(app, code)
    if order not in _COMMANDS:
        raise NotFoundError("A source can be paused, resumed, enabled or disabled")
    _COMMANDS[order](SourceCommands(app.database, app.archive_root), code)
    return _shown(code)


def _source(
    request: Request,
    app: App,
    code: str,
    *,
    status: int = 200,
    when: str | None = None,
    problem: str | None = None,
    refusal: str | None = None,
    is_known: bool = False,
) -> HTMLResponse:
    view = _view(app, code)
    with app.database.read() as session:
        jobs, _ = catalog.jobs(session, source=code, limit=JOBS_SHOWN)
        overlaps = others_on_domain(code, source_scopes(session))
    return render(
        request,
        "source.html",
        status=status,
        source=view,
        jobs=jobs,
        when=(view.schedule or "") if when is None else when,
        problem=problem,
        refusal=refusal,
        is_known=is_known,
        overlaps=overlaps,
        settings=in_words(without_secrets(view.job_config or {})),
    )


def _view(app: App, code: str) -> SourceView:
    with app.database.read() as session:
        try:
            return source_view(session, code)
        except NotFoundError:
            raise NotFoundError("There is no such source in this archive") from None


def _shown(code: str) -> Response:
    return RedirectResponse(f"/sources/{code}", status_code=303)
