"""`import`: WARC, ARC and WACZ files of other archives."""

import contextlib
import dataclasses
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import fold_code, interruptible, print_json, started
from webstrata.model.jobs.job import JobStatus
from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.jobs.packages.importing import ImportReport, ImportRequest

verbs = typer.Typer()

_UNINDEXED = (JobStatus.COMPLETED, JobStatus.INDEXING, JobStatus.INDEX_FAILED)
_OURS_TO_INDEX = timedelta(minutes=1)
"""How long workers leave the job to this command, which indexes it."""


@command(verbs, "import", example="webstrata import crawl.wacz --source example")
def import_command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="WARC, ARC or WACZ files.", show_default=False)
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="CODE",
            help="Source that the captures belong to.",
            show_default="the one in whose scope they are, else a new one",
            parser=fold_code,
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the job.", show_default="the first file's name")] = None,
    index: Annotated[bool, typer.Option("--index/--no-index", help="Index the captures now.")] = True,
    as_json: AsJson = False,
) -> None:
    """Copy WARC, ARC or WACZ files into the archive as a job, and make their captures searchable.

    A file that the archive has already is not imported again. If interrupted, the same command continues.
    """
    from webstrata.cli.jobs.running import index_job
    from webstrata.jobs.packages.importing import ImportRequest

    with started(quiet=True) as app:
        report = _import(app, ImportRequest(files, source, name, _OURS_TO_INDEX if index else timedelta(0)))
        waiting = _jobs_to_index(app, report) if index else []
    if as_json:
        print_json(dataclasses.asdict(report))
    else:
        _print_report(report)
    with contextlib.redirect_stdout(sys.stderr if as_json else sys.stdout):
        for job_id in waiting:
            index_job(job_id)


def _import(app: "App", request: "ImportRequest") -> "ImportReport":
    from webstrata.cli.packages.byte_progress import showing_bytes
    from webstrata.jobs.packages.importing import import_files

    free = app.settings.min_free_bytes
    with interruptible() as interrupted, showing_bytes("importing", interrupted) as show:
        return import_files(app.database, app.archive_root, request, show, min_free_bytes=free)


def _jobs_to_index(app: "App", report: "ImportReport") -> list[int]:
    """Return the new job, and jobs of an earlier import that was cut off before it indexed them."""
    from webstrata.cli.jobs.jobs import loaded

    earlier = sorted({known.job_id for known in report.known})
    waiting = [job_id for job_id in earlier if loaded(app, job_id).status in _UNINDEXED]
    return [*waiting, *([] if report.job_id is None else [report.job_id])]


def _print_report(report: "ImportReport") -> None:
    from webstrata.logs import harmless

    for known in report.known:
        print(harmless(f"{known.shown}: imported already (job {known.job_id})"))
    for note in report.notes:
        print(harmless(note))
    if report.job_id is not None:
        print(f"job {report.job_id} of source {report.source_code}: {counted(len(report.files), 'file')}")
