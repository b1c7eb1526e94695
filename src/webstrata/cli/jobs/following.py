"""`archive` on a site that another process is crawling: its progress here, until its end."""

import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from webstrata.app import App
from webstrata.cli.jobs.progress import watching
from webstrata.cli.start import interruptible
from webstrata.crawl.tally import CrawlProgress
from webstrata.db.queue import run_reports
from webstrata.db.queue.run_reports import JobProgress
from webstrata.errors import NotFoundError, WebstrataError
from webstrata.jobs.running.leaders import Leader, find_leader
from webstrata.jobs.running.lifecycle import JobCallbacks
from webstrata.model.jobs.job import JobStatus

_LOOK_SECONDS = 0.5

_HANDOVER = timedelta(seconds=15)
"""How long a job may have no leader between two stages; a worker starts the next stage within seconds."""


def follow(app: App, leader: Leader, label: str) -> None:
    """Show the progress of a job that another process leads, until the job is over or that process has left it.

    Ctrl-C ends only the view.
    """
    # Uses an event, as an exception from a signal handler may be lost in a library.
    with interruptible() as interrupted:
        print(f"{leader}; Ctrl-C leaves it running", file=sys.stderr, flush=True)
        with watching(label) as watcher:
            _watch(app, leader.job_id, watcher, interrupted)
        if interrupted.is_set():
            print(f"the crawl of job {leader.job_id} continues: {leader.ways_out}", file=sys.stderr, flush=True)
            raise KeyboardInterrupt


def _watch(app: App, job_id: int, watcher: JobCallbacks, interrupted: threading.Event) -> None:
    last_led, indexed = datetime.now(UTC), None
    while not interrupted.is_set():
        progress, now = _progress_of(app, job_id), datetime.now(UTC)
        watcher.crawled(CrawlProgress(progress.counts, progress.report))
        pages = progress.job.indexed_page_count
        watcher.indexed(max(0, pages - (pages if indexed is None else indexed)))
        if progress.job.status in (JobStatus.COMPLETED, JobStatus.INDEXING):
            watcher.read(pages, max(pages, progress.counts.finished))
        last_led, indexed = (now if progress.is_led else last_led), pages
        if has_ended(progress, now - last_led):
            return
        interrupted.wait(_LOOK_SECONDS)


def has_ended(progress: JobProgress, unled: timedelta) -> bool:
    """Return whether following ends: the job is over, or it can be continued here.

    WebstrataError if it waits for something else.
    """
    job = progress.job
    if progress.is_led or progress.is_over:
        return progress.is_over
    if job.status == JobStatus.RETRYABLE:
        raise WebstrataError(f"job {job.id} will be retried: {job.status_reason or 'it failed'}")
    if job.status in (JobStatus.QUEUED, JobStatus.RUNNING):
        return True
    if unled > _HANDOVER:
        raise WebstrataError(f"job {job.id} is crawled but not indexed: webstrata index-job --id {job.id}")
    return False


def _progress_of(app: App, job_id: int) -> JobProgress:
    """Return a job's progress; a dead leader counts as no leader."""
    # The leader is read before the status: a leader that ends in between has stored the final status by then.
    is_alive = find_leader(app.database, app.archive_root, job_id) is not None
    with app.database.read() as session:
        found = run_reports.progress(session, job_id, datetime.now(UTC))
    if found is None:
        raise NotFoundError(f"there is no job {job_id}")
    return replace(found, is_led=found.is_led and is_alive)
