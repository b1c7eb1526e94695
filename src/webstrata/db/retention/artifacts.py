"""Artifacts of audits, and which of their files are expired."""

from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Select, exists, select, update
from sqlalchemy.orm import Session

from webstrata.db.operations import audit_log
from webstrata.db.schema.retention_tables import Artifact, LegalHold
from webstrata.model.retention.artifacts import ArtifactType, NewArtifact, StoredArtifact


def add_artifact(session: Session, new: NewArtifact) -> int:
    """Record an artifact whose file is on disk, and return its number."""
    row = Artifact(**asdict(new))
    session.add(row)
    session.flush()
    return row.id


def artifacts_of_session(session: Session, session_id: str) -> list[StoredArtifact]:
    """Return the artifacts of an audit session, in the order they were stored."""
    rows = session.scalars(select(Artifact).where(Artifact.session_id == session_id).order_by(Artifact.id))
    return [_stored_artifact(row) for row in rows]


def get_expired_html_artifacts(session: Session, now: datetime, limit: int) -> list[StoredArtifact]:
    """Return the html_gz artifacts whose time is up, the longest expired first; those that failed before come last."""
    fresh = _expired(now).where(Artifact.cleanup_failed_at.is_(None)).order_by(Artifact.retention_until, Artifact.id)
    found = list(session.scalars(fresh.limit(limit)))
    if len(found) < limit:
        failed = _expired(now).where(Artifact.cleanup_failed_at.is_not(None))
        again = failed.order_by(Artifact.cleanup_failed_at, Artifact.retention_until, Artifact.id)
        found += session.scalars(again.limit(limit - len(found)))
    return [_stored_artifact(row) for row in found]


def take_expired_artifact(session: Session, artifact_id: int, now: datetime) -> StoredArtifact | None:
    """Lock an expired artifact until the end of the transaction; None when another cleanup has it or deleted it."""
    statement = _expired(now).where(Artifact.id == artifact_id).with_for_update(skip_locked=True)
    row = session.scalars(statement).first()
    return None if row is None else _stored_artifact(row)


def mark_artifact_deleted(session: Session, artifact_id: int, now: datetime) -> bool:
    """Record that an artifact's file is deleted, also in the audit log; False when it was recorded before."""
    marked = update(Artifact).where(Artifact.id == artifact_id, Artifact.deleted_at.is_(None)).values(deleted_at=now)
    uri = session.scalar(marked.returning(Artifact.storage_uri))
    if uri is None:
        return False
    audit_log.record(session, "artifact.delete", f"artifact:{artifact_id}", storage_uri=uri)
    return True


def postpone_artifact(session: Session, artifact_id: int, now: datetime) -> None:
    """Record that an artifact's file could not be deleted: the next cleanup tries the others first."""
    session.execute(update(Artifact).where(Artifact.id == artifact_id).values(cleanup_failed_at=now))


def _expired(now: datetime) -> Select[Artifact]:
    """Return the query for artifacts whose file may be deleted: expired, and under no legal hold."""
    is_held = exists().where(LegalHold.released_at.is_(None), LegalHold.session_id == Artifact.session_id)
    return select(Artifact).where(
        Artifact.type == ArtifactType.HTML_GZ, Artifact.deleted_at.is_(None), Artifact.retention_until < now, ~is_held
    )


def _stored_artifact(row: Artifact) -> StoredArtifact:
    return StoredArtifact(
        *(row.id, row.session_id, row.page_id, row.type, row.storage_uri, row.size_bytes, row.checksum),
        *(row.created_at, row.retention_until, row.deleted_at),
    )
