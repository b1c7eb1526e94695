"""The queue of audits: leases, domains, dead workers."""

from datetime import UTC, datetime, timedelta

import pytest

from webstrata.db.auditing import pages, queue, sessions
from webstrata.db.engine import Database
from webstrata.errors import LeaseLostError
from webstrata.model.auditing.sessions import (
    AuditEventType,
    AuditLease,
    AuditLogEntry,
    AuditLogLevel,
    AuditMode,
    AuditPageType,
    AuditRetention,
    AuditStatus,
    AuditViewport,
    NewAudit,
)

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def add(database: Database, domain: str, at: datetime = NOW) -> str:
    new = NewAudit(f"https://{domain}/", domain, AuditMode.STANDARD, AuditRetention.STANDARD, "v1.2", {})
    with database.write() as session:
        return sessions.add_audit(session, new, at).id


def claim(database: Database, owner: str = "host:1:a", now: datetime = NOW) -> AuditLease | None:
    with database.write() as session:
        claimed = queue.claim_audit(session, owner, now, MINUTE)
    return None if claimed is None else claimed[0]


def need_claim(database: Database, owner: str = "host:1:a", now: datetime = NOW) -> AuditLease:
    lease = claim(database, owner, now)
    assert lease is not None
    return lease


def test_audits_are_claimed_in_order_and_one_for_each_domain(database: Database) -> None:
    first, second = add(database, "shop.example"), add(database, "shop.example", NOW + timedelta(seconds=1))
    other = add(database, "other.example", NOW + timedelta(seconds=2))
    later = NOW + timedelta(seconds=3)
    assert need_claim(database, now=later).session_id == first
    assert need_claim(database, now=later).session_id == other
    assert claim(database, now=later) is None
    with database.read() as session:
        assert not queue.has_due(session, later)
        assert queue.has_due(session, later + 2 * MINUTE), "an expired lease frees the domain"
        assert sessions.load_audit(session, second).status is AuditStatus.QUEUED


def test_a_worker_that_lost_its_lease_changes_nothing(database: Database) -> None:
    audit_id = add(database, "shop.example")
    stale = need_claim(database)
    with database.write() as session:
        queue.start_audit(session, stale, NOW)
        queue.requeue_abandoned(session, NOW, ["host:1:a"], 3)
    fresh = need_claim(database, "host:2:b")
    for write in (
        lambda session: queue.finish_audit(session, stale, AuditStatus.FAILED, "late", NOW),
        lambda session: pages.add_page(session, stale, AuditPageType.PDP, AuditViewport.DESKTOP, "https://x.example/"),
        lambda session: queue.renew_audit(session, stale, NOW, MINUTE),
    ):
        with pytest.raises(LeaseLostError), database.write() as session:
            write(session)
    with database.write() as session:
        queue.start_audit(session, fresh, NOW)
        queue.finish_audit(session, fresh, AuditStatus.COMPLETED, None, NOW)
    with database.read() as session:
        audit = sessions.load_audit(session, audit_id)
    assert (audit.status, audit.attempts, audit.error_summary) == (AuditStatus.COMPLETED, 2, None)


def test_an_audit_whose_workers_keep_dying_ends_with_the_reason(database: Database) -> None:
    audit_id = add(database, "shop.example")
    for attempt in range(2):
        lease = need_claim(database, f"host:{attempt}:x")
        with database.write() as session:
            queue.start_audit(session, lease, NOW)
            queue.requeue_abandoned(session, NOW, [f"host:{attempt}:x"], 2)
    with database.read() as session:
        audit = sessions.load_audit(session, audit_id)
    assert (audit.status, audit.error_summary) == (AuditStatus.FAILED, "its worker died, 2 times")
    assert claim(database, now=NOW + MINUTE) is None


def test_an_interrupted_attempt_does_not_count_and_waits_for_its_time(database: Database) -> None:
    audit_id = add(database, "shop.example")
    lease = need_claim(database)
    with database.write() as session:
        queue.start_audit(session, lease, NOW)
        queue.put_back(session, lease, NOW + MINUTE)
    assert claim(database) is None
    assert need_claim(database, now=NOW + MINUTE).session_id == audit_id
    with database.read() as session:
        assert sessions.load_audit(session, audit_id).attempts == 0


def test_a_log_entry_holds_whatever_a_page_sent(database: Database) -> None:
    audit_id = add(database, "shop.example")
    entry = AuditLogEntry(NOW, AuditLogLevel.INFO, AuditEventType.POPUP, "a\0b", {"text": "c\0\ud800", "list": ["\0"]})
    with database.write() as session:
        pages.add_log(session, audit_id, entry)
    with database.read() as session:
        (stored,) = pages.log_of(session, audit_id)
    assert (stored.message, stored.details) == ("ab", {"text": "c?", "list": [""]})
