"""The built-in crawler in every situation of the table in docs/archive-tool.md: real crawls of a small site."""

import json
import logging
import os
import shlex
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
import structlog

from tests.archive_tool.test_cli import Ended, told
from tests.crawl.runs import Archive, assert_sound
from tests.jobs.rows import job_row, set_row
from tests.support.program import Program, Started, alive, children_of
from tests.support.waiting import wait_until
from tests.support.web_server import NOT_FOUND, Answer, WebServer, linked_site, page
from webstrata.app import build_app
from webstrata.archive_tool import native_engine, native_watched
from webstrata.archive_tool.arguments import Arguments
from webstrata.archive_tool.cli import run
from webstrata.archive_tool.monitor.watching import Monitor
from webstrata.crawl.commit import CrawlTarget
from webstrata.db.engine import Database
from webstrata.errors import StorageError
from webstrata.jobs.running.job_lease import lead_job
from webstrata.jobs.running.queueing import queue_tool_job, request_stop
from webstrata.model.crawl.monitoring import MonitorLimits
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.settings import load_settings
from webstrata.storage.crawl_state import STATE_FILE, CrawlState

PAGES = 3
SITE = len(linked_site(PAGES))
SOON_SECONDS = 20
WATCHED = "--enable-monitoring"

Tool = Callable[..., Ended]


