"""The monitor of a crawl, with a clock of its own, real logs and a real state file."""

import json
import shlex
import tempfile
import threading
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from webstrata.archive_tool.monitor.watching import Monitor, steady_clock
from webstrata.model.crawl.monitoring import Decision, MonitorLimits, RecoveryAction, VpnCommand
from webstrata.storage.combined_log import log_line, parse_last_stats_from_log, statistics_line
from webstrata.storage.crawl_state import CrawlState

LIMITS = MonitorLimits(stall_timeout=timedelta(minutes=10))
EVERYTHING = replace(LIMITS, adaptive_workers=True, vpn=VpnCommand("true"), vpn_rotation_frequency=timedelta(0))


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def goes_on(self, **by: float) -> None:
        self.now += timedelta(**by)


@dataclass
class Crawl:
    """An attempt that does what it is told."""

    log_path: Path | None
    code: int | None = None

    def poll(self) -> int | None:
        return self.code

    def stop(self) -> int:
        return 130


class Watched:
    """A crawl in a folder, watched, attempt after attempt."""

    def __init__(self, folder: Path, limits: MonitorLimits = LIMITS, workers: int = 8) -> None:
        self.folder, self.limits, self.workers = folder, limits, workers
        self.clock = Clock()
        self.attempts = 0
        self.restarted()
        self.again()

    def restarted(self) -> None:
        """Begin as another process does, which knows only what is on disk."""
        self.state = CrawlState(self.folder, self.workers)
        self.monitor = Monitor(self.limits, self.state, now=self.clock)

    def again(self) -> None:
        self.attempts += 1
        self.log = self.folder / f"archive_x_-_attempt_{self.attempts}_20260501_120000.combined.log"
        self.log.touch()
        self.attempt = Crawl(self.log)
        self.monitor.begin(self.attempt)

    def tells(self, crawled: int) -> None:
        self._write(statistics_line(self.clock(), crawled=crawled, total=99, pending=1, failed=0, most=0, hit=False))

    def fails(self, kind: str, count: int = 1) -> None:
        details = {"url": "https://example.org/", "kind": kind, "reason": "…", "count": count}
        self._write(log_line(self.clock(), "warn", "pageStatus", "Page Load Failed", details))

    def _write(self, line: str) -> None:
        with self.log.open("a") as log:
            log.write(line)

    def stalled(self) -> Decision:
        """Return what is decided when the stall timeout has passed."""
        self.clock.goes_on(minutes=10)
        decision = self.monitor.look()
        assert decision is not None
        return decision

    def stored(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.state.state_file_path.read_text())
        return found


