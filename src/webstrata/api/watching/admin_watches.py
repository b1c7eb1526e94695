"""Admin API of watches: list, add, check now, pause, resume and remove."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Response

from webstrata.api.watching.watch_schemas import (
    AddedWatchSchema,
    NewWatchSchema,
    QueuedCheckSchema,
    WatchesSchema,
    WatchSchema,
    WatchStateSchema,
)
from webstrata.app import App
from webstrata.db.watching import watches
from webstrata.errors import NotFoundError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import Limit, Offset, Parts, RowId
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.headers import ADMIN_PATH
from webstrata.http.same_origin import refuse_other_sites
from webstrata.jobs.watching.watch_commands import WatchCommands
from webstrata.model.watching.watches import WatchRequest

_Responses = dict[int | str, dict[str, Any]]
_UNKNOWN: _Responses = {404: {"model": ErrorSchema}}
_UNKNOWN_OR_BUSY: _Responses = _UNKNOWN | {409: {"model": ErrorSchema}}
_UNFIT: _Responses = _UNKNOWN_OR_BUSY | {501: {"model": ErrorSchema}}
_OURS = [Depends(refuse_other_sites)]

WatchId = Annotated[int, RowId, Path(description="A watch's number.")]

router = APIRouter(
    prefix=f"{ADMIN_PATH}/watches",
    tags=["notifications"],
    dependencies=[Depends(require_admin)],
    responses=ADMIN_RESPONSES,
)


@router.get("")
def list_watches(app: Parts, limit: Limit = 100, offset: Offset = 0) -> WatchesSchema:
    """List the watches with their last check and their last change, in the order of their numbers."""
    with app.database.read() as session:
        total = watches.count_watches(session)
        views = watches.list_watches(session, limit=limit, offset=offset) if offset < total else []
    return WatchesSchema(total=total, items=[WatchSchema.model_validate(view.to_json()) for view in views])


@router.post("", status_code=201, dependencies=_OURS, responses=_UNFIT)
def add_watch(app: ActingParts, new: NewWatchSchema) -> AddedWatchSchema:
    """Add a watch, which is checked at once; the signing secrets of new webhooks are returned only now."""
    request = WatchRequest(new.url, new.every, new.scope, new.select, tuple(new.ignore), new.minSignificance)
    watch, made = _commands(app).add_notifying(request, new.notify, app.notification_guard())
    secrets = {one.target.name: one.signing_secret for one in made if one.signing_secret}
    return AddedWatchSchema(watch=_watch(app, watch.id), signingSecrets=secrets)


@router.get("/{watch_id}", responses=_UNKNOWN)
def show_watch(app: Parts, watch_id: WatchId) -> WatchSchema:
    """Return a watch with its last check and its last change."""
    return _watch(app, watch_id)


@router.patch("/{watch_id}", dependencies=_OURS, responses=_UNKNOWN)
def set_paused(app: ActingParts, watch_id: WatchId, state: WatchStateSchema) -> WatchSchema:
    """Pause a watch, or resume it; a check that was missed is made at once."""
    _commands(app).set_paused(watch_id, state.paused)
    return _watch(app, watch_id)


@router.post("/{watch_id}/check", status_code=202, dependencies=_OURS, responses=_UNKNOWN_OR_BUSY)
def check_watch(app: ActingParts, watch_id: WatchId) -> QueuedCheckSchema:
    """Queue a check of a watch now."""
    return QueuedCheckSchema(watchId=watch_id, jobId=_commands(app).check(watch_id))


@router.delete("/{watch_id}", status_code=204, dependencies=_OURS, responses=_UNKNOWN)
def remove_watch(app: ActingParts, watch_id: WatchId) -> Response:
    """Remove a watch with its list of changes and its subscriptions; its captures stay."""
    _commands(app).remove(watch_id)
    return Response(status_code=204)


def _commands(app: App) -> WatchCommands:
    return WatchCommands(app.database, app.archive_root)


def _watch(app: App, watch_id: int) -> WatchSchema:
    with app.database.read() as session:
        views = watches.list_watches(session, watch_id=watch_id)
    if not views:
        raise NotFoundError(f"There is no watch {watch_id}")
    return WatchSchema.model_validate(views[0].to_json())
