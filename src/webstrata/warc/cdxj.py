"""A job's journal: the CDXJ file beside its WARC files, with every capture and its ids.

A line promises its ids: it is on disk before the rows with these ids are committed, so that a rebuilt index, even in an
empty database, has the same ids. The file is append-only.
"""

import json
import os
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import xxhash

from webstrata.errors import StorageError
from webstrata.model.captures import DateSource
from webstrata.model.timestamps import fourteen_digits
from webstrata.storage.disk import make_folder, sync_folder
from webstrata.storage.system_errors import as_storage_errors

JOURNAL_NAME = "captures.cdxj"
EXTERNAL_FOLDER = ".journals"
"""The folder in the archive root for journals of jobs whose own folder is outside of it, as that may be read-only."""

_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)")
_IDS = re.compile(
    rb'"offset": "(\d+)", "filename": "([^"\\]*)", "type": "[^"\\]*", "recordId": "([^"\\]*)",'
    rb' "capture": (\d+)(?:, "snapshot": (\d+))?}\n'
)
"""The end of a line as we write it: matching only the ids takes a tenth of the time of parsing the line."""
_FROM_FILE = b'"dateSource": "file"'
_NO_ID = 0
_DIGEST_NAME = re.compile(r"^sha1:", re.IGNORECASE)


@dataclass(frozen=True)
class JournalLine:
    """A capture, its place, and its permanent ids."""

    url_key: str
    captured_at: datetime
    """To the second, as in CDXJ."""
    url: str
    mime_type: str | None
    status_code: int | None
    digest: str | None
    length: int
    offset: int
    filename: str
    record_type: str
    record_id: str
    capture_id: int
    snapshot_id: int | None = None
    date_source: DateSource | None = None
    """The source of the time if the record's own date is missing or invalid."""

    def text(self) -> str:
        """Return the line as pywb reads it, without its end."""
        fields = {
            "url": self.url,
            "mime": _mime(self),
            "status": "" if self.status_code is None else str(self.status_code),
            "digest": _DIGEST_NAME.sub("", self.digest or ""),
            **({"dateSource": self.date_source.value} if self.date_source else {}),
            "length": str(self.length),
            "offset": str(self.offset),
            "filename": self.filename,
            "type": self.record_type,
            "recordId": self.record_id,
            "capture": self.capture_id,
        }
        if self.snapshot_id is not None:
            fields["snapshot"] = self.snapshot_id
        key = self.url_key.replace(" ", "%20")
        return f"{key} {fourteen_digits(self.captured_at)} {json.dumps(fields)}"


def journal_folder(job_id: int, output_dir: str, archive_root: Path) -> Path:
    """Return the folder of a job's journal: that of its WARC files, or one in the archive root when those are outside
    of it."""
    folder = Path(output_dir)
    inside = folder.is_absolute() and folder.resolve().is_relative_to(archive_root.resolve())
    if inside and not folder.is_file():
        return folder / "warcs"
    return archive_root / EXTERNAL_FOLDER / f"job-{job_id}"


def read_journal(folder: Path) -> Iterator[JournalLine]:
    """Yield the entries of a folder's journal in order; invalid lines are skipped."""
    for line in _lines(folder / JOURNAL_NAME):
        parsed = _parse_line(line)
        if parsed is not None:
            yield parsed


