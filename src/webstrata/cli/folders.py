"""`register-job-dir`, `cleanup-job` and `storage`: folders of jobs, temporary files and disk space."""

import contextlib
import dataclasses
import sys
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson, JobOption, WhichJob, chosen_job
from webstrata.cli.start import fold_code, print_json, started
from webstrata.model.jobs.cleanup import CleanupMode
from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.db.operations.storage import SourceBytes
    from webstrata.jobs.folders.cleanup import CleanupReport
    from webstrata.jobs.folders.job_folders import StorageHealth, StorageReport
    from webstrata.jobs.folders.registering import Registered

verbs = typer.Typer()

_OURS_TO_INDEX = timedelta(minutes=1)
"""How long workers do not take a job that is indexed here; after that they take it over, in case this program died."""


@command(
    verbs, "register-job-dir", example="webstrata register-job-dir --source example --output-dir /data/warcs --index"
)
def register_job_dir(
    source: Annotated[
        str,
        typer.Option(
            "--source", metavar="CODE", help="Source that the captures belong to.", show_default=False, parser=fold_code
        ),
    ],
    output_dir: Annotated[
        Path,
        typer.Option(
            "--output-dir", metavar="PATH", help="Folder of WARC files, or a single file.", show_default=False
        ),
    ],
    name: Annotated[str | None, typer.Option(help="Name of the job.", show_default="the folder's name")] = None,
    index: Annotated[bool, typer.Option("--index", help="Index the files now.")] = False,
    as_json: AsJson = False,
) -> None:
    """Register existing WARC files as a job, so that they can be indexed; the files stay where they are."""
    from webstrata.cli.jobs.running import index_job
    from webstrata.jobs.folders import registering

    with started(quiet=True) as app:
        done = registering.register_job_dir(
            *(app.database, app.archive_root, source, output_dir),
            name=name,
            left_alone_for=_OURS_TO_INDEX if index else timedelta(0),
        )
    if as_json:
        print_json(dataclasses.asdict(done))
    else:
        _print_registered(done, indexed=index)
    if index:
        # With --json, standard output contains only one JSON document.
        with contextlib.redirect_stdout(sys.stderr if as_json else sys.stdout):
            index_job(done.job_id)


