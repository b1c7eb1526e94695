"""The files of a zimit crawl, and the engine's notes of its progress.

X.zim                                                    the result of a complete crawl
X.zim.previous, X.zim.interim                            replaced ZIMs: deleted once the new one is complete
.zimit_resume.yaml, .tmp…/collections/crawl-…/crawls/crawl-….yaml   the state from which an interrupted crawl resumes
.archive_zimit.json                                      the engine's notes; they exist while a crawl is unfinished
.archive_warcs/                                          links to the WARC files that a final build reads
.archive_lock                                            held by the archive-tool that works in the folder
"""

import fcntl
import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

import structlog

from webstrata.archive_tool.modes import EarlierRuns
from webstrata.errors import NotFoundError, StorageError
from webstrata.storage.crawl_state import temp_dirs_in
from webstrata.storage.disk import write_atomically
from webstrata.storage.system_errors import as_storage_errors
from webstrata.warc.discovery import discover, find_all_warc_files

log = structlog.get_logger()

RESUME_FILE = ".zimit_resume.yaml"
NOTES_FILE = ".archive_zimit.json"
LOCK_FILE = ".archive_lock"
PREVIOUS, INTERIM = ".previous", ".interim"

_RESUME_FILES = "collections/crawl-*/crawls/crawl-*.yaml"
_LINKS = ".archive_warcs"
_MAX_NOTES_BYTES = 16_777_216


class Phase(StrEnum):
    """The phase of an unfinished run of the engine."""

    NONE = "none"
    CRAWL = "crawl"
    BUILD = "build"
    """The crawl succeeded; the final build is not done yet."""


@dataclass(frozen=True)
class Notes:
    """The state that the next archive-tool needs if this one is killed."""

    phase: Phase = Phase.NONE
    overwriting: bool = False
    superseded: tuple[str, ...] = ()
    """WARC and resume files from before an overwrite, relative to the folder; they do not belong to this crawl."""


@contextmanager
def held(output_dir: Path) -> Iterator[None]:
    """Lock a folder for this process while the block lasts; StorageError when another process holds the lock."""
    path = output_dir / LOCK_FILE
    with as_storage_errors(path):
        lock = path.open("ab")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StorageError(
                f"another archive-tool is running in {output_dir}: wait for its end, or stop it"
            ) from None
        yield


def found_in(output_dir: Path) -> EarlierRuns:
    """Return the state of earlier runs; a crawl with a ZIM but without a recorded end can be resumed."""
    notes, zim = read_notes(output_dir), final_zim(output_dir)
    is_under_way = notes.phase is not Phase.NONE
    return EarlierRuns(
        final_zim=None if is_under_way else zim,
        can_go_on=_crawl_is_over(notes, zim) or resume_yaml(output_dir, notes) is not None,
        has_warcs=bool(crawl_warcs(output_dir, notes)),
        overwrite_is_under_way=is_under_way and notes.overwriting,
    )


def crawl_is_over(output_dir: Path) -> bool:
    """Return whether a crawl succeeded and only its final build is left."""
    return _crawl_is_over(read_notes(output_dir), final_zim(output_dir))


def _crawl_is_over(notes: Notes, zim: Path | None) -> bool:
    # zimit writes the ZIM last, and there was none when the crawl began.
    return notes.phase is Phase.BUILD or (notes.phase is Phase.CRAWL and zim is not None)


def final_zim(output_dir: Path) -> Path | None:
    """Return the newest ZIM in a folder, if there is one."""
    return max(zims_in(output_dir), key=_age, default=None)


def zims_in(output_dir: Path) -> list[Path]:
    """Return every ZIM in a folder; one that is still being written has another name."""
    return [zim for zim in output_dir.glob("*.zim") if zim.is_file() and zim.stat().st_size]


def set_zims_aside(output_dir: Path, suffix: str) -> None:
    """Give every ZIM another name, so that zimit makes a new one without touching it."""
    for zim in zims_in(output_dir):
        with as_storage_errors(zim):
            zim.replace(zim.with_name(zim.name + suffix))


def delete_set_aside(output_dir: Path) -> None:
    """Delete the ZIMs that were set aside, and the links for the build, after a new ZIM is complete."""
    shutil.rmtree(output_dir / _LINKS, ignore_errors=True)
    for suffix in (PREVIOUS, INTERIM):
        for zim in output_dir.glob(f"*.zim{suffix}"):
            with as_storage_errors(zim):
                zim.unlink(missing_ok=True)


def resume_yaml(output_dir: Path, notes: Notes) -> Path | None:
    """Return the file from which an interrupted crawl resumes: `.zimit_resume.yaml`, else the crawler's newest
    state."""
    own = output_dir / RESUME_FILE
    return own if own.is_file() else max(_saved_states(output_dir, notes), key=_age, default=None)


