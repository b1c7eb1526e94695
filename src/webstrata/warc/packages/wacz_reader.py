"""Reads untrusted WACZ files: entries by name, within limits, never extracted to paths."""

import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from webstrata.errors import WarcError

MAX_ENTRIES = 20_000
MAX_TOTAL_BYTES = 1 << 42
MAX_RATIO = 250
"""The largest ratio of an entry's size to its compressed size; text in WARC files has about 10."""
_SMALL_BYTES = 10_000_000
"""Entries below this size may have any ratio."""
_MAX_PACKAGE_BYTES = 50_000_000
_WARC_ENTRY = re.compile(r"archive/[^/]+\.(warc|arc)(\.gz|\.zst)?", re.IGNORECASE)
_PACKAGE = "datapackage.json"
_PACKAGE_DIGEST = "datapackage-digest.json"
_ENCRYPTED = 0x1
_READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class WaczFile:
    """An open WACZ file whose list of entries has been checked."""

    def __init__(self, path: Path, opened: zipfile.ZipFile) -> None:
        """Check the entries of a file; WarcError when one breaks a limit or could be misread."""
        self.path = path
        self.zip = opened
        _check(path, opened.infolist())

    @property
    def warcs(self) -> list[zipfile.ZipInfo]:
        """Return the entries that are WARC or ARC files; WarcError when there are none."""
        found = [entry for entry in self.zip.infolist() if _WARC_ENTRY.fullmatch(entry.filename)]
        if not found:
            raise WarcError(f"{self.path}: there are no WARC files in its folder archive/")
        return found

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 that datapackage.json declares for each entry; empty without such a file."""
        if _PACKAGE not in self.zip.namelist():
            return {}
        package = self._json(_PACKAGE)
        resources = package.get("resources") if isinstance(package, dict) else None
        if not isinstance(resources, list):
            raise WarcError(f"{self.path}: {_PACKAGE} lists no resources")
        hashes = {str(one.get("path")): str(one.get("hash")) for one in resources if isinstance(one, dict)}
        return {name: text.removeprefix("sha256:") for name, text in hashes.items() if text.startswith("sha256:")}

    def package_digest(self) -> str | None:
        """Return the SHA-256 that datapackage-digest.json declares for datapackage.json, if it does."""
        if _PACKAGE_DIGEST not in self.zip.namelist():
            return None
        found = self._json(_PACKAGE_DIGEST)
        declared = found.get("hash") if isinstance(found, dict) else None
        return str(declared).removeprefix("sha256:") if declared else None

    def _json(self, name: str) -> object:
        if self.zip.getinfo(name).file_size > _MAX_PACKAGE_BYTES:
            raise WarcError(f"{self.path}: {name} is larger than {_MAX_PACKAGE_BYTES} bytes")
        try:
            return json.loads(self.zip.read(name))
        except (ValueError, RecursionError) as error:
            raise WarcError(f"{self.path}: {name} is not JSON: {error}") from error


@contextmanager
def open_wacz(path: Path) -> Iterator[WaczFile]:
    """Open a WACZ file; WarcError for a damaged file, also while it is read."""
    with as_wacz_errors(path), zipfile.ZipFile(path) as opened:
        yield WaczFile(path, opened)


@contextmanager
def as_wacz_errors(path: Path) -> Iterator[None]:
    """Translate the errors of reading a ZIP file."""
    try:
        yield
    except zipfile.BadZipFile as error:
        raise WarcError(f"{path}: damaged or incomplete ZIP file: {error}") from error
    except (zlib.error, struct.error, EOFError, NotImplementedError, UnicodeDecodeError) as error:
        raise WarcError(f"{path}: this ZIP file cannot be read: {error}") from error
    except OSError as error:
        raise WarcError(f"{path}: {error.strerror or error}") from error


def is_wacz(path: Path) -> bool:
    """Return whether a file is a WACZ file: by its name, or because it is a ZIP file."""
    try:
        return path.suffix.lower() == ".wacz" or zipfile.is_zipfile(path)
    except OSError:
        return False


def _check(path: Path, entries: Sequence[zipfile.ZipInfo]) -> None:
    if len(entries) > MAX_ENTRIES:
        raise WarcError(f"{path}: more than {MAX_ENTRIES} entries")
    seen: set[str] = set()
    for entry in entries:
        if entry.filename in seen:
            raise WarcError(f"{path}: two entries are named {entry.filename!r}")
        seen.add(entry.filename)
        if reason := _refusal(entry):
            raise WarcError(f"{path}: {entry.filename!r}: {reason}")
    if sum(entry.file_size for entry in entries) > MAX_TOTAL_BYTES:
        raise WarcError(f"{path}: its entries are larger than {MAX_TOTAL_BYTES} bytes")


def _refusal(entry: zipfile.ZipInfo) -> str | None:
    """Return why an entry must not be read, if so."""
    name = entry.filename
    if name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name) or ":" in name.partition("/")[0]:
        return "the name leads out of the file"
    if entry.flag_bits & _ENCRYPTED:
        return "the entry is encrypted"
    if entry.compress_type not in _READABLE:
        return "the compression method is neither stored nor deflate"
    if entry.file_size > _SMALL_BYTES and entry.file_size > MAX_RATIO * max(1, entry.compress_size):
        return f"the entry is more than {MAX_RATIO} times as large as its compressed data"
    return None
