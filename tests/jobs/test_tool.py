"""How archive-tool is called."""

import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.model.test_tool_options import EVERYTHING
from webstrata.archive_tool.arguments import Arguments, parsed
from webstrata.errors import OptionsError, StorageError, UsageError
from webstrata.jobs.running.tool import (
    OWN_TOOL,
    ToolRun,
    is_own_tool,
    job_arguments,
    tool_command,
    tool_flags,
)
from webstrata.model.jobs.job import ArchiveJobConfig
from webstrata.model.jobs.tool_options import TOOL_OPTIONS, ArchiveToolOptions

MONITORED = {"relax_perms": False, "enable_monitoring": True}


@pytest.mark.parametrize(
    ("options", "passthrough", "flags"),
    [
        ({}, [], ["--relax-perms"]),
        ({"relax_perms": False}, [], []),
        ({"relax_perms": False, "monitor_interval_seconds": 5, "backoff_delay_minutes": 2}, [], []),
        (MONITORED, [], ["--enable-monitoring"]),
        (
            {
                **MONITORED,
                "monitor_interval_seconds": 30,
                "stall_timeout_minutes": 20,
                "error_threshold_timeout": 11,
                "error_threshold_http": 12,
            },
            [],
            [
                "--enable-monitoring",
                "--monitor-interval-seconds",
                "30",
                "--stall-timeout-minutes",
                "20",
                "--error-threshold-timeout",
                "11",
                "--error-threshold-http",
                "12",
            ],
        ),
        (
            {**MONITORED, "enable_adaptive_workers": True, "min_workers": 1, "max_worker_reductions": 2},
            [],
            ["--enable-monitoring", "--enable-adaptive-workers", "--min-workers", "1", "--max-worker-reductions", "2"],
        ),
        ({**MONITORED, "min_workers": 1}, [], ["--enable-monitoring"]),
        (
            {
                **MONITORED,
                "enable_vpn_rotation": True,
                "vpn_connect_command": "vpn connect s3cret",
                "max_vpn_rotations": 3,
                "vpn_rotation_frequency_minutes": 60,
            },
            [],
            [
                "--enable-monitoring",
                "--enable-vpn-rotation",
                "--vpn-connect-command",
                "vpn connect s3cret",
                "--max-vpn-rotations",
                "3",
                "--vpn-rotation-frequency-minutes",
                "60",
            ],
        ),
        ({**MONITORED, "backoff_delay_minutes": 15}, [], ["--enable-monitoring", "--backoff-delay-minutes", "15"]),
        ({}, ["--pageLimit", "10"], ["--relax-perms", "--", "--pageLimit", "10"]),
        (
            {"engine": "zimit", "docker_image": "zimit:2", "docker_shm_size": "1g", "final_build": "never"},
            ["--lang", "en"],
            [
                "--engine",
                "zimit",
                "--docker-image",
                "zimit:2",
                "--docker-shm-size",
                "1g",
                "--final-build",
                "never",
                "--relax-perms",
                "--",
                "--lang",
                "en",
            ],
        ),
    ],
)
def test_a_jobs_options_become_flags(options: dict[str, object], passthrough: list[str], flags: list[str]) -> None:
    assert tool_flags(ArchiveToolOptions.from_json(options), passthrough) == flags


SEEDS = ("https://example.org/", "https://example.org/fr/")


def described(options: dict[str, object], passthrough: tuple[str, ...] = ()) -> Arguments:
    """Return what archive-tool understands when it is called for a job."""
    config = ArchiveJobConfig(SEEDS, zimit_passthrough_args=passthrough, tool_options=options)
    return parsed(job_arguments("trial", config, Path("/archive/trial")))


def test_archive_tool_parses_every_option_back_to_its_value() -> None:
    told = described(EVERYTHING, ("--pageLimit", "10"))
    assert (told.seeds, told.name, told.output_dir) == (SEEDS, "trial", Path("/archive/trial"))
    assert (told.options.to_json(), told.passthrough) == (EVERYTHING, ("--pageLimit", "10"))
    assert (told.initial_workers, told.log_level) == (1, "INFO")


@pytest.mark.parametrize("name", sorted(TOOL_OPTIONS))
def test_each_option_comes_through_whatever_its_value(name: str) -> None:
    other = {"cleanup": True, "overwrite": True, "relax_perms": False, "initial_workers": 7, "log_level": "ERROR"}
    other |= {"engine": "zimit", "final_build": "always", "vpn_connect_command": "vpn --to 'New York'"}
    value = other.get(name, EVERYTHING[name])
    options = {**EVERYTHING, name: value}
    assert described(options).options.to_json() == options


def test_what_no_one_named_is_left_to_archive_tool() -> None:
    told = described({})
    assert told.options == ArchiveToolOptions()
    assert (told.initial_workers, told.log_level, told.passthrough) == (None, None, ())