@pytest.fixture
def settings(sqlite_url: str, tmp_path: Path) -> dict[str, str]:
    return {
        "WEBSTRATA_DATA_DIR": str(tmp_path / "data"),
        "WEBSTRATA_DATABASE_URL": sqlite_url,
        "WEBSTRATA_ALLOW_PRIVATE_NETWORKS": "127.0.0.1/32",
        "WEBSTRATA_PER_HOST_DELAY": "0",
        "WEBSTRATA_BACKOFF_MIN": "0.2",
        "WEBSTRATA_BACKOFF_MAX": "0.2",
        "WEBSTRATA_MAX_RETRIES": "50",
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "archive" / "trials" / "one"


@pytest.fixture
def database(sqlite_url: str) -> Iterator[Database]:
    opened = Database(sqlite_url)
    yield opened
    opened.dispose()


@pytest.fixture
def archive(database: Database, folder: Path) -> Archive:
    """What the first job will leave."""
    return Archive(database, CrawlTarget(1, "trial", 1, "loopback", folder.parent.parent, "trials/one/warcs"))


@pytest.fixture
def tool(
    settings: dict[str, str],
    folder: Path,
    web_server: WebServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Iterator[Tool]:
    """archive-tool in this process, on the trial folder; what it starts has processes of its own."""
    monkeypatch.chdir(tmp_path)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def run_tool(*flags: str) -> Ended:
        capfd.readouterr()
        code = run([*told(web_server, folder), *flags])
        printed = capfd.readouterr()
        assert "Traceback" not in printed.out + printed.err
        return Ended(code, printed.out, printed.err)

    yield run_tool
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the monitor look all the time, and rest for no time."""
    limits_of = Arguments.monitor_limits

    def quickly(arguments: Arguments) -> MonitorLimits | None:
        limits = limits_of(arguments)
        return limits and replace(limits, interval=timedelta(0), backoff_delay=timedelta(0))

    monkeypatch.setattr(Arguments, "monitor_limits", quickly)


@pytest.fixture
def held(web_server: WebServer) -> Iterator[threading.Event]:
    """A site whose page 1 keeps its first visitors waiting until this is set."""
    event = threading.Event()
    web_server.answers |= linked_site(PAGES)
    page = web_server.answers["/page/1"]
    assert isinstance(page, Answer)
    late = Answer(page.body, waits_for=event)
    web_server.answers["/page/1"] = lambda _request: page if event.is_set() else late
    yield event
    event.set()


def mode_of(tool: Tool, *flags: str) -> str:
    shown = tool(*flags, "--dry-run")
    assert shown.code == 0, shown.err
    return shown.out.partition("mode:")[2].splitlines()[0].strip()


def warcs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "warcs").glob("*.warc.gz")}


def answers_given(folder: Path) -> list[object]:
    return [decision["answer"] for decision in CrawlState(folder, 1).decisions]


def exit_noted(folder: Path) -> tuple[object, object]:
    ended = CrawlState(folder, 1).ended or {}
    return ended.get("exit_code"), ended.get("reason")


def test_a_first_run_is_fresh(tool: Tool, folder: Path, archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= linked_site(PAGES)
    assert mode_of(tool) == "fresh"
    assert not folder.exists()
    ended = tool()
    assert ended.code == 0, ended.err
    assert ended.out.startswith("job 1 is completed\n")
    assert job_row(archive.database).crawler_stage == "initial_crawl"
    assert archive.urls(TaskStatus.FINISHED) == {web_server.url(path) for path in linked_site(PAGES)}
    assert_sound(archive)


def test_a_run_that_was_cut_off_is_resumed(
    tool: Tool, folder: Path, archive: Archive, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    web_server.answers |= linked_site(PAGES)
    monkeypatch.setenv("WEBSTRATA_MAX_PAGES", "3")
    assert tool().code == 0
    had = Counter(web_server.pages())
    state = CrawlState(folder, 4)
    state.current_workers = 2
    state.save()
    monkeypatch.setenv("WEBSTRATA_MAX_PAGES", "100")
    assert mode_of(tool) == "resume"
    assert tool(WATCHED, "--initial-workers", "4").code == 0
    assert job_row(archive.database).crawler_stage == "resume_crawl"
    assert had + Counter({path: 1 for path in linked_site(PAGES) if path not in had}) == Counter(web_server.pages())
    report = json.loads((folder / "run-1.json").read_text())
    assert report["config"]["crawl"]["concurrency"] == 2, "as many workers as it had"
    assert_sound(archive)


def test_a_run_after_a_whole_one_adds_to_its_warcs(
    tool: Tool, folder: Path, archive: Archive, web_server: WebServer
) -> None:
    web_server.answers |= linked_site(PAGES)
    assert tool().code == 0
    before = warcs(folder)
    web_server.answers["/extra"] = Answer(b"<title>More</title>")
    assert mode_of(tool) == "new crawl with consolidation"
    assert tool("--seeds", web_server.url(), web_server.url("/extra")).code == 0
    row = job_row(archive.database)
    assert row.crawler_stage == "new_crawl_phase"
    assert before.items() <= warcs(folder).items()
    assert (len(archive.captures()), row.warc_bytes_total) == (SITE + 1, sum(map(len, warcs(folder).values())))
    assert_sound(archive)


def test_overwriting_crawls_all_anew_and_keeps_every_capture(
    tool: Tool, folder: Path, archive: Archive, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    web_server.answers |= linked_site(PAGES)
    monkeypatch.setenv("WEBSTRATA_MAX_PAGES", str(SITE))
    assert tool().code == 0
    before = warcs(folder)
    assert mode_of(tool, "--overwrite") == "overwrite"
    assert tool("--overwrite").code == 0
    assert set(Counter(web_server.pages()).values()) == {2}, "all of it, although a limit was reached once"
    assert before.items() <= warcs(folder).items()
    captures = archive.captures()
    assert set(Counter(capture.url for capture in captures).values()) == {2}
    assert len({capture.warc_record_id for capture in captures}) == 2 * SITE
    assert not CrawlState(folder, 1).overwrite_is_under_way


def test_an_overwriting_that_failed_continues_and_is_not_begun_a_second_time(
    tool: Tool, folder: Path, archive: Archive, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSTRATA_MAX_RETRIES", "1")
    web_server.answers |= linked_site(PAGES)
    assert tool().code == 0
    web_server.answers["/"] = Answer(status=500)
    assert tool("--overwrite").code == 1
    assert CrawlState(folder, 1).overwrite_is_under_way
    web_server.answers |= linked_site(PAGES)
    assert mode_of(tool, "--overwrite") == "resume"
    assert tool("--overwrite").code == 0
    assert archive.urls(TaskStatus.FINISHED) == {web_server.url(path) for path in linked_site(PAGES)}
    assert mode_of(tool, "--overwrite") == "overwrite"


@pytest.mark.parametrize("flags", [(), (WATCHED,), ("--dry-run",)])
def test_an_output_folder_that_cannot_be_written_to_is_refused(
    tool: Tool, folder: Path, web_server: WebServer, flags: tuple[str, ...]
) -> None:
    folder.parent.parent.mkdir(parents=True)
    folder.parent.write_bytes(b"a file, where a folder should be")
    refused = tool(*flags)
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert refused.err.startswith(f"archive-tool: {folder.parent}")
    assert "Not a directory" in refused.err
    assert web_server.requests == []


def test_a_full_disk_ends_the_attempt_and_lets_the_job_rest(
    tool: Tool,
    folder: Path,
    archive: Archive,
    web_server: WebServer,
    held: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def filling(_path: Path, _minimum: int) -> None:
        if "/page/1" in web_server.paths():
            raise StorageError("only 3 bytes are free")

    monkeypatch.setattr(native_watched, "check_room", filling)
    ended = tool(WATCHED)
    assert ended.code == 1
    assert ended.err.splitlines()[-1] == "archive-tool: only 3 bytes are free"
    row = job_row(archive.database)
    assert (row.status, row.status_reason) == ("retryable", "only 3 bytes are free")
    assert row.not_before is not None
    assert archive.urls(TaskStatus.IN_PROGRESS) == set()
    assert exit_noted(folder) == (1, "only 3 bytes are free")


def test_a_stalled_crawl_is_begun_again_and_succeeds(
    tool: Tool,
    folder: Path,
    archive: Archive,
    web_server: WebServer,
    held: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
    quick: None,
) -> None:
    hours = iter(range(10_000))

    class Impatient(Monitor):
        """Hours pass between its looks while a page hangs; once it has decided, the page is served."""

        def __init__(self, limits: MonitorLimits, state: CrawlState) -> None:
            def now() -> datetime:
                if state.decisions:
                    held.set()
                passed = next(hours) if "/page/1" in web_server.paths() and not held.is_set() else 0
                return datetime(2030, 1, 1, tzinfo=UTC) + timedelta(hours=passed)

            super().__init__(limits, state, now=now)

    monkeypatch.setattr(native_watched, "Monitor", Impatient)
    ended = tool(WATCHED)
    assert ended.code == 0, ended.err
    [decision] = CrawlState(folder, 1).decisions
    assert (decision["trouble"], decision["answer"]) in {("stall", "restart"), ("no_statistics", "restart")}
    assert len(list(folder.glob("*.combined.log"))) == 2
    assert any('"context":"monitor"' in log.read_text() for log in folder.glob("*.combined.log"))
    assert archive.urls(TaskStatus.FINISHED) == {web_server.url(path) for path in linked_site(PAGES)}
    assert exit_noted(folder) == (0, "")
    assert_sound(archive)


def test_an_error_storm_gets_recovery_actions_within_the_limits_and_is_given_up_in_the_end(
    tool: Tool, folder: Path, archive: Archive, web_server: WebServer, tmp_path: Path, quick: None
) -> None:
    """Restarts and rests were spent by an earlier run that was killed: that shortens the way to its end."""
    web_server.answers |= {"/": linked_site(PAGES)["/"], "/robots.txt": NOT_FOUND}
    web_server.otherwise = Answer(b"overloaded", status=500)
    folder.mkdir(parents=True)
    spent = {"restarts_since_progress": 1, "backoffs_since_progress": 3, "most_crawled": 1_000}
    (folder / STATE_FILE).write_text(json.dumps(spent))
    vpn = shlex.join(["sh", "-c", f"echo s3cret; echo changed >> {tmp_path}/rotations"])
    workers = ("--initial-workers", "4", "--enable-adaptive-workers", "--max-worker-reductions", "1")
    rotation = ("--enable-vpn-rotation", "--vpn-connect-command", vpn, "--max-vpn-rotations", "1")
    ended = tool(WATCHED, *workers, *rotation, "--error-threshold-http", "3")
    assert (ended.code, answers_given(folder)) == (1, ["fewer_workers", "rotate_vpn", "give_up"])
    state = CrawlState(folder, 1)
    assert (state.current_workers, state.worker_reductions_done, state.vpn_rotations_done) == (2, 1, 1)
    assert (tmp_path / "rotations").read_text() == "changed\n"
    assert {decision["trouble"] for decision in state.decisions} == {"http"}
    row = job_row(archive.database)
    assert (row.status, row.status_reason) == ("failed", exit_noted(folder)[1])
    assert str(row.status_reason).startswith("given up: ")
    logs = "".join(log.read_text() for log in folder.glob("*.combined.log"))
    assert "s3cret" not in ended.out + ended.err + logs + (folder / STATE_FILE).read_text()


def test_a_watched_crawl_whose_attempts_die_rests_and_gets_past_the_deadly_page(
    tool: Tool, folder: Path, archive: Archive, web_server: WebServer, monkeypatch: pytest.MonkeyPatch, quick: None
) -> None:
    deadly = Path(__file__).parent.parent / "crawl" / "deadly_page.py"
    monkeypatch.setattr(native_engine, "OWN_TOOL", (sys.executable, str(deadly), "webstrata.archive_tool"))
    web_server.answers |= {"/": page("Home", "/poison", "/other"), "/other": page("Other")}
    web_server.answers |= {"/poison": page("Poison", text="deadly")}
    assert tool(WATCHED).code == 1
    assert answers_given(folder) == ["restart", "back_off", "back_off", "back_off", "give_up"]
    row = job_row(archive.database)
    assert (row.status, row.retry_count, row.status_reason) == (
        *("retryable", 0),
        "given up: the crawl was killed by signal 11",
    )
    assert row.not_before is not None
    ended = tool(WATCHED)
    assert ended.code == 0, ended.err
    assert archive.urls(TaskStatus.ERROR) == {web_server.url("/poison")}
    assert str(job_row(archive.database).status_reason).endswith(web_server.url("/poison"))


def test_a_watched_crawl_that_rests_for_its_worker_can_be_stopped(
    tool: Tool, folder: Path, archive: Archive, web_server: WebServer
) -> None:
    """What an earlier run spent lets it rest at the first trouble, for minutes."""
    web_server.answers |= {"/": linked_site(PAGES)["/"], "/robots.txt": NOT_FOUND}
    web_server.otherwise = Answer(b"overloaded", status=500)
    app = build_app(load_settings())
    job_id = queue_tool_job(app.database, app.archive_root, name="trial", urls=(web_server.url(),), output_dir=folder)
    options = {"enable_monitoring": True, "monitor_interval_seconds": 1, "error_threshold_http": 3}
    set_row(app.database, config={"seeds": [web_server.url()], "tool_options": options})
    (folder / STATE_FILE).write_text(json.dumps({"restarts_since_progress": 1, "most_crawled": 1_000}))
    codes: list[int] = []
    with lead_job(app.database, app.archive_root, job_id, helpers_welcome=True) as leader:
        crawl = partial(app.context().stages.crawl, job_id, leader, threading.Event())
        working = threading.Thread(target=lambda: codes.append(crawl()))
        working.start()
        wait_until(lambda: answers_given(folder) == ["back_off"], "it rests")
        assert not job_row(app.database).helpers_welcome
        request_stop(app.recovery(), job_id)
        working.join(SOON_SECONDS)
        row = job_row(app.database)
    assert (codes, row.status, row.status_reason) == ([1], "stopped", "stopped with 3 URLs to go")
    assert exit_noted(folder) == (1, row.status_reason)
    assert archive.urls(TaskStatus.IN_PROGRESS) == set()
    app.close()


@pytest.fixture
def program(settings: dict[str, str], tmp_path: Path) -> Program:
    return Program(tmp_path / "data", settings, (sys.executable, "-m", "webstrata.archive_tool"))


def attempt_of(tool: Started) -> int | None:
    """Return the process that crawls for a watching one, if it does by now."""
    return next(iter(children_of(tool.process.pid)), None)


def test_sigterm_stops_a_watched_crawl_and_the_next_run_goes_on(
    program: Program, folder: Path, archive: Archive, web_server: WebServer, held: threading.Event
) -> None:
    with program.started(*told(web_server, folder), WATCHED) as tool:
        wait_until(lambda: "/page/1" in web_server.paths(), "the crawl is under way")
        attempt = attempt_of(tool)
        tool.signal(signal.SIGTERM)
        assert tool.ended(SOON_SECONDS) == 1, tool.output
        assert attempt is not None
        assert not alive(attempt)
        assert "Traceback" not in tool.output
    row = job_row(archive.database)
    assert (row.status, row.lease_owner, row.crawler_exit_code) == ("stopped", None, 1)
    assert archive.urls(TaskStatus.IN_PROGRESS) == set()
    assert exit_noted(folder) == (1, row.status_reason)
    held.set()
    assert program.run(*told(web_server, folder)).returncode == 0
    assert archive.urls(TaskStatus.FINISHED) == {web_server.url(path) for path in linked_site(PAGES)}
    assert_sound(archive)


def test_a_killed_attempt_is_begun_again_and_a_killed_tool_takes_its_attempt_along(
    program: Program, folder: Path, archive: Archive, web_server: WebServer, held: threading.Event
) -> None:
    with program.started(*told(web_server, folder), WATCHED) as tool:
        wait_until(lambda: "/page/1" in web_server.paths(), "the crawl is under way")
        first = attempt_of(tool)
        assert first is not None
        signal.pidfd_send_signal(os.pidfd_open(first), signal.SIGKILL)
        wait_until(lambda: web_server.paths().count("/page/1") == 2, f"another attempt goes on\n{tool.output}")
        [decision] = CrawlState(folder, 1).decisions
        assert (decision["trouble"], decision["answer"]) == ("crashed", "restart")
        second = attempt_of(tool)
        tool.kill()
        assert second is not None
        wait_until(lambda: not alive(second), "the attempt ends with the one that watches it", SOON_SECONDS)
    assert archive.urls(TaskStatus.IN_PROGRESS) == set()
    held.set()
    ended = program.run(*told(web_server, folder))
    assert ended.returncode == 0, ended.stderr
    assert archive.urls(TaskStatus.FINISHED) == {web_server.url(path) for path in linked_site(PAGES)}
    assert_sound(archive)


@pytest.mark.parametrize("number", [pytest.param(signal.SIGTERM, marks=pytest.mark.soak), signal.SIGKILL])
def test_a_worker_that_ends_takes_its_watched_crawl_along(
    settings: dict[str, str],
    folder: Path,
    archive: Archive,
    web_server: WebServer,
    held: threading.Event,
    number: signal.Signals,
) -> None:
    root, seeds = folder.parent.parent, (web_server.url(),)
    queue_tool_job(archive.database, root, name="trial", urls=seeds, output_dir=folder)
    set_row(archive.database, config={"seeds": seeds, "tool_options": {"enable_monitoring": True}}, not_before=None)
    with Program(root.parent, settings).started("start-worker", "--once") as worker:
        wait_until(lambda: "/page/1" in web_server.paths(), f"the crawl is under way\n{worker.output}")
        processes = children_of(worker.process.pid)
        worker.signal(number)
        worker.ended(SOON_SECONDS)
        wait_until(lambda: not any(map(alive, processes)), "the tool and its attempt end too", SOON_SECONDS)
    assert len(processes) >= 2
    assert archive.urls(TaskStatus.IN_PROGRESS) == set()
    assert job_row(archive.database).status == ("queued" if number == signal.SIGTERM else "running")


def test_a_truncated_state_file_is_reported_and_the_crawl_succeeds(
    tool: Tool, folder: Path, web_server: WebServer
) -> None:
    web_server.answers |= linked_site(PAGES)
    folder.mkdir(parents=True)
    (folder / STATE_FILE).write_text('{"current_workers": 2, "worker_red')
    ended = tool(WATCHED, "--initial-workers", "3")
    assert ended.code == 0, ended.err
    assert "crawl_state.damaged" in ended.err
    state = CrawlState(folder, 1)
    assert (state.damage, exit_noted(folder)) == (None, (0, ""))
    assert (state.initial_workers, state.current_workers, state.decisions) == (3, 3, ())
