"""zimit in every situation that docs/archive-tool.md names, as whoever runs archive-tool sees it."""

import json
import logging
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
import structlog

from tests.support.docker import PAGE_URL, StandIn
from tests.support.program import Program
from tests.support.waiting import wait_until
from webstrata.archive_tool import zimit
from webstrata.archive_tool.arguments import parsed
from webstrata.archive_tool.cli import run
from webstrata.archive_tool.modes import RunMode
from webstrata.archive_tool.monitor.watching import Monitor
from webstrata.archive_tool.supervising import supervise
from webstrata.archive_tool.zimit import ZimitEngine
from webstrata.errors import StorageError
from webstrata.jobs.running.children import Lifeline
from webstrata.model.crawl.monitoring import Decision, MonitorLimits, VpnCommand
from webstrata.storage.combined_log import attempt_logs
from webstrata.storage.crawl_state import CrawlState

ZIM = "trial_2026-11.zim"
ARCHIVE_TOOL = (sys.executable, "-m", "webstrata.archive_tool")
AT_ONCE = MonitorLimits(
    interval=timedelta(0),
    stall_timeout=timedelta(seconds=0.3),
    backoff_delay=timedelta(0),
    error_thresholds={"http": 3},
)
FAILED_PAGE = (
    'say {"timestamp":"2026-11-16T12:00:00.000Z","logLevel":"error","context":"pageStatus",'
    '"message":"Page Load Failed","details":{"page":"https://example.org/%d","status":503}}'
)
STORM = "; ".join(FAILED_PAGE % number for number in range(3))


@dataclass(frozen=True)
class Ended:
    """How a run ended and what it printed."""

    code: int
    out: str
    err: str


Tool = Callable[..., Ended]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "output"


@pytest.fixture
def archive_tool(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Tool]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEBSTRATA_DATA_DIR", str(tmp_path / "data"))

    def run_tool(*more: str) -> Ended:
        capsys.readouterr()
        code = run([*told(folder), *more])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.out + printed.err
        return Ended(code, printed.out, printed.err)

    yield run_tool
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def told(folder: Path) -> list[str]:
    return ["--engine", "zimit", "--seeds", PAGE_URL, "--name", "trial", "--output-dir", str(folder)]


def watched(folder: Path, limits: MonitorLimits, *more: str, workers: int = 1, monitor: Monitor | None = None) -> int:
    """Crawl as archive-tool does, with a monitor whose limits are shorter than its flags can say."""
    folder.mkdir(exist_ok=True)
    state = CrawlState(folder, workers)
    engine = ZimitEngine(parsed([*told(folder), *more]), state, RunMode.FRESH)
    seen = monitor or Monitor(limits, state)
    return supervise(engine, state, seen, threading.Event(), check_room=lambda: None)


def stored(folder: Path) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = json.loads((folder / ".archive_state.json").read_bytes())
    return found


def decisions(folder: Path) -> list[tuple[object, object]]:
    return [(decision["trouble"], decision["answer"]) for decision in stored(folder)["decisions"]]


def stages(folder: Path) -> list[str]:
    return [attempt.stage for attempt in attempt_logs(folder)]


def test_a_first_crawl_ends_with_a_zim_that_everybody_can_read(
    docker: StandIn, archive_tool: Tool, folder: Path
) -> None:
    ended = archive_tool("--relax-perms", "--cleanup", "--", "--pageLimit", "3")
    assert ended.code == 0, ended.err
    assert stages(folder) == ["initial_crawl"]
    for path in (folder / ZIM, folder / "warcs", folder / "warcs" / "rec-page-0.warc.gz"):
        assert path.stat().st_mode & stat.S_IROTH
    assert docker.begun[0][-5:] == ["--pageLimit", "3", "--keep", "--output", "/output"]
    assert json.loads((folder / ".archive_state.json").read_bytes())["ended"]["exit_code"] == 0


def test_a_zim_that_is_there_is_not_made_again_unless_it_is_to_be_overwritten(
    docker: StandIn, archive_tool: Tool, folder: Path
) -> None:
    folder.mkdir()
    (folder / ZIM).write_text("old")
    ended = archive_tool()
    assert ended.code == 1
    assert f"{ZIM} exists already: --overwrite" in ended.err
    assert docker.begun == []
    # Killed before it had begun, an overwrite is begun again.
    (folder / ".archive_state.json").write_text('{"overwrite_under_way": true}')
    assert archive_tool("--overwrite").code == 0
    assert (folder / ZIM).read_text() != "old"
    assert archive_tool("--overwrite").code == 0
    assert stages(folder) == ["initial_crawl"] * 2


def test_zimit_is_not_begun_in_a_folder_that_cannot_be_written_to(
    docker: StandIn, archive_tool: Tool, folder: Path
) -> None:
    folder.write_text("a file where the folder should be")
    ended = archive_tool()
    assert ended.code == 1
    assert ended.err.startswith(f"archive-tool: {folder}: ")
    assert docker.begun == []


