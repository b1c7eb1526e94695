"""Rate limits that all serving processes of a machine share, so that a limit holds for the server as a whole.

The buckets are slots in a file of fixed size, a hash table: a client's hash selects a row of a few slots, so each
lookup takes constant time. In a full row the least recently used slot is replaced. The file is read with system calls
and not memory-mapped: if it is truncated, a call returns an error, but a memory map ends the process with SIGBUS.
"""

import fcntl
import os
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import structlog

from webstrata.errors import StorageError
from webstrata.http.limits.rate_limits import MOST_BUCKETS, Buckets, RequestKind, after_taking

_SLOTS_IN_A_ROW = 8
"""If more clients of one row are active within a minute, one loses its bucket too early; an idle bucket is full after a
minute anyway."""

_KEY_BYTES = 16
_SLOT = struct.Struct(f"={_KEY_BYTES}sdd")
_ROW_BYTES = _SLOT.size * _SLOTS_IN_A_ROW

log = structlog.get_logger()


def make_table(path: Path, most: int = MOST_BUCKETS) -> None:
    """Make an empty table, with all its space allocated on the disk."""
    with path.open("xb") as file:
        file.write(bytes(_bytes_of(most)))


class SharedBuckets:
    """The tokens that each client has left in all processes with the same table; without a table, in this process."""

    def __init__(self, path: Path, most: int = MOST_BUCKETS, clock: Callable[[], float] = time.monotonic) -> None:
        """Open the table; if it cannot be used, log a warning and limit in this process only."""
        self._path = path
        self._own = Buckets(most, clock)
        self._table: _Table | None = None
        try:
            self._table = _Table(path, most, clock)
        except (OSError, StorageError) as error:
            self._give_up(error)

    def take(self, kind: RequestKind, client: str, per_minute: int) -> float:
        """Take a token and return 0, or the seconds until there is one."""
        if self._table is not None:
            try:
                return self._table.take(kind, client, per_minute)
            except (OSError, StorageError) as error:
                self._give_up(error)
        return self._own.take(kind, client, per_minute)

    def wait(self, kind: RequestKind, client: str, per_minute: int) -> float:
        """Return the seconds until there is a token, and take none."""
        if self._table is not None:
            try:
                return self._table.wait(kind, client, per_minute)
            except (OSError, StorageError) as error:
                self._give_up(error)
        return self._own.wait(kind, client, per_minute)

    def close(self) -> None:
        """Close the table."""
        if self._table is not None:
            self._table.close()
        self._table = None

    def _give_up(self, error: Exception) -> None:
        log.warning("rates.table.lost", file=str(self._path), reason=str(error), now="each process counts by itself")
        self.close()


class _Slot(NamedTuple):
    """A stored bucket; an empty slot is all zeros, so it is used first."""

    key: bytes
    tokens: float
    filled_at: float


class _Table:
    """The table's file; OSError or StorageError when it was damaged or truncated."""

    def __init__(self, path: Path, most: int, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._rows = _bytes_of(most) // _ROW_BYTES
        self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        found = os.fstat(self._file).st_size
        if found != _bytes_of(most):
            self.close()
            raise StorageError(f"{found} bytes where {_bytes_of(most)} were expected")

    def take(self, kind: RequestKind, client: str, per_minute: int) -> float:
        key, row = self._place(kind, client)
        with self._lock_row(row):
            now = self._clock()
            number, bucket = _find_slot(self._slots(row), key, per_minute, now)
            tokens, wait = after_taking(bucket.tokens, bucket.filled_at, now, per_minute)
            os.pwrite(self._file, _SLOT.pack(key, tokens, now), row + number * _SLOT.size)
        return wait

    def wait(self, kind: RequestKind, client: str, per_minute: int) -> float:
        key, row = self._place(kind, client)
        with self._lock_row(row):
            now = self._clock()
            _, bucket = _find_slot(self._slots(row), key, per_minute, now)
        return after_taking(bucket.tokens, bucket.filled_at, now, per_minute)[1]

    def close(self) -> None:
        os.close(self._file)

    @contextmanager
    def _lock_row(self, row: int) -> Iterator[None]:
        """Lock a row against other processes, with a lock that, unlike flock, ends with the process even if a child
        lives on."""
        fcntl.lockf(self._file, fcntl.LOCK_EX, _ROW_BYTES, row)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, _ROW_BYTES, row)

    def _place(self, kind: RequestKind, client: str) -> tuple[bytes, int]:
        """Return the key of a client's bucket, and where its row begins."""
        key = blake2b(f"{kind}\0{client}".encode(), digest_size=_KEY_BYTES).digest()
        return key, int.from_bytes(key) % self._rows * _ROW_BYTES

    def _slots(self, row: int) -> list[_Slot]:
        return [_Slot(*fields) for fields in _SLOT.iter_unpack(self._read(row))]

    def _read(self, row: int) -> bytes:
        read = os.pread(self._file, _ROW_BYTES, row)
        if len(read) != _ROW_BYTES:
            raise StorageError(f"cut short: no row at byte {row}")
        return read


def _bytes_of(most: int) -> int:
    return most // _SLOTS_IN_A_ROW * _ROW_BYTES


def _find_slot(slots: list[_Slot], key: bytes, per_minute: int, now: float) -> tuple[int, _Slot]:
    """Return the slot of a client's bucket, existing or new, and its contents."""
    number = min(range(len(slots)), key=lambda n: (slots[n].key != key, slots[n].filled_at))
    slot = slots[number]
    # Invalid bytes, such as NaN, must not become a result.
    if slot.key == key and 0 <= slot.tokens <= per_minute and 0 <= slot.filled_at <= now:
        return number, slot
    return number, _Slot(key, float(per_minute), now)
