"""Audits in a worker: a child process runs them while any are queued."""

import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from webstrata.audit.policy import CrawlPolicy
from webstrata.coordination.domain_locks import DomainLocks
from webstrata.db.auditing import queue
from webstrata.db.engine import Database
from webstrata.jobs.auditing.recovery import requeue_audits
from webstrata.jobs.auditing.schedule import queue_due_audits
from webstrata.jobs.running.children import run_child

COMMAND = (sys.executable, "-m", "webstrata", "run-audits", "--tied")


@dataclass(frozen=True)
class AuditStage:
    """Runs the queued audits in a child process."""

    database: Database
    archive_root: Path
    concurrency: int
    max_attempts: int
    policy: CrawlPolicy
    locks: DomainLocks
    command: Sequence[str] = COMMAND

    def run_due(self, stopping: threading.Event, *, once: bool = False) -> bool:
        """Run queued and scheduled audits until none is due for a while; return whether there was one.

        A worker may be set to run none.
        """
        if self.concurrency == 0:
            return False
        requeue_audits(self.database, self.archive_root, self.max_attempts, self.locks)
        queue_due_audits(self.database, self.policy, datetime.now(UTC))
        with self.database.read() as session:
            if not queue.has_due(session, datetime.now(UTC)):
                return False
        command = [*self.command, *(["--once"] if once else [])]
        # If a process fails to start or dies, the next one, which starts after a pause, continues its sessions.
        return run_child(command, None, stopping) == 0