def test_a_full_disk_ends_the_container(docker: StandIn, folder: Path) -> None:
    docker.zimit_does("tempdir abc; wait never")
    folder.mkdir()
    state = CrawlState(folder, 1)

    def check_room() -> None:
        if docker.begun:
            raise StorageError("only 3 bytes are left")

    with pytest.raises(StorageError, match="3 bytes"):
        supervise(engine_of(folder, state), state, None, threading.Event(), check_room=check_room)
    assert docker.running == []
    assert state.ended is not None
    assert state.ended["reason"] == "only 3 bytes are left"


def engine_of(folder: Path, state: CrawlState) -> ZimitEngine:
    return ZimitEngine(parsed(told(folder)), state, RunMode.FRESH)


def test_a_container_that_stalls_is_replaced_by_one_that_goes_on(docker: StandIn, folder: Path) -> None:
    docker.zimit_does("tempdir a; warc page; stats 4 9; wait never", "tempdir b; warc other; stats 9 9; zim")
    assert watched(folder, AT_ONCE) == 0
    assert decisions(folder) == [("stall", "restart")]
    assert stages(folder) == ["initial_crawl", "resume_crawl", "final_build_from_warcs"]
    assert docker.running == []


def test_a_container_that_reports_nothing_at_all_and_ignores_its_stop_is_replaced(
    docker: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zimit, "_GRACE_SECONDS", 0.2)
    docker.zimit_does("ignore-stop; wait never")
    assert watched(folder, AT_ONCE) == 0
    assert decisions(folder) == [("no_statistics", "restart")]
    assert docker.running == []


def test_an_error_storm_gets_fewer_workers_then_all_other_recovery_actions_and_is_given_up(
    docker: StandIn, folder: Path
) -> None:
    docker.zimit_does(*[f"{STORM}; wait never"] * 6)
    limits = MonitorLimits(
        interval=timedelta(0),
        backoff_delay=timedelta(0),
        error_thresholds={"http": 3},
        adaptive_workers=True,
        max_worker_reductions=1,
    )
    assert watched(folder, limits, workers=4) == 1
    answers = ["fewer_workers", "restart", "back_off", "back_off", "back_off", "give_up"]
    assert decisions(folder) == [("http", answer) for answer in answers]
    assert [run_told[run_told.index("--workers") + 1] for run_told in docker.begun] == ["4", *["2"] * 5]
    assert docker.running == []


def test_a_vpn_is_changed_for_zimit_as_often_as_allowed_also_after_a_restart(
    docker: StandIn, folder: Path, tmp_path: Path
) -> None:
    docker.zimit_does("exit 9", "exit 9")
    rotated = tmp_path / "rotated"
    limits = MonitorLimits(
        interval=timedelta(0),
        vpn=VpnCommand(f"sh -c 'echo x >> {rotated}'"),
        max_vpn_rotations=2,
        vpn_rotation_frequency=timedelta(0),
    )
    folder.mkdir()
    (folder / ".archive_state.json").write_text('{"vpn_rotations_done": 1}')
    assert watched(folder, limits) == 0
    assert decisions(folder) == [("crashed", "rotate_vpn"), ("crashed", "restart")]
    assert rotated.read_text() == "x\n"


def test_a_container_that_is_killed_is_replaced_when_someone_watches(docker: StandIn, folder: Path) -> None:
    docker.zimit_does("tempdir a; warc page; stats 1 2; exit 137")
    assert watched(folder, MonitorLimits(interval=timedelta(0))) == 0
    assert decisions(folder) == [("crashed", "restart")]
    assert stages(folder) == ["initial_crawl", "new_crawl_phase", "final_build_from_warcs"]


def test_a_crash_that_no_one_watches_fails_the_run_with_its_reason(
    docker: StandIn, archive_tool: Tool, folder: Path
) -> None:
    docker.zimit_does("tempdir a; exit 9")
    ended = archive_tool()
    assert ended.code == 1
    assert "exit code 9" in ended.out + ended.err
    assert "exit code 9" in str(stored(folder)["ended"])


def test_a_zimit_crawl_succeeds_however_its_monitor_breaks(docker: StandIn, folder: Path) -> None:
    folder.mkdir()
    docker.zimit_does("tempdir a; warc page; wait on; zim")

    class Broken(Monitor):
        def look(self) -> Decision | None:
            docker.let("on")
            raise ZeroDivisionError

    assert watched(folder, AT_ONCE, monitor=Broken(AT_ONCE, CrawlState(folder, 1))) == 0
    assert (folder / ZIM).is_file()


