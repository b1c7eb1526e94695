"""SQLite databases that cannot be written to: on a read-only disk, or in a folder of another user."""

import os
import sqlite3
from pathlib import Path

_NO_LOCKS = "unix-none"
"""SQLite's way to open files without locks: https://sqlite.org/vfs.html#standard_unix_vfses."""


def is_read_only(file: Path) -> bool:
    """Return whether a database exists but cannot be written to; SQLite must also be able to make files beside it."""
    return file.is_file() and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK | os.X_OK))


def connect_read_only(file: Path, timeout_seconds: float) -> sqlite3.Connection:
    """Open a read-only database, including the contents of its write-ahead log.

    SQLite reads a database in WAL mode through a -shm file beside it, which cannot be made here
    (https://sqlite.org/wal.html#read_only_databases).
    """
    wal, index = (file.with_name(file.name + suffix) for suffix in ("-wal", "-shm"))
    if wal.exists() and index.exists():
        return _open(file, "mode=ro", timeout_seconds)
    if wal.exists() and wal.stat().st_size:
        connection = _open(file, f"mode=ro&vfs={_NO_LOCKS}", timeout_seconds)
        # An exclusive connection has the -shm file's content in memory.
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        return connection
    return _open(file, "mode=ro&immutable=1", timeout_seconds)


def _open(file: Path, parameters: str, timeout_seconds: float) -> sqlite3.Connection:
    address = f"{file.absolute().as_uri()}?{parameters}"
    return sqlite3.connect(address, uri=True, timeout=timeout_seconds, check_same_thread=False)
