"""Jobs whose crawler is another program: an archive-tool that does not come with this package."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.jobs.rows import job_row, set_row
from webstrata.db.engine import Database
from webstrata.jobs.running.queueing import queue_archive

SEED = "https://example.org/"
MONITORED = {"enable_monitoring": True, "stall_timeout_minutes": 20, "backoff_delay_minutes": 15}


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where another archive-tool, which fails on every flag that it does not know, writes down how it was called."""
    script, said = tmp_path / "archive-tool", tmp_path / "argv.json"
    script.write_text(
        f"#!{sys.executable}\n"
        "import argparse, json, sys\n"
        "parser = argparse.ArgumentParser(allow_abbrev=False)\n"
        "parser.add_argument('--seeds', nargs='+', required=True)\n"
        "for name in ('--name', '--output-dir', '--initial-workers', '--log-level', '--stall-timeout-minutes',\n"
        "             '--backoff-delay-minutes'):\n"
        "    parser.add_argument(name)\n"
        "for name in ('--cleanup', '--overwrite', '--relax-perms', '--enable-monitoring'):\n"
        "    parser.add_argument(name, action='store_true')\n"
        "own = sys.argv[1:]\n"
        "parser.parse_args(own[:own.index('--')] if '--' in own else own)\n"
        f"open({str(said)!r}, 'w').write(json.dumps(own))\n"
    )
    script.chmod(0o755)
    monkeypatch.setenv("HEALTHARCHIVE_TOOL_CMD", str(script))
    return said


@pytest.fixture
def job_id(database: Database, data_dir: Path) -> int:
    return queue_archive(database, data_dir / "archive", (SEED,))


def test_another_archive_tool_gets_only_the_flags_that_every_archive_tool_knows(
    webstrata: CommandLine, database: Database, job_id: int, recorded: Path
) -> None:
    options = {**MONITORED, "engine": "zimit", "docker_image": "zimit:2", "final_build": "never", "cleanup": True}
    config = {"seeds": [SEED], "zimit_passthrough_args": ["--pageLimit", "10"], "tool_options": options}
    set_row(database, job_id, config=config)
    folder = job_row(database, job_id).output_dir
    expected = ["--seeds", SEED, "--name", job_row(database, job_id).name, "--output-dir", folder]
    expected += ["--initial-workers", "1", "--cleanup", "--log-level", "INFO", "--relax-perms", "--enable-monitoring"]
    expected += ["--stall-timeout-minutes", "20", "--backoff-delay-minutes", "15", "--", "--pageLimit", "10"]
    checked = webstrata("validate-job-config", "--id", str(job_id), "--json")
    assert sorted(json.loads(checked.out)["command"][1:]) == sorted(expected)
    assert "it has no flag for engine, docker_image, final_build" in json.loads(checked.out)["dry_run"]
    ended = webstrata("run-db-job", "--id", str(job_id))
    assert (ended.code, ended.out) == (0, f"job {job_id} is completed\n"), ended.err
    called = json.loads(recorded.read_text())
    assert sorted(called) == sorted(expected)
    assert called[-3:] == ["--", "--pageLimit", "10"]


def test_a_run_by_hand_with_another_archive_tool_leaves_out_our_flags(
    plain_webstrata: CommandLine, recorded: Path
) -> None:
    options = ("--option", "engine=zimit", "--option", "docker_shm_size=1g", "--initial-workers", "3")
    ended = plain_webstrata("run-job", "--name", "trial", "--seeds", SEED, *options, "--", "--pageLimit", "10")
    assert ended.code == 0, ended.err
    called = json.loads(recorded.read_text())
    assert called[:4] == ["--seeds", SEED, "--name", "trial"]
    assert called[6:] == ["--initial-workers", "3", "--", "--pageLimit", "10"]


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"seeds": [SEED], "zimit_passthrough_args": ["--pageLimit", "10"]}, None),
        ({"seeds": []}, "there are no seeds"),
        ({"seeds": ["nonsense"]}, "'nonsense' is not a web address"),
        ({"seeds": [SEED], "crawl": {"max_pages": 0}}, "max_pages cannot be 0"),
        ({"seeds": [SEED], "tool_options": {"enable_adaptive_workers": True}}, "needs enable_monitoring"),
        (
            {"seeds": [SEED], "tool_options": {"engine": "zimit"}, "scope": {"deny_paths": ["/x"]}},
            "no effect with zimit",
        ),
        (
            {"seeds": [SEED], "tool_options": {"engine": "zimit"}, "zimit_passthrough_args": ["--workers", "3"]},
            "archive-tool says --workers itself",
        ),
    ],
)
def test_what_is_valid_is_run_and_what_is_not_is_refused_for_the_same_reason(
    webstrata: CommandLine,
    database: Database,
    job_id: int,
    recorded: Path,
    config: dict[str, object],
    reason: str | None,
) -> None:
    set_row(database, job_id, config=config)
    checked = webstrata("validate-job-config", "--id", str(job_id))
    ended = webstrata("run-db-job", "--id", str(job_id))
    if reason is None:
        assert (checked.code, ended.code, recorded.exists()) == (0, 0, True), checked.out + ended.err
        return
    assert (checked.code, ended.code, recorded.exists()) == (1, 1, False)
    assert reason in checked.out
    assert reason in ended.message
    assert (job_row(database, job_id).status, job_row(database, job_id).status_reason) == ("failed", ended.message)
