"""archive-tool as a command: how it is called, and the stages of jobs in child processes."""

import shlex
import shutil
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

import structlog

from webstrata.db.engine import Database
from webstrata.db.queue import jobs, leases
from webstrata.db.queue.jobs import StoredJob
from webstrata.errors import StorageError, UsageError, WebstrataError
from webstrata.jobs.progress.tool_progress import LOOK_SECONDS, update_progress, why_it_ended
from webstrata.jobs.running.children import run_child
from webstrata.jobs.running.stages import BROKEN, DONE, LEASE_LOST, NOTHING_TO_DO, OUR_TROUBLE_CODE, WRONG_USAGE
from webstrata.jobs.sources.registry import new_folder
from webstrata.jobs.sources.source_choice import source_code_of
from webstrata.model.jobs.job import ArchiveJobConfig, check_job_name
from webstrata.model.jobs.tool_options import TOOL_OPTIONS, ZIMIT, ArchiveToolOptions
from webstrata.model.urls import parse_url
from webstrata.storage.combined_log import attempt_logs

log = structlog.get_logger()

OWN_TOOL = (sys.executable, "-m", "webstrata.archive_tool")
OWN_PROGRAM = (sys.executable, "-m", "webstrata")

_MODULE, _SCRIPT = "webstrata.archive_tool", "archive-tool"
_SCRIPT_BYTES = 65_536

TIED = "--tied"
"""The flag that makes our own programs treat their standard input as a lifeline."""

_OURS_ONLY = ("engine", "docker_image", "docker_shm_size", "final_build")
"""Options that only our archive-tool has flags for."""
_MONITORING = ("monitor_interval_seconds", "stall_timeout_minutes", "error_threshold_timeout", "error_threshold_http")
_ADAPTIVE = ("min_workers", "max_worker_reductions")
_VPN = ("vpn_connect_command", "max_vpn_rotations", "vpn_rotation_frequency_minutes")


def tool_command(setting: str) -> tuple[str, ...]:
    """Return the command that a setting names; the tool that came with this program when it names none."""
    try:
        return tuple(shlex.split(setting)) or OWN_TOOL
    except ValueError as error:
        raise UsageError(f"the command {setting!r} of WEBSTRATA_TOOL_CMD cannot be read: {error}") from None


def is_own_tool(command: Sequence[str]) -> bool:
    """Return whether a command runs our archive-tool, also through sudo and the like.

    Another program may have the same name, so the file's content decides: scripts of installers, and most wrappers,
    contain the name of our package.
    """
    return any(Path(word).name == _MODULE or (Path(word).name == _SCRIPT and _is_own_script(word)) for word in command)


def _is_own_script(word: str) -> bool:
    path = word if "/" in word else shutil.which(word)
    try:
        with Path(path or word).open("rb") as script:
            _interpreter, _, code = script.read(_SCRIPT_BYTES).partition(b"\n")
    except OSError:
        return False
    return b"webstrata" in code


def withheld_options(options: ArchiveToolOptions, command: Sequence[str]) -> list[str]:
    """Return the options of a job that are not passed to its tool, because only our archive-tool has flags for them."""
    return [] if is_own_tool(command) else [name for name in _OURS_ONLY if getattr(options, name) is not None]


def tool_flags(
    options: ArchiveToolOptions, passthrough: Sequence[str] = (), command: Sequence[str] = OWN_TOOL
) -> list[str]:
    """Return the flags of a tool for a job's options, except those that a run passes one by one.

    Options that need monitoring are left out without it. The VPN command is passed as a flag, which every user of the
    machine can read: it should read secrets from a file.
    """
    names = [*_OURS_ONLY, "relax_perms"] if is_own_tool(command) else ["relax_perms"]
    if options.enable_monitoring:
        names += ["enable_monitoring", *_MONITORING]
        names += ["enable_adaptive_workers", *_ADAPTIVE] if options.enable_adaptive_workers else []
        names += ["enable_vpn_rotation", *_VPN] if options.enable_vpn_rotation and options.vpn_connect_command else []
        names += ["backoff_delay_minutes"]
    values = asdict(options)
    flags = _flags({name: values[name] for name in names})
    return [*flags, "--", *passthrough] if passthrough else flags


