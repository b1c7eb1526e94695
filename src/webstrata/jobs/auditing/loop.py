"""The audit loop of a worker: runs several audits at a time in one browser, one per domain, until the queue is
empty."""

import asyncio
import random
import threading
import time
from datetime import UTC, datetime, timedelta

import structlog

from webstrata.audit.session_log import Watch
from webstrata.audit.status import AuditProblem
from webstrata.coordination.domain_locks import MAX_ATTEMPTS
from webstrata.coordination.presence import present
from webstrata.coordination.threads import in_thread
from webstrata.db.auditing import queue
from webstrata.errors import OUR_TROUBLE, MissingExtraError
from webstrata.fetch.browser.launch import BrowserPool
from webstrata.fetch.browser.options import BrowserOptions
from webstrata.jobs.auditing.recovery import requeue_audits
from webstrata.jobs.auditing.running import LEASE, AuditParts, AuditRunner
from webstrata.model.auditing.sessions import Audit, AuditLease, AuditStatus

log = structlog.get_logger()

AUDITS_KIND = "audits-"
"""The kind under which processes that run audits announce themselves."""

_LOOK_SECONDS = 0.5


async def run_audits(parts: AuditParts, options: BrowserOptions, stop: threading.Event, idle: timedelta) -> int:
    """Run audits from the queue until `stop` is set, or until none was due for a while; return how many were run.

    Without Redis, a process has its own throttles of domains, and waits at its end until they have expired.
    """
    with present(parts.archive_root, kind=AUDITS_KIND) as owner:
        try:
            pool = BrowserPool(options)
        except MissingExtraError as error:
            return await in_thread(_fail_due, parts, owner, str(error))
        async with pool:
            return await _Loop(parts, AuditRunner(parts, pool), owner).run(stop, idle.total_seconds())


async def run_audit_here(parts: AuditParts, options: BrowserOptions, audit: Audit, watch: Watch) -> None:
    """Run one audit in this process, at once."""
    pool = BrowserPool(options)
    with present(parts.archive_root, kind=AUDITS_KIND) as owner:
        lease = await in_thread(_lease, parts, audit, owner)
        async with pool:
            runner = AuditRunner(parts, pool, watch)
            if await _wait_for_domain(parts, audit):
                await runner.run(audit, lease, is_queued=False)
            else:
                await runner.fail(audit, lease, AuditProblem.LOCK_TIMEOUT)


async def _wait_for_domain(parts: AuditParts, audit: Audit) -> bool:
    """Wait for a domain that another session in the database uses, as often as for its lock; return whether it is free.

    Without Redis, only the database knows the domains of other processes.
    """
    for attempt in range(1, MAX_ATTEMPTS + 1):
        if not await in_thread(_is_domain_busy, parts, audit):
            return True
        if attempt < MAX_ATTEMPTS:
            wait = 2 ** (attempt - 1) + random.uniform(0, 0.5)  # noqa: S311 - spreads retries
            log.info("lock.acquire.retry", attempt=attempt, domain=audit.domain, session_id=audit.id)
            await asyncio.sleep(wait)
    log.warning("lock.acquire.timeout", attempts=MAX_ATTEMPTS, domain=audit.domain, session_id=audit.id)
    return False


class _Loop:
    def __init__(self, parts: AuditParts, runner: AuditRunner, owner: str) -> None:
        self._parts = parts
        self._runner = runner
        self._owner = owner
        self._running: set[asyncio.Task[None]] = set()
        self._count = 0

    async def run(self, stop: threading.Event, idle: float) -> int:
        idle_since = time.monotonic()
        try:
            while not stop.is_set():
                await self._start_due()
                if self._running:
                    idle_since = time.monotonic()
                elif time.monotonic() - idle_since >= idle:
                    break
                await self._wait()
        finally:
            await self._end()
        return self._count

    async def _start_due(self) -> None:
        try:
            while len(self._running) < self._parts.limits.concurrency:
                claimed = await in_thread(_claim, self._parts, self._owner)
                if claimed is None:
                    return
                lease, audit = claimed
                self._count += 1
                self._running.add(asyncio.create_task(self._runner.run(audit, lease, is_queued=True)))
        except OUR_TROUBLE as error:
            log.error("audit.trouble", reason=str(error))

    async def _wait(self) -> None:
        if not self._running:
            await asyncio.sleep(_LOOK_SECONDS)
            return
        done, self._running = await asyncio.wait(
            self._running, timeout=_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        for task in done:
            if (error := task.exception()) is not None:
                log.error("audit.trouble", reason=str(error))

    async def _end(self) -> None:
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)


def _claim(parts: AuditParts, owner: str) -> tuple[AuditLease, Audit] | None:
    requeue_audits(parts.database, parts.archive_root, parts.limits.max_attempts, parts.locks)
    with parts.database.read() as session:
        if not queue.has_due(session, datetime.now(UTC)):
            return None
    with parts.database.write() as session:
        return queue.claim_audit(session, owner, datetime.now(UTC), LEASE)


def _is_domain_busy(parts: AuditParts, audit: Audit) -> bool:
    with parts.database.read() as session:
        return queue.is_domain_busy(session, audit, datetime.now(UTC))


def _lease(parts: AuditParts, audit: Audit, owner: str) -> AuditLease:
    with parts.database.write() as session:
        return queue.lease_audit(session, audit.id, owner, datetime.now(UTC), LEASE)


def _fail_due(parts: AuditParts, owner: str, reason: str) -> int:
    """Mark every queued session as failed, with the reason why none can be run here."""
    count = 0
    while (claimed := _claim(parts, owner)) is not None:
        with parts.database.write() as session:
            queue.finish_audit(session, claimed[0], AuditStatus.FAILED, reason, datetime.now(UTC))
        count += 1
    return count
