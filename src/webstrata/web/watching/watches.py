"""The watches page of administrators: every watch with its last check and last change, and a form for a new one."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from webstrata.app import App
from webstrata.db.notifications import subscriptions
from webstrata.db.watching import watches
from webstrata.errors import NotFoundError, UsageError, WebstrataError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import Parts, Text
from webstrata.http.same_origin import require_same_origin
from webstrata.jobs.watching.watch_commands import WatchCommands
from webstrata.model.changes.values import SIGNIFICANT
from webstrata.model.watching.watches import WatchRequest, WatchScope
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

WATCHES_PAGE = "/watches"
WATCHES_ON_A_PAGE = 50
MAX_PAGE = 1_000_000

router = APIRouter(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)])
_OURS = [Depends(require_same_origin)]


class WatchForm(BaseModel):
    """The values of the form for a watch."""

    model_config = ConfigDict(frozen=True)

    url: Text = ""
    every: Text = "1d"
    scope: Text = WatchScope.PAGE.value
    select: Text = ""
    ignore: Text = ""
    """One selector or text a line."""
    notify: Text = ""
    """One address or target's name a line."""
    level: Text = Field(str(SIGNIFICANT), alias="minSignificance")


@router.get(WATCHES_PAGE)
def show(request: Request, app: Parts, page: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 1) -> HTMLResponse:
    """Show the watches."""
    return _page(request, app, WatchForm(), here=page)


@router.post(WATCHES_PAGE, dependencies=_OURS)
def add(request: Request, app: ActingParts, form: Annotated[WatchForm, Form()]) -> Response:
    """Add a watch; what cannot be watched comes back with the reason."""
    try:
        secrets = _add(app, form)
    except WebstrataError as error:
        return _page(request, app, form, status=422, refusal=str(error))
    if secrets:
        return _page(request, app, WatchForm(), secrets=secrets)
    return RedirectResponse(WATCHES_PAGE, status_code=303)


@router.post(f"{WATCHES_PAGE}/{{watch_id}}/{{action}}", dependencies=_OURS)
def act(request: Request, app: ActingParts, watch_id: Annotated[int, Field(ge=1, lt=2**31)], action: str) -> Response:
    """Check, pause, resume or remove a watch."""
    if action not in _ACTIONS:
        raise NotFoundError("A watch can be checked, paused, resumed or removed")
    try:
        address = _ACTIONS[action](app, watch_id)
    except NotFoundError:
        raise NotFoundError("There is no such watch in this archive") from None
    except WebstrataError as error:
        return _page(request, app, WatchForm(), status=409, refusal=str(error))
    return RedirectResponse(address, status_code=303)


def _add(app: App, form: WatchForm) -> list[tuple[str, str]]:
    """Add a watch with its subscriptions; return the signing secrets of new webhooks by their names."""
    if form.scope not in set(WatchScope):
        raise UsageError("choose what to watch: the page, its folder or its site")
    request = WatchRequest(
        form.url, form.every, WatchScope(form.scope), form.select, _lines(form.ignore), _number(form.level)
    )
    commands, guard = WatchCommands(app.database, app.archive_root), app.notification_guard()
    _, made = commands.add_notifying(request, _lines(form.notify), guard)
    return [(one.target.name, one.signing_secret) for one in made if one.signing_secret]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _number(text: str) -> float:
    try:
        return float(text or SIGNIFICANT)
    except ValueError:
        raise UsageError(f"{text[:80]!r} is not a number from 0 to 1") from None


def _check(app: App, watch_id: int) -> str:
    return f"/jobs/{WatchCommands(app.database, app.archive_root).check(watch_id)}"


def _pause(app: App, watch_id: int) -> str:
    WatchCommands(app.database, app.archive_root).set_paused(watch_id, True)
    return WATCHES_PAGE


def _resume(app: App, watch_id: int) -> str:
    WatchCommands(app.database, app.archive_root).set_paused(watch_id, False)
    return WATCHES_PAGE


def _remove(app: App, watch_id: int) -> str:
    WatchCommands(app.database, app.archive_root).remove(watch_id)
    return WATCHES_PAGE


_ACTIONS: dict[str, Callable[[App, int], str]] = {
    "check": _check,
    "pause": _pause,
    "resume": _resume,
    "remove": _remove,
}


def _page(
    request: Request,
    app: App,
    form: WatchForm,
    *,
    here: int = 1,
    status: int = 200,
    refusal: str | None = None,
    secrets: list[tuple[str, str]] | None = None,
) -> HTMLResponse:
    with app.database.read() as session:
        total = watches.count_watches(session)
        listed = watches.list_watches(session, limit=WATCHES_ON_A_PAGE, offset=(here - 1) * WATCHES_ON_A_PAGE)
        targets = subscriptions.list_targets(session)
        recipients: dict[int, list[str]] = {}
        for one in subscriptions.list_subscriptions(session):
            if one.subject.watch_id is not None:
                recipients.setdefault(one.subject.watch_id, []).append(one.target.name)
    return render(
        request,
        "watches.html",
        status=status,
        watches=listed,
        total=total,
        here=here,
        pages=-(-total // WATCHES_ON_A_PAGE),
        form=form,
        scopes=(("page", "The page"), ("folder", "The pages of its folder"), ("site", "The whole site")),
        refusal=refusal,
        secrets=secrets or [],
        targets=targets,
        recipients=recipients,
    )