def job_arguments(name: str, config: ArchiveJobConfig, folder: Path, command: Sequence[str] = OWN_TOOL) -> list[str]:
    """Return the arguments of a tool for a job, except those for its lifeline."""
    options = config.options
    needed = ToolRun(name, config.seeds).arguments(folder)
    flags = _flags({**_run_arguments(options, config, command)})
    return [*needed, *flags, *tool_flags(options, config.zimit_passthrough_args, command)]


class _RunArguments(TypedDict):
    """Options that a run passes one by one."""

    initial_workers: int | None
    cleanup: bool
    overwrite: bool
    log_level: str | None


def _run_arguments(options: ArchiveToolOptions, config: ArchiveJobConfig, command: Sequence[str]) -> _RunArguments:
    """Return the options that a run passes one by one; our own tool has defaults for workers and log level, another may
    not."""
    named = config.tool_options if is_own_tool(command) else TOOL_OPTIONS
    return _RunArguments(
        initial_workers=options.initial_workers if "initial_workers" in named else None,
        cleanup=options.cleanup,
        overwrite=options.overwrite,
        log_level=options.log_level if "log_level" in named else None,
    )


def _flags(values: Mapping[str, object]) -> list[str]:
    """Return options for archive-tool, by the same names, without disabled and default ones."""
    flags: list[str] = []
    for name, value in values.items():
        if value is not None and value is not False:
            flags += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return flags


@dataclass(frozen=True)
class ToolRun:
    """A run of archive-tool, with a name and seeds."""

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
        stop_requested: threading.Event | None = None,
    ) -> int:
        """Run archive-tool to its end and return its exit code; without a folder, a new one is made.

        `interrupted` ends it because we have to end, `stop_requested` because a stop of the crawl was requested.
        """
        folder = output_dir_override or self.new_folder(archive_root)
        flags = {"log_level": log_level, "initial_workers": initial_workers, "cleanup": cleanup, "overwrite": overwrite}
        tied = [TIED] if is_own_tool(command) else []
        return run_child(
            [*command, *self.arguments(folder), *tied, *_flags(flags), *extra_args],
            leader,
            interrupted or threading.Event(),
            stream_output=stream_output,
            stop_requested=stop_requested,
        )

    def arguments(self, folder: Path) -> list[str]:
        """Return the flags that every run of archive-tool needs; UsageError without a seed."""
        self._check_seeds()
        return ["--seeds", *self.seeds, "--name", self.name, "--output-dir", str(folder)]

    def new_folder(self, archive_root: Path) -> Path:
        """Return a folder of its own in the archive root; UsageError without a seed."""
        self._check_seeds()
        check_job_name(self.name)
        first, *_ = [parse_url(seed).href for seed in self.seeds]
        return new_folder(archive_root, source_code_of(first), self.name, datetime.now(UTC))

    def _check_seeds(self) -> None:
        if not self.seeds:
            raise UsageError("nothing to archive: give a URL such as https://example.org/")


