"""Crawls by a tool that knows nothing of our database: its job is led by its log, its state and its exit code."""

import json
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.jobs.rows import job_row, set_row, status_of
from tests.support.waiting import wait_until
from tests.web.archive import Answer, write_warc
from webstrata.db.captures import captures
from webstrata.db.queue import leases
from webstrata.db.queue.jobs import StoredJob
from webstrata.db.sources.editions import editions_of, public_source
from webstrata.errors import StorageError, UsageError, WebstrataError
from webstrata.jobs.progress.tool_progress import why_it_ended
from webstrata.jobs.running.job_lease import lead_job
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.persistent import WorkerContext, run_persistent_job
from webstrata.jobs.running.queueing import queue_archive, request_stop, retry_job
from webstrata.jobs.running.tool import ToolStages
from webstrata.jobs.running.worker import index_next_job, process_next_job
from webstrata.jobs.sources.source_choice import source_code_of
from webstrata.logs import HIDDEN
from webstrata.model.jobs.attempts import MAX_CRAWL_RETRIES
from webstrata.model.jobs.job import ArchiveJobConfig, JobStatus

SITE = "https://health.example/"
QUIET = threading.Event()
NAME = "archive_initial_crawl_-_attempt_1_20260501_120000.combined.log"

PRELUDE = f"""
import json, os, pathlib, shutil, signal, sys, time
at = sys.argv.index
out = pathlib.Path(sys.argv[at("--output-dir") + 1])

def say(crawled, total, failed=0, log=out / {NAME!r}):
    details = dict(crawled=crawled, total=total, pending=total - crawled, failed=failed)
    line = dict(timestamp="2026-05-01T12:00:00Z", logLevel="info", context="crawlStatus")
    with log.open("a") as file:
        file.write(json.dumps(dict(line, message="Crawl statistics", details=details)) + chr(10))

def leave(warc):
    folder = out / ".tmpabc" / "collections" / "crawl-1" / "archive"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(warc, folder / "rec-1.warc.gz")
    (out / ".archive_state.json").write_text(json.dumps(dict(temp_dirs_host_paths=[str(out / ".tmpabc")])))

def wait_for(name):
    while not (out / name).exists():
        time.sleep(0.02)
"""


@dataclass(frozen=True)
class ByTool:
    """Stages whose crawl is another program, while the rest runs here."""

    tool: ToolStages
    runner: Runner

    def crawl(self, job_id: int, leader: str, interrupted: threading.Event) -> int:
        return self.tool.crawl(job_id, leader, interrupted)

    def settles_its_job(self, job: StoredJob) -> bool:
        return self.tool.settles_its_job(job)

    def help(self, job_id: int, interrupted: threading.Event) -> bool:
        return self.tool.help(job_id, interrupted)

    def index(self, job_id: int, leader: str, interrupted: threading.Event) -> int:
        return self.runner.index(job_id, leader, interrupted)

    def index_so_far(self, job_id: int, interrupted: threading.Event) -> int:
        return self.runner.index_so_far(job_id, interrupted)


MakeCrew = Callable[[str], WorkerContext]


@pytest.fixture
def by_tool(context: WorkerContext, runner: Runner, tmp_path: Path) -> MakeCrew:
    """Makes worker contexts whose crawler is a script of the test's own."""

    def make(body: str) -> WorkerContext:
        script = tmp_path / "tool.py"
        script.write_text(PRELUDE + body)
        command = (sys.executable, "-S", str(script))
        tool = ToolStages(context.database, context.archive_root, command, look_seconds=0.05)
        return replace(context, stages=ByTool(tool, runner))

    return make


@pytest.fixture
def job_id(runner: Runner) -> int:
    return queue_archive(runner.database, runner.archive_root, (SITE,))


@pytest.fixture
def folder(runner: Runner, job_id: int) -> Path:
    return Path(job_row(runner.database, job_id).output_dir)


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    """What the tool's crawl brings: two pages."""
    path = tmp_path / "found.warc.gz"
    write_warc(path, [Answer(SITE, "Front", "Hello."), Answer(f"{SITE}more", "More", "Hello again.")])
    return path