class Journal:
    """A journal that is being written; its lines are valid only after `append` returned."""

    def __init__(self, folder: Path) -> None:
        """Use the journal of a folder; it is made with the first line."""
        self.path = folder / JOURNAL_NAME
        self._descriptor: int | None = None

    def append(self, lines: Iterable[JournalLine]) -> None:
        """Write lines durably; after a StorageError none of them is valid."""
        data = "".join(f"{line.text()}\n" for line in lines).encode("utf-8", "replace")
        if not data:
            return
        with as_storage_errors(self.path):
            descriptor = self._open_file()
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fdatasync(descriptor)

    def close(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        """Use the journal in a with block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    def _open_file(self) -> int:
        if self._descriptor is None:
            make_folder(self.path.parent)
            flags = os.O_CREAT | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
            self._descriptor = os.open(self.path, flags, 0o644)
            sync_folder(self.path.parent)
        self._end_torn_line(self._descriptor)
        return self._descriptor

    @staticmethod
    def _end_torn_line(descriptor: int) -> None:
        """End an incomplete last line, left by a full disk or a power cut, so that the next entry begins a line."""
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            os.write(descriptor, b"\n")


class Promised:
    """The ids in a journal, by the record's location; some 30 bytes for each."""

    def __init__(self, promises: "Iterable[Promise]" = (), times: "Mapping[Record, datetime] | None" = None) -> None:
        """Store an entry; of two entries for one record, the later counts.

        `times` are those that files' modification times gave to records without a date of their own.
        """
        self._times = {} if times is None else times
        keys, captures, snapshots = array("Q"), array("q"), array("q")
        for filename, offset, record_id, capture_id, snapshot_id in promises:
            keys.append(_key(filename, offset, record_id))
            captures.append(capture_id)
            snapshots.append(snapshot_id or _NO_ID)
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self._keys = array("Q", (keys[n] for n in order))
        self._captures = array("q", (captures[n] for n in order))
        self._snapshots = array("q", (snapshots[n] for n in order))

    def __len__(self) -> int:
        """Return how many lines were read."""
        return len(self._keys)

    def ids(self, filename: str, offset: int, record_id: str) -> tuple[int, int | None] | None:
        """Return the ids of a record's capture and snapshot in the journal; None when it is not in it."""
        key = _key(filename, offset, record_id)
        place = bisect_left(self._keys, key)
        found = None
        while place < len(self._keys) and self._keys[place] == key:
            snapshot = self._snapshots[place] or (found[1] if found else None)
            found = self._captures[place], snapshot or None
            place += 1
        return found

    def captured_at(self, filename: str, offset: int, record_id: str) -> datetime | None:
        """Return the time in the journal of a record that has none itself, if there is one."""
        return self._times.get((filename, offset, record_id))


Record = tuple[str, int, str]
"""File name, offset and id of a record."""

Promise = tuple[str, int, str, int, int | None]
"""File name, offset and id of a record, and the ids of its capture and its snapshot."""


def promised_in(folder: Path) -> Promised:
    """Return the ids in a folder's journal."""
    times: dict[Record, datetime] = {}
    promises = (_promise(line, times) for line in _lines(folder / JOURNAL_NAME))
    return Promised((promise for promise in promises if promise is not None), times)


def _promise(line: bytes, times: dict[Record, datetime]) -> Promise | None:
    found = None if _FROM_FILE in line else _IDS.search(line)
    if found is None:
        other = _parse_line(line)
        if other is None:
            return None
        if other.date_source is DateSource.FILE:
            # The time of the first entry counts, as the file may have been copied since.
            times.setdefault((other.filename, other.offset, other.record_id), other.captured_at)
        return other.filename, other.offset, other.record_id, other.capture_id, other.snapshot_id
    offset, filename, record_id, capture, snapshot = found.groups()
    return filename.decode(), int(offset), record_id.decode(), int(capture), int(snapshot) if snapshot else None


def _key(filename: str, offset: int, record_id: str) -> int:
    return xxhash.xxh3_64_intdigest(f"{filename}\0{offset}\0{record_id}".encode("utf-8", "replace"))


def _mime(line: JournalLine) -> str:
    if line.record_type == "revisit":
        return "warc/revisit"
    return (line.mime_type or "unk").replace(" ", "") or "unk"


def _lines(path: Path) -> Iterator[bytes]:
    """Yield a journal's complete lines; the last one may be incomplete, or is being written."""
    try:
        with path.open("rb") as file:
            yield from (line for line in file if line.endswith(b"\n"))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error


def _parse_line(line: bytes) -> JournalLine | None:
    try:
        key, moment, fields = line.decode("utf-8").split(" ", 2)
        return _line(key, _moment(moment), json.loads(fields))
    except (ValueError, KeyError, TypeError):
        return None


def _moment(digits: str) -> datetime:
    found = _MOMENT.fullmatch(digits)
    if found is None:
        raise ValueError(f"{digits!r} is not a time")
    year, month, day, hour, minute, second = map(int, found.groups())
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC)


def _line(key: str, moment: datetime, fields: Mapping[str, str | int]) -> JournalLine:
    status, snapshot = str(fields["status"]), fields.get("snapshot")
    return JournalLine(
        url_key=key,
        captured_at=moment,
        url=str(fields["url"]),
        mime_type=str(fields["mime"]),
        status_code=int(status) if status else None,
        digest=str(fields["digest"]) or None,
        length=int(fields["length"]),
        offset=int(fields["offset"]),
        filename=str(fields["filename"]),
        record_type=str(fields["type"]),
        record_id=str(fields["recordId"]),
        capture_id=int(fields["capture"]),
        snapshot_id=None if snapshot is None else int(snapshot),
        date_source=DateSource(str(source)) if (source := fields.get("dateSource")) else None,
    )
