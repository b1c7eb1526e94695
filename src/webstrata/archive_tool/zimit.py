"""zimit, the crawler of the openZIM project, in Docker containers, one after the other until the ZIM is complete.

All containers of a folder have the same label, so that one that outlived its archive-tool is found by the next.
"""

import hashlib
import os
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import structlog

from webstrata.archive_tool import final_build
from webstrata.archive_tool.arguments import Arguments
from webstrata.archive_tool.container import ContainerAttempt, Watched
from webstrata.archive_tool.docker import Docker
from webstrata.archive_tool.engine import Attempt
from webstrata.archive_tool.modes import RunMode
from webstrata.archive_tool.permissions import relax
from webstrata.archive_tool.zimit_files import (
    Notes,
    Phase,
    begin_anew,
    crawl_is_over,
    crawl_warcs,
    final_zim,
    read_notes,
    renew_resume_file,
    resume_yaml,
    write_notes,
)
from webstrata.errors import StorageError, UsageError
from webstrata.jobs.running.stages import DONE
from webstrata.storage.combined_log import (
    INITIAL_CRAWL,
    NEW_CRAWL_PHASE,
    RESUME_CRAWL,
    attempt_logs,
    combined_log_name,
    latest_combined_log,
    next_attempt,
)
from webstrata.storage.crawl_state import CrawlState, temp_dirs_in

log = structlog.get_logger()

IN_CONTAINER = "/output"

_GRACE_SECONDS = 30
_TIED_GRACE_SECONDS = 5
"""Shorter for a worker, which kills this process after seven seconds: the container must have ended by then."""
_TAKE_OVER_SECONDS = 600
_MOST_LISTED = 3