def test_a_crawl_by_another_tool_ends_in_an_indexed_job(
    by_tool: MakeCrew, runner: Runner, job_id: int, folder: Path, warc: Path
) -> None:
    context = by_tool(f"say(2, 2); leave({str(warc)!r}); (out / 'site.zim').write_text('ZIM')")
    assert process_next_job(context, QUIET)
    row = job_row(runner.database, job_id)
    assert (row.status, row.crawler_status, row.crawler_exit_code) == ("indexed", "success", 0)
    assert (row.indexed_page_count, row.warc_file_count, row.pages_crawled) == (2, 1, 2)
    assert (row.crawler_stage, row.combined_log_path) == ("initial_crawl", str(folder / NAME))
    assert (row.final_zim_path, row.state_file_path) == (
        str(folder / "site.zim"),
        str(folder / ".archive_state.json"),
    )
    assert row.status_reason is None
    report = json.loads((folder / f"run-{job_id}.json").read_text())
    assert (report["run"]["status"], report["counts"]["finished"]) == ("completed", 2)
    assert [warc["captures"] for warc in report["warc_files"]] == [0], "what is in it, the index tells"


def test_while_another_tool_crawls_its_jobs_row_is_kept_true_and_no_one_helps(
    by_tool: MakeCrew, runner: Runner, job_id: int, folder: Path
) -> None:
    context = by_tool("say(3, 9, 1); wait_for('seen'); say(9, 9, 1)")
    running = threading.Thread(target=run_persistent_job, args=(job_id,), kwargs={"context": context})
    running.start()
    try:
        wait_until(lambda: job_row(runner.database, job_id).pages_crawled == 3, "the row tells how far it is")
        row = job_row(runner.database, job_id)
        assert (row.status, row.pages_total, row.pages_failed) == ("running", 9, 1)
        assert (row.crawler_stage, row.combined_log_path) == ("initial_crawl", str(folder / NAME))
        assert not row.helpers_welcome
        assert not context.stages.help(job_id, QUIET)
    finally:
        (folder / "seen").touch()
        running.join()
    row = job_row(runner.database, job_id)
    assert (row.status, row.pages_crawled) == ("completed", 9)


def test_a_stop_ends_the_tool_and_keeps_what_it_brought(
    by_tool: MakeCrew, runner: Runner, job_id: int, folder: Path, warc: Path
) -> None:
    context = by_tool(f"""
def end(*_):
    leave({str(warc)!r})
    sys.exit(1)
signal.signal(signal.SIGTERM, end)
say(2, 9)
(out / "at work").touch()
wait_for("never")
""")
    running = threading.Thread(target=run_persistent_job, args=(job_id,), kwargs={"context": context})
    running.start()
    wait_until((folder / "at work").exists, "the tool is at work")
    request_stop(runner.recovery, job_id)
    running.join()
    row = job_row(runner.database, job_id)
    assert (row.status, row.status_reason) == ("stopped", "stopped with 7 URLs to go")
    assert (row.crawler_status, row.crawler_exit_code, row.indexed_page_count) == ("stopped", 1, 2)


def test_a_worker_that_leaves_ends_the_tool_and_puts_the_job_back_in_line(
    by_tool: MakeCrew, runner: Runner, job_id: int, folder: Path
) -> None:
    leaving = threading.Event()
    context = by_tool("(out / 'at work').touch(); wait_for('never')")
    running = threading.Thread(
        target=run_persistent_job, args=(job_id,), kwargs={"context": context, "interrupted": leaving}
    )
    running.start()
    wait_until((folder / "at work").exists, "the tool is at work")
    leaving.set()
    running.join()
    row = job_row(runner.database, job_id)
    assert (row.status, row.status_reason, row.finished_at) == ("queued", "its worker ended", None)


