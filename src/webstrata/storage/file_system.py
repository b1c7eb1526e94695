"""Facts of a file system: its free space, whether it can be written to, and its identity."""

import os
import re
import tempfile
from pathlib import Path

from webstrata.errors import ReadOnlyArchiveError, StorageError
from webstrata.storage.system_errors import as_storage_errors

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")
_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(r"\\([0-7]{3})")


def free_bytes(path: Path) -> int:
    """Return how many bytes are free on the disk of a path."""
    with as_storage_errors(path):
        found = os.statvfs(path)
    return found.f_bavail * found.f_frsize


def check_room(path: Path, minimum: int) -> None:
    """Raise StorageError unless a number of bytes is free on the disk of a path."""
    free = free_bytes(path)
    if free < minimum:
        raise StorageError(
            f"{path}: only {shown_bytes(free)} are free; at least {shown_bytes(minimum)} must stay free "
            "(WEBSTRATA_MIN_FREE_BYTES)"
        )


def check_writable(path: Path) -> None:
    """Raise StorageError unless files can be made in a folder."""
    if path.is_dir() and not is_writable(path):
        raise ReadOnlyArchiveError(path)
    with as_storage_errors(path):
        # Checked first, so that the error names the missing folder and not the temporary file.
        path.stat()
        tempfile.TemporaryFile(dir=path).close()


def is_writable(path: Path) -> bool:
    """Return whether files may be made in a folder, without making one."""
    return os.access(path, os.W_OK | os.X_OK)


def device_of(path: Path) -> str:
    """Return an identifier of the file system of a path that is stable across restarts.

    For file systems without a device number (network mounts) it is the source of the mount.
    """
    with as_storage_errors(path):
        number, device = os.statvfs(path).f_fsid, path.stat().st_dev
    if number:
        return f"fsid:{number:x}"
    return _mount_source(device) or f"dev:{os.major(device)}:{os.minor(device)}"


def shown_bytes(size: int) -> str:
    """Return a size formatted for people: 12.3 MB."""
    amount, unit = float(size), 0
    while amount >= 999.95 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{size} bytes" if unit == 0 else f"{amount:.1f} {_UNITS[unit]}"


def _mount_source(device: int) -> str | None:
    """Return the source of the mount of a device: anonymous device numbers change with every mount."""
    requested = f"{os.major(device)}:{os.minor(device)}"
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        mount, _, rest = line.partition(" - ")
        if mount.split()[2:3] == [requested] and len(rest.split()) >= 2:
            kind, source = rest.split()[:2]
            return f"mount:{kind}:{_ESCAPED.sub(lambda found: chr(int(found[1], 8)), source)}"
    return None
