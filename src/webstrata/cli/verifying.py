"""`verify`: check every byte of WARC, ARC and WACZ files and evidence packs, or of the whole archive."""

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

_PATTERNS = ("*.warc", "*.warc.gz", "*.warc.zst", "*.arc", "*.arc.gz", "*.wacz", "*.evidence.zip")


@command(verbs, example="webstrata verify webstrata-data/archive")
def verify(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH...]", help="WARC, ARC or WACZ files, evidence packs, or folders of them.", show_default=False
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="Check the whole archive: WARC files, their offsets in the database, stored assets."
        ),
    ] = False,
    manifest_sha256: Annotated[
        str,
        typer.Option(
            metavar="SHA256", help="Digest that the manifest of an evidence pack must have, as the audit shows it."
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Check every byte of WARC, ARC or WACZ files or evidence packs; exit code 1 if a file is damaged."""
    if everything is bool(paths):
        raise UsageError("give files or folders, or --all")
    report, manifests = (_verify_archive(), {}) if everything else verify_paths(_files(paths or []), manifest_sha256)
    if as_json:
        print_json(dataclasses.asdict(report) | ({"manifests": manifests} if manifests else {}))
    else:
        for path, digest in manifests.items():
            print(f"{path}: manifest SHA-256 {digest}")
        for finding in report.findings:
            print(finding)
        verdict = counted(len(report.findings), "problem") if report.findings else "no problems"
        records = counted(report.records, "record") if report.records else "no records"
        print(f"{counted(report.files, 'file')}, {records}, {counted(report.bytes_read, 'byte')}: {verdict}")
    if report.findings:
        raise typer.Exit(1)


def verify_paths(paths: Iterable[Path], manifest_sha256: str = "") -> "tuple[Report, dict[str, str]]":
    """Return the report on files, and the digests of the manifests of those that are evidence packs.

    UsageError when a digest is given and none of the files is an evidence pack.
    """
    from webstrata.audit.pack_check import check_pack, is_pack
    from webstrata.warc.verify import verify as verify_files

    files = list(paths)
    packs = [path for path in files if is_pack(path)]
    if manifest_sha256 and not packs:
        raise UsageError("--manifest-sha256 needs an evidence pack")
    report = verify_files(path for path in files if path not in packs)
    manifests: dict[str, str] = {}
    for path in packs:
        check = check_pack(path, manifest_sha256)
        report.files += check.report.files
        report.records += check.report.records
        report.bytes_read += check.report.bytes_read
        report.findings += check.report.findings
        manifests |= {str(path): check.manifest_sha256} if check.manifest_sha256 else {}
    return report, manifests


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
        raise NotFoundError("no WARC, ARC or WACZ files and no evidence packs found")
    yield from found


def _files_of(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for pattern in _PATTERNS for file in path.rglob(pattern))
    if not path.exists():
        raise NotFoundError(f"{path} does not exist")
    return [path]
