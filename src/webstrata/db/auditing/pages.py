"""Pages and log of audit sessions."""

from dataclasses import asdict
from uuid import uuid4

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from webstrata.db.auditing.queue import check_lease
from webstrata.db.captures.packed_text import plain
from webstrata.db.schema.audit_tables import AuditPageRow, CrawlLogRow
from webstrata.db.schema.retention_tables import Artifact
from webstrata.model.auditing.sessions import (
    AuditEventType,
    AuditLease,
    AuditLogEntry,
    AuditLogLevel,
    AuditPage,
    AuditPageStatus,
    AuditPageType,
    AuditViewport,
)


def reset_pages(session: Session, lease: AuditLease) -> list[str]:
    """Delete the rows of pages and artifacts of an interrupted attempt; return the URIs of its files."""
    check_lease(session, lease)
    session.execute(delete(AuditPageRow).where(AuditPageRow.session_id == lease.session_id))
    stale = delete(Artifact).where(Artifact.session_id == lease.session_id, Artifact.deleted_at.is_(None))
    return list(session.scalars(stale.returning(Artifact.storage_uri)))


def add_page(
    session: Session, lease: AuditLease, page_type: AuditPageType, viewport: AuditViewport, url: str
) -> AuditPage:
    """Add a page that is about to be opened."""
    check_lease(session, lease)
    page = AuditPage(str(uuid4()), page_type, viewport, AuditPageStatus.PENDING, url=url)
    session.add(AuditPageRow(session_id=lease.session_id, **_columns(page)))
    return page


def save_page(session: Session, lease: AuditLease, page: AuditPage) -> None:
    """Store how a page ended."""
    check_lease(session, lease)
    session.execute(update(AuditPageRow).where(AuditPageRow.id == page.id).values(**_columns(page)))


def pages_of(session: Session, session_id: str) -> list[AuditPage]:
    """Return the pages of a session: home page before product page, desktop before mobile."""
    statement = select(AuditPageRow).where(AuditPageRow.session_id == session_id)
    rows = session.scalars(statement.order_by(AuditPageRow.page_type, AuditPageRow.viewport))
    return [_page(row) for row in rows]


def add_log(session: Session, session_id: str, entry: AuditLogEntry) -> None:
    """Add an entry to a session's log."""
    columns = asdict(entry) | {"details": _storable(entry.details)}
    session.add(CrawlLogRow(session_id=session_id, **columns))


def log_of(session: Session, session_id: str, *, limit: int = 1_000) -> list[AuditLogEntry]:
    """Return the log of a session from the beginning."""
    statement = select(CrawlLogRow).where(CrawlLogRow.session_id == session_id)
    return [_entry(row) for row in session.scalars(statement.order_by(CrawlLogRow.id).limit(limit))]


def _storable(value: object) -> object:
    """Return a JSON value without the characters that a database cannot store: pages send any."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {plain(str(name)): _storable(inner) for name, inner in value.items()}
    return [_storable(inner) for inner in value] if isinstance(value, list | tuple) else value


def _columns(page: AuditPage) -> dict[str, object]:
    return asdict(page) | {"low_confidence_reasons": [plain(reason) for reason in page.low_confidence_reasons]}


def _page(row: AuditPageRow) -> AuditPage:
    return AuditPage(
        id=row.id,
        page_type=AuditPageType(row.page_type),
        viewport=AuditViewport(row.viewport),
        status=AuditPageStatus(row.status),
        url=row.url,
        final_url=row.final_url,
        http_status=row.http_status,
        error=row.error,
        load_timings=row.load_timings,
        low_confidence_reasons=tuple(row.low_confidence_reasons),
    )


def _entry(row: CrawlLogRow) -> AuditLogEntry:
    return AuditLogEntry(
        timestamp=row.timestamp,
        level=AuditLogLevel(row.level),
        event_type=AuditEventType(row.event_type),
        message=row.message,
        details=row.details,
    )
