"""Queueing of audits: makes a session from a checked URL and the current policy."""

from datetime import datetime

from webstrata.audit.policy import CrawlPolicy
from webstrata.db.auditing import sessions
from webstrata.db.engine import Database
from webstrata.errors import UsageError
from webstrata.model.auditing.sessions import Audit, AuditMode, AuditRetention, NewAudit
from webstrata.model.domains import normalized_domain
from webstrata.model.urls import MAX_URL_LENGTH, parse_url


def queue_audit(
    database: Database,
    url: str,
    now: datetime,
    *,
    policy: CrawlPolicy,
    mode: AuditMode = AuditMode.STANDARD,
    retention: AuditRetention = AuditRetention.STANDARD,
) -> Audit:
    """Queue an audit of a shop and return it; UsageError when the URL is not a web address."""
    new = new_audit(check_audit_url(url), mode, policy, retention)
    with database.write() as session:
        return sessions.add_audit(session, new, now)


def new_audit(
    address: str, mode: AuditMode, policy: CrawlPolicy, retention: AuditRetention = AuditRetention.STANDARD
) -> NewAudit:
    """Return the audit of a checked address under a policy, to be queued."""
    version = policy.version.value
    return NewAudit(address, normalized_domain(address), mode, retention, version, policy.config_snapshot())


def check_audit_url(url: str) -> str:
    """Return a shop's URL as the URL standard writes it; UsageError when it is invalid or too long."""
    address = parse_url(url).href
    if len(address) > MAX_URL_LENGTH:
        raise UsageError(f"a URL may have at most {MAX_URL_LENGTH} characters, this one has {len(address)}")
    return address
