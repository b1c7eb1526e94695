"""Runs audits in this process for a command: one directly, or many from the queue."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from datetime import UTC, datetime, timedelta

from webstrata.audit.policy import CrawlPolicy
from webstrata.audit.session_log import Watch
from webstrata.db.auditing import sessions
from webstrata.db.engine import Database
from webstrata.fetch.browser.options import BrowserOptions
from webstrata.jobs.auditing.loop import run_audit_here, run_audits
from webstrata.jobs.auditing.queueing import check_audit_url, queue_audit
from webstrata.jobs.auditing.running import AuditParts
from webstrata.model.auditing.sessions import Audit, AuditMode

_LOOK_SECONDS = 0.2

Ended = Callable[[Audit], None]


def resume_or_queue(database: Database, url: str, mode: AuditMode, policy: CrawlPolicy) -> Audit:
    """Return the audit of a URL that waits in the queue, such as one that was interrupted; else queue a new one."""
    address = check_audit_url(url)
    with database.read() as session:
        waiting = sessions.waiting_audits(session, [address], mode, policy.version.value)
    return waiting[0] if waiting else queue_audit(database, address, datetime.now(UTC), mode=mode, policy=policy)


def resume_or_queue_all(database: Database, urls: Sequence[str], mode: AuditMode, policy: CrawlPolicy) -> list[Audit]:
    """Return the audits of some URLs that wait in the queue: the rest of an interrupted run; else queue them all."""
    with database.read() as session:
        waiting = sessions.waiting_audits(session, urls, mode, policy.version.value)
    if waiting:
        return waiting
    return [queue_audit(database, url, datetime.now(UTC), mode=mode, policy=policy) for url in urls]


def audit_here(
    parts: AuditParts, options: BrowserOptions, audit: Audit, watch: Watch, interrupted: threading.Event
) -> None:
    """Run one audit at once; an interruption puts it back into the queue."""
    asyncio.run(_until(run_audit_here(parts, options, audit, watch), interrupted))


def audit_many(
    parts: AuditParts, options: BrowserOptions, audits: Iterable[Audit], show: Ended, interrupted: threading.Event
) -> None:
    """Run audits from the queue until all given ones have ended, here or in a worker; `show` is called with each."""
    left = {audit.id for audit in audits}
    done = threading.Event()

    def look() -> None:
        while left and not interrupted.wait(_LOOK_SECONDS):
            _show_ended(parts.database, left, show)
        done.set()

    looking = threading.Thread(target=look, name="audits-ended", daemon=True)
    looking.start()
    try:
        asyncio.run(run_audits(parts, options, done, timedelta.max))
    finally:
        done.set()
        looking.join(2 * _LOOK_SECONDS + 1)


def _show_ended(database: Database, left: set[str], show: Ended) -> None:
    for audit_id in sorted(left):
        with database.read() as session:
            audit = sessions.load_audit(session, audit_id)
        if audit.status.is_final:
            left.discard(audit_id)
            show(audit)


async def _until(work: Coroutine[object, object, None], interrupted: threading.Event) -> None:
    """Run something to its end; cancel it when interrupted."""
    task = asyncio.create_task(work)
    while not task.done():
        await asyncio.wait([task], timeout=_LOOK_SECONDS)
        if interrupted.is_set():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return
    task.result()
