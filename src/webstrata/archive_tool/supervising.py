"""Supervision of a crawl: runs attempts one after the other, with a monitor, until the crawl is over."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import Protocol, TypeVar

import structlog

from webstrata.archive_tool.engine import Attempt, Engine
from webstrata.archive_tool.modes import RunMode
from webstrata.errors import OUR_TROUBLE, LeaseLostError, WebstrataError
from webstrata.jobs.running.stages import BROKEN, DONE, FAILED, INTERRUPTED, LEASE_LOST, OUR_TROUBLE_CODE
from webstrata.model.crawl.monitoring import Decision, MonitorLimits, RecoveryAction
from webstrata.model.jobs.attempts import how_it_died
from webstrata.storage.crawl_state import CrawlState

log = structlog.get_logger()

_T = TypeVar("_T")
_LOOK_SECONDS = 0.2
"""How often to check whether an attempt is over and the disk has space left: both checks are cheap."""


class CrawlMonitor(Protocol):
    """A monitor: detects that a crawl is in trouble, and decides what to do."""

    limits: MonitorLimits

    def begin(self, attempt: Attempt) -> None:
        """Watch a new attempt."""

    def look(self) -> Decision | None:
        """Return the action that the attempt needs, if any."""

    def carry_out(self, decision: Decision, ended: threading.Event) -> None:
        """Carry out a decision, between two attempts."""


def supervise(
    engine: Engine,
    state: CrawlState,
    monitor: CrawlMonitor | None,
    ended: threading.Event,
    *,
    clock: Callable[[], float] = time.monotonic,
    check_room: Callable[[], None],
    is_child: bool = False,
) -> int:
    """Run attempts until the crawl is over, write the result to the state file and return the exit code.

    `ended` stops it gracefully. Internal errors are raised after the attempt was ended. A monitor that fails is not
    used again, and the crawl continues.
    """
    with noted(state, is_child=is_child):
        state.note_begin()
        watching = _Watching(monitor, clock)
        ending = _Supervision(engine, state, watching, ended, check_room).run()
        if ending.code == DONE:
            ending = _finish(engine, ended)
        code = FAILED if ending.code == INTERRUPTED and not is_child else ending.code
    if code == DONE:
        state.overwrite_is_under_way = False
    note_end(state, code, ending.reason)
    return code


@contextmanager
def noted(state: CrawlState, *, is_child: bool = False) -> Iterator[None]:
    """Write an error that ends a run into its state file, too."""
    try:
        yield
    except LeaseLostError:
        raise  # Not after a lost lease: another process writes the state then.
    except WebstrataError as error:
        note_end(state, exit_code_of(error, is_child=is_child), str(error))
        raise
    except Exception as error:
        note_end(state, BROKEN if is_child else FAILED, f"{type(error).__name__}: {error}")
        raise


def note_end(state: CrawlState, code: int, reason: str) -> None:
    """Record how a run ended; a disk that cannot be written to does not change the result."""
    try:
        state.note_end(code, reason)
    except WebstrataError as error:
        log.error("crawl_state.end.not_noted", exit_code=code, reason=str(error))


def exit_code_of(error: WebstrataError, *, is_child: bool) -> int:
    """Return the exit code for an error: the worker that started this process gets a more exact one."""
    if is_child and isinstance(error, LeaseLostError):
        return LEASE_LOST
    return OUR_TROUBLE_CODE if is_child and isinstance(error, OUR_TROUBLE) else FAILED


def begin(state: CrawlState, mode: RunMode, initial_workers: int, *, overwrite: bool) -> None:
    """Prepare a state for a new run: a resumed crawl continues with its number of workers and its counts."""
    if mode in (RunMode.FRESH, RunMode.OVERWRITE):
        state.initial_workers = state.current_workers = initial_workers
        state.overwrite_is_under_way = overwrite
    if mode is RunMode.OVERWRITE:
        state.worker_reductions_done = state.vpn_rotations_done = 0
        state.restarts_since_progress = state.backoffs_since_progress = state.most_crawled = 0
    state.save()


@contextmanager
def ended_by_signals() -> Iterator[threading.Event]:
    """Yield an event that SIGTERM and SIGINT set."""
    ended = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass(frozen=True)
class _Ending:
    code: int
    reason: str = ""


_STOPPED = _Ending(INTERRUPTED, "stopped")


class _Watching:
    """The monitor, ignored after a failure."""

    def __init__(self, monitor: CrawlMonitor | None, clock: Callable[[], float]) -> None:
        self._monitor, self._clock = monitor, clock
        self._next_look = 0.0

    def begin(self, attempt: Attempt) -> None:
        self._ask(lambda monitor: monitor.begin(attempt))
        self._wait_for_next()

    def seen(self) -> Decision | None:
        """Return a decision when a check is due and there is one."""
        if self._monitor is None or self._clock() < self._next_look:
            return None
        self._wait_for_next()
        return self.look()

    def look(self) -> Decision | None:
        return self._ask(lambda monitor: monitor.look())

    def carry_out(self, decision: Decision, ended: threading.Event) -> None:
        self._ask(lambda monitor: monitor.carry_out(decision, ended))

    def _wait_for_next(self) -> None:
        if self._monitor is not None:
            self._next_look = self._clock() + self._monitor.limits.interval.total_seconds()

    def _ask(self, question: Callable[[CrawlMonitor], _T]) -> _T | None:
        if self._monitor is None:
            return None
        try:
            return question(self._monitor)
        except Exception as error:
            # A crawl matters more than its monitor: it continues without one.
            log.exception("monitor.broken", reason=f"{type(error).__name__}: {error}")
            self._monitor = None
            return None


@dataclass(frozen=True)
class _Supervision:
    engine: Engine
    state: CrawlState
    watching: _Watching
    ended: threading.Event
    check_room: Callable[[], None]

    def run(self) -> _Ending:
        """Run attempts until the crawl has ended and return its result."""
        while True:
            if self.ended.is_set() and not self.engine.went_on():
                return _STOPPED
            code, decision = self._run_attempt()
            if self.engine.is_final(code):
                return _Ending(
                    code, "" if code == DONE else f"the {self.engine.name} crawl ended with exit code {code}"
                )
            if self.ended.is_set():
                return _STOPPED
            decision = decision or self.watching.look()
            if decision is None:
                return _Ending(FAILED, how_it_died("the crawler", code))
            if decision.action is RecoveryAction.GIVE_UP:
                return _Ending(FAILED, f"given up: {decision.reason}")
            self.watching.carry_out(decision, self.ended)

    def _run_attempt(self) -> tuple[int, Decision | None]:
        """Run an attempt and return its exit code, with the decision of the monitor if there is one."""
        workers = self.state.current_workers
        attempt = self.engine.start(workers)
        log.info("attempt.start", engine=self.engine.name, workers=workers)
        try:
            self.watching.begin(attempt)
            decision = self._watch_attempt(attempt)
            code = attempt.poll()
        except BaseException:
            with suppress(WebstrataError):
                attempt.stop()
            raise
        # If the attempt ended by itself during the decision, its own result counts, such as a success.
        code = attempt.stop() if code is None else code
        log.info("attempt.end", engine=self.engine.name, exit_code=code)
        return code, decision

    def _watch_attempt(self, attempt: Attempt) -> Decision | None:
        """Return the action that an attempt needs; None when it is over, or has to end with this process."""
        while attempt.poll() is None and not self.ended.wait(_LOOK_SECONDS):
            self.check_room()
            if (decision := self.watching.seen()) is not None:
                return decision
        return None


def _finish(engine: Engine, ended: threading.Event) -> _Ending:
    code = engine.finish(ended)
    return _STOPPED if code != DONE and ended.is_set() else _ending(code, "what follows the crawl")


def _ending(code: int, what: str) -> _Ending:
    return _Ending(code, "" if code == DONE else f"{what} ended with exit code {code}")
