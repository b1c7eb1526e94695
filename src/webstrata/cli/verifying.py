"""`verify`: check every byte of WARC and ARC files."""

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import print_json
from webstrata.errors import NotFoundError
from webstrata.model.words import counted

verbs = typer.Typer()

_PATTERNS = ("*.warc", "*.warc.gz", "*.warc.zst", "*.arc", "*.arc.gz")


@command(verbs, example="webstrata verify webstrata-data/archive")
def verify(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="WARC or ARC files, or folders of them.", show_default=False)
    ],
    as_json: AsJson = False,
) -> None:
    """Check every byte of WARC or ARC files, from any program; exit code 1 if a file is damaged."""
    from webstrata.warc.verify import verify as verify_files

    report = verify_files(_files(paths))
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


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files that the paths name, each once."""
    found = dict.fromkeys(file for path in paths for file in _files_of(path))
    if not found:
        raise NotFoundError("no WARC or ARC files found")
    yield from found


def _files_of(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for pattern in _PATTERNS for file in path.rglob(pattern))
    if not path.exists():
        raise NotFoundError(f"{path} does not exist")
    return [path]
