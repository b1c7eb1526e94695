"""Presence: every worker of an archive holds a file lock while it lives, so that its death is detected at once."""

import errno
import fcntl
import glob
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from webstrata.errors import WRITE_REFUSALS, ReadOnlyArchiveError, StorageError

_FOLDER = ".workers"
_SUFFIX = ".lock"


@contextmanager
def present(archive_root: Path, *, kind: str = "", site: str = "") -> Iterator[str]:
    """Announce a worker and hold its lock; yield its owner name, which contains the kind.

    The lock file contains the address of the site that shows the work, if there is one. After an error the lock file
    remains, so that other workers release what this one could not.
    """
    owner = f"{socket.gethostname()}:{os.getpid()}:{kind}{uuid4().hex[:8]}"
    path = _lock_of(archive_root, owner)
    descriptor = _create_lock(path, site)
    try:
        yield owner
        path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


@contextmanager
def bury(archive_root: Path, owner: str) -> Iterator[bool]:
    """Take the lock of a dead worker of this machine, so that only one process cleans up after it; False if it may be
    alive.

    The lock file is deleted after a successful cleanup; otherwise it remains for the next attempt.
    """
    path = _lock_of(archive_root, owner)
    descriptor = _open_lock(path)
    if descriptor is None:
        yield False
        return
    try:
        dead = _try_lock(descriptor)
        yield dead
        if dead:
            path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def process_of(owner: str) -> str:
    """Return the process of an owner name: its machine and process id."""
    return owner.rpartition(":")[0]


def site_of(archive_root: Path, owner: str, kind: str) -> str | None:
    """Return the site that shows the work of an owner's process, "" without one; None if it is not of a kind."""
    for lock in (archive_root / _FOLDER).glob(f"{glob.escape(process_of(owner))}:{kind}*{_SUFFIX}"):
        try:
            return lock.read_text(encoding="utf-8")
        except OSError:
            return ""
    return None


def is_of_kind(owner: str, kind: str) -> bool:
    """Return whether a worker announced itself as of a kind."""
    return owner.rpartition(":")[2].startswith(kind)


def is_dead(archive_root: Path, owner: str) -> bool:
    """Return whether a worker of this machine died without removing its lock file."""
    descriptor = _open_lock(_lock_of(archive_root, owner))
    if descriptor is None:
        return False
    try:
        return _try_lock(descriptor)
    finally:
        os.close(descriptor)


def announced_here(archive_root: Path) -> list[str]:
    """Return the workers of this machine whose lock file exists."""
    here = f"{socket.gethostname()}:"
    try:
        names = [path.name for path in (archive_root / _FOLDER).iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StorageError(f"{archive_root / _FOLDER}: {error.strerror}") from error
    return sorted(name.removesuffix(_SUFFIX) for name in names if name.startswith(here) and name.endswith(_SUFFIX))


def _lock_of(archive_root: Path, owner: str) -> Path:
    return archive_root / _FOLDER / f"{owner}{_SUFFIX}"


def _create_lock(path: Path, site: str) -> int:
    """Make the lock file; it gets its final name after it is locked, so that its owner is never considered dead."""
    unnamed = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(unnamed, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, site.encode())
        unnamed.rename(path)
    except OSError as error:
        if error.errno in WRITE_REFUSALS:
            raise ReadOnlyArchiveError(path.parent.parent) from error
        raise StorageError(f"{path.parent}: {error.strerror}") from error
    return descriptor


def _open_lock(path: Path) -> int | None:
    """Open a lock file; None when it is gone, because the worker was cleaned up already."""
    try:
        # Read access is enough to lock, except on network mounts.
        return os.open(path, (os.O_RDWR if os.access(path, os.W_OK) else os.O_RDONLY) | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        # On network mounts, locking needs write access: a process without it considers every worker alive.
        if error.errno != errno.EBADF:
            raise
        return False
    return True


def is_gone(archive_root: Path, owner: str) -> bool:
    """Return whether an owner of this machine is dead: its lock is free, or was removed after its death."""
    if not owner.startswith(f"{socket.gethostname()}:"):
        return False
    return owner not in announced_here(archive_root) or is_dead(archive_root, owner)