class ZimitEngine:
    """Crawls with zimit."""

    name = "zimit"

    def __init__(self, arguments: Arguments, state: CrawlState, mode: RunMode, *, docker: Docker | None = None) -> None:
        """Use a folder and its state; with `OVERWRITE` the first attempt starts a new crawl."""
        self.arguments, self.state = arguments, state
        self.folder = arguments.output_dir
        self.docker = docker or Docker()
        self.label = f"archive_job={_plain(arguments.name)}-{hashlib.sha256(str(self.folder).encode()).hexdigest()[:8]}"
        self._begins_anew = mode is RunMode.OVERWRITE

    def check(self) -> None:
        """Raise StorageError when there is no Docker, UsageError when zimit does not support the arguments."""
        if ":" in str(self.folder):
            raise UsageError(f"{self.folder} contains a colon: Docker cannot mount such a folder")
        for seed in self.arguments.seeds:
            if "," in seed:
                raise UsageError(f"{seed} contains a comma, which separates seeds for zimit: write %2C instead")
        self.docker.check()

    def command(self, workers: int) -> list[str]:
        """Return what the next attempt would run."""
        if self._begins_anew:
            return [self.docker.program, *self._crawl_arguments(workers, None)]
        if crawl_is_over(self.folder):
            return [self.docker.program, *self.build_arguments(["…"])]
        yaml = resume_yaml(self.folder, read_notes(self.folder))
        return [self.docker.program, *self._crawl_arguments(workers, yaml)]

    def went_on(self) -> bool:
        """Return whether a container of an earlier archive-tool still runs."""
        return bool(self.docker.running(self.label))

    def is_final(self, code: int) -> bool:
        """Return whether the crawl is over: anything but success can be resumed."""
        return code == DONE

    def start(self, workers: int) -> Attempt:
        """Monitor the container that still runs; without one, resume the crawl."""
        found = self.docker.containers(self.label)
        running = [container.id for container in found if container.runs]
        if self._is_over(is_running=bool(running)):
            return CrawlOver(latest_combined_log(self.folder))
        if running:
            return self.attach(running)
        for container in found:
            self.docker.remove(container.id)
        self._begin()
        return self._begin_attempt(workers)

    def finish(self, ended: threading.Event) -> int:
        """Build the ZIM of all WARC files if the crawl's own is incomplete, clean up and return the exit code."""
        if (code := final_build.build_zim(self, ended)) != DONE:
            return code
        final_build.delete_leftovers(self)
        if self.arguments.relax_perms:
            self._relax()
        write_notes(self.folder, Notes())
        return DONE

    def start_container(self, stage: str, arguments: Sequence[str]) -> ContainerAttempt:
        """Run a container, with a log of its own."""
        log.info("container.start", label=self.label, stage=stage)
        return ContainerAttempt.start(self._attempt_context(stage), arguments)

    def attach(self, running: Sequence[str]) -> ContainerAttempt:
        """Monitor the newest container of an earlier archive-tool, and stop all others."""
        newest, *others = running
        for container in others:
            self.docker.stop(container, self._grace)
        self._begins_anew = False
        stages = [attempt.stage for attempt in attempt_logs(self.folder)]
        log.info("container.taken_up", label=self.label, container=newest)
        return ContainerAttempt.attach(self._attempt_context(stages[-1] if stages else INITIAL_CRAWL), newest)

    def build_arguments(self, warcs: Sequence[str]) -> list[str]:
        """Return the arguments for Docker to build a ZIM of WARC files, which are named relative to the folder."""
        listed = ",".join(f"{IN_CONTAINER}/{warc}" for warc in warcs)
        return [*self._container(), *self._zimit(), "--warcs", listed, "--keep", "--output", IN_CONTAINER]

    def _is_over(self, *, is_running: bool) -> bool:
        """Return whether only the final build is left; a running container is then that of the build."""
        if self._begins_anew or not crawl_is_over(self.folder):
            return False
        return not is_running or read_notes(self.folder).phase is Phase.BUILD

    def _begin_attempt(self, workers: int) -> ContainerAttempt:
        notes = read_notes(self.folder)
        yaml = resume_yaml(self.folder, notes)
        earlier = bool(crawl_warcs(self.folder, notes))
        stage = RESUME_CRAWL if yaml else NEW_CRAWL_PHASE if earlier else INITIAL_CRAWL
        return self.start_container(stage, self._crawl_arguments(workers, yaml))

    def _begin(self) -> None:
        """Record that a crawl is in progress; the first attempt of an overwrite abandons the earlier crawl."""
        if self._begins_anew:
            write_notes(self.folder, begin_anew(self.folder))
            self._begins_anew = False
        elif (notes := read_notes(self.folder)).phase is Phase.NONE:
            write_notes(self.folder, replace(notes, phase=Phase.CRAWL, overwriting=self.arguments.overwrite))

    def _crawl_arguments(self, workers: int, yaml: Path | None) -> list[str]:
        config = ["--config", f"{IN_CONTAINER}/{yaml.relative_to(self.folder).as_posix()}"] if yaml else []
        arguments = [*self._zimit(workers), *config]
        return [*self._container(), *arguments, "--keep", "--output", IN_CONTAINER]

    def _container(self) -> list[str]:
        shm = ["--shm-size", self.arguments.docker_shm_size] if self.arguments.docker_shm_size else []
        return [
            "run",
            "--rm",
            "-v",
            f"{self.folder}:{IN_CONTAINER}",
            "--label",
            self.label,
            *shm,
            self.arguments.docker_image,
        ]

    def _zimit(self, workers: int | None = None) -> list[str]:
        crawling = ["--workers", str(workers)] if workers else []
        return [
            "zimit",
            "--seeds",
            ",".join(self.arguments.seeds),
            "--name",
            self.arguments.name,
            *crawling,
            *self.arguments.passthrough,
        ]

    @property
    def _grace(self) -> int:
        return _TIED_GRACE_SECONDS if self.arguments.tied else _GRACE_SECONDS

    def _attempt_context(self, stage: str) -> Watched:
        name = combined_log_name(stage, next_attempt(self.folder, stage), datetime.now(UTC))
        return Watched(
            docker=self.docker,
            label=self.label,
            log_path=self.folder / name,
            grace_seconds=self._grace,
            found_temp_dir=self._track,
            over=self._sweep,
            ended_well=lambda: final_zim(self.folder) is not None,
        )

    def _track(self, in_container: str) -> None:
        """Record a temporary folder that a container reported, unless --build placed it elsewhere."""
        place = Path(in_container)
        if place.parent == Path(IN_CONTAINER):
            with suppress(UsageError):
                self.state.add_temp_dir(self.folder / place.name)
                self.state.save()

    def _sweep(self) -> None:
        """Record temporary folders that no container reported, and take ownership of those that we must read."""
        if self.arguments.relax_perms and any(
            not os.access(folder, os.R_OK | os.X_OK) for folder in temp_dirs_in(self.folder)
        ):
            self._relax()
        for folder in temp_dirs_in(self.folder):
            self.state.add_temp_dir(folder)
        self.state.save()
        renew_resume_file(self.folder, read_notes(self.folder))

    def _relax(self) -> None:
        """Make all files readable for all users, after taking ownership of what a container wrote as root."""
        refused = relax(self.folder)
        if refused and os.geteuid() != 0:
            owner = f"{os.geteuid()}:{os.getegid()}"
            mounted = [
                "--rm",
                "-v",
                f"{self.folder}:{IN_CONTAINER}",
                "--entrypoint",
                "chown",
                self.arguments.docker_image,
            ]
            with suppress(StorageError):
                self.docker.ran(["run", *mounted, "-R", owner, IN_CONTAINER], _TAKE_OVER_SECONDS)
            refused = relax(self.folder)
        if refused:
            log.warning("permissions.refused", count=len(refused), files=refused[:_MOST_LISTED])


class CrawlOver:
    """An attempt for a crawl that has already succeeded."""

    def __init__(self, log_path: Path | None) -> None:
        """Prepare an attempt that is over."""
        self.log_path = log_path

    def poll(self) -> int:
        """Return success."""
        return DONE

    def stop(self) -> int:
        """Return success."""
        return DONE


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", name)[:64]
