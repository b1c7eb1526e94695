"""Imports: WARC, ARC and WACZ files of other archives, copied into the archive root as a job.

The folder of an import is named by the digest of its files. So a killed import continues when it is started again, and
the same files are never imported twice.
"""

import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

from webstrata.db.captures import export_records, warc_folders
from webstrata.db.engine import Database
from webstrata.db.sources import sources
from webstrata.errors import OutsideRootError, StorageError, UsageError, WarcError
from webstrata.jobs.folders.registering import register_job_dir
from webstrata.jobs.sources.source_choice import choose_source, known_source
from webstrata.model.jobs.job import check_job_name
from webstrata.model.urls import host_of, parse_url
from webstrata.storage.disk import make_folder, sync_folder
from webstrata.storage.file_system import check_room
from webstrata.storage.paths import place_of
from webstrata.warc.discovery import STABLE_FOLDER, discover
from webstrata.warc.packages.inputs import HashedInput, copy_input, file_sha256, hash_input, warc_inputs
from webstrata.warc.packages.repacking import is_arc, repack, unusual_form
from webstrata.warc.reader import ArchiveRecord, Damage, iter_records

STAGING_FOLDER = ".imports"
"""The folder in the archive root for files whose source is not yet known."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_ENDING = re.compile(r"\.w?arc(\.gz|\.zst)?$", re.IGNORECASE)
_NO_PAGES = "there are no captures of web pages in these files"
_MOST_RECORDS = 500
"""How many captures of a file are read to find its first page."""

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class ImportRequest:
    """Files to import; without a source code, they get the source whose scope contains their pages."""

    paths: Sequence[Path]
    source_code: str | None = None
    name: str | None = None
    left_alone_for: timedelta = timedelta(0)
    """For how long workers do not take the job, as the caller indexes it."""


@dataclass(frozen=True)
class KnownImport:
    """A file that the archive has already, and the job that it belongs to."""

    shown: str
    job_id: int


@dataclass(frozen=True)
class ImportReport:
    """The job that an import made, if any file was new, and the files that the archive had already."""

    job_id: int | None
    source_code: str | None
    files: tuple[str, ...]
    known: tuple[KnownImport, ...]
    notes: tuple[str, ...] = ()


def import_files(
    database: Database, archive_root: Path, request: ImportRequest, on_progress: OnProgress, *, min_free_bytes: int = 0
) -> ImportReport:
    """Copy files into the archive root as a job; an error leaves the archive as it was."""
    if request.name is not None:
        check_job_name(request.name)
    if request.source_code is not None:
        with database.read() as session:
            sources.source_view(session, request.source_code)
    make_folder(archive_root)
    with warc_inputs(request.paths) as inputs:
        total = sum(one.size for one in inputs)
        count = _counter(2 * total, on_progress)
        hashed = {found.sha256: found for found in (hash_input(one, count) for one in inputs)}
        known = _known_files(database, archive_root, hashed)
        new = [found for digest, found in hashed.items() if digest not in known]
        shown = tuple(KnownImport(hashed[digest].source.shown, job_id) for digest, job_id in known.items())
        if not new:
            return ImportReport(None, None, (), shown)
        check_room(archive_root, min_free_bytes + sum(found.source.size for found in new))
        staged = _stage(archive_root, new, count)
    return _register(database, archive_root, request, staged, new, shown)


def _known_files(database: Database, archive_root: Path, hashed: dict[str, HashedInput]) -> dict[str, int]:
    """Return the jobs of files that the archive has, by their digests; only files of the same size are read."""
    with database.read() as session:
        candidates = export_records.files_of_size(session, {found.source.size for found in hashed.values()})
        repacked = export_records.jobs_of_files_named(session, {_mark(digest): digest for digest in hashed})
    known: dict[str, int] = dict(repacked)
    for candidate in candidates:
        with suppress(OutsideRootError, WarcError):
            path = place_of(archive_root, candidate.path, candidate.output_dir)
            digest = file_sha256(path)
            # Registered files that cannot be indexed without repacking do not count: importing repacks them.
            if digest in hashed and unusual_form(path) is None:
                known.setdefault(digest, candidate.job_id)
    return known


@dataclass(frozen=True)
class _Staged:
    """The folder of an import with its files, and notes about files that were repacked."""

    folder: Path
    notes: tuple[str, ...] = ()


def _stage(archive_root: Path, new: Sequence[HashedInput], count: Callable[[int], None]) -> _Staged:
    """Copy files to the folder of their import and return it; complete copies of an earlier attempt are reused."""
    name = f"import-{_digest(new)[:16]}"
    staging = archive_root / STAGING_FOLDER
    ended = next((folder for folder in sorted(archive_root.glob(f"*/{name}")) if folder.parent != staging), None)
    if ended is not None:
        return _Staged(ended)
    folder = staging / name
    make_folder(folder / STABLE_FOLDER)
    for part in (folder / STABLE_FOLDER).glob(".*.part"):
        part.unlink(missing_ok=True)
    notes: list[str] = []
    try:
        names: set[str] = set()
        for found in new:
            notes += _stage_file(found, folder / STABLE_FOLDER / _file_name(found, names), count)
        _check(folder)
    except (WarcError, UsageError, StorageError):
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return _Staged(folder, tuple(notes))


def _stage_file(found: HashedInput, target: Path, count: Callable[[int], None]) -> list[str]:
    """Copy a file, or repack it when its records cannot be read one by one; return notes for the operator."""
    stem = _ENDING.sub("", target.name)
    if next(target.parent.glob(f"*{_mark(found.sha256)}*"), None) is not None:
        target.unlink(missing_ok=True)  # An earlier try was killed before it did so.
        return []
    if not target.is_file():
        copy_input(found, target, count)
    reason = unusual_form(target)
    if reason is None:
        return []
    ending = ".arc.gz" if is_arc(target) else ".warc.gz"
    problems = repack(target, target.with_name(f"{stem}{_mark(found.sha256)}{ending}"))
    target.unlink()
    return [f"{found.source.shown}: repacked record by record: {reason}", *problems]


def _mark(digest: str) -> str:
    """Return the part of a repacked file's name that identifies the original file."""
    return f"-repacked-{digest[:16]}"


