"""File permissions: makes everything that a crawl wrote readable for all users."""

import os
import stat
from pathlib import Path

_READABLE = stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH
_ENTERABLE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH


def relax(folder: Path) -> list[str]:
    """Make all files in a folder readable for all users; return those that could not be changed, with reasons."""
    refused: list[str] = []

    def unreadable(error: OSError) -> None:
        refused.append(_describe(Path(error.filename or folder), error))

    for parent, _, files in os.walk(folder, onerror=unreadable):
        _relax(Path(parent), _READABLE | _ENTERABLE, refused)
        for name in files:
            _relax(Path(parent, name), _READABLE, refused)
    return refused


def _relax(path: Path, more: int, refused: list[str]) -> None:
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode) and mode & more != more:
            path.chmod(stat.S_IMODE(mode) | more)
    except FileNotFoundError:
        return
    except OSError as error:
        refused.append(_describe(path, error))


def _describe(path: Path, error: OSError) -> str:
    return f"{path}: {error.strerror or error}"
