"""The retention page of administrators: policies, the last pass, a dry run before the real one."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel, Field

from webstrata.app import App
from webstrata.db.retention import retention
from webstrata.db.retention.holds import list_holds
from webstrata.errors import NotFoundError, PolicyError, UsageError
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import Parts, SnapshotId, Text
from webstrata.http.same_origin import require_same_origin
from webstrata.model.retention.rules import EXEMPT, MAX_TTL_DAYS, PassResult, default_days
from webstrata.retention import holds, policies
from webstrata.retention.sweep import run_manual_pass
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

RETENTION_PAGE = "/admin/retention"

PURPOSES = {
    "diagnostics": "How the fields of a listing were extracted",
    "price_history": "Price changes of listings",
    "scrape_metadata": "Every attempt to fetch a URL",
    "audit_log": "Changes that people and programs made",
    "scraper_health": "Success rates of runs",
    "export_history": "Exports of data",
    "hauls": "Saved sets of captures",
    "blobs": "Contents of assets that no version refers to",
    "crawl_tasks": "URLs of jobs that can no longer resume",
    "crawl_logs": "Logs of jobs that can no longer resume",
}

PAGES = {
    "diagnostics": "/admin/diagnostics",
    "price_history": "/listings",
    "scrape_metadata": "/admin/scrape-metadata",
    "audit_log": "/audit-log",
    "scraper_health": "/listings/health",
    "export_history": "/exports",
    "hauls": "/hauls",
    "listings": "/listings",
}
"""The pages that show the rows of collections."""

HOLD_KINDS = {
    "source": "Source (code)",
    "url": "Page (URL)",
    "snapshot_id": "Snapshot (number)",
    "session_id": "Audit (id)",
}
"""What a hold may cover."""

_MOST_DIGITS = 18

router = APIRouter(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)])
_OURS = [Depends(require_same_origin)]


@dataclass(frozen=True)
class PolicyLine:
    """A collection as the page shows it."""

    name: str
    purpose: str
    ttl_days: int | None
    default_days: int | None
    page: str | None = None
    """The page that shows its rows."""


class HoldForm(BaseModel):
    """The form for a new legal hold: what kind of thing it covers, which one, and why."""

    kind: Text = ""
    which: Text = Field("", max_length=4096)
    reason: Text = Field("", max_length=10_000)

    def target(self) -> dict[str, Any]:
        """Return the subject of a hold, by the name of its parameter; UsageError when it is invalid."""
        which = self.which.strip()
        if self.kind not in HOLD_KINDS or not which:
            raise UsageError("name what the hold covers: a source's code, a page's URL, or a snapshot's or audit's id")
        if self.kind != "snapshot_id":
            return {self.kind: which.casefold() if self.kind == "source" else which}
        number = _typed_days(which)
        if not isinstance(number, int):
            raise UsageError(f"{which[:40]!r} is not a snapshot number")
        return {self.kind: number}


@router.get(RETENTION_PAGE)
def show(request: Request, app: Parts) -> HTMLResponse:
    """Show the policies and the last pass."""
    return _page(request, app)


@router.post(f"{RETENTION_PAGE}/policy", dependencies=_OURS)
def set_policy(
    request: Request, app: ActingParts, collection: Annotated[Text, Form()], days: Annotated[Text, Form()]
) -> Response:
    """Set the policy of a collection and show the page again."""
    try:
        policies.set_policy(app.database, collection, _typed_days(days))
    except PolicyError as error:
        return _page(request, app, refusal=str(error), status=400)
    return RedirectResponse(RETENTION_PAGE, status_code=303)


@router.post(f"{RETENTION_PAGE}/reset", dependencies=_OURS)
def reset(app: ActingParts) -> Response:
    """Restore the default policies and show the page again."""
    policies.reset_policies(app.database)
    return RedirectResponse(RETENTION_PAGE, status_code=303)


@router.post(f"{RETENTION_PAGE}/dry-run", dependencies=_OURS)
def dry_run(request: Request, app: ActingParts) -> HTMLResponse:
    """Show what a pass would delete, and offer to run it."""
    return _page(request, app, result=_run(app, dry_run=True))


@router.post(f"{RETENTION_PAGE}/run", dependencies=_OURS)
def run(request: Request, app: ActingParts, confirm: Annotated[Text, Form()] = "") -> HTMLResponse:
    """Run a pass and show what it deleted; confirmed, also where most of a source's rows go."""
    return _page(request, app, result=_run(app, dry_run=False, confirmed=confirm == "yes"))


@router.post(f"{RETENTION_PAGE}/holds", dependencies=_OURS)
def place_hold(request: Request, app: ActingParts, form: Annotated[HoldForm, Form()]) -> Response:
    """Place a legal hold and show the page again, with the reason when it is invalid."""
    try:
        target = form.target()
        holds.place_hold(app.database, app.archive_root, datetime.now(UTC), form.reason, **target)
    except (UsageError, NotFoundError) as error:
        return _page(request, app, refusal=str(error), status=400, hold=form)
    return RedirectResponse(f"{RETENTION_PAGE}#holds", status_code=303)


@router.post(f"{RETENTION_PAGE}/holds/{{hold_id}}/release", dependencies=_OURS)
def release_hold(app: ActingParts, hold_id: SnapshotId) -> Response:
    """Release a legal hold and show the page again."""
    holds.release_hold(app.database, app.archive_root, hold_id, datetime.now(UTC))
    return RedirectResponse(f"{RETENTION_PAGE}#holds", status_code=303)


def _run(app: App, *, dry_run: bool, confirmed: bool = False) -> PassResult:
    return run_manual_pass(
        app.database,
        datetime.now(UTC),
        dry_run=dry_run,
        archive_root=app.archive_root,
        max_share=app.settings.retention_max_share,
        confirmed=confirmed,
    )


def _typed_days(text: str) -> int | str:
    """Return the typed number, or the text when it is not a number."""
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS else text


def _page(
    request: Request,
    app: App,
    *,
    result: PassResult | None = None,
    refusal: str | None = None,
    status: int = 200,
    hold: HoldForm | None = None,
) -> HTMLResponse:
    view = policies.show_policies(app.database)
    days = view.ttl_days | view.further
    with app.database.read() as session:
        last = retention.last_run(session)
        held = list_holds(session, active_only=True)
    return render(
        request,
        "retention.html",
        status=status,
        lines=[PolicyLine(name, PURPOSES[name], days[name], default_days(name), PAGES.get(name)) for name in PURPOSES],
        exempt=sorted(EXEMPT),
        most_days=MAX_TTL_DAYS,
        problem=view.error,
        refusal=refusal,
        result=result,
        last=last,
        holds=held,
        hold=hold or HoldForm(),
        kinds=HOLD_KINDS,
    )
