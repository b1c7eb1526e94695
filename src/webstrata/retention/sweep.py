"""Retention passes: delete the expired rows of every collection, in batches, oldest first."""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from time import monotonic

import structlog

from webstrata.db.engine import Database, Session
from webstrata.db.operations import audit_log
from webstrata.db.retention import retention
from webstrata.db.retention.retention import ExpiredOfSource, StoredRun
from webstrata.errors import WebstrataError
from webstrata.model.retention.rules import (
    BATCH_ROWS,
    DEFAULT_MAX_SHARE,
    GUARDED_FROM,
    MIN_INTERVAL,
    CollectionResult,
    PassResult,
    PassTrigger,
    expiry_limit,
    is_mass_disappearance,
)
from webstrata.retention.leftovers import Sweeper, sweepers
from webstrata.retention.policies import load_policies

log = structlog.get_logger()

REQUEST_PERMIT = "request"
SCHEDULE_PERMIT = "schedule"

SCHEDULED_PASS_SECONDS = 60.0
"""How long a scheduled pass deletes batches; the next pass continues."""


@dataclass(frozen=True)
class PassLimits:
    """Limits of a pass for each collection: one batch, or batches until a time or an interruption."""

    until: float | None = None
    """The time (of the monotonic clock) after which no further batch begins; None for a single batch."""
    interrupted: threading.Event | None = None
    archive_root: Path | None = None
    """Where blobs and logs are; without it only rows are deleted."""
    max_share: float | None = DEFAULT_MAX_SHARE
    """The share of a source's rows that may be deleted at once; None after an administrator's confirmation."""

    def may_go_on(self) -> bool:
        """Return whether another batch may begin."""
        if self.until is None or monotonic() >= self.until:
            return False
        return self.interrupted is None or not self.interrupted.is_set()


ONE_BATCH = PassLimits()


def run_pass(
    database: Database, now: datetime, trigger: PassTrigger, *, dry_run: bool, limits: PassLimits = ONE_BATCH
) -> PassResult:
    """Delete expired rows and return the result of each collection; a dry run only counts them.

    A pass that deletes is recorded, even if it fails; a dry run is not recorded.
    """
    began = monotonic()
    result = PassResult(now, 0.0, trigger, dry_run)
    try:
        policies = load_policies(database)
    except WebstrataError as error:
        result = replace(result, error=str(error))
    else:
        result = replace(result, collections=_sweep_all(database, policies, now, dry_run, limits))
    result = replace(result, seconds=round(monotonic() - began, 3))
    _report(database, result)
    return result


def run_scheduled_pass(
    database: Database,
    now: datetime,
    interrupted: threading.Event,
    archive_root: Path | None = None,
    max_share: float = DEFAULT_MAX_SHARE,
) -> PassResult | None:
    """Delete expired rows until none remain or the time is up; None when a scheduled pass ran within the hour."""
    if not _take(database, SCHEDULE_PERMIT, now):
        return None
    _take(database, REQUEST_PERMIT, now)
    limits = PassLimits(monotonic() + SCHEDULED_PASS_SECONDS, interrupted, archive_root, max_share)
    return run_pass(database, now, PassTrigger.SCHEDULE, dry_run=False, limits=limits)


def run_requested_pass(database: Database, now: datetime, max_share: float = DEFAULT_MAX_SHARE) -> PassResult | None:
    """Delete one batch of each collection; None when another pass began less than an hour ago."""
    if not _take(database, REQUEST_PERMIT, now):
        return None
    return run_pass(database, now, PassTrigger.REQUEST, dry_run=False, limits=PassLimits(max_share=max_share))


def run_manual_pass(
    database: Database,
    now: datetime,
    *,
    dry_run: bool,
    archive_root: Path | None = None,
    max_share: float = DEFAULT_MAX_SHARE,
    confirmed: bool = False,
) -> PassResult:
    """Run a pass on an administrator's request; only one that deletes postpones the next triggered pass.

    A confirmed pass deletes batch after batch, even most of a source's rows.
    """
    if not dry_run:
        _take(database, REQUEST_PERMIT, now)
    until = monotonic() + SCHEDULED_PASS_SECONDS if confirmed else None
    limits = PassLimits(until, None, archive_root, None if confirmed else max_share)
    return run_pass(database, now, PassTrigger.MANUAL, dry_run=dry_run, limits=limits)


