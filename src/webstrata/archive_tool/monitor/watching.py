"""The monitor of a crawl: reads each attempt's log, decides, stores the decision, and carries it out."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog

from webstrata.archive_tool.engine import Attempt
from webstrata.archive_tool.monitor.actions import carry_out
from webstrata.archive_tool.monitor.health import LogFollower
from webstrata.errors import WebstrataError
from webstrata.model.crawl.monitoring import (
    Decision,
    MonitorLimits,
    RecoveryAction,
    RecoveryCounts,
    Symptom,
    Vitals,
    crash_symptom,
    decided,
    find_trouble,
)
from webstrata.storage.combined_log import log_line
from webstrata.storage.crawl_state import CrawlState

log = structlog.get_logger()


def steady_clock() -> Callable[[], datetime]:
    """Return a wall clock that does not jump when the system's clock is set or after a suspension."""
    began, ticks = datetime.now(UTC), time.monotonic()
    return lambda: began + timedelta(seconds=time.monotonic() - ticks)


class Monitor:
    """Monitors one crawl over all its attempts; the counts of its actions are in the state file."""

    def __init__(self, limits: MonitorLimits, state: CrawlState, *, now: Callable[[], datetime] | None = None) -> None:
        """Begin with no attempt to watch."""
        self.limits = limits
        self._state = state
        self._now = now or steady_clock()
        self._attempt: Attempt | None = None
        self._follower = LogFollower()
        self._rises = 0
        self._quiet_since = self._now()
        if state.damage_at_first is not None:
            log.warning("monitor.limits.unknown", reason=state.damage_at_first)

    def begin(self, attempt: Attempt) -> None:
        """Monitor a new attempt, with a new log; the counts of recovery actions continue."""
        self._attempt = attempt
        self._follower = LogFollower(self._state.most_crawled)
        self._rises = 0
        self._quiet_since = self._now()

    def look(self) -> Decision | None:
        """Read the new part of the attempt's log and return a decision, if one is due; decisions are stored.

        An attempt that failed by itself is trouble too.
        """
        code = self._exit_code()
        finding = self._find_symptom(code)
        # An attempt that has succeeded is not in trouble, whatever its log contains.
        if finding is None or code == 0:
            return None
        try:
            return self._decide(finding, self._now())
        except WebstrataError as error:
            # Not taken if it cannot be stored, as it would be repeated after a restart; the next check decides again.
            log.warning("monitor.state.unwritable", reason=str(error))
            return None

    def carry_out(self, decision: Decision, ended: threading.Event) -> None:
        """Carry out a decision before the next attempt; the event interrupts a pause or a VPN command."""
        outcome = carry_out(decision, self.limits, self._state, ended)
        self._log_line(outcome, {"answer": str(decision.action)})

    def _exit_code(self) -> int | None:
        try:
            return self._attempt.poll() if self._attempt is not None else None
        except WebstrataError:
            return None  # Ignored here, as the caller gets the same error and handles it.

    def _find_symptom(self, exit_code: int | None) -> Symptom | None:
        vitals, now = self._read(), self._now()
        self._quiet_since = min(self._quiet_since, now)
        return crash_symptom(exit_code) if exit_code else find_trouble(vitals, now - self._quiet_since, self.limits)

    def _read(self) -> Vitals:
        """Return the health that the log shows, and record progress."""
        vitals = self._follower.read(self._log_path)
        if vitals.rises > self._rises:
            self._rises, self._quiet_since = vitals.rises, self._now()
        if vitals.crawled is not None and vitals.crawled > self._state.most_crawled:
            self._note_progress(vitals.crawled)
        return vitals

    def _note_progress(self, crawled: int) -> None:
        try:
            self._state.note_progress(crawled)
        except WebstrataError as error:
            log.warning("monitor.state.unwritable", reason=str(error))

    def _decide(self, finding: Symptom, now: datetime) -> Decision:
        decision = decided(finding, self._state.current_workers, self._recovery_counts(), self.limits, now)
        self._state.note_decision(decision)
        stored = decision.to_json()
        log.warning("monitor.decision", **stored)
        self._log_line(f"{finding.reason}: {_ACTION_WORDS[decision.action]}", stored)
        return decision

    def _recovery_counts(self) -> RecoveryCounts:
        state = self._state
        return RecoveryCounts(
            worker_reductions=state.worker_reductions_done,
            vpn_rotations=state.vpn_rotations_done,
            last_vpn_rotation_at=state.last_vpn_rotation_at,
            restarts=state.restarts_since_progress,
            backoffs=state.backoffs_since_progress,
        )

    @property
    def _log_path(self) -> Path | None:
        try:
            return self._attempt.log_path if self._attempt is not None else None
        except WebstrataError as error:
            log.warning("monitor.log.unreadable", reason=str(error))
            return None

    def _log_line(self, message: str, details: dict[str, object]) -> None:
        """Write a line into the attempt's log, if it has one that can be written."""
        path = self._log_path
        if path is None:
            return
        line = log_line(datetime.now(UTC), "warn", "monitor", message, details)
        try:
            with path.open("ab") as file:
                file.write(line.encode())
        except OSError as error:
            log.warning("monitor.log.unwritable", file=str(path), reason=error.strerror)


_ACTION_WORDS = {
    RecoveryAction.FEWER_WORKERS: "fewer workers",
    RecoveryAction.ROTATE_VPN: "another VPN connection",
    RecoveryAction.RESTART: "a restart",
    RecoveryAction.BACK_OFF: "a rest",
    RecoveryAction.GIVE_UP: "the crawl is given up",
}
