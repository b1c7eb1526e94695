"""What archive-tool can be told, and what it refuses to be told."""

from pathlib import Path

import pytest

from webstrata.archive_tool.arguments import parsed
from webstrata.errors import UsageError

NEEDED = ["--seeds", "https://example.org/", "--name", "trial", "--output-dir", "/archive/trial"]


def test_everything_that_has_an_effect_can_be_told() -> None:
    told = parsed(
        [
            "--seeds",
            "https://a.example/",
            "https://a.example/fr",
            "--name",
            "trial",
            "--output-dir",
            "/archive/x",
            "--job-id",
            "7",
            "--initial-workers",
            "4",
            "--log-level",
            "debug",
            "--relax-perms",
            "--dry-run",
            "--tied",
            "--help-only",
        ]
    )
    assert told.seeds == ("https://a.example/", "https://a.example/fr")
    assert (told.name, told.output_dir, told.job_id) == ("trial", Path("/archive/x"), 7)
    assert (told.initial_workers, told.log_level) == (4, "DEBUG")
    assert told.relax_perms
    assert told.dry_run
    assert told.tied
    assert told.help_only


def test_what_is_not_told_is_left_to_the_settings() -> None:
    told = parsed(NEEDED)
    assert (told.job_id, told.initial_workers, told.log_level) == (None, None, None)
    assert not told.relax_perms


@pytest.mark.parametrize("missing", ["--seeds", "--name", "--output-dir"])
def test_what_is_missing_is_named(missing: str) -> None:
    place = NEEDED.index(missing)
    with pytest.raises(UsageError, match=missing):
        parsed([*NEEDED[:place], *NEEDED[place + 2 :]])


@pytest.mark.parametrize(
    "flags",
    [
        ["--enable-monitoring"],
        ["--monitor-interval-seconds", "30"],
        ["--enable-vpn-rotation"],
        ["--cleanup"],
        ["--overwrite"],
        ["--engine", "zimit"],
        ["--backoff-delay-minutes=5"],
    ],
)
def test_a_flag_that_would_have_no_effect_is_refused_by_name(flags: list[str]) -> None:
    with pytest.raises(UsageError, match=f"^{flags[0]}: the built-in crawler cannot do that yet"):
        parsed([*NEEDED, *flags])


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--", "--pageLimit", "10"], "--pageLimit 10: arguments for zimit mean nothing"),
        (["--colour", "red"], "unknown argument '--colour'"),
        (["--initial", "3"], "unknown argument '--initial'"),
        (["--initial-workers", "0"], "not between 1 and 256"),
        (["--initial-workers", "many"], "invalid"),
        (["--job-id", "0"], "invalid"),
        (["--log-level", "LOUD"], "invalid choice: 'LOUD'"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(flags: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parsed([*NEEDED, *flags])