def _check(folder: Path) -> None:
    """Raise WarcError when one of the copied files is no WARC file that can be read."""
    found = discover(folder)
    if found.refused:
        raise WarcError("; ".join(f"{refused.path.name}: {refused.reason}" for refused in found.refused[:3]))


def _register(
    database: Database,
    archive_root: Path,
    request: ImportRequest,
    staged: _Staged,
    new: Sequence[HashedInput],
    known: tuple[KnownImport, ...],
) -> ImportReport:
    folder = staged.folder
    with database.read() as session:
        earlier = warc_folders.job_of_folder(session, str(folder.resolve()))
    if earlier is not None:
        again = (KnownImport(found.source.shown, earlier.job_id) for found in new)
        return ImportReport(None, None, (), (*known, *again))
    code = request.source_code or _source_of(database, folder)
    if folder.parent.name == STAGING_FOLDER:
        folder = _move(folder, archive_root / code / folder.name)
    name = request.name or _ENDING.sub("", _UNSAFE.sub("-", request.paths[0].name.removesuffix(".wacz"))).strip("-.")
    name = name or "import"
    done = register_job_dir(database, archive_root, code, folder, name=name, left_alone_for=request.left_alone_for)
    return ImportReport(
        done.job_id, code, tuple(found.source.shown for found in new), known, (*staged.notes, *done.notes)
    )


def _source_of(database: Database, folder: Path) -> str:
    """Return the source in whose scope the first page of every file is, or a new one for their site."""
    first = [_first_page(path) for path in discover(folder).files]
    urls = [page.url for page in first if page.url is not None]
    if not urls:
        shutil.rmtree(folder, ignore_errors=True)
        raise WarcError(next((page.problem for page in first if page.problem is not None), _NO_PAGES))
    owner = known_source(database, urls)
    if owner is None and len({host_of(url).removeprefix("www.") for url in urls}) > 1:
        shutil.rmtree(folder, ignore_errors=True)
        raise UsageError("these files are of several sites: give --source, or import them one by one")
    with database.write() as session:
        return choose_source(session, urls).code


@dataclass(frozen=True)
class _FirstPage:
    """The URL of a file's first page, and the first damage in the file."""

    url: str | None
    problem: str | None = None


def _first_page(path: Path) -> _FirstPage:
    """Return the URL of a file's first page, else of its first capture of a web address."""
    first: str | None = None
    damages: list[Damage] = []
    try:
        for number, record in enumerate(iter_records(path, on_damage=damages.append)):
            if number >= _MOST_RECORDS:
                break
            url = _web_address(record.url)
            first = first or url
            if url is not None and _is_page(record):
                return _FirstPage(url)
    except WarcError as error:
        return _FirstPage(first, str(error).replace(str(path), path.name))
    problem = f"{path.name}: byte {damages[0].offset}: {damages[0].reason}" if damages else None
    return _FirstPage(first, problem)


def _web_address(url: str) -> str | None:
    """Return the normalised URL of a record; other crawlers write URLs as they found them."""
    if not url.lower().startswith(("http://", "https://")):
        return None
    try:
        return parse_url(url).href
    except UsageError:
        return None


def _is_page(record: ArchiveRecord) -> bool:
    return record.status_code == 200 and record.mime_type in ("text/html", "application/xhtml+xml")


def _move(folder: Path, target: Path) -> Path:
    make_folder(target.parent)
    try:
        folder.rename(target)
    except OSError as error:
        raise StorageError(f"{target}: {error.strerror or error}") from error
    sync_folder(target.parent)
    return target


def _file_name(found: HashedInput, names: set[str]) -> str:
    """Return the name of a copy: the file's own, without unsafe characters, with its digest when the name is taken."""
    plain = _UNSAFE.sub("-", found.source.name).lstrip(".-") or "import"
    ending = _ENDING.search(plain)
    stem, suffix = (plain[: ending.start()], ending.group()) if ending else (plain, ".warc.gz")
    name = f"{stem[:150]}{suffix}"
    if name in names:
        name = f"{stem[:150]}-{found.sha256[:12]}{suffix}"
    names.add(name)
    return name


def _digest(new: Iterable[HashedInput]) -> str:
    return sha256("".join(sorted(found.sha256 for found in new)).encode()).hexdigest()


def _counter(total: int, on_progress: OnProgress) -> Callable[[int], None]:
    done = 0

    def count(added: int) -> None:
        nonlocal done
        done += added
        on_progress(done, max(done, total))

    return count
