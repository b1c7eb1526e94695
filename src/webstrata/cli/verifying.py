"""`verify`: check every byte of WARC, ARC and WACZ files, or of the whole archive."""

import dataclasses
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import interruptible, print_json, started
from webstrata.errors import NotFoundError, UsageError
from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.warc.verify import Report

verbs = typer.Typer()

_PATTERNS = ("*.warc", "*.warc.gz", "*.warc.zst", "*.arc", "*.arc.gz", "*.wacz")


@command(verbs, example="webstrata verify webstrata-data/archive")
def verify(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH...]", help="WARC, ARC or WACZ files, or folders of them.", show_default=False),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Check the archive: its WARC files, the database's offsets in them, its blobs."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check every byte of WARC, ARC or WACZ files, from any program; exit code 1 if a file is damaged."""
    from webstrata.warc.verify import verify as verify_files

    if everything is bool(paths):
        raise UsageError("give files or folders, or --all")
    report = _verify_archive() if everything else verify_files(_files(paths or []))
    if as_json:
        print_json(dataclasses.asdict(report))
    else:
        for finding in report.findings:
            print(finding)
        verdict = counted(len(report.findings), "problem") if report.findings else "no problems"
        records = counted(report.records, "record") if report.records else "no records"
        print(f"{counted(report.files, 'file')}, {records}, {counted(report.bytes_read, 'byte')}: {verdict}")
    if report.findings:
        raise typer.Exit(1)


def _verify_archive() -> "Report":
    from webstrata.cli.packages.byte_progress import showing_bytes
    from webstrata.jobs.packages.integrity import verify_archive
    from webstrata.jobs.packages.integrity_schedule import store_report

    began_at = datetime.now(UTC)
    with started(quiet=True) as app, interruptible() as interrupted, showing_bytes("verifying", interrupted) as show:
        report = verify_archive(app.database, app.archive_root, show)
        store_report(app.database, report, began_at)
    return report


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files that the paths name, each once."""
    found = dict.fromkeys(file for path in paths for file in _files_of(path))
    if not found:
        raise NotFoundError("no WARC, ARC or WACZ files found")
    yield from found


def _files_of(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for pattern in _PATTERNS for file in path.rglob(pattern))
    if not path.exists():
        raise NotFoundError(f"{path} does not exist")
    return [path]
