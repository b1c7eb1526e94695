"""Finds a job's WARC and ARC files in all folder layouts of crawlers.

warcs/                                   ours, and where `cleanup-job --mode temp-nonwarc` puts others'
.tmp…/collections/**/archive/            a zimit run's temporary folders: the tracked ones, else the newest
collections/**/archive/                  a crawler that was run in the folder itself
the folder itself                        WARC files from anywhere; also one file instead of a folder

Files that are left out, such as WACZ files, are reported when a folder is registered.
"""

import os
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import structlog

from webstrata.errors import NotFoundError, StorageError
from webstrata.storage.crawl_state import CrawlState, temp_dirs_in
from webstrata.warc.resync import next_record

log = structlog.get_logger()

STABLE_FOLDER = "warcs"

_NAMES = re.compile(r".+\.(warc(\.gz|\.zst)?|arc(\.gz)?)", re.IGNORECASE)
_WACZ_NAMES = re.compile(r".+\.wacz", re.IGNORECASE)
_OURS = re.compile(r"\..*|job\.json|run-\d+\.json|captures\.cdxj|.*\.combined\.log|.*\.zim", re.IGNORECASE)
"""Other files that we or zimit write into a job's folder."""
_NO_WACZ = "a WACZ file is not registered but imported (webstrata import)"
_ZSTD = b"\x28\xb5\x2f\xfd"
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31
_FIRST_BYTES = 4_096
_BEGINNING = re.compile(rb"WARC/|filedesc://")
_LONGEST_BEGINNING = 16


class HasOutputDir(Protocol):
    """The folder of a job."""

    @property
    def output_dir(self) -> str:
        """Return where its files lie."""


@dataclass(frozen=True)
class Refused:
    """A file that may be or contain a WARC file, and the reason why it is left out."""

    path: Path
    reason: str

    def __str__(self) -> str:
        """Return the reason with the file's name."""
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True)
class Discovered:
    """The result of a search for WARC files in a folder."""

    files: tuple[Path, ...]
    refused: tuple[Refused, ...]
    state_damage: str | None
    """The damage of the folder's state file, if any; all temporary folders were searched then."""


@dataclass(frozen=True)
class LeftOut:
    """Files of a folder that do not belong to its job."""

    archives: tuple[Refused, ...]
    """WARC, ARC and WACZ files, each with why it is left out."""
    others: tuple[Path, ...]
    """Files that hold no record."""


def discover_warcs_for_job(job: HasOutputDir, *, allow_fallback: bool = True) -> list[Path]:
    """Return a job's WARC files without duplicates, always in the same order; refused files are logged."""
    found = discover(Path(job.output_dir), allow_fallback=allow_fallback)
    for refused in found.refused:
        log.warning("warc.refused", file=str(refused.path), reason=refused.reason)
    return list(found.files)


def discover(output_dir: Path, *, allow_fallback: bool = True) -> Discovered:
    """Return the WARC files of a folder, or of one file's path, and what was refused; NotFoundError without either."""
    place = _there(output_dir)
    search = _Search(place)
    if not place.is_dir():
        search.add([place], by_content=True)
        return search.result(None)
    state = CrawlState(place, initial_workers=1)
    temp_dirs = state.get_temp_dir_paths()
    if not temp_dirs and allow_fallback and (newest := find_latest_temp_dir_fallback(place)):
        temp_dirs = [newest]
    search.add(search.below(place / STABLE_FOLDER))
    search.add(search.collections((*temp_dirs, place)))
    search.add(search.inside(place), by_content=True)
    return search.result(state.damage)


def files_left_out(output_dir: Path, found: Discovered) -> LeftOut:
    """Return the other files of a folder: archives in unexpected places, and files that are not archives.

    Our own files, and those of crawlers beside their WARC files, are not included.
    """
    place = _there(output_dir)
    if not place.is_dir():
        return LeftOut((), ())
    known = {*found.files, *(refused.path for refused in found.refused)}
    inodes = {_inode(file) for file in found.files}
    archives: list[Refused] = []
    others: list[Path] = []
    for file in _Search(place).walk(place):
        if file in known or not file.is_file() or _inode(file) in inodes:
            continue
        if _is_wacz(file):
            archives.append(Refused(file, _NO_WACZ))
        elif is_named_like_a_warc(file):
            archives.append(Refused(file, f"{file.parent} is not searched: register that folder by itself"))
        elif _is_beside_warcs(file, place) and not _OURS.fullmatch(file.name):
            others.append(file)
    return LeftOut(tuple(archives), tuple(others))


def _is_beside_warcs(file: Path, place: Path) -> bool:
    """Return whether a file is in a folder that is searched for WARC files."""
    parts = file.relative_to(place).parts[:-1]
    return not parts or parts[0] == STABLE_FOLDER or ("collections" in parts[:2] and parts[-1] == "archive")


def find_all_warc_files(temp_dirs: Iterable[Path]) -> list[Path]:
    """Return the WARC files that crawlers left in `collections/**/archive` of some folders, each once."""
    found: list[Path] = []
    seen: set[tuple[int, int]] = set()
    for folder in temp_dirs:
        search = _Search(folder.resolve(), seen)
        search.add(search.collections([folder.resolve()]))
        found += search.files
    return found