@pytest.fixture
def crawl(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def test_a_crawl_whose_pages_grow_is_left_alone(crawl: Watched) -> None:
    for crawled in range(20):
        crawl.tells(crawled)
        assert crawl.monitor.look() is None
        crawl.clock.goes_on(minutes=9)
    assert not crawl.state.exists, "nothing to remember, nothing written"


def test_a_crawl_without_a_page_more_is_stalled_and_one_without_statistics_too(crawl: Watched) -> None:
    crawl.tells(4)
    assert crawl.monitor.look() is None
    crawl.clock.goes_on(minutes=9)
    crawl.tells(4)
    assert crawl.monitor.look() is None
    crawl.clock.goes_on(minutes=1)
    decision = crawl.monitor.look()
    assert decision is not None
    assert (decision.trouble, decision.action) == ("stall", RecoveryAction.RESTART)
    assert decision.reason == "no page more than the 4 so far for 10 minutes"
    crawl.again()
    crawl.log.unlink()
    assert crawl.stalled().trouble == "no_statistics"


def test_a_storm_of_errors_is_trouble_at_once(crawl: Watched) -> None:
    crawl.tells(4)
    crawl.fails("http", 9)
    assert crawl.monitor.look() is None
    crawl.fails("http")
    decision = crawl.monitor.look()
    assert decision is not None
    assert (decision.trouble, decision.reason) == (
        "http",
        "10 HTTP or network errors since the last page that went well",
    )


def test_errors_with_pages_in_between_are_no_trouble(crawl: Watched) -> None:
    for crawled in range(1, 6):
        crawl.fails("timeout", 9)
        crawl.tells(crawled)
    assert crawl.monitor.look() is None


def test_an_attempt_begins_with_no_errors_and_all_its_time(crawl: Watched) -> None:
    crawl.tells(4)
    crawl.fails("http", 9)
    crawl.clock.goes_on(minutes=9)
    assert crawl.monitor.look() is None
    crawl.again()
    crawl.tells(4)
    crawl.fails("http", 9)
    crawl.clock.goes_on(minutes=9)
    assert crawl.monitor.look() is None


def test_an_attempt_that_ends_badly_by_itself_is_trouble_and_one_that_succeeds_never(crawl: Watched) -> None:
    crawl.attempt.code = -9
    decision = crawl.monitor.look()
    assert decision is not None
    assert (decision.trouble, decision.reason) == ("crashed", "the crawl was killed by signal 9")
    crawl.again()
    crawl.fails("http", 1_000)
    crawl.attempt.code = 0
    crawl.clock.goes_on(days=1)
    assert crawl.monitor.look() is None
    assert len(crawl.state.decisions) == 1


def test_a_decision_is_on_disk_and_in_both_logs_before_anybody_acts(crawl: Watched) -> None:
    crawl.tells(4)
    assert crawl.monitor.look() is None
    with capture_logs() as events:
        decision = crawl.stalled()
    told = decision.to_json()
    assert crawl.stored()["decisions"] == [told]
    assert [event for event in events if event["event"] == "monitor.decision"] == [
        {"event": "monitor.decision", "log_level": "warning", **told}
    ]
    line = json.loads(crawl.log.read_text().splitlines()[-1])
    assert (line["logLevel"], line["context"], line["details"]) == ("warn", "monitor", told)
    assert line["message"] == "no page more than the 4 so far for 10 minutes: a restart"
    assert (parse_last_stats_from_log(crawl.log) or {})["crawled"] == 4


def test_recovery_actions_follow_each_other_until_the_crawl_is_given_up(tmp_path: Path) -> None:
    crawl = Watched(tmp_path, replace(EVERYTHING, max_vpn_rotations=1), workers=4)
    answers: list[RecoveryAction] = []
    while not answers or answers[-1] is not RecoveryAction.GIVE_UP:
        decision = crawl.stalled()
        answers.append(decision.action)
        crawl.monitor.carry_out(decision, _ended())
        crawl.again()
    assert answers == [
        *[RecoveryAction.FEWER_WORKERS] * 2,
        RecoveryAction.ROTATE_VPN,
        RecoveryAction.RESTART,
        *[RecoveryAction.BACK_OFF] * 3,
        RecoveryAction.GIVE_UP,
    ]
    assert crawl.state.current_workers == crawl.stored()["current_workers"] == 1


def test_progress_forgives_restarts_and_rests_but_not_what_is_limited_for_life(tmp_path: Path) -> None:
    crawl = Watched(tmp_path, replace(EVERYTHING, max_worker_reductions=1, max_vpn_rotations=1))
    for expected in (
        RecoveryAction.FEWER_WORKERS,
        RecoveryAction.ROTATE_VPN,
        RecoveryAction.RESTART,
        RecoveryAction.BACK_OFF,
    ):
        assert crawl.stalled().action is expected
        crawl.again()
    crawl.tells(1)
    assert crawl.monitor.look() is None
    assert "restarts_since_progress" not in crawl.stored()
    assert crawl.stalled().action is RecoveryAction.RESTART


def test_a_crawl_that_only_does_again_what_it_had_done_has_made_no_progress(crawl: Watched) -> None:
    answers: list[RecoveryAction] = []
    while not answers or answers[-1] is not RecoveryAction.GIVE_UP:
        assert len(answers) < 20, "it would go on for ever"
        for crawled in (0, 3):
            crawl.tells(crawled)
            assert crawl.monitor.look() is None
        crawl.attempt.code = 1
        decision = crawl.monitor.look()
        assert decision is not None
        answers.append(decision.action)
        crawl.again()
    assert answers.count(RecoveryAction.RESTART) == 1


@settings(max_examples=30)  # every decision is synced to the disk
@given(st.lists(st.sampled_from(["stall", "storm", "crash", "page", "killed"]), max_size=30), st.integers(1, 20))
def test_the_limits_are_obeyed_whatever_happens_also_to_the_monitor(happenings: list[str], workers: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        crawl = Watched(Path(folder), replace(EVERYTHING, min_workers=2), workers)
        for number, happening in enumerate(happenings):
            _happen(crawl, happening, number)
            assert crawl.state.current_workers >= min(2, workers)
        answers = [decision["answer"] for decision in CrawlState(Path(folder), 1).decisions]
    assert answers.count("fewer_workers") <= 3
    assert answers.count("rotate_vpn") <= 3


def _happen(crawl: Watched, happening: str, number: int) -> None:
    if happening == "killed":
        crawl.restarted()
    elif happening == "page":
        crawl.tells(number + 1)
        assert crawl.monitor.look() is None
        return
    elif happening == "stall":
        crawl.clock.goes_on(minutes=10)
    elif happening == "storm":
        crawl.fails("timeout", 10)
    else:
        crawl.attempt.code = 1
    decision = crawl.monitor.look()
    if decision is not None and decision.action is not RecoveryAction.ROTATE_VPN:
        crawl.monitor.carry_out(decision, _ended())
    crawl.again()


def test_what_was_spent_is_known_to_the_next_process(tmp_path: Path) -> None:
    crawl = Watched(tmp_path, replace(EVERYTHING, max_worker_reductions=1, vpn_rotation_frequency=timedelta(hours=1)))
    for expected in (
        RecoveryAction.FEWER_WORKERS,
        RecoveryAction.ROTATE_VPN,
        RecoveryAction.RESTART,
        RecoveryAction.BACK_OFF,
    ):
        decision = crawl.stalled()
        assert decision.action is expected
        crawl.restarted()
        crawl.again()


def test_a_truncated_state_file_is_reported_and_the_limits_count_from_nothing(tmp_path: Path) -> None:
    crawl = Watched(tmp_path)
    assert crawl.stalled().action is RecoveryAction.RESTART
    file = crawl.state.state_file_path
    file.write_bytes(file.read_bytes()[:40])
    with capture_logs() as events:
        crawl.restarted()
    assert [event["event"] for event in events] == ["crawl_state.damaged", "monitor.limits.unknown"]
    crawl.state.note_begin()
    with capture_logs() as events:
        Monitor(LIMITS, crawl.state)
    assert [event["event"] for event in events] == ["monitor.limits.unknown"], "a sound file says nothing of the past"
    crawl.again()
    assert crawl.stalled().action is RecoveryAction.RESTART
    assert len(crawl.state.decisions) == 1


def test_what_cannot_be_written_down_is_not_decided_until_it_can(crawl: Watched) -> None:
    file = crawl.state.state_file_path
    file.mkdir()
    crawl.clock.goes_on(minutes=10)
    with capture_logs() as events:
        assert crawl.monitor.look() is None
    assert [event["event"] for event in events] == ["monitor.state.unwritable"]
    assert (crawl.state.decisions, crawl.state.restarts_since_progress) == ((), 0)
    file.rmdir()
    decision = crawl.monitor.look()
    assert decision is not None
    assert decision.action is RecoveryAction.RESTART


def test_no_log_whatever_is_in_it_breaks_the_monitor(crawl: Watched) -> None:
    crawl.log.write_bytes(bytes(range(256)) * 50 + b'\n{"details": {}}\n{"details": 1}\n[1]\n')
    assert crawl.monitor.look() is None
    crawl.log.unlink()
    crawl.log.mkdir()
    assert crawl.monitor.look() is None
    assert crawl.stalled().action is RecoveryAction.RESTART
    crawl.attempt.log_path = None
    assert crawl.monitor.look() is not None


def test_the_vpn_is_changed_and_only_how_that_went_is_reported(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    command = f"sh -c {shlex.quote(f'echo s3cr3t; echo x >> {mark}; exit 4')}"
    crawl = Watched(tmp_path, replace(LIMITS, vpn=VpnCommand(command)))
    decision = crawl.stalled()
    assert decision.action is RecoveryAction.ROTATE_VPN
    assert not mark.exists(), "nothing is done before the attempt is over"
    with capture_logs() as events:
        crawl.monitor.carry_out(decision, threading.Event())
    assert mark.read_text() == "x\n"
    assert [(event["event"], event["exit_code"]) for event in events] == [("monitor.vpn", 4)]
    everything = crawl.log.read_text() + repr(events) + crawl.state.state_file_path.read_text()
    assert "ended with exit code 4" in everything
    assert "s3cr3t" not in everything
    crawl.again()
    assert crawl.stalled().action is RecoveryAction.RESTART, "one that failed counts as done"
    assert crawl.state.vpn_rotations_done == 1


def test_a_rest_ends_when_the_crawl_has_to(crawl: Watched) -> None:
    decision = replace(crawl.stalled(), action=RecoveryAction.BACK_OFF, wait=timedelta(days=7))
    crawl.monitor.carry_out(decision, _ended())


def test_a_clock_that_is_set_back_is_no_stall_and_hides_none(crawl: Watched) -> None:
    crawl.clock.goes_on(hours=-2)
    assert crawl.monitor.look() is None
    assert crawl.stalled().trouble == "no_statistics"


def test_a_monitors_clock_never_goes_back() -> None:
    clock = steady_clock()
    first, second = clock(), clock()
    assert first <= second
    assert abs(second - datetime.now(UTC)) < timedelta(minutes=1)


def _ended() -> threading.Event:
    """Return the event that ends every wait at once."""
    ended = threading.Event()
    ended.set()
    return ended