ENDED = """(out / ".archive_state.json").write_text(json.dumps({"ended": {
    "at": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()), "exit_code": 1, "reason": "Docker is not there"}}))
"""


def test_a_failed_crawl_gives_the_reason_and_is_tried_again_as_often_as_it_may(
    by_tool: MakeCrew, runner: Runner, job_id: int
) -> None:
    context = by_tool(ENDED + "sys.exit(1)")
    assert run_persistent_job(job_id, context=context, max_retries=1) == 1
    row = job_row(runner.database, job_id)
    assert (row.status, row.retry_count, row.status_reason) == ("retryable", 1, "Docker is not there")
    set_row(runner.database, job_id, not_before=None)
    run_persistent_job(job_id, context=context, max_retries=1)
    row = job_row(runner.database, job_id)
    assert (row.status, row.crawler_status, row.crawler_exit_code) == ("failed", "failed", 1)


def test_what_a_crawl_brought_that_failed_can_be_searched_and_the_job_stays_failed(
    by_tool: MakeCrew, runner: Runner, job_id: int, warc: Path
) -> None:
    set_row(runner.database, job_id, retry_count=MAX_CRAWL_RETRIES)
    context = by_tool(f"leave({str(warc)!r})\n{ENDED}sys.exit(1)")
    assert process_next_job(context, QUIET)
    row = job_row(runner.database, job_id)
    assert (row.status, row.status_reason, row.indexed_page_count) == ("failed", "Docker is not there", 2)
    with runner.database.read() as session:
        source = public_source(session, source_code_of(SITE))
        assert source is not None
        assert [edition.job_id for edition in editions_of(session, source)] == [job_id]
    assert not index_next_job(context, QUIET), "it is indexed once"
    with lead_job(runner.database, runner.archive_root, job_id, leases.lease_for_index) as leader:
        assert runner.index(job_id, leader, QUIET, again=True) == 0
    row = job_row(runner.database, job_id)
    assert (row.status, row.indexed_page_count) == ("failed", 2), "index-job leaves its status"
    assert retry_job(runner.database, job_id) is JobStatus.RETRYABLE


def test_what_cannot_be_read_of_a_failed_crawl_is_not_tried_for_ever(
    by_tool: MakeCrew, runner: Runner, job_id: int, folder: Path, warc: Path
) -> None:
    set_row(runner.database, job_id, retry_count=MAX_CRAWL_RETRIES)
    context = by_tool(f"leave({str(warc)!r}); sys.exit(1)")
    run_persistent_job(job_id, context=context)
    lost = folder / ".tmpabc" / "lost.warc.gz"
    with runner.database.write() as session:
        captures.acknowledge(session, captures.add_warc_file(session, job_id, str(lost)), 100)
    assert index_next_job(context, QUIET)
    row = job_row(runner.database, job_id)
    assert (row.status, row.indexed_page_count, row.index_problem_count) == ("failed", 2, 1)
    assert not index_next_job(context, QUIET)


def test_trouble_of_ours_pauses_the_job_and_costs_no_retry(by_tool: MakeCrew, runner: Runner, job_id: int) -> None:
    with pytest.raises(StorageError, match=r"^Docker is not there$"):
        run_persistent_job(job_id, context=by_tool(ENDED + "sys.exit(75)"), max_retries=1)
    row = job_row(runner.database, job_id)
    assert (row.status, row.retry_count, row.status_reason) == ("retryable", 0, "Docker is not there")
    assert row.not_before is not None


def test_a_tool_that_cannot_obey_has_failed_for_good(by_tool: MakeCrew, runner: Runner, job_id: int) -> None:
    with pytest.raises(WebstrataError, match="exit code 2"):
        run_persistent_job(job_id, context=by_tool("sys.exit(2)"), max_retries=1)
    assert status_of(runner.database, job_id) == "failed"


