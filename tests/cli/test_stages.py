"""Single stages from the command line, and how an archive stands."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.jobs.rows import job_row, set_row
from tests.support.program import Program
from tests.support.web_server import Answer, WebServer, linked_site, page
from webstrata.cli.main import run
from webstrata.coordination.presence import present
from webstrata.db.engine import Database
from webstrata.jobs.running.leaders import WORKER_KIND
from webstrata.jobs.running.queueing import queue_archive


@pytest.fixture
def job_id(database: Database, data_dir: Path, web_server: WebServer) -> int:
    return queue_archive(database, data_dir / "archive", (web_server.url(),))


def test_a_job_is_crawled_by_archive_tool_and_indexed_stage_by_stage(
    program: Program, database: Database, web_server: WebServer
) -> None:
    web_server.answers |= linked_site(3)
    named = ("--name", "trial", "--seeds", web_server.url("/page/0"), web_server.url("/page/1"))
    ran = program.run("run-job", *named, "--initial-workers", "2")
    assert ran.returncode == 0, ran.stderr
    assert "job 1 is completed" in ran.stdout
    assert job_row(database).config == {
        **(job_row(database).config or {}),
        "seeds": [web_server.url("/page/0"), web_server.url("/page/1")],
    }
    indexed = program.run("index-job", "--id", "1", "--json")
    assert indexed.returncode == 0, indexed.stderr
    assert json.loads(indexed.stdout)["status"] == "indexed"
    assert json.loads(indexed.stdout)["pages"] == job_row(database).indexed_page_count > 0


def test_a_queued_job_is_crawled_at_once(program: Program, database: Database, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    queue_archive(database, program.folder / "archive", (web_server.url(),))
    ran = program.run("run-db-job", "--id", "1")
    assert (ran.returncode, ran.stdout) == (0, "job 1 is completed\n"), ran.stderr
    assert job_row(database).status == "completed"
    again = program.run("run-db-job", "--id", "1")
    assert again.returncode == 1
    assert "webstrata: job 1 is completed: it waits for nobody\n" in again.stderr


def test_scripts_learn_what_became_of_a_crawl_from_one_json_document(
    program: Program, database: Database, web_server: WebServer
) -> None:
    web_server.answers["/"] = page("Home")
    ran = program.run("run-job", "--name", "trial", "--seeds", web_server.url(), "--json")
    told = json.loads(ran.stdout)
    assert (told, ran.returncode) == ({"folder": job_row(database).output_dir, "exit_code": 0}, 0)
    queue_archive(database, program.folder / "archive", (web_server.url(),))
    ran = program.run("run-db-job", "--id", "2", "--json")
    assert json.loads(ran.stdout) == {"job": 2, "status": "completed", "reason": None, "exit_code": 0}
    again = program.run("run-db-job", "--id", "2", "--json")
    assert (again.returncode, again.stdout) == (1, "")


def test_what_a_tool_prints_is_no_part_of_the_json(program: Program, database: Database, web_server: WebServer) -> None:
    queue_archive(database, program.folder / "archive", (web_server.url(),))
    chatty = replace(program, settings={**program.settings, "WEBSTRATA_TOOL_CMD": "sh -c 'echo hello; exit 1'"})
    ran = chatty.run("run-db-job", "--id", "1", "--json")
    assert (ran.returncode, json.loads(ran.stdout)["exit_code"]) == (1, 1)
    assert "hello" in ran.stderr


def test_scripts_get_the_status_of_a_job_after_a_command(
    webstrata: CommandLine, database: Database, job_id: int
) -> None:
    def told(verb: str) -> dict[str, object]:
        ended = webstrata(verb, "--id", str(job_id), "--json")
        assert ended.code == 0, ended.err
        return dict(json.loads(ended.out))

    assert told("stop-job") == {"job": job_id, "status": "stopped", "reason": "stopped before it began"}
    assert told("resume-job") == {"job": job_id, "status": "queued", "reason": None}
    set_row(database, job_id, status="failed", status_reason="because")
    assert told("retry-job") == {"job": job_id, "status": "retryable", "reason": "because"}


def test_options_that_the_crawler_cannot_obey_fail_the_job_by_name(
    program: Program, database: Database, web_server: WebServer
) -> None:
    job_id = queue_archive(database, program.folder / "archive", (web_server.url(),))
    set_row(database, job_id, config={"seeds": [web_server.url()], "tool_options": {"docker_image": "zimit"}})
    ran = program.run("run-db-job", "--id", "1")
    assert ran.returncode == 1
    row = job_row(database)
    assert row.status == "failed"
    assert str(row.status_reason).startswith("docker_image needs engine=zimit")
    assert web_server.requests == []


def test_the_built_in_crawler_ignores_arguments_for_zimit_with_a_warning_in_log_and_job(
    program: Program, database: Database, web_server: WebServer
) -> None:
    web_server.answers["/"] = page("Home")
    job_id = queue_archive(database, program.folder / "archive", (web_server.url(),))
    config = {"seeds": [web_server.url()], "zimit_passthrough_args": ["--pageLimit", "10"]}
    set_row(database, job_id, config=config)
    checked = program.run("validate-job-config", "--id", "1")
    ran = program.run("run-db-job", "--id", "1")
    assert (checked.returncode, ran.returncode) == (0, 0), checked.stdout + ran.stderr
    row, said = job_row(database), "the built-in crawler ignores zimit_passthrough_args (--pageLimit)"
    assert said in checked.stdout
    assert (row.status, row.status_reason) == ("completed", said)
    assert row.config is not None
    assert row.config["zimit_passthrough_args"] == ["--pageLimit", "10"]
    logged = Path(str(row.combined_log_path)).read_text()
    assert (said in logged, logged.count("option.without_effect")) == (True, 1)


def test_a_job_that_failed_is_tried_again_and_any_other_is_not(
    webstrata: CommandLine, database: Database, job_id: int
) -> None:
    for status, then in {"failed": "retryable", "index_failed": "completed"}.items():
        set_row(database, job_id, status=status, status_reason="because", retry_count=2)
        ended = webstrata("retry-job", "--id", str(job_id))
        assert (ended.code, ended.out.partition(":")[0]) == (0, f"job {job_id} is {then}")
        assert job_row(database).status == then
    for status in ("queued", "running", "completed", "indexing", "indexed", "stopped"):
        set_row(database, job_id, status=status)
        ended = webstrata("retry-job", "--id", str(job_id))
        assert ended.code == 1
        assert ended.message.startswith(f"job {job_id} is {status}: only failed and index_failed jobs")
        assert job_row(database).status == status
    assert webstrata("retry-job", "--id", "77").message == "there is no job 77"


def test_a_job_whose_crawl_is_not_over_cannot_be_indexed(webstrata: CommandLine, job_id: int) -> None:
    ended = webstrata("index-job", "--id", str(job_id))
    assert (ended.code, ended.message) == (1, "job 1 is queued: it can be indexed when its crawl has ended")
    assert webstrata("index-job", "--id", "77").message == "there is no job 77"


def test_the_crawler_is_checked(plain_webstrata: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = plain_webstrata("check-archive-tool")
    assert (ended.code, ended.out.endswith(" is ready\n")) == (0, True)
    told = json.loads(plain_webstrata("check-archive-tool", "--engine", "native", "--json").out)
    assert (told["ready"], told["engine"], told["command"][1:]) == (True, "native", ["-m", "webstrata.archive_tool"])
    monkeypatch.setenv("HEALTHARCHIVE_TOOL_CMD", "no-such-tool")
    ended = plain_webstrata("check-archive-tool")
    assert ended.code == 1
    assert ended.message.startswith("no-such-tool cannot be run")
    monkeypatch.setenv("HEALTHARCHIVE_TOOL_CMD", "false")
    assert "false --help ended with exit code 1" in plain_webstrata("check-archive-tool").message


def test_a_seed_that_is_no_address_is_wrong_usage_and_reported_once(
    data_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["run-job", "--name", "trial", "--seeds", "ftp://example.org/"]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert "'ftp://example.org/' is not a web address" in line


@pytest.mark.parametrize("seed", ["notaurl", "http://", "mailto:a@example.org"])
def test_what_a_trial_cannot_begin_with_is_one_line(data_dir: Path, plain_webstrata: CommandLine, seed: str) -> None:
    ended = plain_webstrata("run-job", "--name", "trial", "--seeds", seed)
    assert ended.code == 2
    assert "is not a web address" in ended.message


@pytest.mark.parametrize("name", ["", " ", "x/y", "/../../../escape", "two\nlines", "x" * 201])
def test_a_trial_has_a_name_that_a_folder_can_have(data_dir: Path, plain_webstrata: CommandLine, name: str) -> None:
    ended = plain_webstrata("run-job", "--name", name, "--seeds", "http://127.0.0.1:9/")
    assert ended.code == 2
    assert "a job's name must be a line of 1 to 200 characters without a slash" in ended.message
    assert not list(data_dir.rglob("*escape*"))


def test_the_status_of_an_empty_archive_shows_what_to_do_next(webstrata: CommandLine) -> None:
    shown = webstrata("status")
    assert shown.code == 0
    assert "webstrata archive https://example.org/" in shown.out
    assert "webstrata worker" in shown.out


def test_the_status_reports_jobs_and_room_for_scripts_too(webstrata: CommandLine, job_id: int, data_dir: Path) -> None:
    assert "1 queued" in webstrata("status").out
    shown = json.loads(webstrata("status", "--json").out)
    assert (shown["jobs"], shown["processes"], shown["problems"]) == ({"queued": 1}, [], [])
    assert shown["storage"]["archive_root"] == str(data_dir / "archive")


def test_the_status_reports_a_worker_that_has_nothing_to_do(webstrata: CommandLine, data_dir: Path) -> None:
    with present(data_dir / "archive", kind=WORKER_KIND) as owner:
        assert f"{owner} has no job" in webstrata("status").out
    assert "no worker" in webstrata("status").out


def test_the_status_does_not_say_of_the_dead_that_they_work(
    webstrata: CommandLine, database: Database, job_id: int, data_dir: Path
) -> None:
    def killed(owner: str) -> None:
        later = datetime.now(UTC) + timedelta(minutes=1)
        set_row(database, job_id, status="running", lease_owner=owner, lease_expires_at=later)
        assert f"{owner} leads job {job_id}" in webstrata("status").out
        raise RuntimeError

    with pytest.raises(RuntimeError), present(data_dir / "archive") as owner:
        killed(owner)
    assert "no worker" in webstrata("status").out


def test_an_interrupted_crawl_can_be_distinguished_from_a_failed_one(
    program: Program, database: Database, web_server: WebServer
) -> None:
    web_server.answers["/"] = Answer(status=500)
    queue_archive(database, program.folder / "archive", (web_server.url(),))
    failed = program.run("run-db-job", "--id", "1")
    assert failed.returncode == 1
    assert "job 1 is failed: " in failed.stdout
