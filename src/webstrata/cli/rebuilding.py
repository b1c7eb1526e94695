"""`rebuild`: restore a lost database from the archive's files."""

import dataclasses
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import note, print_json, started
from webstrata.errors import NotFoundError
from webstrata.model.words import counted

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.app import App
    from webstrata.jobs.folders.rebuild import RebuildCallbacks, RebuildReport
    from webstrata.jobs.folders.rebuild_plan import PlannedJob, RebuildPlan

verbs = typer.Typer()

_LINE_EVERY = 5.0
_INTERRUPTED = 130


@command(verbs, example="webstrata rebuild --dry-run")
def rebuild(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be restored.")] = False,
    missing: Annotated[
        bool, typer.Option("--missing", help="Add what is missing to a database that is in use.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Restore a lost database from the archive files: sources, jobs, captures and snapshots with their ids."""
    from webstrata.jobs.folders.rebuild import Rebuild
    from webstrata.jobs.folders.rebuild_plan import plan_rebuild

    with started(quiet=True) as app:
        if dry_run:
            _print_plan(_require_content(plan_rebuild(app.archive_root), app.archive_root), as_json=as_json)
            return
        _require_content(plan_rebuild(app.archive_root), app.archive_root)
        plugins = app.runner().plugins
        with _until_signal() as stopping:
            made = Rebuild(app.database, app.archive_root, plugins, _watcher(), stopping).run(missing=missing)
            events = 0 if made.interrupted else _compute_changes(app, stopping)
            is_interrupted = made.interrupted or stopping.is_set()
        note(app, "archive.rebuild", "archive", sources=made.added_sources, jobs=made.added_jobs, missing=missing)
    _print_report(dataclasses.replace(made, interrupted=is_interrupted), events, as_json=as_json)
    if is_interrupted:
        raise typer.Exit(_INTERRUPTED)
    if made.problems:
        raise typer.Exit(1)


def _compute_changes(app: "App", stopping: threading.Event) -> int:
    """Compute the change events of the captures that were restored, and return how many."""
    from webstrata.cli.changes import change_tracking
    from webstrata.db.sources.sources import list_sources

    if not app.settings.change_tracking_enabled:
        return 0
    with app.database.read() as session:
        found = list_sources(session)
    tracking = change_tracking(app, "rebuild")
    return sum(tracking.compute(one.id, stopping=stopping).total for one in found if not stopping.is_set())


def _require_content(plan: "RebuildPlan", archive_root: "Path") -> "RebuildPlan":
    if plan.sources or plan.jobs or plan.problems:
        return plan
    raise NotFoundError(f"there is nothing to rebuild from in {archive_root} (WEBSTRATA_ARCHIVE_ROOT)")


def _watcher() -> "RebuildCallbacks":
    from webstrata.jobs.folders.rebuild import RebuildCallbacks

    last, total = time.monotonic(), 0

    def print_job(job: "PlannedJob", number: int, of: int) -> None:
        print(f"job {number} of {of}: {job.source_code} {job.name}", file=sys.stderr, flush=True)

    def count_pages(pages: int) -> None:
        nonlocal last, total
        total += pages
        if time.monotonic() - last >= _LINE_EVERY:
            last = time.monotonic()
            print(counted(total, "snapshot"), file=sys.stderr, flush=True)

    return RebuildCallbacks(print_job, count_pages)


@contextmanager
def _until_signal() -> Iterator[threading.Event]:
    """Yield an event that the first SIGINT or SIGTERM sets; completed jobs remain."""
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _print_plan(plan: "RebuildPlan", *, as_json: bool) -> None:
    if as_json:
        print_json({"dry_run": True, **_plan_json(plan), "problems": [*plan.problems, *plan.losses]})
        return
    for source in plan.sources:
        print(f"source {source.code} (id {source.id or 'new'})")
    for job in plan.jobs:
        files = f"{len(job.warc_files)} WARC file{'' if len(job.warc_files) == 1 else 's'}"
        print(f"job {job.id or 'new'} of {job.source_code}: {job.name}, {files} in {job.output_dir}")
    _print_problems([*plan.problems, *plan.losses])
    print(f"{counted(len(plan.sources), 'source')} and {counted(len(plan.jobs), 'job')} would be restored")


def _print_report(made: "RebuildReport", events: int, *, as_json: bool) -> None:
    if as_json:
        counts = {"sources": made.added_sources, "jobs": made.added_jobs, "indexed_jobs": made.indexed_jobs}
        shown = {
            "dry_run": False,
            **_plan_json(made.plan),
            "added": counts,
            "totals": dataclasses.asdict(made.totals),
            "change_events": events,
            "interrupted": made.interrupted,
            "problems": made.problems,
        }
        print_json(shown)
        return
    _print_problems(made.problems)
    totals = made.totals
    added = f"{counted(made.added_sources, 'source')} and {counted(made.added_jobs, 'job')}"
    print(f"added {added}, indexed {made.indexed_jobs}")
    print(
        f"the database holds {counted(totals.sources, 'source')}, {counted(totals.jobs, 'job')},"
        f" {counted(totals.captures, 'capture')}, {counted(totals.snapshots, 'snapshot')},"
        f" {counted(totals.record_problems, 'record')} that could not be read"
    )
    if events:
        print(f"computed {counted(events, 'change event')}")
    if made.interrupted:
        print("interrupted: run the same command again to continue")


def _plan_json(plan: "RebuildPlan") -> dict[str, object]:
    return {
        "sources": [{"code": source.code, "id": source.id} for source in plan.sources],
        "jobs": [
            {
                "id": job.id,
                "source": job.source_code,
                "name": job.name,
                "output_dir": str(job.output_dir),
                "status": job.goal[0].value,
                "warc_files": len(job.warc_files),
            }
            for job in plan.jobs
        ],
    }


def _print_problems(problems: list[str]) -> None:
    from webstrata.logs import harmless

    for problem in problems:
        print(f"problem: {harmless(problem)}")
