"""The monitor and whoever runs the attempts, together: real processes that write real logs."""

import shlex
import threading
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from webstrata.archive_tool.monitor.watching import Monitor
from webstrata.archive_tool.supervising import supervise
from webstrata.jobs.running.children import Child
from webstrata.model.crawl.monitoring import MonitorLimits, VpnCommand
from webstrata.storage.combined_log import log_line, statistics_line
from webstrata.storage.crawl_state import CrawlState

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LIMITS = MonitorLimits(
    interval=timedelta(0),
    error_thresholds={"timeout": 3, "http": 3},
    backoff_delay=timedelta(0),
)
WAIT = "trap 'exit 130' TERM; while :; do sleep 0.02; done"


def statistics(crawled: int) -> str:
    return statistics_line(NOW, crawled=crawled, total=9, pending=1, failed=0, most=0, hit=False)


FAILURE = log_line(NOW, "warn", "pageStatus", "Page Load Failed", {"kind": "http", "count": 5})


@dataclass(frozen=True)
class Attempt:
    """A program of the shell that has a log."""

    child: Child
    log_path: Path

    def poll(self) -> int | None:
        return self.child.poll()

    def stop(self) -> int:
        return self.child.stop()


@dataclass
class Programs:
    """Runs one program after the other, the last one again and again; each writes some lines first."""

    folder: Path
    programs: list[tuple[str, str]]
    workers: list[int] = field(default_factory=list)
    name: str = "shell"

    def check(self) -> None: ...

    def command(self, workers: int) -> list[str]:
        lines, program = self.programs[min(len(self.workers), len(self.programs) - 1)]
        return ["sh", "-c", f"printf %s {shlex.quote(lines)} >> {shlex.quote(str(self._log))}; {program}"]

    def start(self, workers: int) -> Attempt:
        log = self._log
        child = Child.started(self.command(workers), None)
        self.workers.append(workers)
        return Attempt(child, log)

    def went_on(self) -> bool:
        return False

    def is_final(self, code: int) -> bool:
        return code == 0

    def finish(self, ended: threading.Event) -> int:
        return 0

    @property
    def _log(self) -> Path:
        return self.folder / f"{len(self.workers)}.log"


def run(engine: Programs, limits: MonitorLimits = LIMITS) -> tuple[int, CrawlState]:
    """Return the exit code of a watched run with four workers, and the state that the next reader finds."""
    state = CrawlState(engine.folder, 4)
    code = supervise(engine, state, Monitor(limits, state), threading.Event(), check_room=lambda: None)
    return code, CrawlState(engine.folder, 1)


def answers(state: CrawlState) -> list[tuple[object, object]]:
    return [(decision["trouble"], decision["answer"]) for decision in state.decisions]


def test_a_crawl_that_crashes_and_meets_errors_continues_until_it_succeeds(tmp_path: Path) -> None:
    engine = Programs(
        tmp_path,
        [
            (statistics(1) + FAILURE, WAIT),
            (statistics(1), "kill -9 $$"),
            (statistics(1) + statistics(2), "exit 3"),
            (statistics(3), "exit 0"),
        ],
    )
    code, state = run(engine)
    assert code == 0
    assert answers(state) == [("http", "restart"), ("crashed", "back_off"), ("crashed", "restart")]
    assert state.ended is not None
    assert state.ended["exit_code"] == 0


def test_a_crawl_that_nothing_helps_is_given_up_with_its_reason(tmp_path: Path) -> None:
    limits = replace(LIMITS, adaptive_workers=True, vpn=VpnCommand("false"), max_vpn_rotations=1)
    engine = Programs(tmp_path, [(FAILURE, WAIT)])
    code, state = run(engine, limits)
    assert code == 1
    assert [answer for _, answer in answers(state)] == [
        *["fewer_workers"] * 2,
        *["rotate_vpn", "restart"],
        *["back_off"] * 3,
        "give_up",
    ]
    assert engine.workers == [4, 2, *[1] * 6]
    assert state.ended is not None
    assert state.ended["reason"] == "given up: 5 HTTP or network errors since the last page that went well"
