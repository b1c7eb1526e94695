"""Runs one audit under its lease, its domain's lock and its time limit, and always records how it ended."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from webstrata.audit.evidence import EvidenceStore
from webstrata.audit.packing import PACK_NAME, pack_session
from webstrata.audit.page_run import PageTools
from webstrata.audit.policy import CrawlPolicy
from webstrata.audit.recording import SessionWarc
from webstrata.audit.session import conduct_session
from webstrata.audit.session_log import SessionLog, Watch, export_log
from webstrata.audit.status import AuditProblem, SessionOutcome
from webstrata.coordination.domain_locks import MAX_ATTEMPTS, DomainLocks, HeldDomain
from webstrata.coordination.threads import in_thread
from webstrata.db.auditing import pages, queue, sessions
from webstrata.db.engine import Database
from webstrata.db.retention.artifacts import artifacts_of_session
from webstrata.errors import (
    OUR_TROUBLE,
    DatabaseError,
    DomainBusyError,
    DomainLockTimeoutError,
    LeaseLostError,
    StorageError,
    WarcError,
    WebstrataError,
)
from webstrata.model.auditing.policy_version import CrawlPolicyVersion
from webstrata.model.auditing.sessions import (
    Audit,
    AuditEventType,
    AuditLease,
    AuditLimits,
    AuditMode,
    AuditStatus,
    may_wait_for_domain,
)
from webstrata.model.retention.artifacts import ArtifactType
from webstrata.storage.artifacts import ArtifactFolder

if TYPE_CHECKING:
    from webstrata.fetch.browser.launch import BrowserPool

log = structlog.get_logger()

LEASE = timedelta(seconds=60)
_RENEWED_EVERY = 10.0
_LOOK_SECONDS = 0.5
_BUSY_REST = timedelta(seconds=2)
"""How long a session waits in the queue while its domain is locked."""

_TROUBLE_REST = timedelta(seconds=15)
"""How long a session waits in the queue after a failure of the database, the disk or Redis."""


_LONGEST_TROUBLE = timedelta(days=1)
"""For how long a session is returned to the queue because of such failures before it fails."""


@dataclass(frozen=True)
class AuditParts:
    """The parts of the application that audits use."""

    database: Database
    archive_root: Path
    artifacts_dir: Path
    locks: DomainLocks
    limits: AuditLimits
    policy: CrawlPolicy


class AuditRunner:
    """Runs audits in the browser of this process."""

    def __init__(self, parts: AuditParts, pool: "BrowserPool", watch: Watch = lambda _entry: None) -> None:
        """Use a browser; `watch` is called with every log entry of every session."""
        self._parts = parts
        self._database = parts.database
        self._pool = pool
        self._watch = watch

    async def run(self, audit: Audit, lease: AuditLease, *, is_queued: bool) -> None:
        """Run a session that is leased, and record how it ended.

        A queued audit is queued again while its domain is busy; one that is run directly fails at once.
        """
        with structlog.contextvars.bound_contextvars(session_id=audit.id):
            try:
                async with _renewing(self._database, lease):
                    await self._run_whatever_happens(audit, lease, is_queued=is_queued)
            except LeaseLostError as error:
                log.warning("audit.lease.lost", reason=str(error))

    async def fail(self, audit: Audit, lease: AuditLease, reason: str) -> None:
        """Record that a leased session cannot be run."""
        await self._finish(audit, lease, SessionOutcome(AuditStatus.FAILED, reason))

    async def _run_whatever_happens(self, audit: Audit, lease: AuditLease, *, is_queued: bool) -> None:
        try:
            outcome = await self._run_on_domain(audit, lease, is_queued=is_queued)
        except asyncio.CancelledError:
            await self._put_back(lease, timedelta(0), "audit.interrupted", "the worker was stopped")
            raise
        except DomainBusyError as error:
            await self._put_back(lease, _BUSY_REST, "audit.domain.busy", str(error))
        except (*OUR_TROUBLE, LeaseLostError) as error:
            if datetime.now(UTC) - audit.created_at > _LONGEST_TROUBLE:
                await self._finish(audit, lease, SessionOutcome(AuditStatus.FAILED, str(error)))
            else:
                await self._put_back(lease, _TROUBLE_REST, "audit.paused", str(error))
        else:
            await self._finish(audit, lease, outcome)

    async def _run_on_domain(self, audit: Audit, lease: AuditLease, *, is_queued: bool) -> SessionOutcome:
        may_wait = is_queued and may_wait_for_domain(
            audit.created_at, datetime.now(UTC), self._parts.limits.domain_wait
        )
        is_debug = audit.mode is AuditMode.DEBUG
        try:
            attempts = 1 if may_wait else MAX_ATTEMPTS
            async with _hold(self._parts.locks, audit, lease, attempts, is_debug=is_debug) as held:
                await in_thread(self._start, audit, lease)
                return await self._run_in_time(audit, lease, held)
        except DomainLockTimeoutError:
            return SessionOutcome(AuditStatus.FAILED, AuditProblem.LOCK_TIMEOUT)
        except (*OUR_TROUBLE, LeaseLostError, DomainBusyError):
            raise
        except WebstrataError as error:
            return SessionOutcome(AuditStatus.FAILED, str(error))
        except Exception as error:
            # A failure costs only this audit: it has failed with the reason, and the worker continues.
            log.exception("audit.broken")
            return SessionOutcome(AuditStatus.FAILED, f"{type(error).__name__}: {error}"[:500])

    async def _run_in_time(self, audit: Audit, lease: AuditLease, held: HeldDomain | None) -> SessionOutcome:
        limit = self._parts.limits.timeout.total_seconds()
        warc = await in_thread(self._begin_warc, audit, lease)
        tools = self._tools(audit, lease, held, warc)
        if audit.attempts:
            await tools.log.warning(AuditEventType.RETRY, "Started again: its worker died", attempts=audit.attempts)
        try:
            async with asyncio.timeout(limit):
                return await _while_held(held, conduct_session(tools, audit))
        except TimeoutError:
            return SessionOutcome(AuditStatus.FAILED, f"the audit took more than {limit:g} s")
        finally:
            if warc is not None:
                await in_thread(warc.close)

    def _begin_warc(self, audit: Audit, lease: AuditLease) -> SessionWarc | None:
        """Begin the WARC of a session that ends with an evidence pack."""
        if audit.mode is not AuditMode.EVIDENCE_PACK:
            return None
        return SessionWarc(self._store(audit, lease).folder, audit)

    def _tools(self, audit: Audit, lease: AuditLease, held: HeldDomain | None, warc: SessionWarc | None) -> PageTools:
        session_log = SessionLog(self._database, audit.id, self._watch)

        async def confirm() -> None:
            if held is None:
                return
            if held.is_in_doubt:
                message = "Paused: the store of the domain's lock cannot be reached"
                await session_log.warning(AuditEventType.RETRY, message)
            await in_thread(held.confirm)

        return PageTools(
            pool=self._pool,
            policy=self._policy(audit),
            database=self._database,
            lease=lease,
            store=self._store(audit, lease),
            log=session_log,
            confirm=confirm,
            record=None if warc is None else warc.add,
        )

    def _store(self, audit: Audit, lease: AuditLease) -> EvidenceStore:
        days = self._parts.policy.evidence.html_retention_days[audit.retention_policy]
        return EvidenceStore(self._database, self._folder, audit, lease, html_days=days)

    def _policy(self, audit: Audit) -> CrawlPolicy:
        return replace(self._parts.policy, version=CrawlPolicyVersion(audit.crawl_policy_version))

    @property
    def _folder(self) -> ArtifactFolder:
        return ArtifactFolder(self._parts.artifacts_dir)

    def _start(self, audit: Audit, lease: AuditLease) -> None:
        """Record the start of the session, and delete the results of an earlier attempt."""
        with self._database.write() as session:
            stale = pages.reset_pages(session, lease)
            queue.start_audit(session, lease, datetime.now(UTC))
            queue.set_audit(session, lease, config_snapshot=self._policy(audit).config_snapshot())
        for uri in stale:
            with suppress(StorageError):
                self._folder.delete(uri)
        log.info("audit.start", url=audit.url)

    async def _finish(self, audit: Audit, lease: AuditLease, outcome: SessionOutcome) -> None:
        """Export the session's log and record how the session ended."""
        session_log = SessionLog(self._database, audit.id, self._watch)
        if outcome.status is AuditStatus.FAILED:
            await session_log.error(AuditEventType.ERROR, outcome.error_summary or "The audit failed")
        try:
            await self._close_evidence(audit, lease)
        except (StorageError, WarcError) as error:
            await session_log.error(AuditEventType.ERROR, f"The evidence is not complete: {error}")
        await in_thread(self._settle, lease, outcome)
        log.info("audit.end", status=outcome.status, error_summary=outcome.error_summary)

    async def _close_evidence(self, audit: Audit, lease: AuditLease) -> None:
        """Export the session's log, and write the evidence pack if one was requested."""
        store = self._store(audit, lease)
        await store.put(ArtifactType.SESSION_LOGS_JSONL, await in_thread(self._log, audit.id))
        if audit.mode is AuditMode.EVIDENCE_PACK:
            await in_thread(self._write_pack, audit, lease, store.folder)
            await store.add_file(ArtifactType.EVIDENCE_PACK, PACK_NAME)

    def _write_pack(self, audit: Audit, lease: AuditLease, folder: Path) -> None:
        with self._database.read() as session:
            current = sessions.load_audit(session, audit.id)
            found = pages.pages_of(session, audit.id)
            stored = artifacts_of_session(session, audit.id)
        report = pack_session(folder, current, found, stored, datetime.now(UTC))
        with self._database.write() as session:
            queue.set_audit(session, lease, manifest_sha256=report.manifest_sha256)

    def _log(self, session_id: str) -> bytes:
        with self._database.read() as session:
            return export_log(pages.log_of(session, session_id, limit=10_000), session_id)

    def _settle(self, lease: AuditLease, outcome: SessionOutcome) -> None:
        with self._database.write() as session:
            summary = None if outcome.error_summary is None else str(outcome.error_summary)
            queue.finish_audit(session, lease, outcome.status, summary, datetime.now(UTC))

    async def _put_back(self, lease: AuditLease, rest: timedelta, event: str, reason: str) -> None:
        log.info(event, reason=reason)

        def put_back() -> None:
            with self._database.write() as session:
                queue.put_back(session, lease, datetime.now(UTC) + rest, reason)

        # If the database is unavailable, the session returns to the queue when its lease expires.
        with suppress(DatabaseError):
            await in_thread(put_back)