def test_a_killed_tool_is_restarted_as_long_as_it_makes_progress(
    by_tool: MakeCrew, runner: Runner, job_id: int, folder: Path
) -> None:
    context = by_tool("""
times = len(list(out.glob("time-*"))) + 1
(out / f"time-{times}").touch()
say(min(times, 2), 9)
os.kill(os.getpid(), 9)
""")
    assert run_persistent_job(job_id, context=context) == -9
    assert len(list(folder.glob("time-?"))) == 3, "twice it got further, then it did not"
    row = job_row(runner.database, job_id)
    assert (row.status, row.status_reason) == ("failed", "the crawler was killed (SIGKILL) before it was done")


def test_overwrite_applies_once_in_a_run(by_tool: MakeCrew, runner: Runner, job_id: int, folder: Path) -> None:
    set_row(runner.database, job_id, config={"seeds": [SITE], "tool_options": {"overwrite": True}})
    context = by_tool("""
first = not (out / "told").exists()
with (out / "told").open("a") as told:
    told.write(("anew" if "--overwrite" in sys.argv else "on") + " ")
say(1 if first else 9, 9, log=out / time.strftime("archive_x_-_attempt_1_%Y%m%d_%H%M%S.combined.log", time.gmtime()))
os.kill(os.getpid(), 9 if first else 0)
""")
    assert run_persistent_job(job_id, context=context) == 0
    assert (folder / "told").read_text() == "anew on "


def test_a_job_of_zimit_is_neither_crawled_nor_taken_up_by_the_built_in_crawler(runner: Runner, job_id: int) -> None:
    set_row(runner.database, job_id, config={"seeds": [SITE], "tool_options": {"engine": "zimit"}})
    with pytest.raises(UsageError, match=f"crawled by zimit: webstrata run-db-job --id {job_id}"):
        runner.run(job_id)
    set_row(runner.database, job_id, status="stopped")
    assert queue_archive(runner.database, runner.archive_root, (SITE,)) != job_id


def test_an_exit_code_that_only_states_that_the_job_is_anothers_ends_the_job_all_the_same(
    by_tool: MakeCrew, runner: Runner, job_id: int
) -> None:
    run_persistent_job(job_id, context=by_tool("sys.exit(76)"))
    row = job_row(runner.database, job_id)
    assert (row.status, row.status_reason) == ("failed", "exit code 76")


@pytest.fixture
def stored(tmp_path: Path) -> StoredJob:
    """A job as it is led."""
    unknown = dict.fromkeys(StoredJob.__dataclass_fields__)
    options = {"vpn_connect_command": "vpn --key hunter2"}
    config = ArchiveJobConfig((SITE,), tool_options=options)
    return StoredJob(**unknown | {"id": 3, "output_dir": str(tmp_path), "config": config})  # type: ignore[arg-type]


LONG_AGO = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], None),
        (["all is well"], None),
        (["Error: the daemon is gone", "bye"], "Error: the daemon is gone"),
        (['{"logLevel":"error","message":"Page failed"}', '{"logLevel":"info","message":"no error"}'], "Page failed"),
        (['{"level":"error","event":"disk.full","reason":"no room"}'], "disk.full: no room"),
        (["error: vpn --key hunter2 broke"], f"error: {HIDDEN} broke"),
    ],
)
def test_without_a_state_the_last_error_of_the_log_gives_the_reason(
    stored: StoredJob, lines: list[str], why: str | None
) -> None:
    (Path(stored.output_dir) / NAME).write_text("\n".join(lines))
    assert why_it_ended(stored, LONG_AGO) == why


def test_what_an_earlier_run_left_is_no_reason(stored: StoredJob) -> None:
    folder = Path(stored.output_dir)
    ended = {"at": LONG_AGO.isoformat(), "exit_code": 1, "reason": "long ago"}
    (folder / ".archive_state.json").write_text(json.dumps({"ended": ended}))
    (folder / NAME).write_text("Error: long ago\n")
    assert why_it_ended(stored, LONG_AGO) == "long ago"
    assert why_it_ended(stored, datetime.now(UTC) + timedelta(minutes=1)) is None
