"""API of evidence audits: queue one, follow it, and read its artifacts."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from webstrata.api.auditing.schemas import (
    ArtifactListSchema,
    ArtifactSchema,
    AuditListSchema,
    AuditPageSchema,
    AuditSchema,
    AuditSummarySchema,
    NewAuditSchema,
    QueuedAuditSchema,
)
from webstrata.api.present import timestamp
from webstrata.app import App
from webstrata.db.auditing import pages, sessions
from webstrata.db.retention.artifacts import artifacts_of_session
from webstrata.http.audit_artifacts import MEDIA_TYPES, OTHER_MEDIA_TYPE, ArtifactId, AuditId, artifact_response
from webstrata.http.audit_trail import ActingParts
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import LARGEST_OFFSET, Limit, Parts
from webstrata.http.error_schemas import ErrorSchema
from webstrata.http.same_origin import refuse_other_sites
from webstrata.jobs.auditing.queueing import queue_audit
from webstrata.model.auditing.sessions import Audit, AuditPage, AuditStatus
from webstrata.model.retention.artifacts import StoredArtifact

AUDITS_PATH = "/audits"

_UNKNOWN: dict[int | str, dict[str, Any]] = {404: {"model": ErrorSchema, "description": "There is no such audit."}}
_GONE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The bytes of the file.",
        "content": {kind: {} for kind in (*MEDIA_TYPES.values(), OTHER_MEDIA_TYPE)},
    },
    404: {"model": ErrorSchema, "description": "There is no such audit or artifact."},
    410: {"model": ErrorSchema, "description": "The file was deleted when its retention time was over."},
}

Offset = Annotated[int, Query(ge=0, le=LARGEST_OFFSET)]

router = APIRouter(
    prefix=AUDITS_PATH, tags=["audits"], dependencies=[Depends(require_admin)], responses=ADMIN_RESPONSES
)


@router.post("", status_code=201, dependencies=[Depends(refuse_other_sites)])
def start_audit(app: ActingParts, new: NewAuditSchema) -> QueuedAuditSchema:
    """Queue an audit of a shop; a worker runs it."""
    audit = queue_audit(
        app.database,
        new.url,
        datetime.now(UTC),
        mode=new.mode,
        retention=new.retention_policy,
        policy=app.audit_policy(),
    )
    return QueuedAuditSchema(id=audit.id, status=audit.status, url=audit.url)


@router.get("")
def list_audits(
    app: Parts, status: AuditStatus | None = None, limit: Limit = 50, offset: Offset = 0
) -> AuditListSchema:
    """List the audits, newest first."""
    with app.database.read() as session:
        found = sessions.list_audits(session, status=status, limit=limit, offset=offset)
        total = sessions.count_audits(session, status=status)
    return AuditListSchema(total=total, items=[AuditSummarySchema(**_summary(audit)) for audit in found])


@router.get("/{audit_id}", responses=_UNKNOWN)
def show_audit(app: Parts, audit_id: AuditId) -> AuditSchema:
    """Return an audit and its pages; a failure has its reason in `error_summary` and in each page's `error`."""
    return _audit(app, audit_id)


@router.get("/{audit_id}/artifacts", responses=_UNKNOWN)
def list_artifacts(app: Parts, audit_id: AuditId) -> ArtifactListSchema:
    """List the artifacts of an audit, also those whose files were deleted."""
    with app.database.read() as session:
        sessions.load_audit(session, audit_id)
        found = artifacts_of_session(session, audit_id)
    return ArtifactListSchema(items=[_artifact(artifact) for artifact in found])


@router.get("/{audit_id}/artifacts/{artifact_id}", response_class=Response, responses=_GONE)
def read_artifact(app: Parts, audit_id: AuditId, artifact_id: ArtifactId) -> Response:
    """Return the bytes of an artifact."""
    return artifact_response(app, audit_id, artifact_id)


def audit_json(app: App, audit_id: str) -> dict[str, Any]:
    """Return an audit as the API shows it."""
    return _audit(app, audit_id).model_dump()


def _audit(app: App, audit_id: str) -> AuditSchema:
    with app.database.read() as session:
        audit = sessions.load_audit(session, audit_id)
        found = pages.pages_of(session, audit_id)
    shown = [_page(audit_id, page) for page in found]
    return AuditSchema(**_summary(audit), config_snapshot=audit.config_snapshot, pages=shown)


def _summary(audit: Audit) -> dict[str, Any]:
    names = AuditSummarySchema.model_fields
    values = {name: value for name, value in asdict(audit).items() if name in names}
    times = ("created_at", "started_at", "finished_at")
    return values | {name: timestamp(values[name]) if values[name] else None for name in times}


def _page(audit_id: str, page: AuditPage) -> AuditPageSchema:
    lists = {"low_confidence_reasons": list(page.low_confidence_reasons)}
    return AuditPageSchema(session_id=audit_id, **asdict(page) | lists)


def _artifact(artifact: StoredArtifact) -> ArtifactSchema:
    values: dict[str, Any] = asdict(artifact)
    times = ("created_at", "retention_until", "deleted_at")
    values |= {name: timestamp(values[name]) if values[name] else None for name in times}
    return ArtifactSchema(**values, retentionUntil=values["retention_until"], deletedAt=values["deleted_at"])
