"""The notifications page of administrators: targets, subscriptions, dead letters."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from webstrata.app import App
from webstrata.db.notifications import announcing, outbox, subscriptions
from webstrata.db.sources.sources import list_sources, source_view
from webstrata.errors import UsageError, WebstrataError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import Code, Parts, Text
from webstrata.http.same_origin import require_same_origin
from webstrata.model.changes.values import SIGNIFICANT
from webstrata.model.notifications.addresses import APPRISE_SCHEMES
from webstrata.notifications import subscribing
from webstrata.notifications.backup import write_notifications
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

NOTIFICATIONS_PAGE = "/notifications"

DEAD_LETTERS_SHOWN = 50
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
    level: Text = Field(str(SIGNIFICANT), alias="minSignificance")
    each: Text = ""


@router.get(NOTIFICATIONS_PAGE)
def show(request: Request, app: Parts) -> HTMLResponse:
    """Show targets, subscriptions and dead letters."""
    return _page(request, app)


@router.post(f"{NOTIFICATIONS_PAGE}/subscribe", dependencies=_OURS)
def subscribe(request: Request, app: ActingParts, form: Annotated[SubscriptionForm, Form()]) -> Response:
    """Subscribe a target to a source or a page."""

    def act() -> str | None:
        source_id = None
        if form.source:
            with app.database.read() as session:
                source_id = source_view(session, form.source).id
        made = subscribing.subscribe(
            app.database,
            form.target,
            source_id=source_id,
            page=form.page.strip() or None,
            min_significance=_number(form.level),
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
    """Let one dead letter, or all of them, be delivered again."""

    def act() -> None:
        ids = [_row_id(letter)] if letter else None
        with app.database.write() as session:
            outbox.retry_dead(session, datetime.now(UTC), ids)

    return _act(request, app, act)


def _act(request: Request, app: App, act: Callable[[], str | None]) -> Response:
    """Make a change and show the page again: with the reason when it is refused, with a secret when there is one."""
    try:
        secret = act()
        write_notifications(app.database, app.archive_root)
    except WebstrataError as error:
        return _page(request, app, refusal=str(error), status=422)
    if secret is not None:
        return _page(request, app, secret=secret)
    return RedirectResponse(NOTIFICATIONS_PAGE, status_code=303)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError("the least significance is a number from 0 to 1") from None


def _row_id(text: str) -> int:
    """Return the number of a row; one that no row has when the text is none."""
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
        sources = list_sources(session)
        waiting, dead = announcing.count_waiting(session), outbox.count_dead(session)
        letters = outbox.list_dead(session, limit=DEAD_LETTERS_SHOWN) if dead else []
    return render(
        request,
        "notifications.html",
        status=status,
        targets=targets,
        subscribed=subscribed,
        sources=sources,
        waiting=waiting,
        dead=dead,
        letters=letters,
        schemes=sorted(APPRISE_SCHEMES),
        refusal=refusal,
        secret=secret,
        test=test,
    )
