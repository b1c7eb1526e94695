"""Checks evidence packs offline: every file against the manifest, and WARC files record by record."""

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, BinaryIO

from webstrata.audit.pack import MANIFEST, PACK_FORMAT, PACK_SUFFIX, PACK_VERSION, is_safe_name
from webstrata.errors import WarcError
from webstrata.warc.packages.wacz_reader import MAX_ENTRIES, WaczFile, as_wacz_errors
from webstrata.warc.packages.zip_entries import open_entry
from webstrata.warc.verify import Finding, Report, verify_streams

MAX_MANIFEST_BYTES = 20_000_000
_READ_BYTES = 1_048_576
_DIGEST_LETTERS = frozenset("0123456789abcdef")


@dataclass
class PackCheck:
    """The result of checking a pack; the first damaged file comes first."""

    manifest_sha256: str = ""
    report: Report = field(default_factory=Report)


@dataclass(frozen=True)
class _ListedFile:
    """A file as the manifest lists it."""

    path: str
    size: int
    sha256: str


def is_pack(path: Path) -> bool:
    """Return whether a file is an evidence pack, by its name or by the manifest in the ZIP file."""
    if path.name.lower().endswith(PACK_SUFFIX):
        return True
    try:
        with zipfile.ZipFile(path) as opened:
            names = opened.namelist()
            return MANIFEST in names and "datapackage.json" not in names
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def check_pack(path: Path, manifest_sha256: str = "") -> PackCheck:
    """Check every file of a pack, and the manifest against a digest if one is given; nothing is unpacked to disk."""
    check = PackCheck(report=Report(files=1))
    try:
        check.report.bytes_read = path.stat().st_size
        with as_wacz_errors(path), path.open("rb") as file, zipfile.ZipFile(file) as opened:
            _Pack(path, file, WaczFile(path, opened).zip, check).check(manifest_sha256.strip().lower())
    except WarcError as error:
        check.report.findings.append(Finding(path, 0, str(error).removeprefix(f"{path}: ")))
    except OSError as error:
        check.report.findings.append(Finding(path, 0, error.strerror or str(error)))
    return check


class _Pack:
    """An open pack whose list of entries has been checked."""

    def __init__(self, path: Path, file: BinaryIO, opened: zipfile.ZipFile, check: PackCheck) -> None:
        self._path = path
        self._file = file
        self._zip = opened
        self._check = check
        self._entries = {entry.filename: entry for entry in opened.infolist()}

    def check(self, expected: str) -> None:
        """Check the manifest, then every file in its order, then files that it does not list."""
        manifest = self._manifest()
        digest = self._check.manifest_sha256 = sha256(manifest).hexdigest()
        if expected and expected != digest:
            self._add(MANIFEST, f"its SHA-256 is {digest}, not {expected}")
        listed = list(_listed_files(manifest))
        for one in listed:
            self._check_file(one)
        known = {MANIFEST, *(one.path for one in listed)}
        for name in self._entries:
            if name not in known:
                self._add(name, "the manifest does not list this file")

    def _manifest(self) -> bytes:
        entry = self._entries.get(MANIFEST)
        if entry is None:
            raise WarcError(f"{MANIFEST} is missing: the file is cut off, or no evidence pack")
        if entry.file_size > MAX_MANIFEST_BYTES:
            raise WarcError(f"{MANIFEST} is larger than {MAX_MANIFEST_BYTES} bytes")
        return self._zip.read(entry)

    def _check_file(self, listed: _ListedFile) -> None:
        entry = self._entries.get(listed.path)
        if entry is None:
            self._add(listed.path, "the file is missing")
            return
        reason = self._difference(entry, listed)
        if listed.path.endswith(".wacz"):
            self._check_records(entry)
        if reason:
            self._add(listed.path, reason)

    def _difference(self, entry: zipfile.ZipInfo, listed: _ListedFile) -> str:
        """Return how a file differs from what the manifest lists; empty when it does not."""
        if entry.file_size != listed.size:
            return f"it has {entry.file_size} bytes, the manifest lists {listed.size}"
        digest = sha256()
        try:
            with as_wacz_errors(self._path), open_entry(self._zip, self._file, entry) as source:
                while data := source.read(_READ_BYTES):
                    digest.update(data)
        except WarcError as error:
            return str(error).removeprefix(f"{self._path}: ")
        return "" if digest.hexdigest() == listed.sha256 else "it does not match its SHA-256"

    def _check_records(self, entry: zipfile.ZipInfo) -> None:
        """Read every record of the WARC files in a WACZ file, and report damage with its offset."""
        inner = self._path / entry.filename
        try:
            with (
                as_wacz_errors(inner),
                open_entry(self._zip, self._file, entry) as source,
                zipfile.ZipFile(source) as opened,
            ):
                verify_streams(_streams(WaczFile(inner, opened), source), self._check.report)
        except WarcError as error:
            self._add(entry.filename, str(error).removeprefix(f"{inner}: "))

    def _add(self, name: str, reason: str) -> None:
        self._check.report.findings.append(Finding(self._path / name, 0, reason))


def _streams(wacz: WaczFile, source: IO[bytes]) -> Iterator[tuple[Path, IO[bytes]]]:
    for entry in wacz.warcs:
        with open_entry(wacz.zip, source, entry) as stream:  # type: ignore[arg-type]
            yield wacz.path / entry.filename, stream


def _listed_files(manifest: bytes) -> Iterator[_ListedFile]:
    """Yield the files that a manifest lists; WarcError when it is not a valid manifest of this program."""
    try:
        read = json.loads(manifest)
    except (ValueError, RecursionError) as error:
        raise WarcError(f"{MANIFEST} is not JSON: {error}") from error
    if not isinstance(read, dict) or read.get("format") != PACK_FORMAT:
        raise WarcError(f"{MANIFEST} is not the manifest of an evidence pack")
    if read.get("version") != PACK_VERSION:
        raise WarcError(f"{MANIFEST} has version {read.get('version')!r}; this program reads version {PACK_VERSION}")
    files = read.get("files")
    if not isinstance(files, list) or len(files) > MAX_ENTRIES:
        raise WarcError(f"{MANIFEST} lists no files, or too many")
    seen: set[str] = set()
    for one in files:
        listed = _listed_file(one)
        if listed.path in seen:
            raise WarcError(f"{MANIFEST} lists {listed.path!r} twice")
        seen.add(listed.path)
        yield listed


def _listed_file(one: object) -> _ListedFile:
    found = one if isinstance(one, dict) else {}
    path, size, digest = found.get("path"), found.get("size"), found.get("sha256")
    if not isinstance(path, str) or not is_safe_name(path) or path == MANIFEST:
        raise WarcError(f"{MANIFEST} lists a path that leads out of the pack: {str(path)[:100]!r}")
    if type(size) is not int or size < 0:
        raise WarcError(f"{MANIFEST} lists {path!r} without its size")
    if not isinstance(digest, str) or len(digest) != 64 or not _DIGEST_LETTERS.issuperset(digest):
        raise WarcError(f"{MANIFEST} lists {path!r} without its SHA-256")
    return _ListedFile(path, size, digest)
