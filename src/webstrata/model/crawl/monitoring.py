"""Rules of crawl monitoring: which symptoms are trouble, and which recovery action is next."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from webstrata.errors import OptionsError
from webstrata.model.crawl.failures import HTTP, TIMEOUT

RESTARTS_WITHOUT_PROGRESS = 1
BACKOFFS_WITHOUT_PROGRESS = 3
"""How often a crawl without progress is restarted, and how often it is paused, before it is given up."""

_LONGEST_REASON = 500


class Trouble(StrEnum):
    """What can be wrong with a crawl."""

    STALL = "stall"
    NO_STATISTICS = "no_statistics"
    TIMEOUT = TIMEOUT
    HTTP = HTTP
    CRASHED = "crashed"


class RecoveryAction(StrEnum):
    """What can be done about trouble, in the order in which it is tried."""

    FEWER_WORKERS = "fewer_workers"
    ROTATE_VPN = "rotate_vpn"
    RESTART = "restart"
    BACK_OFF = "back_off"
    GIVE_UP = "give_up"


@dataclass(frozen=True)
class VpnCommand:
    """The command that changes the VPN's exit; it may contain a secret and is never shown."""

    command: str = field(repr=False)
    time_limit: timedelta = timedelta(seconds=120)

    def words(self) -> list[str]:
        """Return the program and its arguments; OptionsError, without the command, when it cannot be read."""
        try:
            found = shlex.split(self.command)
        except ValueError as error:
            raise OptionsError(f"the VPN's command cannot be read: {error}") from None
        if not found:
            raise OptionsError("the VPN's command is empty")
        return found


@dataclass(frozen=True)
class MonitorLimits:
    """The thresholds of trouble, and how often each recovery action is allowed."""

    interval: timedelta = timedelta(seconds=30)
    stall_timeout: timedelta = timedelta(minutes=30)
    error_thresholds: Mapping[str, int] = field(default_factory=lambda: {TIMEOUT: 10, HTTP: 10})
    """The number of failed visits in a row that counts as trouble, by kind."""
    adaptive_workers: bool = False
    min_workers: int = 1
    max_worker_reductions: int = 3
    vpn: VpnCommand | None = None
    max_vpn_rotations: int = 3
    vpn_rotation_frequency: timedelta = timedelta(minutes=60)
    backoff_delay: timedelta = timedelta(minutes=5)


@dataclass(frozen=True)
class Vitals:
    """The statistics and failures in an attempt's log so far."""

    crawled: int | None = None
    """The most pages in its statistics; None before the first statistics."""
    rises: int = 0
    """How often `crawled` rose."""
    errors: Mapping[str, int] = field(default_factory=dict)
    """Failed visits since it rose last, by kind."""
    is_past_crawling: bool = False
    """Whether it is building its ZIM, so that no pages are added any more."""


@dataclass(frozen=True)
class Symptom:
    """A kind of trouble, and its description."""

    trouble: Trouble
    reason: str


@dataclass(frozen=True)
class RecoveryCounts:
    """Recovery actions so far: in the life of the crawl, and since it last made progress."""

    worker_reductions: int = 0
    vpn_rotations: int = 0
    last_vpn_rotation_at: datetime | None = None
    restarts: int = 0
    backoffs: int = 0


@dataclass(frozen=True)
class Decision:
    """The decision for a recovery action."""

    at: datetime
    trouble: str
    reason: str
    action: RecoveryAction
    workers: int
    """How many workers the next attempt gets."""
    wait: timedelta = timedelta(0)

    def to_json(self) -> dict[str, object]:
        """Return the form in the state file: the moment in ISO 8601, the wait in seconds."""
        return {
            "at": self.at.astimezone(UTC).isoformat(timespec="seconds"),
            "trouble": str(self.trouble),
            "reason": self.reason[:_LONGEST_REASON],
            "answer": str(self.action),
            "workers": self.workers,
            "wait": int(self.wait.total_seconds()),
        }


def find_trouble(vitals: Vitals, quiet: timedelta, limits: MonitorLimits) -> Symptom | None:
    """Return the trouble of a crawl, given the time since its last new page; None without trouble."""
    for kind, threshold in limits.error_thresholds.items():
        count = vitals.errors.get(kind, 0)
        if count >= threshold:
            return Symptom(Trouble(kind), f"{count} {_ERROR_WORDS[kind]} since the last page that went well")
    if vitals.is_past_crawling or quiet < limits.stall_timeout:
        return None
    if vitals.crawled is None:
        return Symptom(Trouble.NO_STATISTICS, f"no statistics at all for {_minutes(quiet)}")
    return Symptom(Trouble.STALL, f"no page more than the {vitals.crawled} so far for {_minutes(quiet)}")


def crash_symptom(exit_code: int) -> Symptom:
    """Return the symptom of an attempt that failed by itself."""
    how = f"was killed by signal {-exit_code}" if exit_code < 0 else f"ended with exit code {exit_code}"
    return Symptom(Trouble.CRASHED, f"the crawl {how}")


def decided(finding: Symptom, workers: int, spent: RecoveryCounts, limits: MonitorLimits, now: datetime) -> Decision:
    """Return the first recovery action that is still allowed."""
    action = _next_action(workers, spent, limits, now)
    fewer = action is RecoveryAction.FEWER_WORKERS
    return Decision(
        at=now,
        trouble=finding.trouble,
        reason=finding.reason,
        action=action,
        workers=max(limits.min_workers, workers // 2) if fewer else workers,
        wait=limits.backoff_delay if action is RecoveryAction.BACK_OFF else timedelta(0),
    )


def _next_action(workers: int, spent: RecoveryCounts, limits: MonitorLimits, now: datetime) -> RecoveryAction:
    may_shrink = limits.adaptive_workers and spent.worker_reductions < limits.max_worker_reductions
    if may_shrink and workers > limits.min_workers:
        return RecoveryAction.FEWER_WORKERS
    may_rotate = limits.vpn is not None and spent.vpn_rotations < limits.max_vpn_rotations
    if may_rotate and _vpn_rested(spent, limits, now):
        return RecoveryAction.ROTATE_VPN
    if spent.restarts < RESTARTS_WITHOUT_PROGRESS:
        return RecoveryAction.RESTART
    return RecoveryAction.BACK_OFF if spent.backoffs < BACKOFFS_WITHOUT_PROGRESS else RecoveryAction.GIVE_UP


def _vpn_rested(spent: RecoveryCounts, limits: MonitorLimits, now: datetime) -> bool:
    last = spent.last_vpn_rotation_at
    # A rotation in the future was recorded with a wrong clock and must not prevent others.
    return last is None or last > now or now - last >= limits.vpn_rotation_frequency


_ERROR_WORDS = {TIMEOUT: "timeouts", HTTP: "HTTP or network errors"}


def _minutes(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    return f"{seconds // 60} minutes" if seconds >= 120 else f"{seconds} seconds"