NO_OPTIONS = {"--help", "--version", "--seeds", "--name", "--output-dir", "--job-id", "--dry-run"}
"""What a job is, who crawls it for whom and whether at all is no option of a job."""


def test_every_flag_of_archive_tool_that_a_job_could_set_is_an_option_of_jobs() -> None:
    said = subprocess.run([*OWN_TOOL, "--help"], capture_output=True, text=True, check=True).stdout
    flags = {*re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", said, re.MULTILINE)}
    assert {f"--{name.replace('_', '-')}" for name in TOOL_OPTIONS} == flags - NO_OPTIONS


def test_options_that_do_not_go_together_are_refused_before_anything_is_run() -> None:
    config = ArchiveJobConfig(("https://example.org/",), tool_options={"enable_adaptive_workers": True})
    with pytest.raises(OptionsError, match="enable_monitoring"):
        _ = config.options


def test_the_command_is_the_one_that_is_set_or_our_own() -> None:
    assert tool_command("") == OWN_TOOL
    assert tool_command("sudo -u crawler '/opt/my tools/archive-tool'") == (
        "sudo",
        "-u",
        "crawler",
        "/opt/my tools/archive-tool",
    )
    with pytest.raises(UsageError, match="WEBSTRATA_TOOL_CMD"):
        tool_command("archive-tool 'unfinished")


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """Where the stand-in for archive-tool writes down how it was called."""
    return tmp_path / "told.json"


@pytest.fixture
def stand_in(tmp_path: Path, told: Path) -> tuple[str, ...]:
    """A tool that somebody set in place of ours."""
    script = tmp_path / "tool.py"
    script.write_text(f"import json, sys; open({str(told)!r}, 'w').write(json.dumps(sys.argv[1:])); sys.exit(33)")
    return (sys.executable, str(script))


def test_a_run_of_the_moment_gets_a_folder_of_its_own(tmp_path: Path, told: Path, stand_in: tuple[str, ...]) -> None:
    root = tmp_path / "archive"
    seeds = ("https://www.example.org/", "https://www.example.org/fr/")
    assert ToolRun("trial", seeds).run(2, archive_root=root, command=stand_in) == 33
    (folder,) = (root / "example-org").iterdir()
    assert folder.name.endswith("Z__trial")
    called = json.loads(told.read_text())
    assert called[:7] == ["--seeds", *seeds, "--name", "trial", "--output-dir", str(folder)]
    assert called[-2:] == ["--initial-workers", "2"]


def test_a_run_in_a_given_folder_makes_none(tmp_path: Path, told: Path, stand_in: tuple[str, ...]) -> None:
    root, folder = tmp_path / "archive", tmp_path / "elsewhere"
    run = ToolRun("trial", ["https://example.org/"]).run
    run(cleanup=True, overwrite=True, output_dir_override=folder, archive_root=root, command=stand_in)
    assert not root.exists()
    called = json.loads(told.read_text())
    assert {"--cleanup", "--overwrite", str(folder)} <= {*called}


def test_a_tool_that_is_not_there_is_trouble_of_ours_and_named(tmp_path: Path) -> None:
    run = ToolRun("trial", ["https://example.org/"]).run
    with pytest.raises(StorageError, match="no-such-tool cannot be run: No such file"):
        run(archive_root=tmp_path, command=("no-such-tool",), interrupted=threading.Event())


def test_a_run_without_an_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to archive"):
        ToolRun("trial", []).run(archive_root=tmp_path)
    with pytest.raises(UsageError, match="nothing to archive"):
        ToolRun("trial", []).run(output_dir_override=tmp_path, archive_root=tmp_path)


def test_only_our_own_tool_gets_options_that_another_would_not_know(
    tmp_path: Path, told: Path, stand_in: tuple[str, ...]
) -> None:
    """A crawler that somebody set in place of ours takes an argument that it does not know for the site's."""
    ToolRun("trial", ["https://www.example.org/"]).run(archive_root=tmp_path / "archive", command=stand_in)
    assert "--tied" not in json.loads(told.read_text())
    assert is_own_tool(OWN_TOOL)
    installed = Path(sys.executable).with_name("archive-tool")
    assert is_own_tool(("sudo", "-u", "crawler", str(installed), "--log-level", "DEBUG"))
    assert not is_own_tool(stand_in)
    namesake = tmp_path / "archive-tool"
    assert not is_own_tool((str(namesake),))
    namesake.write_text("#!/opt/webstrata/bin/python\nfrom another_crawler import main\nmain()\n")
    assert not is_own_tool((str(namesake),))
    namesake.write_text('#!/bin/sh\nexec /opt/webstrata/bin/archive-tool "$@"\n')
    assert is_own_tool((str(namesake),))
