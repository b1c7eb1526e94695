"""The built-in crawler as an engine: every attempt is a child process that crawls under our job's lease."""

import threading
from dataclasses import dataclass, field
from pathlib import Path

from webstrata.archive_tool.arguments import Arguments
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.errors import LeaseLostError, StorageError, WebstrataError
from webstrata.jobs.running.children import Child
from webstrata.jobs.running.recovery import Recovery
from webstrata.jobs.running.stages import DONE, FAILED, LEASE_LOST, OUR_TROUBLE_CODE, WRONG_USAGE
from webstrata.jobs.running.tool import OWN_TOOL, TIED
from webstrata.model.jobs.tool_options import NATIVE
from webstrata.storage.combined_log import latest_combined_log


def attempt_command(arguments: Arguments, job_id: int | None, workers: int) -> list[str]:
    """Return the command of an attempt with a number of workers; `job_id` is None before the job exists."""
    job = ["--job-id", str(job_id)] if job_id is not None else []
    level = ["--log-level", arguments.log_level] if arguments.log_level is not None else []
    called = [
        *OWN_TOOL,
        "--seeds",
        *arguments.seeds,
        "--name",
        arguments.name,
        "--output-dir",
        str(arguments.output_dir),
    ]
    return [*called, *job, *level, "--workers-now", str(workers), TIED]


@dataclass
class NativeAttempt:
    """A crawler in a process of its own."""

    child: Child
    database: Database
    job_id: int
    output_dir: Path
    earlier_log: Path | None
    _log: Path | None = field(default=None, init=False)

    @property
    def log_path(self) -> Path | None:
        """Return its combined log, once it has begun one."""
        if self._log is None:
            latest = latest_combined_log(self.output_dir)
            self._log = latest if latest != self.earlier_log else None
        return self._log

    def poll(self) -> int | None:
        """Return its exit code once it is over; an error that it stored in the job's row is raised."""
        code = self.child.poll()
        return None if code is None else self._check_exit(code)

    def stop(self) -> int:
        """Stop it without settling the job; its tasks are queued again."""
        return self._check_exit(self.child.stop())

    def _check_exit(self, code: int) -> int:
        if code == LEASE_LOST:
            raise LeaseLostError(f"job {self.job_id} now belongs to another process")
        if code not in (OUR_TROUBLE_CODE, WRONG_USAGE):
            return code
        with self.database.read() as session:
            reason = jobs.load_job(session, self.job_id).status_reason or f"exit code {code}: see its log"
        raise StorageError(reason) if code == OUR_TROUBLE_CODE else WebstrataError(reason)


@dataclass(frozen=True)
class NativeEngine:
    """Makes attempts at a job whose lease is held by this process, or by the worker that started it."""

    arguments: Arguments
    database: Database
    recovery: Recovery
    job_id: int
    leader: str
    name: str = NATIVE

    def check(self) -> None:
        """Do nothing: the built-in crawler has no requirements."""

    def command(self, workers: int) -> list[str]:
        """Return what the next attempt would run."""
        return attempt_command(self.arguments, self.job_id, workers)

    def start(self, workers: int) -> NativeAttempt:
        """Start an attempt, after the tasks of a dead earlier one were queued again."""
        self.recovery.tend()
        folder = self.arguments.output_dir
        earlier = latest_combined_log(folder)
        child = Child.started(self.command(workers), self.leader)
        return NativeAttempt(child, self.database, self.job_id, folder, earlier)

    def went_on(self) -> bool:
        """Return False: an attempt ends with the archive-tool that began it."""
        return False

    def is_final(self, code: int) -> bool:
        """Return whether the attempt has settled the job."""
        return code in (DONE, FAILED)

    def finish(self, ended: threading.Event) -> int:
        """Return 0: nothing is left to do, as WARC files are written to their final place."""
        return DONE
