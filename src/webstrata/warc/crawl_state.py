"""`.archive_state.json`: what an archive-tool run remembers of itself beside its files.

    {"current_workers": 2, "initial_workers": 4, "temp_dirs_host_paths": ["/…/.tmpabc"],
     "vpn_rotations_done": 0, "worker_reductions_done": 1}

Reading never changes the file. One that makes no sense is reported, and every `.tmp*` folder then counts as known.
"""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import structlog

from webstrata.errors import StorageError, UsageError
from webstrata.storage.disk import write_atomically

log = structlog.get_logger()

STATE_FILE = ".archive_state.json"
TEMP_DIRS = ".tmp*"

_MAX_BYTES = 1_048_576
_COUNTS = ("current_workers", "initial_workers", "vpn_rotations_done", "worker_reductions_done")
_PATHS = "temp_dirs_host_paths"


class CrawlState:
    """A run's state: read when it is made, written only by `save`."""

    def __init__(self, host_output_dir: Path, initial_workers: int) -> None:
        """Read what the last run left in a folder; without that, a run begins with its workers."""
        self.host_output_dir = Path(host_output_dir).resolve()
        self.state_file_path = self.host_output_dir / STATE_FILE
        self.damage: str | None = None
        """Why the file cannot be trusted; None when it can, or is not there."""
        stored = self._stored()
        self._others = {key: value for key, value in stored.items() if key not in (*_COUNTS, _PATHS)}
        self.initial_workers = _count(stored, "initial_workers", initial_workers)
        self.current_workers = _count(stored, "current_workers", self.initial_workers)
        self.vpn_rotations_done = _count(stored, "vpn_rotations_done", 0)
        self.worker_reductions_done = _count(stored, "worker_reductions_done", 0)
        self.temp_dirs_host_paths: list[str] = list(_texts(stored))

    @property
    def exists(self) -> bool:
        """Tell whether there is a state file, sound or not."""
        return os.path.lexists(self.state_file_path)

    def get_temp_dir_paths(self) -> list[Path]:
        """Return the temporary folders of the run that are there; all of them when the state is damaged."""
        if self.damage is not None:
            return temp_dirs_in(self.host_output_dir)
        there = temp_dirs_in(self.host_output_dir)
        # A folder that was moved elsewhere still has its temporary folders, under the names they had.
        known = {Path(tracked).name for tracked in self.temp_dirs_host_paths}
        return [folder for folder in there if folder.name in known]

    def add_temp_dir(self, folder: Path) -> None:
        """Remember a temporary folder; UsageError for one that is none of this run's."""
        place = Path(folder)
        if place.parent.resolve() != self.host_output_dir or not place.match(TEMP_DIRS):
            raise UsageError(f"{folder} is no temporary folder of {self.host_output_dir}")
        if str(place) not in self.temp_dirs_host_paths:
            self.temp_dirs_host_paths.append(str(place))

    def save(self) -> None:
        """Write the state, whole or not at all, without the temporary folders that are gone."""
        self.temp_dirs_host_paths = [str(folder) for folder in self.get_temp_dir_paths()]
        counts = {name: getattr(self, name) for name in _COUNTS}
        state = {**self._others, **counts, _PATHS: self.temp_dirs_host_paths}
        write_atomically(self.state_file_path, json.dumps(state, indent=2).encode())
        self.damage = None

    def _stored(self) -> Mapping[str, object]:
        """Return what the file says, or nothing when there is none or it is damaged."""
        try:
            return _parsed(_content(self.state_file_path))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            reason = str((error.strerror if isinstance(error, OSError) else None) or error)
            self.damage = f"{self.state_file_path}: {reason}"
            log.warning("crawl_state.damaged", file=str(self.state_file_path), reason=reason)
            return {}


def temp_dirs_in(output_dir: Path) -> list[Path]:
    """Return every temporary folder of a run, by name; a link is none, wherever it leads."""
    try:
        found = sorted(output_dir.glob(TEMP_DIRS))
    except OSError as error:
        raise StorageError(f"{output_dir}: {error.strerror or error}") from error
    return [folder for folder in found if folder.is_dir() and not folder.is_symlink()]


def _content(path: Path) -> bytes:
    """Return a file's bytes; ValueError for what cannot be a state file, before anything waits for a pipe's writer."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ValueError("not an ordinary file")
    with path.open("rb") as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError(f"larger than {_MAX_BYTES} bytes")
    return content


def _parsed(content: bytes) -> Mapping[str, object]:
    try:
        stored = json.loads(content)
    except RecursionError:
        raise ValueError("nested too deep") from None
    except ValueError:
        raise ValueError("cut off or no JSON") from None
    if not isinstance(stored, dict):
        raise ValueError("no JSON object")
    for name in _COUNTS:
        _count(stored, name, 0)
    _texts(stored)
    return stored


def _count(stored: Mapping[str, object], name: str, default: int) -> int:
    value = stored.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise ValueError(f"{name} is {str(value)[:40]!r}, not a count")
    return value


def _texts(stored: Mapping[str, object]) -> list[str]:
    value = stored.get(_PATHS, [])
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        raise ValueError(f"{_PATHS} is no list of paths")
    return value
