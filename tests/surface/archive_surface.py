"""What a real crawl leaves on disk and what commands print for scripts: file names, and the keys inside."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.support.warcs import records

_NUMBERS = re.compile(r"\d+")
_VARYING = re.compile(r"[\d.:/-]+|.*[.:/].*|\d+")


def key_paths(value: object, path: str = "") -> Iterator[str]:
    """Yield the keys of a JSON value, each with its path; keys that are data, such as hosts, become a star."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            here = f"{path}.{'*' if _VARYING.fullmatch(key) else key}"
            yield here
            yield from key_paths(inner, here)
    elif isinstance(value, list):
        for inner in value:
            yield from key_paths(inner, f"{path}[]")


def file_lines(archive_root: Path) -> Iterator[str]:
    """Yield the files of an archive with one job, and the keys that each holds."""
    for file in sorted(path for path in archive_root.rglob("*") if path.is_file()):
        # The name of a WARC file holds the machine's.
        name = "*.warc.gz" if file.name.endswith(".warc.gz") else _NUMBERS.sub("N", file.name)
        if name.endswith(".lock"):
            continue
        yield f"{_place(file.relative_to(archive_root).parent)}{name}"
        yield from (f"{name} {line}" for line in _inside(file))


def _place(folder: Path) -> str:
    """Return a file's folder, with stars for the source's and the job's."""
    parts = [part if place > 1 or part.startswith(".") else "*" for place, part in enumerate(folder.parts)]
    return "".join(f"{_NUMBERS.sub('N', part)}/" for part in parts)


def _inside(file: Path) -> Iterator[str]:
    if file.suffix == ".json":
        yield from key_paths(json.loads(file.read_bytes()))
    elif file.suffix == ".cdxj":
        for line in file.read_text(encoding="utf-8").splitlines():
            yield from key_paths(json.loads(line.split(" ", 2)[2]))
    elif file.name.endswith(".warc.gz"):
        yield from _warc(file)
    elif file.suffix == ".log":
        for line in file.read_text(encoding="utf-8").splitlines():
            yield from key_paths(json.loads(line)) if line.startswith("{") else ()


def _warc(file: Path) -> Iterator[str]:
    for record in records(file):
        yield from (f"{record.kind} header {name}" for name in record.headers)
        if record.kind == "warcinfo":
            for line in record.block.decode().splitlines():
                yield f"warcinfo field {line.partition(':')[0]}"
