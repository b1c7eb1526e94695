"""`.archive_state.json`: the state of an archive-tool run, stored beside its files.

    {"current_workers": 2, "initial_workers": 4, "temp_dirs_host_paths": ["/…/.tmpabc"],
     "vpn_rotations_done": 0, "worker_reductions_done": 1}

Where there are any, also the monitor's decisions, the last change of the VPN, the restarts and rests since the crawl
last made progress, and the end of the last run:

    {"decisions": [{"at": "…", "trouble": "stall", "reason": "…", "answer": "restart", "workers": 2, "wait": 0}],
     "last_vpn_rotation_at": "…", "restarts_since_progress": 1, "backoffs_since_progress": 0, "most_crawled": 120,
     "ended": {"at": "…", "exit_code": 1, "reason": "…"}}

Reading never changes the file. A damaged file is reported; then every `.tmp*` folder counts as known, the decisions are
lost, and the use of the limits is counted from zero again.
"""

import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import structlog

from webstrata.errors import StorageError, UsageError, WebstrataError
from webstrata.model.crawl.monitoring import Decision, RecoveryAction
from webstrata.storage.disk import write_atomically

log = structlog.get_logger()

STATE_FILE = ".archive_state.json"
TEMP_DIRS = ".tmp*"
DECISIONS_KEPT = 100

_MAX_BYTES = 1_048_576
_COUNTS = ("current_workers", "initial_workers", "vpn_rotations_done", "worker_reductions_done")
_SINCE_PROGRESS = ("restarts_since_progress", "backoffs_since_progress", "most_crawled")
_PATHS = "temp_dirs_host_paths"
_DECISIONS, _ROTATED, _ENDED = "decisions", "last_vpn_rotation_at", "ended"
_OVERWRITING = "overwrite_under_way"
_KEYS = frozenset({*_COUNTS, *_SINCE_PROGRESS, _PATHS, _DECISIONS, _ROTATED, _ENDED, _OVERWRITING})
_LONGEST_REASON = 500
_ENDED_BY_ITSELF = (0, 1)
"""Exit codes of a run that ended by itself; after other codes the next run continues the crawl."""