def test_without_docker_one_line_shows_what_to_do(
    archive_tool: Tool, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = archive_tool()
    assert ended.code == 1
    assert [line for line in ended.err.splitlines() if line.startswith("archive-tool: ")] == [
        "archive-tool: docker was not found: install Docker; the built-in crawler (--engine native) needs no Docker"
    ]


def test_a_docker_client_without_an_engine_is_as_good_as_none(
    docker: StandIn, archive_tool: Tool, folder: Path
) -> None:
    docker.engine("down")
    ended = archive_tool()
    assert ended.code == 1
    assert "Docker's engine does not respond (Cannot connect to the Docker daemon" in ended.err
    assert docker.begun == []


@pytest.mark.parametrize(("flags", "code"), [([], 1), (["--tied"], 75)])
def test_docker_that_dies_is_trouble_of_ours_and_the_next_run_goes_on(
    docker: StandIn,
    archive_tool: Tool,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: list[str],
    code: int,
) -> None:
    monkeypatch.setattr(Lifeline, "from_parent", lambda: None)
    docker.zimit_does("tempdir a; warc page; yaml; engine-dies")
    ended = archive_tool(*flags)
    assert ended.code == code
    assert "Docker" in str(stored(folder)["ended"])
    docker.engine("up")
    assert archive_tool(*flags).code == 0
    assert stages(folder) == ["initial_crawl", "resume_crawl", "final_build_from_warcs"]


def test_a_truncated_state_file_is_reported_and_zimit_goes_on_with_all_that_is_there(
    docker: StandIn, archive_tool: Tool, folder: Path
) -> None:
    docker.zimit_does("tempdir a; warc page; yaml; exit 9")
    assert archive_tool().code == 1
    state = folder / ".archive_state.json"
    state.write_bytes(state.read_bytes()[:40])
    ended = archive_tool()
    assert ended.code == 0
    assert "crawl_state.damaged" in ended.out + ended.err
    assert stages(folder) == ["initial_crawl", "resume_crawl", "final_build_from_warcs"]
    assert len(CrawlState(folder, 1).get_temp_dir_paths()) == 2


def test_a_dry_run_shows_the_docker_command_and_touches_nothing(
    docker: StandIn, archive_tool: Tool, folder: Path
) -> None:
    ended = archive_tool("--dry-run", "--initial-workers", "3", "--", "--pageLimit", "3")
    assert ended.code == 0, ended.err
    assert f"docker run --rm -v {folder}:/output --label archive_job=trial-" in ended.out
    assert f"zimit --seeds {PAGE_URL} --name trial --workers 3 --pageLimit 3 --keep --output /output" in ended.out
    assert not folder.exists()
    assert docker.begun == []


def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "data", command=ARCHIVE_TOOL)


def test_sigterm_stops_the_container_and_the_next_run_goes_on(docker: StandIn, tmp_path: Path, folder: Path) -> None:
    docker.zimit_does("tempdir a; warc page; stats 1 2; wait never")
    with program(tmp_path).started(*told(folder)) as first:
        wait_until(lambda: "statistics" in "".join(log.path.read_text() for log in attempt_logs(folder)), "it crawls")
        first.signal(signal.SIGTERM)
        assert first.ended() == 1
    assert docker.running == []
    assert "stopped" in str(stored(folder)["ended"])
    assert program(tmp_path).run(*told(folder)).returncode == 0
    assert stages(folder) == ["initial_crawl", "resume_crawl", "final_build_from_warcs"]


def test_a_killed_archive_tool_leaves_its_container_to_the_next_one(
    docker: StandIn, tmp_path: Path, folder: Path
) -> None:
    docker.zimit_does("tempdir a; warc page; stats 1 2; wait on; stats 2 2; zim")
    with program(tmp_path).started(*told(folder)) as first:
        docker.wait_for_run(1)
        first.kill()
    assert len(docker.running) == 1
    with program(tmp_path).started(*told(folder)) as second:
        docker.wait_for_following()
        docker.let("on")
        assert second.ended() == 0, second.output
    assert len(docker.begun) == 1
    assert (folder / ZIM).is_file()
    log = attempt_logs(folder)[-1].path.read_text()
    assert log.count("Crawl statistics") == 2


def test_a_container_does_not_outlive_the_worker_that_its_archive_tool_was_tied_to(
    docker: StandIn, tmp_path: Path, folder: Path
) -> None:
    docker.zimit_does("tempdir a; wait never")
    environment = program(tmp_path).environment
    reading, lifeline = os.pipe()
    child = os.posix_spawn(
        sys.executable,
        [*ARCHIVE_TOOL, *told(folder), "--tied"],
        environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, reading, 0), (os.POSIX_SPAWN_CLOSE, lifeline)],
        setsid=True,
    )
    os.close(reading)
    os.write(lifeline, b'{"leader": "worker-1"}\n')
    docker.wait_for_run(1)
    os.close(lifeline)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 130
    wait_until(lambda: docker.running == [], "the container ends")