def find_latest_temp_dir_fallback(output_dir: Path) -> Path | None:
    """Return the temporary folder that was changed last, for runs whose state was lost."""
    try:
        return max(temp_dirs_in(output_dir), key=lambda folder: (folder.stat().st_mtime_ns, folder.name), default=None)
    except OSError as error:
        raise StorageError(f"{output_dir}: {error.strerror or error}") from error


def is_named_like_a_warc(file: Path) -> bool:
    """Return whether a file is named like a WARC, or an ARC, which is read like one."""
    return _NAMES.fullmatch(file.name) is not None


def warc_files_below(folder: Path) -> list[Path]:
    """Return every file below a folder that is a WARC by its name or its content; links are ignored.

    StorageError when a part of the folder cannot be read, as it may contain some.
    """
    search = _Search(folder.resolve())
    found = [file for file in search.walk(folder.resolve()) if not file.is_symlink() and _is_precious(file)]
    if search.refused:
        raise StorageError(str(search.refused[0]))
    return found


def _is_wacz(file: Path) -> bool:
    return _WACZ_NAMES.fullmatch(file.name) is not None


def _inode(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_dev, found.st_ino


def _is_precious(file: Path) -> bool:
    if not file.is_file():
        return False
    try:
        return is_named_like_a_warc(file) or _why_no_warc(file) is None
    except OSError:
        # A file that cannot be read may be one.
        return True


def _there(output_dir: Path) -> Path:
    try:
        return output_dir.resolve(strict=True)
    except OSError as error:
        raise NotFoundError(f"{output_dir}: {error.strerror or error}") from error


@dataclass
class _Search:
    """Collects the files of one folder: each inode once, nothing from outside."""

    root: Path
    seen: set[tuple[int, int]] = field(default_factory=set)
    files: list[Path] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)

    def result(self, damage: str | None) -> Discovered:
        return Discovered(tuple(self.files), tuple(self.refused), damage)

    def add(self, candidates: Iterable[Path], *, by_content: bool = False) -> None:
        """Add candidates; in folders of any content, only files that are WARCs by content or name."""
        for candidate in candidates:
            try:
                self._add(candidate, by_content)
            except FileNotFoundError:
                self._refuse(candidate, "a link that leads nowhere")
            except OSError as error:
                self.refused.append(Refused(candidate, error.strerror or str(error)))

    def _refuse(self, candidate: Path, reason: str) -> None:
        """Record why a file that is named like a WARC is left out; other files are ignored."""
        if is_named_like_a_warc(candidate) or _is_wacz(candidate) or candidate == self.root:
            self.refused.append(Refused(candidate, reason))

    def _add(self, candidate: Path, by_content: bool) -> None:
        place = candidate.resolve(strict=True)
        if not place.is_file():
            return
        if not by_content and not is_named_like_a_warc(candidate):
            return
        if not place.is_relative_to(self.root):
            self._refuse(candidate, f"a link that leads out of {self.root}")
        elif wrong := _why_no_warc(place):
            self._refuse(candidate, wrong)
        else:
            self._keep(place)

    def _keep(self, place: Path) -> None:
        inode = _inode(place)
        if inode not in self.seen:
            self.seen.add(inode)
            self.files.append(place)

    def collections(self, folders: Iterable[Path]) -> Iterator[Path]:
        """Yield the files in folders named `archive` anywhere below `collections`."""
        for folder in folders:
            yield from (file for file in self.below(folder / "collections") if file.parent.name == "archive")

    def below(self, folder: Path) -> Iterator[Path]:
        """Yield the files below a folder, which may be missing or a link to another place."""
        if folder.is_symlink():
            self.refused.append(Refused(folder, "a link: folders are not searched through links"))
        elif folder.is_dir():
            yield from self.walk(folder)

    def inside(self, folder: Path) -> Iterator[Path]:
        """Yield the entries of a folder."""
        try:
            yield from sorted(folder.iterdir())
        except OSError as error:
            raise StorageError(f"{folder}: {error.strerror or error}") from error

    def walk(self, folder: Path) -> Iterator[Path]:
        """Yield all files below a folder, in order; unreadable folders are reported as refused."""

        def unreadable(error: OSError) -> None:
            self.refused.append(Refused(Path(error.filename or folder), error.strerror or str(error)))

        for parent, folders, names in os.walk(folder, onerror=unreadable):
            folders.sort()
            yield from (Path(parent, name) for name in sorted(names))


def _why_no_warc(path: Path) -> str | None:
    """Return why a file cannot be read as a WARC; None when it can, even with a damaged beginning."""
    with path.open("rb") as file:
        first = file.read(_FIRST_BYTES)
        if not first:
            return "an empty file"
        if _is_wacz(path):
            return _NO_WACZ
        if first.startswith(_ZSTD):
            return "compressed with zstd: import it (webstrata import), which repacks its records one by one"
        if _begins_with_a_record(first):
            return None
        return None if is_named_like_a_warc(path) and next_record(file, 1) is not None else "no WARC record in it"


def _begins_with_a_record(first: bytes) -> bool:
    if first.startswith(_GZIP):
        try:
            first = zlib.decompressobj(_GZIP_WINDOW).decompress(first, _LONGEST_BEGINNING)
        except zlib.error:
            return False
    return _BEGINNING.match(first) is not None
