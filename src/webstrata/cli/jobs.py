"""`list-jobs` and `show-job`: what is queued, running and done."""

import dataclasses
import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from webstrata.cli.start import started
from webstrata.db import catalog
from webstrata.errors import NotFoundError
from webstrata.model.archive import JobView
from webstrata.model.jobs import JobStatus

verbs = typer.Typer()

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


@verbs.command("list-jobs")
def list_jobs(
    source: Annotated[str | None, typer.Option(help="Only this source, by its code.")] = None,
    status: Annotated[JobStatus | None, typer.Option(help="Only jobs in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Jobs at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List jobs, newest first."""
    with started(quiet=True) as app, app.database.read() as session:
        jobs, total = catalog.jobs(session, source=source, status=status, limit=limit)
    if as_json:
        print(json.dumps([dataclasses.asdict(job) for job in jobs], default=str, indent=2))
    elif not jobs and (source or status):
        print("No such jobs.")
    elif not jobs:
        print("No jobs yet. Archive a site: webstrata archive https://example.org/")
    else:
        Console().print(_table(jobs))
        if total > len(jobs):
            print(f"{total - len(jobs)} more: --limit {total}")


@verbs.command("show-job")
def show_job(
    job_id: Annotated[int, typer.Option("--id", min=1, help="Which job.", show_default=False)], as_json: AsJson = False
) -> None:
    """Show everything about one job."""
    with started(quiet=True) as app, app.database.read() as session:
        job = catalog.job(session, job_id)
    if job is None:
        raise NotFoundError(f"there is no job {job_id}")
    values = dataclasses.asdict(job)
    if as_json:
        print(json.dumps(values, default=str, indent=2))
        return
    for name, value in values.items():
        if value is not None:
            print(f"{name:>26}  {json.dumps(value) if isinstance(value, dict) else value}")


def _table(jobs: tuple[JobView, ...]) -> Table:
    table = Table("id", "source", "status", "pages", "failed", "WARCs", "started", "why", box=None, pad_edge=False)
    for job in jobs:
        started_at = f"{job.started_at:%Y-%m-%d %H:%M} UTC" if job.started_at else "–"
        table.add_row(
            str(job.id),
            Text(job.source_code),
            job.status,
            str(job.indexed_page_count),
            str(job.pages_failed or 0),
            str(job.warc_file_count),
            started_at,
            Text(job.status_reason or ""),
        )
    return table
