"""Temporary files in memory: thousands of tests sync what they then throw away, and a disk takes its time for that."""

import os
from pathlib import Path

MEMORY = Path("/dev/shm")
LEAST_BYTES = 2_000_000_000


def pytest_configure() -> None:
    """Let `tmp_path` lie in memory where there is room and programs may run; who wants it elsewhere says so."""
    if "PYTEST_DEBUG_TEMPROOT" not in os.environ and (root := memory()) is not None:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(root)


def memory() -> Path | None:
    """Return a folder in memory for temporary files, or None where there is none that is fit for them."""
    return MEMORY if _is_fit(MEMORY) else None


def _is_fit(folder: Path) -> bool:
    if not os.access(folder, os.W_OK):
        return False
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize >= LEAST_BYTES and not system.f_flag & os.ST_NOEXEC
