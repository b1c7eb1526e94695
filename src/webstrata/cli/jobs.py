"""`list-jobs`, `show-job`, `stop-job`, `resume-job`, `retry-job`: what there is to do, its end and its going on."""

import dataclasses
import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from webstrata.cli.start import fold_code, print_json, started
from webstrata.errors import NotFoundError
from webstrata.model.archive import JobView
from webstrata.model.jobs import JobStatus

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.db.jobs import StoredJob

verbs = typer.Typer()

_WIDE = 200
_PROBLEMS_SHOWN = 20
_PROBLEMS_FOR_SCRIPTS = 10_000

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
WhichJob = Annotated[int, typer.Option("--id", min=1, max=2**31 - 1, help="Which job.", show_default=False)]


@verbs.command("list-jobs")
def list_jobs(
    source: Annotated[
        str | None, typer.Option(metavar="CODE", help="Only this source, by its code.", parser=fold_code)
    ] = None,
    status: Annotated[JobStatus | None, typer.Option(help="Only jobs in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Jobs at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List jobs, newest first."""
    from webstrata.db import catalog

    with started(quiet=True) as app, app.database.read() as session:
        found, total = catalog.jobs(session, source=source, status=status, limit=limit)
    if as_json:
        print_json([_shown(job) for job in found])
    elif not found and (source or status):
        print("No such jobs.")
    elif not found:
        print("No jobs yet. Archive a site: webstrata archive https://example.org/")
    else:
        # For a program, or a file, a row is a line.
        Console(width=None if sys.stdout.isatty() else _WIDE).print(_table(found))
        if total > len(found):
            print(f"{total - len(found)} more: --limit {total}")


@verbs.command("show-job")
def show_job(job_id: WhichJob, as_json: AsJson = False) -> None:
    """Show everything about one job, and where its WARC files could not be read."""
    from webstrata.db import catalog, problems
    from webstrata.logs import harmless

    with started(quiet=True) as app, app.database.read() as session:
        job = catalog.job(session, job_id)
        if job is None:
            raise NotFoundError(f"there is no job {job_id}")
        found = problems.problems_of_job(session, job_id, limit=_PROBLEMS_FOR_SCRIPTS if as_json else _PROBLEMS_SHOWN)
    values = _shown(job)
    if as_json:
        print_json(values | {"problems": [dataclasses.asdict(problem) for problem in found]})
        return
    for name, value in values.items():
        if value is not None:
            print(f"{name:>26}  {json.dumps(value) if isinstance(value, dict) else harmless(str(value))}")
    print(f"{'how far it got':>26}  {job.how_far}")
    for problem in found:
        print(f"{'problem':>26}  {harmless(f'{problem.warc_path}: byte {problem.offset}: {problem.reason}')}")
    if more := max(0, job.index_problem_count - len(found)):
        print(f"{'':>26}  and {more:,} more (--json lists up to {_PROBLEMS_FOR_SCRIPTS:,})")


@verbs.command("stop-job")
def stop_job(job_id: WhichJob, as_json: AsJson = False) -> None:
    """Stop a job, wherever it runs: within seconds, keeping what it captured."""
    from webstrata.jobs.queueing import request_stop

    with started(quiet=True) as app:
        request_stop(app.recovery(), job_id)
        job = loaded(app, job_id)
    words = {JobStatus.STOPPED: "is stopped", JobStatus.RUNNING: "stops within seconds"}
    what = words.get(job.status, "stops when a worker takes it up, which then ends the container that its own one left")
    tell(job, f"job {job_id} {what}; webstrata resume-job --id {job_id}", as_json=as_json)


@verbs.command("resume-job")
def resume(job_id: WhichJob, as_json: AsJson = False) -> None:
    """Put a job that is over back in the queue: it goes on where it was and tries again what failed."""
    from webstrata.jobs.queueing import resume_job

    with started(quiet=True) as app:
        resume_job(app.recovery(), job_id)
        job = loaded(app, job_id)
    tell(job, f"job {job_id} is queued; a worker takes it up (webstrata serve, or webstrata worker)", as_json=as_json)


@verbs.command("retry-job")
def retry(job_id: WhichJob, as_json: AsJson = False) -> None:
    """Try a job again that failed: its crawl, or only its index when that is what failed."""
    from webstrata.jobs.queueing import retry_job

    with started(quiet=True) as app:
        status = retry_job(app.database, job_id)
        job = loaded(app, job_id)
    what = "crawled again" if status is JobStatus.RETRYABLE else "indexed again"
    words = f"job {job_id} is {status}: it is {what} by the next worker (webstrata serve, or webstrata worker)"
    tell(job, words, as_json=as_json)


def loaded(app: "App", job_id: int) -> "StoredJob":
    """Return a job as it stands now."""
    from webstrata.db import jobs

    with app.database.read() as session:
        return jobs.load_job(session, job_id)


def tell(job: "StoredJob", words: str, *, as_json: bool, **more: object) -> None:
    """Say what became of a job: in words, or for a script where it stands, why, and whatever else is to be known."""
    if as_json:
        print(json.dumps({"job": job.id, "status": job.status, "reason": job.status_reason, **more}))
    else:
        print(words)


def _shown(job: JobView) -> dict[str, object]:
    """Return everything about a job but the secrets in its configuration."""
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
