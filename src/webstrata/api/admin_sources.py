"""Admin API of sources: their schedules, and the configuration of their jobs."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Response

from webstrata.api import present
from webstrata.api.schemas import (
    AdminSourceListSchema,
    AdminSourceSchema,
    NewSourceSchema,
    ScheduleSchema,
    SourceChangeSchema,
)
from webstrata.app import App
from webstrata.db.sources.sources import list_sources, source_view
from webstrata.errors import NotFoundError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import Code, Parts, Text
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.headers import ADMIN_PATH
from webstrata.http.same_origin import refuse_other_sites
from webstrata.jobs.sources.source_commands import EditedSource, SourceCommands, SourceRequest
from webstrata.jobs.sources.source_deletion import delete_source

router = APIRouter(
    prefix=ADMIN_PATH + "/sources",
    tags=["admin"],
    dependencies=[Depends(require_admin)],
    responses=ADMIN_RESPONSES,
)

SourceCode = Annotated[Code, Path(description="A source's code.")]

_Responses = dict[int | str, dict[str, Any]]
_UNKNOWN: _Responses = {404: {"model": ErrorSchema}}
_UNFIT: _Responses = {**_UNKNOWN, 409: {"model": ErrorSchema}}
_ADDED: _Responses = {
    200: {"model": AdminSourceSchema, "description": "The existing source with this seed."},
    409: {"model": ErrorSchema},
}
_OURS = [Depends(refuse_other_sites)]


@router.get("")
def sources(app: Parts) -> AdminSourceListSchema:
    """List all sources, also those without captures, sorted by code."""
    with app.database.read() as session:
        return AdminSourceListSchema(items=[present.admin_source(view) for view in list_sources(session)])


@router.post("", status_code=201, dependencies=_OURS, responses=_ADDED)
def add(app: ActingParts, new: NewSourceSchema, response: Response) -> AdminSourceSchema:
    """Add a source; its code and name are made from its first URL unless they are given.

    If a source with these URLs already exists, the status is 200: its code stays, and it gets the schedule and the
    other given values.
    """
    requested = SourceRequest(
        tuple(new.seeds), new.code.lower(), new.name, description=new.description, schedule=new.schedule or ""
    )
    added = _commands(app).add(requested)
    if not added.is_new:
        response.status_code = 200
    return _source(app, added.code)


@router.get("/{code}", responses=_UNKNOWN)
def source(app: Parts, code: SourceCode) -> AdminSourceSchema:
    """Return all details of a source."""
    return _source(app, code)


@router.patch("/{code}", dependencies=_OURS, responses=_UNKNOWN)
def change(app: ActingParts, code: SourceCode, body: SourceChangeSchema) -> AdminSourceSchema:
    """Change a source, or the settings of its next jobs; after a change of the page parameters it needs regrouping."""
    _source(app, code)
    edited = EditedSource(
        name=body.name,
        base_url=body.baseUrl,
        description=body.description,
        seeds=None if body.seeds is None else tuple(body.seeds),
        crawl=body.crawl,
        tool_options=body.toolOptions,
        page_parameters=None if body.pageParameters is None else tuple(body.pageParameters),
        schedule=body.schedule,
    )
    _commands(app).edit(code, edited)
    return _source(app, code)


@router.delete("/{code}", status_code=204, dependencies=_OURS, responses=_UNFIT)
def remove(
    app: ActingParts,
    code: SourceCode,
    confirm: Annotated[
        Text | None, Query(description="Name of the source, which deletes it with its captures and files.")
    ] = None,
) -> None:
    """Remove a source that has no captures, with its jobs; with its name in `confirm`, also one that has captures."""
    _source(app, code)
    if confirm is None:
        _commands(app).remove(code)
    else:
        delete_source(app.database, app.archive_root, code, confirm)


@router.post("/{code}/schedule", dependencies=_OURS, responses=_UNKNOWN)
def schedule(app: ActingParts, code: SourceCode, body: ScheduleSchema) -> AdminSourceSchema:
    """Set when a source is archived; null removes the schedule."""
    _source(app, code)
    _commands(app).set_schedule(code, body.schedule or "")
    return _source(app, code)


@router.post("/{code}/pause", dependencies=_OURS, responses=_UNFIT)
def pause(app: ActingParts, code: SourceCode) -> AdminSourceSchema:
    """Pause the schedule of a source."""
    _source(app, code)
    _commands(app).pause(code)
    return _source(app, code)


@router.post("/{code}/resume", dependencies=_OURS, responses=_UNFIT)
def resume(app: ActingParts, code: SourceCode) -> AdminSourceSchema:
    """Resume a paused schedule."""
    _source(app, code)
    _commands(app).resume(code)
    return _source(app, code)


@router.post("/{code}/enable", dependencies=_OURS, responses=_UNKNOWN)
def enable(app: ActingParts, code: SourceCode) -> AdminSourceSchema:
    """Enable a disabled source: it can have jobs again."""
    _source(app, code)
    _commands(app).set_enabled(code, True)
    return _source(app, code)


@router.post("/{code}/disable", dependencies=_OURS, responses=_UNKNOWN)
def disable(app: ActingParts, code: SourceCode) -> AdminSourceSchema:
    """Disable a source: it gets no more jobs; its captures stay."""
    _source(app, code)
    _commands(app).set_enabled(code, False)
    return _source(app, code)


def _commands(app: App) -> SourceCommands:
    return SourceCommands(app.database, app.archive_root)


def _source(app: App, code: str) -> AdminSourceSchema:
    with app.database.read() as session:
        try:
            return present.admin_source(source_view(session, code))
        except NotFoundError:
            raise NotFoundError("Source not found") from None
