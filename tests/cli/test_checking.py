"""`validate-job-config`, and what a crawl is told by hand."""

import io
import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.jobs.rows import job_row, set_row
from webstrata.db.engine import Database
from webstrata.jobs.running.queueing import queue_archive

SEED = "https://example.org/"


def written(folder: Path, config: object) -> str:
    path = folder / "job.json"
    path.write_text(json.dumps(config))
    return str(path)


def test_every_problem_of_a_configuration_is_a_line_with_its_options_name(
    plain_webstrata: CommandLine, tmp_path: Path
) -> None:
    config = {"seeds": ["nonsense"], "crawl": {"max_pages": 0}, "plugins": ["none"]}
    config["tool_options"] = {"engin": "zimit", "enable_vpn_rotation": True}
    ended = plain_webstrata("validate-job-config", "--config", written(tmp_path, config))
    assert ended.code == 1
    assert [line.partition(":")[0] for line in ended.out.splitlines()] == ["seeds", "crawl.max_pages", "engin"]
    assert "did you mean engine?" in ended.out
    ended = plain_webstrata("validate-job-config", "--config", written(tmp_path, {"seeds": [SEED], "plugins": ["no"]}))
    assert (ended.code, ended.out.startswith("plugins: there is no plugin no")) == (1, True)


def test_a_configuration_that_can_be_run_shows_what_archive_tool_would_do_without_secrets(
    plain_webstrata: CommandLine, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"enable_monitoring": True, "enable_vpn_rotation": True, "vpn_connect_command": "vpn --key hunter2"}
    config = json.dumps({"seeds": [SEED], "tool_options": {**options, "initial_workers": 3}}).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(config)))
    ended = plain_webstrata("validate-job-config", "--config", "-", "--json")
    assert ended.code == 0, ended.out
    told = json.loads(ended.out)
    assert (told["valid"], told["problems"]) == (True, [])
    assert told["command"][-2:] == ["--vpn-connect-command", "********"]
    assert f"would crawl {SEED}" in told["dry_run"]
    assert "hunter2" not in ended.out + ended.err
    assert not [*data_dir.rglob("*")], "a check leaves nothing behind"


def test_what_archive_tool_alone_would_refuse_is_a_problem_too(
    webstrata: CommandLine, database: Database, data_dir: Path
) -> None:
    job_id = queue_archive(database, data_dir / "archive", (SEED,))
    set_row(database, job_id, config={"seeds": [SEED], "tool_options": {"engine": "zimit"}})
    Path(job_row(database, job_id).output_dir, "site.zim").write_text("ZIM")
    ended = webstrata("validate-job-config", "--id", str(job_id))
    assert (ended.code, ended.out.startswith("archive-tool: ")) == (1, True), ended.out
    assert "site.zim" in ended.out


