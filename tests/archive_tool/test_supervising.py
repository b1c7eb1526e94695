"""Attempts led from outside, with small programs of the shell in the place of crawlers."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import structlog

from tests.support.waiting import wait_until
from webstrata.archive_tool.engine import Attempt
from webstrata.archive_tool.supervising import noted, supervise
from webstrata.errors import ConflictError, StorageError
from webstrata.jobs.running.children import Child
from webstrata.model.crawl.monitoring import Decision, MonitorLimits, RecoveryAction
from webstrata.storage.crawl_state import CrawlState

GENTLY = (130, -15)
"""How an attempt ends that was asked to, whether it had begun to listen or not."""

SUCCEED, CRASH, NEVER_END = "exit 0", "exit 7", "trap 'exit 130' TERM; while :; do sleep 0.02; done"


@dataclass
class ShellAttempt:
    """A program of the shell as an attempt."""

    child: Child
    log_path: Path | None = None

    def poll(self) -> int | None:
        return self.child.poll()

    def stop(self) -> int:
        return self.child.stop()


@dataclass
class ShellEngine:
    """Runs one program after the other, the last one again and again."""

    programs: list[str]
    finish_code: int = 0
    workers: list[int] = field(default_factory=list)
    attempts: list[ShellAttempt] = field(default_factory=list)
    finished: int = 0
    name: str = "shell"

    def check(self) -> None: ...

    def command(self, workers: int) -> list[str]:
        return ["sh", "-c", self.programs[min(len(self.workers), len(self.programs) - 1)]]

    def start(self, workers: int) -> Attempt:
        self.attempts.append(ShellAttempt(Child.started(self.command(workers), None)))
        self.workers.append(workers)
        return self.attempts[-1]

    def went_on(self) -> bool:
        return False

    def is_final(self, code: int) -> bool:
        return code == 0

    def finish(self, ended: threading.Event) -> int:
        self.finished += 1
        return self.finish_code


class Script:
    """A monitor that answers as it is told, once an attempt is there."""

    def __init__(self, state: CrawlState, *answers: RecoveryAction) -> None:
        self.limits = MonitorLimits(interval=timedelta(0))
        self.state = state
        self.answers = list(answers)
        self.carried_out: list[RecoveryAction] = []
        self.attempt: Attempt | None = None

    def begin(self, attempt: Attempt) -> None:
        self.attempt = attempt

    def look(self) -> Decision | None:
        if not self.answers:
            return None
        return Decision(datetime.now(UTC), "stall", "nothing moves", self.answers.pop(0), workers=2)

    def carry_out(self, decision: Decision, ended: threading.Event) -> None:
        self.carried_out.append(decision.action)
        self.state.note_workers(decision.workers)


@pytest.fixture
def state(tmp_path: Path) -> CrawlState:
    return CrawlState(tmp_path, 4)


@pytest.fixture(autouse=True)
def nothing_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No attempt outlives its test, and logs stay out of the way."""
    begun: list[Child] = []
    started = Child.started

    def watched(*arguments: object, **more: object) -> Child:
        begun.append(started(*arguments, **more))  # type: ignore[arg-type]
        return begun[-1]

    monkeypatch.setattr(Child, "started", watched)
    yield
    assert all(child.poll() is not None for child in begun)
    structlog.reset_defaults()


def room() -> None: ...


def ended_so(folder: CrawlState) -> tuple[object, object]:
    """Return the exit code and the reason that the next reader of a folder finds."""
    found = CrawlState(folder.host_output_dir, 1).ended
    assert found is not None
    return found["exit_code"], found["reason"]


def test_a_crawl_that_succeeds_is_finished_and_exits_0(state: CrawlState) -> None:
    engine = ShellEngine([SUCCEED])
    assert supervise(engine, state, None, threading.Event(), check_room=room) == 0
    assert (engine.finished, engine.workers, ended_so(state)) == (1, [4], (0, ""))


def test_what_follows_a_crawl_can_fail_too(state: CrawlState) -> None:
    assert supervise(ShellEngine([SUCCEED], finish_code=3), state, None, threading.Event(), check_room=room) == 3
    assert ended_so(state) == (3, "what follows the crawl ended with exit code 3")


def test_a_crash_that_no_one_watches_ends_the_run(state: CrawlState) -> None:
    engine = ShellEngine([CRASH, SUCCEED])
    assert supervise(engine, state, None, threading.Event(), check_room=room) == 1
    assert (len(engine.attempts), engine.finished) == (1, 0)
    assert ended_so(state) == (1, "the crawler ended with exit code 7 before it was done")