@asynccontextmanager
async def _hold(
    locks: DomainLocks, audit: Audit, lease: AuditLease, attempts: int, *, is_debug: bool
) -> AsyncIterator[HeldDomain | None]:
    """Hold a domain while an audit works on it; waiting for the lock blocks, so it runs in a thread."""
    lock = locks.hold(audit.url, audit.id, debug=is_debug, attempts=attempts, token=lease.token)
    entered: list[HeldDomain | None] = []
    try:
        await in_thread(lambda: entered.append(lock.__enter__()))
        yield entered[0]
    finally:
        # The lock may have been acquired before the cancellation, so it is released in any case.
        if entered:
            await in_thread(lock.__exit__, None, None, None)


async def _while_held(held: HeldDomain | None, work: Coroutine[None, None, SessionOutcome]) -> SessionOutcome:
    """Return the outcome of a session; LeaseLostError at once when its domain's lock is lost."""
    if held is None:
        return await work
    task = asyncio.create_task(work)
    try:
        while not (await asyncio.wait([task], timeout=_LOOK_SECONDS))[0]:
            if held.is_lost:
                held.confirm()
        return task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def _renewing(database: Database, lease: AuditLease) -> AsyncIterator[None]:
    """Renew a lease while the work under it lasts; the work is cancelled once the lease is lost."""
    work = asyncio.current_task()
    assert work is not None
    renewing = asyncio.create_task(_renew(database, lease, work.cancel))
    try:
        yield
    except asyncio.CancelledError:
        if renewing.done() and not renewing.cancelled() and renewing.exception() is None:
            work.uncancel()
            raise LeaseLostError(f"audit {lease.session_id} was taken over by another process") from None
        raise
    finally:
        renewing.cancel()
        with suppress(asyncio.CancelledError):
            await renewing


async def _renew(database: Database, lease: AuditLease, give_up: Callable[[], object]) -> None:
    def renew() -> None:
        with database.write() as session:
            queue.renew_audit(session, lease, datetime.now(UTC), LEASE)

    while True:
        await asyncio.sleep(_RENEWED_EVERY)
        try:
            await in_thread(renew)
        except DatabaseError as error:
            log.warning("audit.lease.not_renewed", reason=str(error))
        except LeaseLostError:
            give_up()
            return
