"""Page of one source for administrators: its captures, changes, schedule and jobs, and the form that edits it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, Path, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from webstrata.app import App
from webstrata.db.changes import change_lists
from webstrata.db.changes.change_lists import EventFilter, EventView
from webstrata.db.engine import Session
from webstrata.db.operations import catalog
from webstrata.db.sources.source_scopes import source_scopes
from webstrata.db.sources.sources import registry_entry, source_view
from webstrata.errors import ConflictError, NotFoundError, UsageError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import Code, Parts
from webstrata.http.error_responses import show_storage_errors
from webstrata.http.same_origin import require_same_origin
from webstrata.jobs.sources.registry import make_job
from webstrata.jobs.sources.source_commands import SourceCommands
from webstrata.jobs.sources.source_deletion import delete_source
from webstrata.model.changes.values import SIGNIFICANT
from webstrata.model.jobs.registry import SourceJobConfig, SourceView
from webstrata.model.jobs.source_scope import others_on_domain
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.source_form import (
    SourceForm,
    crawl_settings,
    filled_form,
    further_settings,
    requested_edit,
    sent_form,
)
from webstrata.web.visitor import require_admin_visitor

JOBS_SHOWN = 10
CHANGES_SHOWN = 3

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


@dataclass(frozen=True)
class _Sent:
    """The values of a sent form, which the page shows again, with their errors."""

    is_known: bool = False
    refusal: str | None = None
    when: str | None = None
    problem: str | None = None
    form: SourceForm | None = None
    form_problem: str | None = None


_NOTHING_SENT = _Sent()


@router.get("/{code}")
def source(code: SourceCode, request: Request, app: Parts, known: bool = False) -> HTMLResponse:
    """Show one source; `known` when the form to add a source was sent with its URL."""
    return _source(request, app, code, sent=_Sent(is_known=known))


@router.post("/{code}/archive", dependencies=_OURS)
def archive(code: SourceCode, request: Request, app: ActingParts) -> Response:
    """Queue a job of a source now and show it; for a disabled source, show an error."""
    if not _view(app, code).enabled:
        return _source(request, app, code, 409, _Sent(refusal=f"{code} is disabled"))
    with show_storage_errors():
        made = make_job(app.database, app.archive_root, code)
    return RedirectResponse(f"/jobs/{made.id}", status_code=303)


@router.post("/{code}/remove", dependencies=_OURS)
def remove(code: SourceCode, request: Request, app: ActingParts) -> Response:
    """Remove a source without captures and show the list; for a source with captures, show why it cannot be removed."""
    _view(app, code)
    try:
        SourceCommands(app.database, app.archive_root).remove(code)
    except ConflictError as error:
        return _source(request, app, code, 409, _Sent(refusal=str(error)))
    return RedirectResponse("/sources", status_code=303)


@router.post("/{code}/delete", dependencies=_OURS)
def delete(
    code: SourceCode, request: Request, app: ActingParts, confirm: Annotated[str, Form(max_length=500)] = ""
) -> Response:
    """Delete a source with its captures if its name was typed to confirm, and show the list."""
    _view(app, code)
    try:
        done = delete_source(app.database, app.archive_root, code, confirm)
    except (ConflictError, UsageError) as error:
        return _source(request, app, code, 409, _Sent(refusal=str(error)))
    return RedirectResponse("/sources" if done.is_removed else f"/sources/{quote(code)}", status_code=303)


@router.post("/{code}/schedule", dependencies=_OURS)
def schedule(
    code: SourceCode, request: Request, app: ActingParts, when: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """Set the schedule of a source; an invalid schedule is shown again with its error."""
    _view(app, code)
    try:
        SourceCommands(app.database, app.archive_root).set_schedule(code, when)
    except UsageError as error:
        return _source(request, app, code, 422, _Sent(when=when, problem=str(error)))
    return _redirect_to_source(code)


@router.post("/{code}/edit", dependencies=_OURS)
def edit(
    code: SourceCode, request: Request, app: ActingParts, form: Annotated[SourceForm, Depends(sent_form)]
) -> Response:
    """Change a source and the settings of its next jobs; for an invalid form, show it again with the error."""
    _view(app, code)
    try:
        SourceCommands(app.database, app.archive_root).edit(code, requested_edit(form, _entry(app, code)))
    except UsageError as error:
        return _source(request, app, code, 422, _Sent(form=form, form_problem=str(error)))
    return _redirect_to_source(code)


@router.post("/{code}/{order}", dependencies=_OURS)
def run_command(code: SourceCode, order: str, app: ActingParts) -> Response:
    """Pause or resume a schedule, or enable or disable a source."""
    _view(app, code)
    if order not in _COMMANDS:
        raise NotFoundError("A source can be paused, resumed, enabled or disabled")
    _COMMANDS[order](SourceCommands(app.database, app.archive_root), code)
    return _redirect_to_source(code)


def _source(request: Request, app: App, code: str, status: int = 200, sent: _Sent = _NOTHING_SENT) -> HTMLResponse:
    view, entry = _view(app, code), _entry(app, code)
    with app.database.read() as session:
        captured = catalog.source(session, code)
        jobs, _ = catalog.jobs(session, source=code, limit=JOBS_SHOWN)
        overlaps = others_on_domain(code, source_scopes(session))
        changes = _latest_changes(session, code) if app.settings.change_tracking_enabled else []
    return render(
        request,
        "source.html",
        status=status,
        source=view,
        captured=captured,
        has_preview=captured is not None and captured.entry_record_id in app.previews().snapshots(),
        changes=changes,
        jobs=jobs,
        sent=sent,
        when=(view.schedule or "") if sent.when is None else sent.when,
        overlaps=overlaps,
        form=sent.form or filled_form(view, entry),
        further=further_settings(entry),
        crawl_settings=crawl_settings(),
    )


def _latest_changes(session: Session, code: str) -> list[EventView]:
    """Return the newest changes of a source that are worth knowing."""
    return change_lists.list_events(
        session, EventFilter(source=code, min_significance=SIGNIFICANT), limit=CHANGES_SHOWN
    )


def _entry(app: App, code: str) -> SourceJobConfig:
    """Return the configuration of a source's next jobs; only its code for a source without an address."""
    with app.database.read() as session:
        try:
            return registry_entry(session, code)
        except UsageError:
            return SourceJobConfig.plain(code, ())


def _view(app: App, code: str) -> SourceView:
    with app.database.read() as session:
        try:
            return source_view(session, code)
        except NotFoundError:
            raise NotFoundError("There is no such source in this archive") from None


def _redirect_to_source(code: str) -> Response:
    return RedirectResponse(f"/sources/{code}", status_code=303)