def renew_resume_file(output_dir: Path, notes: Notes) -> None:
    """Update a resume file that was placed in the folder with the crawler's newer state: it takes precedence."""
    own = output_dir / RESUME_FILE
    saved = max(_saved_states(output_dir, notes), key=_age, default=None)
    if own.is_file() and saved is not None and _age(saved) > _age(own):
        with as_storage_errors(saved):
            write_atomically(own, saved.read_bytes())


def crawl_warcs(output_dir: Path, notes: Notes) -> list[Path]:
    """Return the WARC files of the crawl: all in the folder except those that an overwrite abandoned."""
    superseded = set(notes.superseded)
    return [file for file in all_warcs(output_dir) if _relative(output_dir, file) not in superseded]


def all_warcs(output_dir: Path) -> list[Path]:
    """Return every WARC file of a folder, in tracked temporary folders or in others."""
    try:
        found = [*discover(output_dir).files, *find_all_warc_files(temp_dirs_in(output_dir))]
    except NotFoundError:
        return []
    return list(dict.fromkeys(found))


def begin_anew(output_dir: Path) -> Notes:
    """Set the files of earlier crawls aside, without deleting a capture, and return the notes about them."""
    own = output_dir / RESUME_FILE
    if own.is_file():
        with as_storage_errors(own):
            own.replace(own.with_name(own.name + PREVIOUS))
    left = [*all_warcs(output_dir), *_saved_states(output_dir, Notes())]
    set_zims_aside(output_dir, PREVIOUS)
    return Notes(Phase.CRAWL, overwriting=True, superseded=tuple(_relative(output_dir, file) for file in left))


def places_of(output_dir: Path, warcs: Iterable[Path]) -> set[str]:
    """Return the subfolders of files; each run of zimit has its own temporary folder."""
    return {Path(_relative(output_dir, file)).parts[0] for file in warcs}


def read_notes(output_dir: Path) -> Notes:
    """Return the notes of the last run; empty notes without a file, or when it is invalid, which is logged."""
    path = output_dir / NOTES_FILE
    try:
        with path.open("rb") as file:
            return _parse_notes(json.loads(file.read(_MAX_NOTES_BYTES)))
    except FileNotFoundError:
        return Notes()
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        log.warning("zimit.notes_damaged", file=str(path), reason=str(error))
        return Notes()


def write_notes(output_dir: Path, notes: Notes) -> None:
    """Write notes atomically; delete them when nothing is under way."""
    path = output_dir / NOTES_FILE
    if notes == Notes():
        with as_storage_errors(path):
            path.unlink(missing_ok=True)
    else:
        write_atomically(path, json.dumps(asdict(notes)).encode())


@contextmanager
def linked_for_zimit(output_dir: Path, warcs: Iterable[Path]) -> Iterator[list[str]]:
    """Link WARC files under names that zimit accepts; yield them relative to the folder. zimit splits its list at
    commas and refuses names with a dot before the ending.

    After an error the links remain, as the container may still run.
    """
    folder = output_dir / _LINKS
    with as_storage_errors(folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        names = [_link(output_dir, folder, number, warc) for number, warc in enumerate(warcs, 1)]
    yield names
    shutil.rmtree(folder, ignore_errors=True)


def _link(output_dir: Path, folder: Path, number: int, warc: Path) -> str:
    ending = ".warc.gz" if warc.name.lower().endswith(".gz") else ".warc"
    link = folder / f"{number}{ending}"
    # The target is relative, so that it is also valid in the container, which has the folder at another path.
    link.symlink_to(Path("..", _relative(output_dir, warc)))
    return _relative(output_dir, link)


def _saved_states(output_dir: Path, notes: Notes) -> list[Path]:
    superseded = set(notes.superseded)
    folders = [*temp_dirs_in(output_dir), output_dir]
    found = (file for folder in folders for file in folder.glob(_RESUME_FILES))
    return [file for file in found if file.is_file() and _relative(output_dir, file) not in superseded]


def _relative(output_dir: Path, file: Path) -> str:
    return file.relative_to(output_dir if file.is_relative_to(output_dir) else output_dir.resolve()).as_posix()


def _age(file: Path) -> tuple[int, str]:
    try:
        return file.stat().st_mtime_ns, file.name
    except FileNotFoundError:
        return 0, file.name


def _parse_notes(stored: dict[str, object]) -> Notes:
    superseded = stored["superseded"]
    if not isinstance(superseded, list):
        raise TypeError("superseded is not a list")
    return Notes(Phase(str(stored["phase"])), bool(stored["overwriting"]), tuple(map(str, superseded)))
