"""`export`: captures as a WACZ or WARC file."""

import dataclasses
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import fold_code, interruptible, print_json, started
from webstrata.model.words import counted
from webstrata.warc.packages.formats import PackageFormat

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.warc.packages.contents import ExportRequest
    from webstrata.warc.packages.export import PackageReport

verbs = typer.Typer()


@command(verbs, example="webstrata export --job 3 --output health.wacz")
def export(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write.", show_default=False)],
    job: Annotated[int | None, typer.Option("--job", metavar="N", min=1, help="Export the captures of a job.")] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="CODE", help="Export the captures of all jobs of a source.", parser=fold_code),
    ] = None,
    url: Annotated[str | None, typer.Option("--url", metavar="URL", help="Export all captures of a URL.")] = None,
    snapshot: Annotated[
        int | None,
        typer.Option(
            "--snapshot",
            metavar="N",
            min=1,
            help="Export the page of a snapshot with its images, styles and other resources.",
        ),
    ] = None,
    package_format: Annotated[PackageFormat, typer.Option("--format", help="Format of the file.")] = PackageFormat.WACZ,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: AsJson = False,
) -> None:
    """Export captures as a WACZ file, for ReplayWeb.page and other tools, or as one WARC file.

    Records of other jobs that the captures refer to are included; withheld captures are not.
    """
    from webstrata.warc.packages.contents import ExportRequest

    request = ExportRequest(job, source, url, snapshot)
    with started(quiet=True) as app:
        report = _export(app, request, output, package_format, force=force)
    if as_json:
        print_json(dataclasses.asdict(report) | {"output": str(output)})
    else:
        _print_report(report, output)


def _export(
    app: "App", request: "ExportRequest", output: Path, package_format: PackageFormat, *, force: bool
) -> "PackageReport":
    from webstrata.cli.packages.byte_progress import showing_bytes
    from webstrata.db.collections import export_history
    from webstrata.warc.packages.export import export_captures

    number = None
    if not app.database.is_read_only:
        with app.database.write() as session:
            now = datetime.now(UTC)
            number = export_history.begin_export(session, "captures", package_format, request.filters, now)
    exported = None
    try:
        with interruptible() as interrupted, showing_bytes("exporting", interrupted) as show:
            report = export_captures(app.database, app.archive_root, request, output, package_format, show, force=force)
        exported = report.captures
    finally:
        if number is not None:
            with app.database.write() as session:
                export_history.finish_export(session, number, exported, datetime.now(UTC))
    return report


def _print_report(report: "PackageReport", output: Path) -> None:
    from webstrata.storage.file_system import shown_bytes

    parts = f"{counted(report.captures, 'capture')}, {counted(report.pages, 'page')}, {shown_bytes(report.bytes)}"
    print(f"{output}: {parts}")
    if report.originals:
        print(f"including {counted(report.originals, 'record')} of other jobs, which these captures refer to")
    if report.unresolved:
        print(f"{counted(report.unresolved, 'revisit')} without its original, which is not in the archive")