class CrawlState:
    """A run's state: read when it is made, written only by `save`."""

    def __init__(self, host_output_dir: Path, initial_workers: int) -> None:
        """Read the state of the last run in a folder; without one, use the given number of workers."""
        self.host_output_dir = Path(host_output_dir).resolve()
        self.state_file_path = self.host_output_dir / STATE_FILE
        self.damage: str | None = None
        """Why the file is invalid; None when it is valid or missing."""
        stored = self._read_file()
        self.damage_at_first: str | None = self.damage
        """The damage of the file at the start; still set after a valid file was written, as the old contents are
        lost."""
        self._others = {key: value for key, value in stored.items() if key not in _KEYS}
        self.initial_workers = _count(stored, "initial_workers", initial_workers)
        self.current_workers = _count(stored, "current_workers", self.initial_workers)
        self.vpn_rotations_done = _count(stored, "vpn_rotations_done", 0)
        self.worker_reductions_done = _count(stored, "worker_reductions_done", 0)
        self.temp_dirs_host_paths: list[str] = list(_texts(stored))
        self.restarts_since_progress = _count(stored, "restarts_since_progress", 0)
        self.backoffs_since_progress = _count(stored, "backoffs_since_progress", 0)
        self.most_crawled = _count(stored, "most_crawled", 0)
        """The most pages in any stored statistics of this run."""
        self.overwrite_is_under_way = stored.get(_OVERWRITING) is True
        """Whether a run with `--overwrite` was interrupted: the next run continues it."""
        self.last_vpn_rotation_at: datetime | None = _moment(stored, _ROTATED)
        self.decisions: tuple[Mapping[str, object], ...] = _objects(stored)
        """The last hundred decisions of the monitor, oldest first."""
        self.ended: Mapping[str, object] | None = _end(stored)
        """Time, exit code and reason of the end of the last run; None during a run or after a kill."""

    @property
    def exists(self) -> bool:
        """Return whether there is a state file, valid or not."""
        return os.path.lexists(self.state_file_path)

    def get_temp_dir_paths(self) -> list[Path]:
        """Return the existing temporary folders of the run; all temporary folders when the state is damaged."""
        if self.damage is not None:
            return temp_dirs_in(self.host_output_dir)
        there = temp_dirs_in(self.host_output_dir)
        # If the run's folder was moved, its temporary folders are still in it, under the same names.
        known = {Path(tracked).name for tracked in self.temp_dirs_host_paths}
        return [folder for folder in there if folder.name in known]

    def add_temp_dir(self, folder: Path) -> None:
        """Add a temporary folder; UsageError when it does not belong to this run."""
        place = Path(folder)
        if place.parent.resolve() != self.host_output_dir or not place.match(TEMP_DIRS):
            raise UsageError(f"{folder} is not a temporary folder of {self.host_output_dir}")
        if str(place) not in self.temp_dirs_host_paths:
            self.temp_dirs_host_paths.append(str(place))

    def note_begin(self) -> None:
        """Record the beginning of a run; after one that ended by itself, restarts and pauses count from zero."""
        with self._saved_or_undone():
            if (self.ended or {}).get("exit_code") in _ENDED_BY_ITSELF:
                self.restarts_since_progress = self.backoffs_since_progress = self.most_crawled = 0
            self.ended = None

    def note_decision(self, decision: Decision) -> None:
        """Store a decision, and count it against its limits, before it is carried out, so that a kill cannot exceed a
        limit."""
        with self._saved_or_undone():
            self.decisions = (*self.decisions, decision.to_json())[-DECISIONS_KEPT:]
            self.worker_reductions_done += decision.action is RecoveryAction.FEWER_WORKERS
            self.restarts_since_progress += decision.action is RecoveryAction.RESTART
            self.backoffs_since_progress += decision.action is RecoveryAction.BACK_OFF
            if decision.action is RecoveryAction.ROTATE_VPN:
                self.vpn_rotations_done += 1
                self.last_vpn_rotation_at = decision.at

    def note_progress(self, crawled: int) -> None:
        """Record a new maximum of crawled pages; stored when it resets the counts of restarts or pauses."""
        self.most_crawled = crawled
        if self.restarts_since_progress or self.backoffs_since_progress:
            with self._saved_or_undone():
                self.restarts_since_progress = self.backoffs_since_progress = 0

    def note_workers(self, workers: int) -> None:
        """Store how many workers the next attempt gets."""
        with self._saved_or_undone():
            self.current_workers = workers

    def note_end(self, code: int, reason: str) -> None:
        """Store how the run ended."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        with self._saved_or_undone():
            self.ended = {"at": at, "exit_code": code, "reason": reason[:_LONGEST_REASON]}

    def save(self) -> None:
        """Write the state atomically, without temporary folders that no longer exist."""
        self.temp_dirs_host_paths = [str(folder) for folder in self.get_temp_dir_paths()]
        counts = {name: getattr(self, name) for name in _COUNTS}
        state = {**self._others, **counts, _PATHS: self.temp_dirs_host_paths, **self._optional_values()}
        write_atomically(self.state_file_path, json.dumps(state, indent=2).encode())
        self.damage = None

    def _optional_values(self) -> dict[str, object]:
        """Return the keys that are written only when they have a value."""
        rotated = self.last_vpn_rotation_at
        found: dict[str, object] = {name: getattr(self, name) for name in _SINCE_PROGRESS}
        found |= {_DECISIONS: list(self.decisions), _ROTATED: rotated and rotated.isoformat(), _ENDED: self.ended}
        found |= {_OVERWRITING: self.overwrite_is_under_way}
        return {name: value for name, value in found.items() if value}

    @contextmanager
    def _saved_or_undone(self) -> Iterator[None]:
        """Save what the block changes; after a write error, nothing has changed."""
        before = dict(vars(self))
        try:
            yield
            self.save()
        except WebstrataError:
            vars(self).update(before)
            raise

    def _read_file(self) -> Mapping[str, object]:
        """Return the contents of the file, or nothing when there is none or it is damaged."""
        try:
            return _parse_content(_content(self.state_file_path))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            reason = str((error.strerror if isinstance(error, OSError) else None) or error)
            self.damage = f"{self.state_file_path}: {reason}"
            log.warning("crawl_state.damaged", file=str(self.state_file_path), reason=reason)
            return {}


def temp_dirs_in(output_dir: Path) -> list[Path]:
    """Return every temporary folder of a run, by name; links are left out."""
    try:
        found = sorted(output_dir.glob(TEMP_DIRS))
    except OSError as error:
        raise StorageError(f"{output_dir}: {error.strerror or error}") from error
    return [folder for folder in found if folder.is_dir() and not folder.is_symlink()]


def _content(path: Path) -> bytes:
    """Return a file's bytes; ValueError for what cannot be a state file, such as a pipe, which would block."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ValueError("not an ordinary file")
    with path.open("rb") as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError(f"larger than {_MAX_BYTES} bytes")
    return content


def _parse_content(content: bytes) -> Mapping[str, object]:
    try:
        stored = json.loads(content)
    except RecursionError:
        raise ValueError("nested too deep") from None
    except ValueError:
        raise ValueError("cut off or not JSON") from None
    if not isinstance(stored, dict):
        raise ValueError("no JSON object")
    for name in (*_COUNTS, *_SINCE_PROGRESS):
        _count(stored, name, 0)
    for read in (_texts, _objects, _end):
        read(stored)
    _moment(stored, _ROTATED)
    return stored


def _count(stored: Mapping[str, object], name: str, default: int) -> int:
    value = stored.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise ValueError(f"{name} is {str(value)[:40]!r}, not a count")
    return value


def _texts(stored: Mapping[str, object]) -> list[str]:
    value = stored.get(_PATHS, [])
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        raise ValueError(f"{_PATHS} is not a list of paths")
    return value


def _objects(stored: Mapping[str, object]) -> tuple[Mapping[str, object], ...]:
    value = stored.get(_DECISIONS, [])
    if not isinstance(value, list) or not all(isinstance(decision, dict) for decision in value):
        raise ValueError(f"{_DECISIONS} is not a list of decisions")
    return tuple(value[-DECISIONS_KEPT:])


def _end(stored: Mapping[str, object]) -> Mapping[str, object] | None:
    value = stored.get(_ENDED)
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"{_ENDED} does not state how a run ended")
    return value


def _moment(stored: Mapping[str, object], name: str) -> datetime | None:
    value = stored.get(name)
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(str(value))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"{name} is {str(value)[:40]!r}, not a moment") from None
