"""The notifications page of administrators: targets, subscriptions, dead letters."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from webstrata.app import App
from webstrata.db.notifications import announcing, outbox, subscriptions
from webstrata.db.sources.sources import list_sources
from webstrata.db.watching import saved_searches, watches
from webstrata.errors import UsageError, WebstrataError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import Code, Parts, Text
from webstrata.http.same_origin import require_same_origin
from webstrata.model.notifications.addresses import APPRISE_SCHEMES
from webstrata.model.notifications.values import Subscription
from webstrata.model.watching.saved_searches import SavedSearch
from webstrata.model.watching.watches import Watch
from webstrata.notifications import subscribing
from webstrata.notifications.backup import write_notifications
from webstrata.notifications.subscribing import SubjectRequest
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

NOTIFICATIONS_PAGE = "/notifications"

DEAD_LETTERS_SHOWN = 50
WATCHES_OFFERED = 200
_DIGITS = 18

router = APIRouter(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)])
_OURS = [Depends(require_same_origin)]

Posted = Annotated[Text, Form()]


class SubscriptionForm(BaseModel):
    """A subscription as it was typed."""

    model_config = ConfigDict(frozen=True)

    target: Text = ""
    source: Code = ""
    page: Text = ""
    watch: Text = ""
    search: Text = ""
    level: Text = Field("", alias="minSignificance")
    each: Text = ""


@router.get(NOTIFICATIONS_PAGE)
def show(request: Request, app: Parts) -> HTMLResponse:
    """Show targets, subscriptions and dead letters."""
    return _page(request, app)


@router.post(f"{NOTIFICATIONS_PAGE}/subscribe", dependencies=_OURS)
def subscribe(request: Request, app: ActingParts, form: Annotated[SubscriptionForm, Form()]) -> Response:
    """Subscribe a target to a source, a page, a watch or a saved search."""

    def act() -> str | None:
        watch = _row_id(form.watch.strip()) if form.watch.strip() else None
        wanted = SubjectRequest(form.source or None, form.page.strip() or None, watch, form.search or None)
        made = subscribing.subscribe_to(
            app.database,
            app.archive_root,
            form.target,
            wanted,
            guard=app.notification_guard(),
            min_significance=_number(form.level) if form.level.strip() else None,
            digest=not form.each,
        )
        return made.signing_secret

    return _act(request, app, act)


@router.post(f"{NOTIFICATIONS_PAGE}/unsubscribe", dependencies=_OURS)
def unsubscribe(request: Request, app: ActingParts, subscription: Posted) -> Response:
    """Remove a subscription."""

    def act() -> None:
        subscribing.unsubscribe(app.database, _row_id(subscription))

    return _act(request, app, act)


@router.post(f"{NOTIFICATIONS_PAGE}/target", dependencies=_OURS)
def change_target(request: Request, app: ActingParts, target: Posted, action: Posted) -> Response:
    """Pause, resume or remove a target, or replace its signing secret."""

    def act() -> str | None:
        if action == "new-secret":
            return subscribing.new_signing_secret(app.database, target)
        with app.database.write() as session:
            if action in ("pause", "resume"):
                subscriptions.set_paused(session, target, action == "pause")
            elif action == "remove":
                subscriptions.remove_target(session, target)
            else:
                raise UsageError("choose pause, resume, new-secret or remove")
        return None

    return _act(request, app, act)


@router.post(f"{NOTIFICATIONS_PAGE}/test", dependencies=_OURS)
def send_test(request: Request, app: ActingParts, target: Posted) -> Response:
    """Send a test to a target and show the result."""
    try:
        reason = app.delivery().send_test(target)
    except WebstrataError as error:
        return _page(request, app, refusal=str(error), status=422)
    return _page(request, app, test=(target, reason))


@router.post(f"{NOTIFICATIONS_PAGE}/retry", dependencies=_OURS)
def retry(request: Request, app: ActingParts, letter: Posted = "") -> Response:
    """Queue one dead letter, or all of them, for delivery again."""

    def act() -> None:
        ids = [_row_id(letter)] if letter else None
        with app.database.write() as session:
            outbox.retry_dead(session, datetime.now(UTC), ids)

    return _act(request, app, act)


def _act(request: Request, app: App, act: Callable[[], str | None]) -> Response:
    """Run an action and show the page again, with the reason if it was refused, or with a new signing secret."""
    try:
        secret = act()
        write_notifications(app.database, app.archive_root)
    except WebstrataError as error:
        return _page(request, app, refusal=str(error), status=422)
    if secret is not None:
        return _page(request, app, secret=secret)
    return RedirectResponse(NOTIFICATIONS_PAGE, status_code=303)


def _names(
    subscribed: Sequence[Subscription], searches: Sequence[SavedSearch], watched: Sequence[Watch]
) -> dict[int, str]:
    """Return the names of the watches and saved searches of subscriptions, by subscription."""
    by_search = {one.id: one.name for one in searches}
    by_watch = {one.id: one.url for one in watched}
    return {
        one.id: by_search.get(one.subject.saved_search_id or 0) or by_watch.get(one.subject.watch_id or 0) or ""
        for one in subscribed
    }


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError("the minimum significance must be a number from 0 to 1") from None


def _row_id(text: str) -> int:
    """Return the number of a row; for an invalid text a number that no row has."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else 0


def _page(
    request: Request,
    app: App,
    *,
    refusal: str | None = None,
    secret: str | None = None,
    test: tuple[str, str | None] | None = None,
    status: int = 200,
) -> HTMLResponse:
    with app.database.read() as session:
        targets = subscriptions.list_targets(session)
        subscribed = subscriptions.list_subscriptions(session)
        sources, searches = list_sources(session), saved_searches.list_searches(session)
        watched = [view.watch for view in watches.list_watches(session, limit=WATCHES_OFFERED)]
        waiting, dead = announcing.count_waiting(session), outbox.count_dead(session)
        letters = outbox.list_dead(session, limit=DEAD_LETTERS_SHOWN) if dead else []
    return render(
        request,
        "notifications.html",
        status=status,
        targets=targets,
        subscribed=subscribed,
        sources=sources,
        searches=searches,
        watches=watched,
        names=_names(subscribed, searches, watched),
        waiting=waiting,
        dead=dead,
        letters=letters,
        schemes=sorted(APPRISE_SCHEMES),
        refusal=refusal,
        secret=secret,
        test=test,
    )
