"""`list-jobs`, `show-job`, `stop-job`, `resume-job`, `retry-job`: list jobs and control them."""

import dataclasses
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from webstrata.cli.details import print_details
from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson, JobOption, OfSource, WhichJob, chosen_job
from webstrata.cli.start import print_json, started
from webstrata.errors import NotFoundError, UsageError
from webstrata.model.archive import JobView
from webstrata.model.jobs.job import JobStatus

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.db.queue.jobs import StoredJob

verbs = typer.Typer()

_WIDE = 200
_PROBLEMS_SHOWN = 20
_PROBLEMS_FOR_SCRIPTS = 10_000


@command(verbs, "list-jobs", example="webstrata list-jobs --status failed")
def list_jobs(
    source: OfSource = None,
    status: Annotated[
        JobStatus | None, typer.Option(metavar="STATUS", help="Only jobs with this status, such as failed.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Maximum number of jobs.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List jobs, newest first."""
    from webstrata.db.operations import catalog

    with started(quiet=True) as app, app.database.read() as session:
        found, total = catalog.jobs(session, source=source, status=status, limit=limit)
    if as_json:
        print_json([_job_details(job) for job in found])
    elif not found and (source or status):
        print("No matching jobs.")
    elif not found:
        print("No jobs yet. Archive a site: webstrata archive https://example.org/")
    else:
        # In a pipe or a file, each job is one line.
        Console(width=None if sys.stdout.isatty() else _WIDE).print(_table(found))
        if total > len(found):
            print(f"{total - len(found)} more: --limit {total}")


@command(verbs, "show-job", example="webstrata show-job 3")
def show_job(number: WhichJob = None, id_option: JobOption = None, as_json: AsJson = False) -> None:
    """Show all details of a job, and where its WARC files could not be read."""
    from webstrata.db.captures import problems
    from webstrata.db.operations import catalog
    from webstrata.logs import harmless

    job_id = chosen_job(number, id_option)
    with started(quiet=True) as app, app.database.read() as session:
        job = catalog.job(session, job_id)
        if job is None:
            raise NotFoundError(f"there is no job {job_id}")
        found = problems.problems_of_job(session, job_id, limit=_PROBLEMS_FOR_SCRIPTS if as_json else _PROBLEMS_SHOWN)
    values = _job_details(job)
    if as_json:
        print_json(values | {"problems": [dataclasses.asdict(problem) for problem in found]})
        return
    print_details(values | {"progress": job.how_far})
    for problem in found:
        print(f"{'problem':>26}  {harmless(f'{problem.warc_path}: byte {problem.offset}: {problem.reason}')}")
    if more := max(0, job.index_problem_count - len(found)):
        print(f"{'':>26}  and {more:,} more (--json lists up to {_PROBLEMS_FOR_SCRIPTS:,})")


@command(verbs, "stop-job", example="webstrata stop-job 3")
def stop_job(number: WhichJob = None, id_option: JobOption = None, as_json: AsJson = False) -> None:
    """Stop a job within seconds, on whichever machine it runs; its captures are not lost."""
    from webstrata.jobs.running.queueing import request_stop

    job_id = chosen_job(number, id_option)
    with started(quiet=True) as app:
        request_stop(app.recovery(), job_id)
        job = loaded(app, job_id)
    words = {JobStatus.STOPPED: "is stopped", JobStatus.RUNNING: "stops within seconds"}
    what = words.get(job.status, "stops as soon as a worker ends the container that the crawl runs in")
    print_result(job, f"job {job_id} {what}; to continue: webstrata resume-job {job_id}", as_json=as_json)


@command(verbs, "resume-job", example="webstrata resume-job 3")
def resume(number: WhichJob = None, id_option: JobOption = None, as_json: AsJson = False) -> None:
    """Queue a stopped or finished job again: it continues, and retries the URLs that failed."""
    from webstrata.jobs.running.queueing import resume_job

    job_id = chosen_job(number, id_option)
    with started(quiet=True) as app:
        resume_job(app.recovery(), job_id)
        job = loaded(app, job_id)
    print_result(
        job, f"job {job_id} is queued; a worker runs it (webstrata serve, or webstrata worker)", as_json=as_json
    )


@command(verbs, "retry-job", example="webstrata retry-job 3")
def retry(number: WhichJob = None, id_option: JobOption = None, as_json: AsJson = False) -> None:
    """Retry a failed job: its crawl, or only its index if only that failed."""
    from webstrata.jobs.running.queueing import retry_job

    job_id = chosen_job(number, id_option)
    with started(quiet=True) as app:
        status = retry_job(app.database, job_id)
        job = loaded(app, job_id)
    what = "crawls" if status is JobStatus.RETRYABLE else "indexes"
    words = f"job {job_id} is {status}: a worker {what} it (webstrata serve, or webstrata worker)"
    print_result(job, words, as_json=as_json)


def loaded(app: "App", job_id: int) -> "StoredJob":
    """Return a job as it is stored now."""
    from webstrata.db.queue import jobs

    with app.database.read() as session:
        return jobs.load_job(session, job_id)


def print_result(job: "StoredJob", words: str, *, as_json: bool, **more: object) -> None:
    """Print the result of a command on a job: a sentence, or for scripts its status, reason and further values."""
    if as_json:
        print(json.dumps({"job": job.id, "status": job.status, "reason": job.status_reason, **more}))
    else:
        print(words)


def _job_details(job: JobView) -> dict[str, object]:
    """Return all details of a job except the secrets in its configuration."""
    from webstrata.logs import without_secrets

    return {**dataclasses.asdict(job), "config": None if job.config is None else without_secrets(job.config)}


def _table(found: tuple[JobView, ...]) -> Table:
    from webstrata.logs import harmless

    names = [Column(name, overflow="fold") for name in ("name", "source")]
    counts = [Column(name, justify="right") for name in ("URLs", "failed", "snapshots", "WARCs")]
    table = Table("id", *names, "status", *counts, "started", "why", box=None, pad_edge=False)
    for job in found:
        started_at = f"{job.started_at:%Y-%m-%d %H:%M} UTC" if job.started_at else "–"
        table.add_row(
            str(job.id),
            Text(harmless(job.name)),
            Text(job.source_code or "–"),
            job.status,
            str(job.pages_crawled or 0),
            str(job.pages_failed or 0),
            str(job.indexed_page_count),
            str(job.warc_file_count),
            started_at,
            Text(harmless(job.status_reason or "")),
        )
    return table


@command(verbs, "fetch-missing", example="webstrata fetch-missing 42")
def fetch_missing(
    number: Annotated[
        int | None, typer.Argument(metavar="SNAPSHOT", min=1, help="Id of a snapshot of the page.", show_default=False)
    ] = None,
    snapshot: Annotated[
        int | None, typer.Option(min=1, metavar="ID", help="The same as SNAPSHOT.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Queue a job that captures one page again, with the images, styles, scripts and fonts that it lacks."""
    from webstrata.jobs.running.queueing import queue_missing

    wanted = snapshot if number is None else number
    if wanted is None or snapshot not in (None, wanted):
        raise UsageError("give the id of one snapshot (webstrata search prints the ids)")
    with started(quiet=True) as app:
        queued = queue_missing(app.database, app.archive_root, wanted)
    if as_json:
        print_json(asdict(queued))
        return
    print(f"job {queued.job_id} of {queued.source} is queued: {queued.url}")
    print("next: a worker runs it (webstrata worker --once, or webstrata serve)")
