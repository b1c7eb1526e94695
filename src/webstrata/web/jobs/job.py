"""The page of one job: its progress, history, options and files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, Response

from webstrata.db.captures import problems
from webstrata.db.operations import catalog
from webstrata.db.queue import run_reports
from webstrata.db.queue.run_reports import JobProgress
from webstrata.db.replay import replay_checks
from webstrata.errors import NotFoundError
from webstrata.http.dependencies import JobId, Parts
from webstrata.http.live import live_view, viewer_slot
from webstrata.http.secrets import secrets_of
from webstrata.jobs.progress.crawl_history import attempts_of, decisions_of, run_statistics
from webstrata.jobs.progress.log_view import log_tail
from webstrata.logs import without_secrets
from webstrata.model.archive import JobView
from webstrata.model.jobs.cleanup import CLEANABLE
from webstrata.model.jobs.job import CLAIMABLE, JobStatus
from webstrata.web import present
from webstrata.web.failures import PageRoute
from webstrata.web.jobs.crawl_history import crawl_history
from webstrata.web.jobs.job_progress import is_stopping, progress_view
from webstrata.web.jobs.plot import draw_plot
from webstrata.web.pages import render
from webstrata.web.visitor import require_admin_visitor

SNAPSHOTS_SHOWN = 50
PROBLEMS_SHOWN = 20
LOG_LINES_SHOWN = 100

router = APIRouter(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(require_admin_visitor)])


@dataclass(frozen=True)
class JobAction:
    """A possible action on a job: the target of the button, its label, and its effect."""

    order: str
    words: str
    hint: str


_STOP = JobAction("stop", "Stop", "Its captures are saved, and it can be resumed later.")
_REST = "Its captures are saved; only the remaining URLs are fetched."
_AFTER = {
    JobStatus.STOPPED: JobAction("resume", "Resume", _REST),
    JobStatus.FAILED: JobAction("retry", "Try again", _REST),
    JobStatus.INDEX_FAILED: JobAction(
        "retry", "Try again", "Nothing is fetched again; its captures are indexed again."
    ),
}


@router.get("/jobs/{job_id}")
def job(job_id: JobId, request: Request, app: Parts, known: bool = False) -> HTMLResponse:
    """Show one job; its script updates the page while the job is running, and reloads it at the end.

    `known` when a source for the requested address existed already.
    """
    now = datetime.now(UTC)
    with app.database.read() as session:
        progress = run_reports.progress(session, job_id, now)
        if progress is None:
            raise NotFoundError("There is no such job in this archive")
        snapshots = catalog.job_snapshots(session, job_id, limit=SNAPSHOTS_SHOWN, offset=0)
        replay_check = replay_checks.newest_check(session, job_id)
        first_problems = problems.problems_of_job(session, job_id, limit=PROBLEMS_SHOWN)
    found, config = progress.job, without_secrets(progress.job.config or {})
    attempts = attempts_of(found)
    return render(
        request,
        "job.html",
        job=found,
        is_known=known,
        news=progress_view(progress, now),
        moving=not progress.is_over,
        offer=next_action(progress),
        story=state_sentence(progress, now),
        snapshots=snapshots,
        problems=first_problems,
        replay_check=replay_check,
        log=log_tail(found, secrets_of(app.settings), LOG_LINES_SHOWN),
        plot=draw_plot(run_statistics(found), [attempt.began_at for attempt in attempts]),
        crawl=crawl_history(progress, attempts, decisions_of(found, secrets_of(app.settings))),
        disk_space=list(_storage(found)),
        cleanable=found.status in CLEANABLE and progress.is_over,
        seeds=_seeds(config),
        settings=in_words({name: value for name, value in config.items() if name != "seeds"}),
    )


@router.get("/jobs/{job_id}/events", dependencies=[Depends(viewer_slot)])
async def events(job_id: JobId, app: Parts) -> Response:
    """Stream the progress of a job to its page, until the job is over."""
    return await live_view(app.database, job_id, lambda progress, now: progress_view(progress, now).to_json())


def next_action(progress: JobProgress) -> JobAction | None:
    """Return the action that a job's page offers: stop, resume or retry; None when there is none."""
    found = progress.job
    if found.status in (JobStatus.RUNNING, *CLAIMABLE):
        return None if is_stopping(found) else _STOP
    if not progress.is_over:
        return None
    if found.status == JobStatus.INDEXED and progress.counts.error:
        return JobAction("resume", f"Retry the {present.count(progress.counts.error, 'failed URL')}", _REST)
    return _AFTER.get(JobStatus(found.status))


def state_sentence(progress: JobProgress, now: datetime) -> str:
    """Return a sentence that explains a job's state."""
    found = progress.job
    if is_stopping(found):
        return "It stops within seconds; its captures are saved."
    if found.status == JobStatus.STOPPED and not progress.is_over:
        return "Its captures are being indexed."
    if found.status == JobStatus.QUEUED and found.stop_requested_at:
        return "Its worker died. The job stops when another worker takes it over and ends its container."
    if found.status == JobStatus.QUEUED:
        return "It starts as soon as a worker is free."
    if found.status == JobStatus.RETRYABLE and found.not_before and found.not_before > now:
        return f"It is retried automatically, not before {present.date_and_time(found.not_before)}."
    return {
        "waiting": "It is retried automatically.",
        "working": "This page updates automatically.",
        "failed": f"It ended before everything was captured. {_searchable(found)}".rstrip(),
        "stopped": f"It was stopped. {_searchable(found)}".rstrip(),
        "done": f"{present.count(found.indexed_page_count, 'snapshot')} can be searched and read.".capitalize(),
    }[present.job_state(found.status).kind]


def _searchable(found: JobView) -> str:
    """Return how much of an unfinished job can be searched and read."""
    if found.indexed_page_count:
        return f"{present.count(found.indexed_page_count, 'snapshot')} can be searched and read.".capitalize()
    return "" if found.warc_bytes_total else "Nothing was captured."


def _storage(found: JobView) -> Iterator[tuple[str, str]]:
    """Yield the disk space of a job by kind, if it was measured."""
    kinds = {
        "WARC files": found.warc_bytes_total,
        "All files in its folder": found.output_bytes_total,
        "Temporary files": found.tmp_bytes_total,
        "Temporary files without WARC files": found.tmp_non_warc_bytes_total,
    }
    yield from ((name, present.size(octets)) for name, octets in kinds.items() if octets is not None)


def _seeds(config: Mapping[str, object]) -> list[str]:
    seeds = config.get("seeds")
    return [str(seed) for seed in seeds] if isinstance(seeds, list | tuple) else []


def in_words(stored: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return a configuration as a flat list of names and values for display, without empty values."""
    inner = ((name, value if isinstance(value, Mapping) else {name: value}) for name, value in stored.items())
    flat = ((str(key), value) for _, values in inner for key, value in values.items())
    return [(key.replace("_", " ").capitalize(), _value(value)) for key, value in flat if value not in ({}, [], None)]


def _value(stored: object) -> str:
    if isinstance(stored, bool):
        return "yes" if stored else "no"
    if isinstance(stored, list | tuple):
        return ", ".join(str(part) for part in stored)
    return str(stored)
