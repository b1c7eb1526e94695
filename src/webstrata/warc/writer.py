"""Writer of WARC files: appends, syncs, and truncates to the acknowledged length."""

import os
import secrets
import socket
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from webstrata import __version__
from webstrata.errors import StorageError
from webstrata.storage.disk import make_folder, sync_folder
from webstrata.storage.system_errors import as_storage_errors
from webstrata.warc.record import WarcRecord, warcinfo

_WRITTEN_AT_ONCE = 1_048_576


@dataclass(frozen=True)
class Extent:
    """Where a record lies in its file."""

    offset: int
    length: int


def new_warc_name(prefix: str) -> str:
    """Return a globally unique file name."""
    moment = datetime.now(UTC).strftime("%Y%m%d%H%M%S%f")
    return f"{prefix}-{moment}-{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}.warc.gz"


class WarcFileWriter:
    """A WARC file that is being written; its records are valid only after they are synced and recorded in the
    database."""

    def __init__(self, path: Path, fields: Sequence[tuple[str, str]] = ()) -> None:
        """Begin a new file; StorageError when the name is taken."""
        self.path = path
        self.size = 0
        with as_storage_errors(path):
            make_folder(path.parent)
            self._descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644)
        software = [("software", f"webstrata/{__version__}"), ("format", "WARC File Format 1.1")]
        opening = warcinfo(path.name, datetime.now(UTC), [*software, *fields])
        self.warcinfo_id = opening.record_id
        try:
            self.append([opening])
            with as_storage_errors(path):
                sync_folder(path.parent)
        except StorageError:
            self.close()
            raise

    def append(self, records: Iterable[WarcRecord]) -> list[Extent]:
        """Append records and return their positions; they are durable only after `sync`."""
        extents, offset, pieces = [], self.size, _Pieces(self._write)
        try:
            for record in records:
                length = sum(map(pieces.add, record.compressed()))
                extents.append(Extent(offset, length))
                offset += length
            pieces.write_all()
        except BaseException:
            self.cut_back(self.size)
            raise
        self.size = offset
        return extents

    def sync(self) -> None:
        """Make everything written so far durable: it survives a power cut."""
        with as_storage_errors(self.path):
            os.fdatasync(self._descriptor)

    def cut_back(self, size: int) -> None:
        """Cut the file back to a size."""
        with as_storage_errors(self.path):
            os.ftruncate(self._descriptor, size)
            os.lseek(self._descriptor, size, os.SEEK_SET)
        self.size = size

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        """Use the file in a with block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        with as_storage_errors(self.path):
            while view:
                view = view[os.write(self._descriptor, view) :]


class _Pieces:
    """Buffers small pieces, so that a batch of records takes few writes."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._waiting: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> int:
        """Write a piece and return its length."""
        self._waiting.append(piece)
        self._size += len(piece)
        if self._size >= _WRITTEN_AT_ONCE:
            self.write_all()
        return len(piece)

    def write_all(self) -> None:
        """Write the buffered pieces."""
        data, self._waiting, self._size = b"".join(self._waiting), [], 0
        self._write(data)


def cut_tail(path: Path, size: int) -> int:
    """Truncate a dead writer's file to its acknowledged length and return the number of removed bytes."""
    with as_storage_errors(path):
        excess = path.stat().st_size - size
        if excess > 0:
            os.truncate(path, size)
    if excess < 0:
        raise StorageError(f"{path} is {-excess} bytes shorter than what was acknowledged")
    return excess