def test_another_command_than_archive_tool_is_not_tried(
    plain_webstrata: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSTRATA_TOOL_CMD", "my-crawler --deep")
    ended = plain_webstrata("validate-job-config", "--config", written(tmp_path, {"seeds": [SEED]}))
    assert (ended.code, ended.out.startswith(f"would run my-crawler --deep --seeds {SEED} --name")) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give one thing to check"),
        (["--source", "hc", "--id", "1"], "give one thing to check"),
        (["--id", "1", "--option", "max_pages=5"], "--option can only be used with --source"),
        (["--config", "/no/such/file"], "/no/such/file: No such file or directory"),
        (["--config", "no.json"], "no.json: not valid JSON"),
        (["--config", "list.json"], "list.json: expected a JSON object"),
    ],
)
def test_what_cannot_be_checked_is_wrong_usage(
    plain_webstrata: CommandLine, tmp_path: Path, arguments: list[str], said: str
) -> None:
    (tmp_path / "no.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    ended = plain_webstrata("validate-job-config", *arguments)
    assert (ended.code, ended.message.startswith(said)) == (2, True), ended.err


def test_the_next_job_of_a_source_and_a_job_that_is_there_are_checked(
    webstrata: CommandLine, database: Database, data_dir: Path
) -> None:
    assert webstrata("sources", "add", "ex", SEED, "--option", "initial_workers=2").code == 0
    ended = webstrata("validate-job-config", "--source", "ex", "--option", "engine=zimit", "--option", "max_pages=5")
    assert (ended.code, ended.out.partition(":")[0]) == (1, "crawl.max_pages")
    job_id = queue_archive(database, data_dir / "archive", (SEED,))
    set_row(database, job_id, config={"seeds": [SEED], "tool_options": {"stall_timeout_minutes": 0}})
    ended = webstrata("validate-job-config", "--id", str(job_id), "--json")
    assert (ended.code, json.loads(ended.out)["problems"][0]["option"]) == (1, "stall_timeout_minutes")
    assert webstrata("validate-job-config", "--id", "77").message == "there is no job 77"
    assert "there is no source 'hc'" in webstrata("validate-job-config", "--source", "hc").message
    assert job_row(database, job_id).status == "queued"


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the tool that is set in place of ours writes down how it was called."""
    script, said = tmp_path / "archive-tool", tmp_path / "told.json"
    code = f"import json, sys; open({str(said)!r}, 'w').write(json.dumps(sys.argv[1:]))"
    script.write_text(f"#!/usr/bin/env python3\n# takes the place of webstrata's own\n{code}")
    monkeypatch.setenv("WEBSTRATA_TOOL_CMD", f"{sys.executable} -S {script}")
    return said


def test_a_run_by_hand_passes_every_option_on(plain_webstrata: CommandLine, told: Path) -> None:
    options = ["--option", "engine=zimit", "--option", "docker_shm_size=1g", "--option", "relax_perms=yes"]
    named = ("--name", "trial", "--seeds", SEED, f"{SEED}fr/", "--cleanup", "--overwrite", *options)
    ended = plain_webstrata("run-job", *named, "--", "--pageLimit", "10")
    assert ended.code == 0, ended.err
    called = json.loads(told.read_text())
    assert called[:3] == ["--seeds", SEED, f"{SEED}fr/"]
    assert called[called.index("--tied") + 1 :] == [
        "--cleanup",
        "--overwrite",
        "--engine",
        "zimit",
        "--docker-shm-size",
        "1g",
        "--relax-perms",
        "--",
        "--pageLimit",
        "10",
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--option", "max_pages=5"], "max_pages: not an option of run-job"),
        (["--option", "cleanup=yes"], "cleanup: not an option of run-job"),
        (["--option", "enable_adaptive_workers=yes"], "enable_adaptive_workers needs enable_monitoring"),
        (["--option", "engine=zimit", "--", "--name", "x"], "zimit_passthrough_args: archive-tool says --name itself"),
    ],
)
def test_a_run_by_hand_refuses_what_makes_no_sense(
    plain_webstrata: CommandLine, told: Path, given: list[str], said: str
) -> None:
    ended = plain_webstrata("run-job", "--name", "trial", "--seeds", SEED, *given)
    assert (ended.code, ended.message.startswith(said)) == (2, True), ended.err
    assert not told.exists()


def test_the_options_of_a_queued_job_are_passed_on(
    webstrata: CommandLine, database: Database, data_dir: Path, told: Path
) -> None:
    options = ("--option", "engine=zimit", "--option", "final_build=never", "--option", "enable_monitoring=yes")
    assert webstrata("sources", "add", "ex", SEED, *options).code == 0
    assert webstrata("create-job", "--source", "ex").code == 0
    ended = webstrata("run-db-job", "--id", "1")
    assert (ended.code, ended.out) == (0, "job 1 is completed\n")
    called = json.loads(told.read_text())
    assert {"--engine", "zimit", "--final-build", "never", "--enable-monitoring", "--relax-perms"} <= {*called}
    assert called[called.index("--job-id") + 1] == "1"


def test_docker_is_checked_where_zimit_is_to_crawl(
    plain_webstrata: CommandLine, told: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = plain_webstrata("check-archive-tool", "--engine", "zimit")
    assert (ended.code, "install Docker" in ended.message) == (1, True)
    docker = tmp_path / "docker"
    docker.write_text("#!/bin/sh\necho 27.0\n")
    docker.chmod(0o755)
    ended = plain_webstrata("check-archive-tool", "--engine", "zimit")
    assert (ended.code, ended.out.endswith(" is ready to crawl with zimit\n")) == (0, True)
    assert "there is no engine 'heritrix'" in plain_webstrata("check-archive-tool", "--engine", "heritrix").message