@dataclass(frozen=True)
class ToolStages:
    """Runs stages in child processes, which get the database from their settings, as this one does."""

    database: Database
    archive_root: Path
    command: Sequence[str] = OWN_TOOL
    program: Sequence[str] = field(default=OWN_PROGRAM)
    look_seconds: float = LOOK_SECONDS
    """Seconds between two checks of a crawl that does not record its progress."""

    def crawl(self, job_id: int, leader: str, interrupted: threading.Event) -> int:
        """Run archive-tool to crawl a job and return its exit code; for a tool that does not record its progress, it is
        recorded here."""
        job, since = self._load(job_id), datetime.now(UTC)
        if self.settles_its_job(job):
            return self._check_exit(job_id, leader, self._tool(job, leader, interrupted), since)
        with self.database.write() as session:
            leases.set_as(session, job_id, leader, helpers_welcome=False, was_crawled_here=True)
        with update_progress(self.database, job_id, leader, self.look_seconds) as stop_requested:
            code = self._tool(job, leader, interrupted, stop_requested)
        return self._check_exit(job_id, leader, code, since)

    def help(self, job_id: int, interrupted: threading.Event) -> bool:
        """Run archive-tool to help with a crawl that another worker leads, and return whether there was anything to
        do."""
        job = self._load(job_id)
        if not self.settles_its_job(job):
            return False
        # Monitoring, starting and cleaning up are done by the crawl's leader.
        plain = replace(job.config.options, enable_monitoring=False, cleanup=False, overwrite=False)
        code = self._run(job, plain, None, interrupted, "--help-only")
        if code not in (DONE, NOTHING_TO_DO) and not interrupted.is_set():
            raise WebstrataError(f"archive-tool could not help with job {job_id}: exit code {code}")
        return code == DONE

    def index(self, job_id: int, leader: str, interrupted: threading.Event) -> int:
        """Index a job in a process of its own and return its exit code."""
        since = datetime.now(UTC)
        return self._check_exit(job_id, leader, self._indexer(job_id, leader, interrupted), since)

    def index_so_far(self, job_id: int, interrupted: threading.Event) -> int:
        """Index the captures of a crawl in a child process until interrupted, and return its exit code."""
        return self._indexer(job_id, None, interrupted, "--so-far")

    def settles_its_job(self, job: StoredJob) -> bool:
        """Return whether a job's crawler records its own progress and end: ours does, a container or another tool does
        not."""
        return is_own_tool(self.command) and job.config.options.engine != ZIMIT

    def _tool(
        self, job: StoredJob, leader: str, interrupted: threading.Event, stop_requested: threading.Event | None = None
    ) -> int:
        options = job.config.options
        if options.overwrite and _has_begun(job):
            # Only for the first run: a crawl that resumes after a kill must not overwrite what it has.
            options = replace(options, overwrite=False)
        return self._run(job, options, leader, interrupted, stop_requested=stop_requested)

    def _run(
        self,
        job: StoredJob,
        options: ArchiveToolOptions,
        leader: str | None,
        interrupted: threading.Event,
        *arguments: str,
        stop_requested: threading.Event | None = None,
    ) -> int:
        which = ["--job-id", str(job.id), *arguments] if is_own_tool(self.command) else []
        for name in withheld_options(options, self.command):
            log.warning("option.without_effect", option=name, reason=f"{self.command[0]} has no flag for it")
        return ToolRun(job.name, job.config.seeds).run(
            **_run_arguments(options, job.config, self.command),
            extra_args=[*which, *tool_flags(options, job.config.zimit_passthrough_args, self.command)],
            output_dir_override=Path(job.output_dir),
            archive_root=self.archive_root,
            command=self.command,
            leader=leader,
            interrupted=interrupted,
            stop_requested=stop_requested,
        )

    def _indexer(self, job_id: int, leader: str | None, interrupted: threading.Event, *arguments: str) -> int:
        return run_child([*self.program, "index-job", "--id", str(job_id), TIED, *arguments], leader, interrupted)

    def _check_exit(self, job_id: int, leader: str, code: int, since: datetime) -> int:
        """Return the exit code of a stage that ended or was killed; raise the error that the stage stored."""
        if code == LEASE_LOST:
            with self.database.read() as session:
                leases.check_leader(session, job_id, leader)
        if code not in (OUR_TROUBLE_CODE, BROKEN, WRONG_USAGE):
            return code
        job = self._load(job_id)
        reason = job.status_reason or why_it_ended(job, since) or f"exit code {code}: see its log"
        raise StorageError(reason) if code == OUR_TROUBLE_CODE else WebstrataError(reason)

    def _load(self, job_id: int) -> StoredJob:
        with self.database.read() as session:
            return jobs.load_job(session, job_id)


def _has_begun(job: StoredJob) -> bool:
    """Return whether our own crawler has begun the present run of a job; zimit leaves an old ZIM in place until it is
    done."""
    last = next(reversed(attempt_logs(Path(job.output_dir))), None)
    if last is None or job.started_at is None or job.config.options.engine == ZIMIT:
        return False
    return last.began_at >= job.started_at.replace(microsecond=0)
