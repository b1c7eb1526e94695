"""Pages of evidence audits: the list with a form to start one, and one audit with its evidence."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from webstrata.app import App
from webstrata.audit.comparison import FeatureChange, compare_features
from webstrata.db.auditing import pages, schedules, sessions
from webstrata.db.retention.artifacts import artifacts_of_session
from webstrata.errors import GoneError, NotFoundError, UsageError
from webstrata.http.audit_artifacts import ArtifactId, AuditId, artifact_bytes, artifact_response
from webstrata.http.audit_trail import ActingParts
from webstrata.http.dependencies import Parts, Text
from webstrata.http.same_origin import require_same_origin
from webstrata.jobs.auditing.queueing import queue_audit
from webstrata.model.auditing.sessions import Audit, AuditMode, AuditPage, AuditStatus
from webstrata.model.list_totals import is_capped
from webstrata.model.retention.artifacts import ArtifactType, StoredArtifact
from webstrata.model.urls import with_scheme
from webstrata.web.failures import PageRoute
from webstrata.web.list_pages import count_pages
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

EVIDENCE_PAGE = "/evidence"
ON_A_PAGE = 50
SCHEDULES_SHOWN = 100
MAX_LOG_LINES = 100

MODE_WORDS = {
    AuditMode.STANDARD: "Standard",
    AuditMode.EVIDENCE_PACK: "Evidence pack",
    AuditMode.DEBUG: "Debug (no throttle)",
}
STATES = {
    AuditStatus.QUEUED: ("waiting", "…", "Queued"),
    AuditStatus.RUNNING: ("working", "▶", "Running"),
    AuditStatus.COMPLETED: ("done", "✓", "Completed"),
    AuditStatus.PARTIAL: ("waiting", "!", "Partial"),
    AuditStatus.FAILED: ("failed", "✕", "Failed"),
}
_SHOWN_FEATURES = ("meta", "pdp_core", "headings", "schema_org", "review_signals")

router = APIRouter(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)])
_OURS = [Depends(require_same_origin)]


@dataclass(frozen=True)
class ScheduleForm:
    """A schedule as it was typed, and why it was refused."""

    url: str = ""
    every: str = "7d"
    mode: AuditMode = AuditMode.STANDARD
    problem: str | None = None


@dataclass(frozen=True)
class ShownAuditPage:
    """One page of an audit with its artifacts and features."""

    page: AuditPage
    artifacts: tuple[StoredArtifact, ...]
    features: Mapping[str, object]
    changes: tuple[FeatureChange, ...] = ()

    @property
    def screenshot(self) -> StoredArtifact | None:
        """Return the screenshot, if there is one."""
        return next((one for one in self.artifacts if one.type == ArtifactType.SCREENSHOT), None)

    @property
    def shown_features(self) -> list[tuple[str, str]]:
        """Return the most important features, as names and texts."""
        found = []
        for group in _SHOWN_FEATURES:
            values = self.features.get(group)
            if isinstance(values, Mapping):
                found += [(f"{group}.{name}", _text(value)) for name, value in values.items()]
        return [(name, text) for name, text in found if text]


@router.get(EVIDENCE_PAGE)
def list_page(
    request: Request, app: Parts, page: Annotated[int, Query(ge=1, le=1_000_000)] = 1, url: Text = ""
) -> HTMLResponse:
    """List the audits, newest first, with a form to start one."""
    return show_list(request, app, page, url=url)


@router.post(EVIDENCE_PAGE, dependencies=_OURS)
def start(
    request: Request,
    app: ActingParts,
    url: Annotated[Text, Form(max_length=4096)] = "",
    mode: Annotated[AuditMode, Form()] = AuditMode.STANDARD,
) -> Response:
    """Queue an audit and show it; for an invalid URL, show the form with the reason."""
    try:
        audit = queue_audit(app.database, with_scheme(url), datetime.now(UTC), policy=app.audit_policy(), mode=mode)
    except UsageError as error:
        return show_list(request, app, 1, status=422, url=url, problem=str(error))
    return RedirectResponse(f"{EVIDENCE_PAGE}/{audit.id}", status_code=303)


@router.get(f"{EVIDENCE_PAGE}/{{audit_id}}")
def show(request: Request, app: Parts, audit_id: AuditId) -> HTMLResponse:
    """Show an audit: the verdict, its screenshots side by side, features, log and artifacts."""
    with app.database.read() as session:
        audit = sessions.load_audit(session, audit_id)
        before = sessions.previous_audit(session, audit)
        log = pages.log_of(session, audit_id)
        artifacts = artifacts_of_session(session, audit_id)
    return render(
        request,
        "audit.html",
        audit=audit,
        state=STATES[audit.status],
        mode_words=MODE_WORDS,
        before=before,
        shown=_shown_pages(app, audit, before),
        log=log[-MAX_LOG_LINES:],
        verdicts=[entry for entry in log if entry.details.get("reasons")],
        log_length=len(log),
        artifacts=artifacts,
    )


@router.get(f"{EVIDENCE_PAGE}/{{audit_id}}/artifacts/{{artifact_id}}")
def artifact(app: Parts, audit_id: AuditId, artifact_id: ArtifactId) -> Response:
    """Return the bytes of an artifact."""
    return artifact_response(app, audit_id, artifact_id)


def show_list(
    request: Request,
    app: App,
    page: int,
    *,
    status: int = 200,
    url: str = "",
    problem: str | None = None,
    schedule: ScheduleForm | None = None,
) -> HTMLResponse:
    """Return the page of audits and schedules, with what was typed and why it was refused."""
    with app.database.read() as session:
        scheduled = schedules.list_schedules(session, limit=SCHEDULES_SHOWN)
        schedules_total = schedules.count_schedules(session)
        found = sessions.list_audits(session, limit=ON_A_PAGE, offset=(page - 1) * ON_A_PAGE)
        total = sessions.count_audits(session)
    return render(
        request,
        "evidence.html",
        status=status,
        audits=found,
        total=total,
        states=STATES,
        mode_words=MODE_WORDS,
        url=url,
        problem=problem,
        schedules=scheduled,
        schedules_total=schedules_total,
        schedule=schedule or ScheduleForm(),
        here=page,
        pages=count_pages(total, ON_A_PAGE, page, len(found)),
        capped=is_capped(total),
        older=f"{EVIDENCE_PAGE}?page={page + 1}",
        newer=f"{EVIDENCE_PAGE}?page={page - 1}",
    )


def _shown_pages(app: App, audit: Audit, before: Audit | None) -> list[ShownAuditPage]:
    earlier = {} if before is None else {_place(one.page): one for one in _pages_of(app, before)}
    shown = []
    for one in _pages_of(app, audit):
        other = earlier.get(_place(one.page))
        comparable = other is not None and other.features and one.features
        changes = compare_features(other.features, one.features) if other is not None and comparable else []
        shown.append(ShownAuditPage(one.page, one.artifacts, one.features, tuple(changes)))
    return shown


def _pages_of(app: App, audit: Audit) -> list[ShownAuditPage]:
    with app.database.read() as session:
        found = pages.pages_of(session, audit.id)
        stored = artifacts_of_session(session, audit.id)
    of_page = {page.id: tuple(one for one in stored if one.page_id == page.id) for page in found}
    return [ShownAuditPage(page, of_page[page.id], _features(app, of_page[page.id])) for page in found]


def _features(app: App, artifacts: tuple[StoredArtifact, ...]) -> Mapping[str, object]:
    """Return the features of a page; empty when their file is missing or unreadable."""
    for one in artifacts:
        if one.type == ArtifactType.FEATURES_JSON:
            try:
                found = json.loads(artifact_bytes(app, one))
            except (GoneError, NotFoundError, ValueError):
                return {}
            return found if isinstance(found, dict) else {}
    return {}


def _place(page: AuditPage) -> tuple[str, str]:
    return page.page_type, page.viewport


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(one) for one in value[:8]) + (" …" if len(value) > 8 else "")
    return "" if value is None else str(value)[:300]