@command(verbs, "cleanup-job", example="webstrata cleanup-job 3 --dry-run")
def cleanup_job(
    number: WhichJob = None,
    id_option: JobOption = None,
    mode: Annotated[
        CleanupMode, typer.Option(help="temp also deletes WARC files in temporary folders; temp-nonwarc does not.")
    ] = CleanupMode.TEMP,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be deleted.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Also delete files that a replay server may need.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete the temporary folders and the state file of an indexed job's crawl."""
    from webstrata.jobs.folders import cleanup

    job_id = chosen_job(number, id_option)
    with started(quiet=True) as app:
        report = cleanup.cleanup_job(
            app.database,
            app.archive_root,
            job_id,
            mode=mode,
            force=force,
            dry_run=dry_run,
            replay_enabled=app.settings.replay_base_url is not None,
        )
    if as_json:
        extra = {"freed_bytes": report.freed_bytes, "nothing_to_do": report.nothing_to_do}
        print_json(dataclasses.asdict(report) | extra)
    else:
        _print_cleanup(report)


@command(verbs, example="webstrata storage --scan")
def storage(
    scan: Annotated[bool, typer.Option("--scan", help="Measure the folders of all jobs again first.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the disk space that the archive uses, by kind and source; exit code 1 if too little is free."""
    from webstrata.jobs.folders import job_folders as job_storage

    with started(quiet=True) as app:
        uncounted = job_storage.scan_all(app.database, app.archive_root) if scan else []
        report = job_storage.report(app.database, app.archive_root)
        health = job_storage.health(app.database, app.archive_root, app.settings.min_free_bytes)
    problems = [*uncounted, *health.problems]
    if as_json:
        values = dataclasses.asdict(report) | {"health": dataclasses.asdict(health), "problems": problems}
        print_json(values)
    else:
        _print_storage(report, health)
        _print_lines(f"problem: {problem}" for problem in problems)
    if problems:
        raise typer.Exit(1)


def _print_registered(done: "Registered", *, indexed: bool) -> None:
    from webstrata.storage.file_system import shown_bytes

    size = shown_bytes(sum(warc.whole for warc in done.files))
    files = f"{len(done.files)} WARC file{'' if len(done.files) == 1 else 's'} ({size})"
    message = f"job {done.job_id} is {done.output_dir}" if done.is_new else f"job {done.job_id} was there already"
    _print_lines(
        [f"{message}: {files} {'found' if done.is_new else 'added'}", *(f"note: {note}" for note in done.notes)]
    )
    if not indexed:
        print(f"next: webstrata index-job {done.job_id}, or a worker indexes it")


def _print_cleanup(report: "CleanupReport") -> None:
    from webstrata.storage.file_system import shown_bytes

    _print_lines(f"note: {note}" for note in report.notes)
    if report.nothing_to_do:
        print(f"job {report.job_id}: there is nothing to clean up")
        return
    delete, move, is_freed, lose = (
        ("would delete", "would move", "would be freed", "would be found but no longer shown")
        if report.dry_run
        else ("deleted", "moved", "freed", "found but no longer shown")
    )
    _print_lines(f"{move}  {part.before} to {part.after} ({shown_bytes(part.bytes)})" for part in report.moved)
    _print_lines(f"{delete}  {part.path} ({shown_bytes(part.bytes)})" for part in report.deleted)
    if report.warcs_deleted:
        files, snapshots = counted(report.warcs_deleted, "WARC file"), counted(report.snapshots_lost, "snapshot")
        print(f"including {files}; {lose}: {snapshots}")
    print(f"job {report.job_id}: {shown_bytes(report.freed_bytes)} {is_freed}")


def _print_storage(report: "StorageReport", health: "StorageHealth") -> None:
    from webstrata.storage.file_system import shown_bytes

    if not report.sources:
        print("No jobs yet. Archive a site: webstrata archive https://example.org/")
    else:
        Console().print(_table(report.sources))
    free = "unknown" if health.free_bytes is None else shown_bytes(health.free_bytes)
    print(f"{'database':>10}  {shown_bytes(report.database_bytes)}")
    in_files = shown_bytes(report.asset_file_bytes)
    print(f"{'assets':>10}  {shown_bytes(report.asset_bytes)}, of which {in_files} in separate files")
    print(f"{'free':>10}  {free}; at least {shown_bytes(health.minimum_bytes)} must stay free")
    unscanned = sum(source.unscanned for source in report.sources)
    if report.scanned_since:
        print(f"{'measured':>10}  {report.scanned_since:%Y-%m-%d %H:%M} UTC")
    if unscanned:
        print(f"{unscanned} {'job was' if unscanned == 1 else 'jobs were'} never measured: webstrata storage --scan")


def _table(sources: tuple["SourceBytes", ...]) -> Table:
    from webstrata.storage.file_system import shown_bytes

    sizes = ("WARC", "other", "temporary", "all")
    table = Table("source", "jobs", *(Column(name, justify="right") for name in sizes), box=None, pad_edge=False)
    for source in sources:
        table.add_row(Text(source.code), str(source.jobs), *map(shown_bytes, _sizes(source)))
    kinds = zip(*map(_sizes, sources), strict=True)
    table.add_row("total", str(sum(source.jobs for source in sources)), *(shown_bytes(sum(kind)) for kind in kinds))
    return table


def _sizes(source: "SourceBytes") -> tuple[int, int, int, int]:
    """Return the sizes of WARC files, of other temporary files, and of the rest; they add up to the total."""
    return source.warc, source.output - source.warc - source.temp_non_warc, source.temp_non_warc, source.output


def _print_lines(lines: Iterable[str]) -> None:
    from webstrata.logs import harmless

    for line in lines:
        print(harmless(line))
