"""Queueing of audits: a checked address and the policy of the day become a session."""

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
    """Queue an audit of a shop and return it; UsageError when the URL is no web address."""
    address = check_audit_url(url)
    domain, version = normalized_domain(address), policy.version.value
    new = NewAudit(address, domain, mode, retention, version, policy.config_snapshot())
    with database.write() as session:
        return sessions.add_audit(session, new, now)


def check_audit_url(url: str) -> str:
    """Return a shop's address as the URL standard writes it; UsageError when it is none or too long."""
    address = parse_url(url).href
    if len(address) > MAX_URL_LENGTH:
        raise UsageError(f"a URL may have at most {MAX_URL_LENGTH} characters, this one has {len(address)}")
    return address