def test_a_crash_under_a_monitor_is_recovered_from_and_the_crawl_continues(state: CrawlState) -> None:
    engine, monitor = ShellEngine([CRASH, SUCCEED]), Script(state, RecoveryAction.FEWER_WORKERS)
    assert supervise(engine, state, monitor, threading.Event(), check_room=room) == 0
    assert (engine.workers, monitor.carried_out) == ([4, 2], [RecoveryAction.FEWER_WORKERS])


def test_an_attempt_in_trouble_is_ended_before_the_recovery_action_is_carried_out(state: CrawlState) -> None:
    engine, monitor = ShellEngine([NEVER_END, SUCCEED]), Script(state, RecoveryAction.RESTART)
    over = []
    monitor.carry_out = lambda decision, ended: over.append(engine.attempts[0].poll())  # type: ignore[method-assign]
    assert supervise(engine, state, monitor, threading.Event(), check_room=room) == 0
    assert over[0] in GENTLY


def test_a_crawl_that_is_given_up_gives_the_reason(state: CrawlState) -> None:
    monitor = Script(state, RecoveryAction.GIVE_UP)
    assert supervise(ShellEngine([NEVER_END]), state, monitor, threading.Event(), check_room=room) == 1
    assert ended_so(state) == (1, "given up: nothing moves")


def test_a_success_wins_over_a_decision_that_comes_too_late(state: CrawlState) -> None:
    engine, monitor = ShellEngine([SUCCEED]), Script(state, RecoveryAction.GIVE_UP)
    decide = monitor.look

    def slowly() -> Decision | None:
        wait_until(lambda: engine.attempts[0].poll() is not None, "the attempt is over")
        return decide()

    monitor.look = slowly  # type: ignore[method-assign]
    engine.programs = ["sleep 0.3; exit 0"]
    assert supervise(engine, state, monitor, threading.Event(), check_room=room) == 0
    assert (monitor.answers, engine.finished) == ([], 1), "it was asked, and overruled"


@pytest.mark.parametrize("place", ["begin", "look", "carry_out"])
def test_a_crawl_succeeds_however_its_monitor_breaks(state: CrawlState, place: str) -> None:
    engine = ShellEngine(["sleep 0.3; exit 0"] if place != "carry_out" else [NEVER_END, SUCCEED])
    monitor = Script(state, RecoveryAction.RESTART)

    def broken(*_arguments: object) -> Decision | None:
        raise RuntimeError("a bug")

    setattr(monitor, place, broken)
    with structlog.testing.capture_logs() as logged:
        assert supervise(engine, state, monitor, threading.Event(), check_room=room) == 0
    assert [event["reason"] for event in logged if event["event"] == "monitor.broken"] == ["RuntimeError: a bug"]
    assert ended_so(state) == (0, "")


@pytest.mark.parametrize(("is_child", "code"), [(False, 1), (True, 130)])
def test_the_end_of_the_run_stops_the_attempt_cleanly(state: CrawlState, is_child: bool, code: int) -> None:
    engine, ended = ShellEngine([NEVER_END]), threading.Event()
    threading.Timer(0.3, ended.set).start()
    assert supervise(engine, state, None, ended, check_room=room, is_child=is_child) == code
    assert engine.attempts[0].poll() in GENTLY
    assert (engine.finished, ended_so(state)) == (0, (code, "stopped"))


def test_a_run_that_is_ended_before_it_began_begins_nothing(state: CrawlState) -> None:
    engine, ended = ShellEngine([SUCCEED]), threading.Event()
    ended.set()
    assert supervise(engine, state, None, ended, check_room=room) == 1
    assert engine.attempts == []


@pytest.mark.parametrize(("is_child", "code"), [(False, 1), (True, 75)])
def test_a_full_disk_ends_the_attempt_and_is_our_trouble(state: CrawlState, is_child: bool, code: int) -> None:
    engine = ShellEngine([NEVER_END])
    with pytest.raises(StorageError, match="full"):
        supervise(engine, state, None, threading.Event(), check_room=full_disk, is_child=is_child)
    assert engine.attempts[0].poll() in GENTLY
    assert ended_so(state) == (code, "the disk is full")


def test_what_is_refused_before_anything_runs_is_noted_for_the_backend(state: CrawlState) -> None:
    with pytest.raises(ConflictError), noted(state, is_child=True):
        raise ConflictError("a ZIM is there already")
    assert ended_so(state) == (1, "a ZIM is there already")


def test_an_overwriting_is_over_with_the_crawl(state: CrawlState) -> None:
    state.overwrite_is_under_way = True
    assert supervise(ShellEngine([CRASH]), state, None, threading.Event(), check_room=room) == 1
    assert CrawlState(state.host_output_dir, 1).overwrite_is_under_way
    assert supervise(ShellEngine([SUCCEED]), state, None, threading.Event(), check_room=room) == 0
    assert not CrawlState(state.host_output_dir, 1).overwrite_is_under_way


def full_disk() -> None:
    raise StorageError("the disk is full")
