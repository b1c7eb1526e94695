"""archive-tool as a command: how it is called, and the stages of jobs in child processes."""

import shlex
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from webstrata.db import jobs
from webstrata.db.engine import Database
from webstrata.db.jobs import StoredJob
from webstrata.errors import LeaseLostError, StorageError, UsageError, WebstrataError
from webstrata.jobs.children import run_child
from webstrata.jobs.queueing import source_code_of
from webstrata.jobs.registry import new_folder
from webstrata.jobs.stages import BROKEN, DONE, LEASE_LOST, NOTHING_TO_DO, OUR_TROUBLE_CODE, WRONG_USAGE
from webstrata.model.tool_options import ArchiveToolOptions

OWN_TOOL = (sys.executable, "-m", "webstrata.archive_tool")
OWN_PROGRAM = (sys.executable, "-m", "webstrata")

TIED = "--tied"
"""Says to our own programs that their standard input is a lifeline."""

_MONITORING = ("monitor_interval_seconds", "stall_timeout_minutes", "error_threshold_timeout", "error_threshold_http")
_ADAPTIVE = ("min_workers", "max_worker_reductions")
_VPN = ("max_vpn_rotations", "vpn_rotation_frequency_minutes")


def tool_command(setting: str) -> tuple[str, ...]:
    """Return the command that a setting names; the tool that came with this program when it names none."""
    try:
        return tuple(shlex.split(setting)) or OWN_TOOL
    except ValueError as error:
        raise UsageError(f"the command {setting!r} of WEBSTRATA_TOOL_CMD cannot be read: {error}") from None


def tool_flags(options: ArchiveToolOptions, passthrough: Sequence[str] = ()) -> list[str]:
    """Return the flags that archive-tool gets for a job's options, beside the ones that every run has.

    What needs monitoring is left out without it. The VPN's command may hold a secret and is no flag: everybody on a
    machine can read a process's arguments.
    """
    flags = ["--relax-perms"] if options.relax_perms else []
    if options.enable_monitoring:
        flags += ["--enable-monitoring", *_numbers(options, _MONITORING)]
        if options.enable_adaptive_workers:
            flags += ["--enable-adaptive-workers", *_numbers(options, _ADAPTIVE)]
        if options.enable_vpn_rotation and options.vpn_connect_command:
            flags += ["--enable-vpn-rotation", *_numbers(options, _VPN)]
        flags += _numbers(options, ("backoff_delay_minutes",))
    return [*flags, "--", *passthrough] if passthrough else flags


def _numbers(options: ArchiveToolOptions, names: Sequence[str]) -> list[str]:
    values = asdict(options)
    given = [(name, values[name]) for name in names if values[name] is not None]
    return [part for name, value in given for part in (f"--{name.replace('_', '-')}", str(value))]


@dataclass(frozen=True)
class RuntimeArchiveJob:
    """A run of archive-tool: a name and where to begin."""

    name: str
    seeds: Sequence[str]

    def run(  # noqa: PLR0913, PLR0917 - everything that a run can be told
        self,
        initial_workers: int | None = None,
        cleanup: bool = False,
        overwrite: bool = False,
        log_level: str | None = None,
        extra_args: Sequence[str] = (),
        stream_output: bool = True,
        output_dir_override: Path | None = None,
        *,
        archive_root: Path,
        command: Sequence[str] = OWN_TOOL,
        leader: str | None = None,
        interrupted: threading.Event | None = None,
    ) -> int:
        """Run archive-tool to its end and return its exit code; without a folder, one of its own is made."""
        folder = output_dir_override or self._new_folder(archive_root)
        flags = ["--log-level", log_level] if log_level is not None else []
        flags += ["--initial-workers", str(initial_workers)] if initial_workers is not None else []
        flags += ["--cleanup"] if cleanup else []
        flags += ["--overwrite"] if overwrite else []
        called = [*command, "--seeds", *self.seeds, "--name", self.name, "--output-dir", str(folder)]
        return run_child(
            [*called, TIED, *flags, *extra_args], leader, interrupted or threading.Event(), stream_output=stream_output
        )

    def _new_folder(self, archive_root: Path) -> Path:
        if not self.seeds:
            raise UsageError("nothing to archive: give an address such as https://example.org/")
        return new_folder(archive_root, source_code_of(self.seeds[0]), self.name, datetime.now(UTC))


@dataclass(frozen=True)
class ToolStages:
    """Stages in processes of their own, which know where the database is from their settings, as we do."""

    database: Database
    archive_root: Path
    command: Sequence[str] = OWN_TOOL
    program: Sequence[str] = field(default=OWN_PROGRAM)

    def crawl(self, job_id: int, leader: str, interrupted: threading.Event) -> int:
        """Let archive-tool crawl a job and return its exit code."""
        return self._judged(job_id, self._tool(job_id, leader, interrupted, "--job-id", str(job_id)))

    def help(self, job_id: int, interrupted: threading.Event) -> bool:
        """Let archive-tool take part in a crawl that another leads, and tell whether there was anything to do."""
        code = self._tool(job_id, None, interrupted, "--job-id", str(job_id), "--help-only")
        if code not in (DONE, NOTHING_TO_DO) and not interrupted.is_set():
            raise WebstrataError(f"archive-tool could not help with job {job_id}: exit code {code}")
        return code == DONE

    def index(self, job_id: int, leader: str, interrupted: threading.Event) -> int:
        """Index a job in a process of its own and return its exit code."""
        return self._judged(job_id, self._indexer(job_id, leader, interrupted))

    def index_so_far(self, job_id: int, interrupted: threading.Event) -> int:
        """Index what a crawl has brought so far in a process of its own and return its exit code."""
        return self._indexer(job_id, None, interrupted, "--so-far")

    def _tool(self, job_id: int, leader: str | None, interrupted: threading.Event, *arguments: str) -> int:
        job = self._load(job_id)
        options = job.config.options
        told = job.config.tool_options
        return RuntimeArchiveJob(job.name, job.config.seeds).run(
            options.initial_workers if "initial_workers" in told else None,
            options.cleanup,
            options.overwrite,
            options.log_level if "log_level" in told else None,
            [*arguments, *tool_flags(options, job.config.zimit_passthrough_args)],
            output_dir_override=Path(job.output_dir),
            archive_root=self.archive_root,
            command=self.command,
            leader=leader,
            interrupted=interrupted,
        )

    def _indexer(self, job_id: int, leader: str | None, interrupted: threading.Event, *arguments: str) -> int:
        return run_child([*self.program, "index-job", "--id", str(job_id), TIED, *arguments], leader, interrupted)

    def _judged(self, job_id: int, code: int) -> int:
        """Return the exit code of a stage that ended or was killed; raise what the stage itself could only say."""
        if code == LEASE_LOST:
            raise LeaseLostError(f"job {job_id} is worked on by another process by now")
        if code not in (OUR_TROUBLE_CODE, BROKEN, WRONG_USAGE):
            return code
        reason = self._load(job_id).status_reason or f"exit code {code}: its log says more"
        raise StorageError(reason) if code == OUR_TROUBLE_CODE else WebstrataError(reason)

    def _load(self, job_id: int) -> StoredJob:
        with self.database.read() as session:
            return jobs.load_job(session, job_id)
