"""Jobs and the worker under their old names and with their old arguments."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from webstrata.compat.configuration import ArchiveToolConfig, opened_app
from webstrata.db.engine import Session
from webstrata.db.queue.jobs import next_in_line
from webstrata.db.schema.tables import ArchiveJob
from webstrata.jobs.progress import crawl_stats
from webstrata.jobs.running import persistent, tool, worker
from webstrata.jobs.sources import registry
from webstrata.settings import load_settings


def create_job_for_source(
    source_code: str, *, session: Session, overrides: Mapping[str, object] | None = None
) -> ArchiveJob:
    """Queue a job of a source and return its row; NotFoundError for an unknown source.

    A row of a baseline source without a registry entry gets the baseline's entry.
    """
    registry.complete_from_baseline(session, source_code)
    root = ArchiveToolConfig().archive_root
    return registry.create_job_for_source(source_code, session=session, overrides=overrides, archive_root=root)


@dataclass(frozen=True)
class RuntimeArchiveJob:
    """A run of archive-tool without a job in the database: a name and seeds."""

    name: str
    seeds: Sequence[str]

    def run(  # noqa: PLR0917 - the old arguments
        self,
        initial_workers: int | None = 1,
        cleanup: bool = False,
        overwrite: bool = False,
        log_level: str | None = "INFO",
        extra_args: Sequence[str] = (),
        stream_output: bool = True,
        output_dir_override: Path | None = None,
    ) -> int:
        """Run archive-tool to its end and return its exit code; without a folder, a new one is created."""
        settings = load_settings()
        return tool.ToolRun(self.name, self.seeds).run(
            initial_workers,
            cleanup,
            overwrite,
            log_level,
            extra_args,
            stream_output,
            output_dir_override,
            archive_root=settings.archive_root.resolve(),
            command=tool.tool_command(settings.tool_cmd),
        )


def run_persistent_job(job_id: int) -> int:
    """Crawl a queued or retryable job and return the exit code of archive-tool."""
    with opened_app() as app:
        return persistent.run_persistent_job(job_id, context=app.context())


def update_job_stats_from_logs(job: ArchiveJob) -> None:
    """Set the statistics, page counts and paths of a job's row from its newest log; its session stores them."""
    for name, value in crawl_stats.folder_columns(job.id, Path(job.output_dir), job.last_stats_json or {}).items():
        setattr(job, name, value)


def _select_next_crawl_job(session: Session) -> ArchiveJob | None:
    """Return the queued or retryable job that has waited longest; a job without a source is never selected."""
    job_id = next_in_line(session, datetime.now(UTC))
    return None if job_id is None else session.get(ArchiveJob, job_id)


def _process_single_job() -> bool:
    """Crawl and index the next job, and return whether there was one."""
    with opened_app() as app:
        return worker.process_next_job(app.context(), threading.Event())


def run_worker_loop(poll_interval: float = 30, run_once: bool = False) -> None:
    """Run queued jobs until SIGINT or SIGTERM, or only the next one."""
    with opened_app() as app:
        worker.run_worker_loop(poll_interval, run_once, context=app.context())
