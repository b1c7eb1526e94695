"""The WARC files in what a user wants to import: files as they are, and the entries of WACZ files."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import IO

from webstrata.errors import NotFoundError, WarcError
from webstrata.storage.output_file import new_file
from webstrata.warc.packages.record_file import COPY_BYTES
from webstrata.warc.packages.wacz_reader import WaczFile, as_wacz_errors, is_wacz, open_wacz
from webstrata.warc.parsing import opened

OnBytes = Callable[[int], None]


@dataclass(frozen=True)
class WarcInput:
    """A WARC file to be imported, and how it is read."""

    shown: str
    """The file, and the entry in it, for messages."""
    name: str
    size: int
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    declared_sha256: str | None = None


@dataclass(frozen=True)
class HashedInput:
    """A WARC file to be imported, and its SHA-256."""

    source: WarcInput
    sha256: str


@contextmanager
def warc_inputs(paths: Sequence[Path]) -> Iterator[list[WarcInput]]:
    """Yield the WARC files in some files; NotFoundError or WarcError when one cannot be imported."""
    with ExitStack() as open_files:
        found: list[WarcInput] = []
        for path in paths:
            if not path.is_file():
                raise NotFoundError(
                    f"{path} is a folder: name its files" if path.is_dir() else f"{path} does not exist"
                )
            if is_wacz(path):
                found += _entries(open_files.enter_context(open_wacz(path)))
            else:
                found.append(WarcInput(str(path), path.name, path.stat().st_size, partial(opened, path)))
        yield found


def hash_input(requested: WarcInput, on_bytes: OnBytes) -> HashedInput:
    """Read an input to its end; WarcError when it is damaged or not what its WACZ file declares."""
    digest = sha256()
    for data in _pieces(requested, on_bytes):
        digest.update(data)
    found = digest.hexdigest()
    if requested.declared_sha256 not in (None, found):
        raise WarcError(f"{requested.shown}: its SHA-256 is not the one in datapackage.json: the file is damaged")
    return HashedInput(requested, found)


def copy_input(requested: HashedInput, target: Path, on_bytes: OnBytes) -> None:
    """Copy an input to a new file, which appears when it is complete; WarcError when the input has changed."""
    digest = sha256()
    with new_file(target, force=True) as file:
        for data in _pieces(requested.source, on_bytes):
            digest.update(data)
            file.write(data)
        if digest.hexdigest() != requested.sha256:
            raise WarcError(f"{requested.source.shown} has changed while it was read")


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file; WarcError when it cannot be read."""
    digest = sha256()
    with opened(path) as file:
        while data := file.read(COPY_BYTES):
            digest.update(data)
    return digest.hexdigest()


def _pieces(requested: WarcInput, on_bytes: OnBytes) -> Iterator[bytes]:
    with requested.open() as file:
        while data := file.read(COPY_BYTES):
            on_bytes(len(data))
            yield data


def _entries(wacz: WaczFile) -> list[WarcInput]:
    digests = wacz.digests()
    return [
        WarcInput(
            shown=f"{wacz.path}: {entry.filename}",
            name=entry.filename.rpartition("/")[2],
            size=entry.file_size,
            open=partial(_open_entry, wacz, entry.filename),
            declared_sha256=digests.get(entry.filename),
        )
        for entry in wacz.warcs
    ]


@contextmanager
def _open_entry(wacz: WaczFile, name: str) -> Iterator[IO[bytes]]:
    with as_wacz_errors(wacz.path), wacz.zip.open(name) as entry:
        yield entry
