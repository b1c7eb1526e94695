"""Audit sessions: add, read and list them."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from uuid import uuid4

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from webstrata.db.operations import audit_log
from webstrata.db.schema.audit_tables import AuditSessionRow
from webstrata.db.sql.counting import count_rows
from webstrata.db.sql.planner_hints import unindexed
from webstrata.errors import NotFoundError
from webstrata.model.auditing.sessions import Audit, AuditMode, AuditRetention, AuditStatus, NewAudit

_URLS_AT_ONCE = 500


def add_audit(session: Session, new: NewAudit, now: datetime) -> Audit:
    """Queue an audit, record it in the audit log and return it."""
    row = AuditSessionRow(id=str(uuid4()), status=AuditStatus.QUEUED, created_at=now, next_run_at=now, **asdict(new))
    session.add(row)
    session.flush()
    audit_log.record(session, "audit.queue", f"audit:{row.id}", url=new.url, mode=str(new.mode))
    return audit_of(row)


def load_audit(session: Session, session_id: str) -> Audit:
    """Return an audit; NotFoundError when there is none."""
    row = session.get(AuditSessionRow, session_id) if len(session_id) == 36 else None
    if row is None:
        raise NotFoundError(f"there is no audit {session_id}")
    return audit_of(row)


def list_audits(
    session: Session, *, status: AuditStatus | None = None, limit: int = 50, offset: int = 0
) -> list[Audit]:
    """Return the audits, newest first."""
    newest = AuditSessionRow.created_at.desc(), AuditSessionRow.id.desc()
    chosen = _of_status(status).order_by(*newest).limit(limit).offset(offset)
    rows = session.scalars(select(AuditSessionRow).where(AuditSessionRow.id.in_(chosen)).order_by(*newest))
    return [audit_of(row) for row in rows]


def count_audits(session: Session, *, status: AuditStatus | None = None) -> int:
    """Return how many audits there are; exact unless `is_capped`."""
    return count_rows(session, _of_status(status))


def waiting_audits(session: Session, urls: Sequence[str], mode: AuditMode, version: str) -> list[Audit]:
    """Return the audits of some URLs that wait in the queue, for each URL the newest, in the order of the URLs."""
    found: dict[str, Audit] = {}
    for start in range(0, len(urls), _URLS_AT_ONCE):
        statement = select(AuditSessionRow).where(
            AuditSessionRow.status == AuditStatus.QUEUED,
            AuditSessionRow.lease_token.is_(None),
            AuditSessionRow.mode == mode,
            AuditSessionRow.crawl_policy_version == version,
            AuditSessionRow.url.in_(urls[start : start + _URLS_AT_ONCE]),
        )
        found |= {row.url: audit_of(row) for row in session.scalars(statement.order_by(AuditSessionRow.created_at))}
    return [found[url] for url in urls if url in found]


def previous_audit(session: Session, audit: Audit) -> Audit | None:
    """Return the audit of the same URL and policy version before this one; others cannot be compared with it."""
    statement = (
        select(AuditSessionRow)
        .where(
            AuditSessionRow.domain == audit.domain,
            AuditSessionRow.url == audit.url,
            AuditSessionRow.crawl_policy_version == audit.crawl_policy_version,
            AuditSessionRow.created_at < audit.created_at,
            # The index of domains leads to few; that of statuses to nearly all.
            unindexed(AuditSessionRow.status).in_([AuditStatus.COMPLETED, AuditStatus.PARTIAL]),
        )
        .order_by(AuditSessionRow.created_at.desc())
        .limit(1)
    )
    row = session.scalars(statement).first()
    return None if row is None else audit_of(row)


def _of_status(status: AuditStatus | None) -> Select[str]:
    query = select(AuditSessionRow.id)
    return query if status is None else query.where(AuditSessionRow.status == status)


def audit_of(row: AuditSessionRow) -> Audit:
    """Return the audit that a row describes."""
    return Audit(
        id=row.id,
        url=row.url,
        domain=row.domain,
        status=AuditStatus(row.status),
        created_at=row.created_at,
        mode=AuditMode(row.mode),
        retention_policy=AuditRetention(row.retention_policy),
        attempts=row.attempts,
        crawl_policy_version=row.crawl_policy_version,
        config_snapshot=row.config_snapshot,
        low_confidence=row.low_confidence,
        final_url=row.final_url,
        pdp_url=row.pdp_url,
        error_summary=row.error_summary,
        started_at=row.started_at,
        finished_at=row.finished_at,
        manifest_sha256=row.manifest_sha256,
    )
