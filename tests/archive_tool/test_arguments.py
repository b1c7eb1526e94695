"""What archive-tool can be told, and what it refuses to be told."""

from datetime import timedelta
from pathlib import Path

import pytest

from webstrata.archive_tool.arguments import DEFAULTS, DOCKER_IMAGE, parsed
from webstrata.errors import UsageError
from webstrata.model.crawl.monitoring import MonitorLimits
from webstrata.model.jobs.tool_options import OPTION_BOUNDS

NEEDED = ["--seeds", "https://example.org/", "--name", "trial", "--output-dir", "/archive/trial"]
ZIMIT = [*NEEDED, "--engine", "zimit"]
WATCHED = [*NEEDED, "--enable-monitoring"]


def test_folder_and_limits_of_a_crawl_can_be_given() -> None:
    seeds = ["--seeds", "https://a.example/", "https://a.example/fr", "--name", "trial", "--output-dir", "/archive/x"]
    run = ["--job-id", "7", "--initial-workers", "4", "--log-level", "debug", "--relax-perms", "--dry-run"]
    told = parsed([*seeds, *run, "--overwrite", "--cleanup", "--tied", "--help-only", "--workers-now", "3"])
    assert told.seeds == ("https://a.example/", "https://a.example/fr")
    assert (told.name, told.output_dir, told.job_id) == ("trial", Path("/archive/x"), 7)
    assert (told.initial_workers, told.log_level, told.workers_now, told.engine) == (4, "DEBUG", 3, "native")
    assert told.relax_perms
    assert told.overwrite
    assert told.cleanup
    assert told.dry_run
    assert told.tied
    assert told.help_only


def test_options_that_are_not_given_are_left_to_the_settings_and_the_engine() -> None:
    told = parsed(NEEDED)
    assert (told.job_id, told.initial_workers, told.log_level, told.passthrough) == (None, None, None, ())
    assert (told.docker_image, told.docker_shm_size, told.final_build) == (DOCKER_IMAGE, None, "auto")
    assert (told.relax_perms, told.overwrite, told.cleanup) == (False, False, False)
    assert told.monitor_limits() is None


def test_zimit_gets_what_is_meant_for_it_without_the_dashes_between() -> None:
    flags = ["--docker-image", "zimit:2", "--docker-shm-size", "1g", "--final-build", "never"]
    told = parsed([*ZIMIT, "--pageLimit", "10", *flags, "--", "--lang", "en", "--", "--waitUntil", "load"])
    assert told.passthrough == ("--pageLimit", "10", "--lang", "en", "--", "--waitUntil", "load")
    assert (told.docker_image, told.docker_shm_size, told.final_build) == ("zimit:2", "1g", "never")


def test_the_built_in_crawler_takes_arguments_for_zimit_only_after_the_dashes() -> None:
    told = parsed([*NEEDED, "--", "--pageLimit", "10"])
    assert (told.engine, told.passthrough) == ("native", ("--pageLimit", "10"))
    with pytest.raises(UsageError, match="unknown argument '--pageLimit'"):
        parsed([*NEEDED, "--pageLimit", "10"])


def test_a_watched_crawl_has_the_usual_limits_unless_others_are_set() -> None:
    assert parsed(WATCHED).monitor_limits() == MonitorLimits()
    numbers = [part for name in DEFAULTS for part in (f"--{name.replace('_', '-')}", "7")]
    answers = ["--enable-adaptive-workers", "--enable-vpn-rotation", "--vpn-connect-command", "vpn up"]
    limits = parsed([*WATCHED, *answers, *numbers]).monitor_limits()
    assert limits is not None
    assert limits.vpn is not None
    assert limits.vpn.words() == ["vpn", "up"]
    assert (limits.interval, limits.stall_timeout) == (timedelta(seconds=7), timedelta(minutes=7))
    assert limits.error_thresholds == {"timeout": 7, "http": 7}
    assert (limits.adaptive_workers, limits.min_workers, limits.max_worker_reductions) == (True, 7, 7)
    assert (limits.max_vpn_rotations, limits.vpn_rotation_frequency) == (7, timedelta(minutes=7))
    assert limits.backoff_delay == timedelta(minutes=7)


def test_the_vpn_command_is_not_shown() -> None:
    told = parsed([*WATCHED, "--enable-vpn-rotation", "--vpn-connect-command", "vpn --key s3cret"])
    assert "s3cret" not in repr(told) + repr(told.monitor_limits())


def test_a_flag_that_does_nothing_by_itself_is_reported() -> None:
    assert parsed([*NEEDED, "--stall-timeout-minutes", "5"]).without_effect() == ["--stall-timeout-minutes"]
    assert parsed([*WATCHED, "--min-workers", "2", "--max-vpn-rotations", "1"]).without_effect() == [
        "--max-vpn-rotations",
        "--min-workers",
    ]
    assert parsed([*WATCHED, "--backoff-delay-minutes", "1"]).without_effect() == []


@pytest.mark.parametrize("missing", ["--seeds", "--name", "--output-dir"])
def test_what_is_missing_is_named(missing: str) -> None:
    place = NEEDED.index(missing)
    with pytest.raises(UsageError, match=missing):
        parsed([*NEEDED[:place], *NEEDED[place + 2 :]])


@pytest.mark.parametrize("option", OPTION_BOUNDS)
def test_numbers_have_the_bounds_that_the_backend_gives_them(option: str) -> None:
    flag, (lowest, highest) = f"--{option.replace('_', '-')}", OPTION_BOUNDS[option]
    for number in (lowest, highest):
        assert getattr(parsed([*WATCHED, flag, str(number)]).options, option) == number
    for wrong in (str(lowest - 1), str(highest + 1), "many", "1.5", "٣", "9" * 5_000):
        with pytest.raises(UsageError, match=f"{flag}: .* is not a whole number between {lowest} and {highest}"):
            parsed([*WATCHED, f"{flag}={wrong}"])


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--colour", "red"], "unknown argument '--colour'"),
        (["--initial", "3"], "unknown argument '--initial'"),
        (["--job-id", "0"], "invalid"),
        (["--log-level", "LOUD"], "invalid choice: 'LOUD'"),
        (["--engine", "wget"], "invalid choice: 'wget'"),
        (["--enable-adaptive-workers"], "^--enable-adaptive-workers needs --enable-monitoring"),
        (["--enable-vpn-rotation"], "^--enable-vpn-rotation needs --enable-monitoring"),
        (["--enable-monitoring", "--enable-vpn-rotation"], "^--enable-vpn-rotation needs a --vpn-connect-command"),
        (
            ["--enable-monitoring", "--enable-vpn-rotation", "--vpn-connect-command", "vpn 'key"],
            "^--enable-vpn-rotation needs a --vpn-connect-command that can be read: its quotes do not match$",
        ),
        (["--docker-image", "zimit"], "^--docker-image needs --engine zimit"),
        (["--engine", "zimit", "--docker-image=--privileged"], "--docker-image cannot be '--privileged'"),
        (["--engine", "zimit", "--docker-shm-size", "lots"], "--docker-shm-size cannot be 'lots'"),
        (["--engine", "zimit", "--workers", "3"], "^archive-tool says --workers itself"),
        (["--engine", "zimit", "--", "--output=/tmp"], "^archive-tool says --output itself"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(flags: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parsed([*NEEDED, *flags])