def record_failure(database: Database, now: datetime, trigger: PassTrigger, reason: str) -> None:
    """Record a pass that failed before it could begin."""
    with database.write() as session:
        retention.add_run(session, StoredRun(now, 0.0, trigger, {}, reason))


def _take(database: Database, permit: str, now: datetime) -> bool:
    with database.write() as session:
        return retention.take_permit(session, permit, now, MIN_INTERVAL)


def _sweep_all(
    database: Database, policies: Mapping[str, int], now: datetime, dry_run: bool, limits: PassLimits
) -> dict[str, CollectionResult]:
    known = sweepers(limits.archive_root)
    found = {name: (known[name], days) for name, days in policies.items() if name in known}
    return {name: _sweep(database, name, rule, now, dry_run, limits) for name, rule in found.items()}


def _sweep(
    database: Database, name: str, rule: tuple[Sweeper, int], now: datetime, dry_run: bool, limits: PassLimits
) -> CollectionResult:
    """Return the result of one collection; a failure becomes part of the result, so that the other collections are
    processed."""
    sweeper, ttl_days = rule
    result = CollectionResult(ttl_days)
    limit = expiry_limit(now, ttl_days)
    try:
        with database.read() as session:
            counted = sweeper.count(session, limit)
            kept = _guarded_sources(session, sweeper, limit, counted.expired, limits.max_share)
        guarded = sum(one.expired for one in kept)
        result = replace(result, expired=counted.expired, remaining=counted.expired, undated=counted.undated)
        result = replace(result, guarded=guarded)
        if counted.expired and not dry_run:
            for deleted in _batches(database, sweeper, limit, now, limits, frozenset(one.source_id for one in kept)):
                result = replace(result, deleted=result.deleted + deleted, remaining=max(0, result.remaining - deleted))
    except WebstrataError as error:
        log.error("retention.collection.failed", collection=name, reason=str(error))
        return replace(result, error=str(error))
    return result


def _guarded_sources(
    session: Session, sweeper: Sweeper, limit: datetime, expired: int, max_share: float | None
) -> list[ExpiredOfSource]:
    """Return the sources of which too many rows would be deleted: these need an administrator's confirmation."""
    if max_share is None or expired < GUARDED_FROM:
        return []
    many = sweeper.of_sources(session, limit)
    return [one for one in many if is_mass_disappearance(one.expired, one.in_all, max_share)]


def _batches(
    database: Database, sweeper: Sweeper, limit: datetime, now: datetime, limits: PassLimits, kept: frozenset[int]
) -> Iterator[int]:
    """Delete a batch at a time, each in a transaction of its own, and yield how many rows each deleted."""
    while True:
        deleted = sweeper.delete(database, limit, now, kept)
        yield deleted
        if deleted < BATCH_ROWS or not limits.may_go_on():
            return


def _report(database: Database, result: PassResult) -> None:
    """Log a pass; unless it was a dry run, also record it for administrators and in the audit log."""
    deleted = {name: found.deleted for name, found in result.collections.items() if found.deleted}
    write: Callable[..., object] = log.error if result.has_failed else log.info
    write("retention.pass", trigger=result.trigger, dry_run=result.dry_run, deleted=deleted, error=result.error)
    if result.dry_run:
        return
    results = {name: asdict(found) for name, found in result.collections.items()}
    errors = {name: found.error for name, found in result.collections.items() if found.error}
    guarded = {name: found.guarded for name, found in result.collections.items() if found.guarded}
    with database.write() as session:
        retention.add_run(session, StoredRun(result.began_at, result.seconds, result.trigger, results, result.error))
        failure = result.error or errors or None
        facts: dict[str, object] = {"trigger": result.trigger, "deleted": deleted, "error": failure}
        if guarded:
            facts["guarded"] = guarded
        audit_log.record(session, "retention.pass", "retention", before=None, after=None, **facts)
