import json
from dataclasses import replace

import pytest

from webstrata.errors import OptionsError
from webstrata.model.jobs.job import ArchiveJobConfig, JobConfig
from webstrata.model.jobs.tool_options import (
    OPTION_BOUNDS,
    TOOL_OPTIONS,
    ArchiveToolOptions,
    ignored_arguments,
    tool_option_problems,
    validate_tool_options,
)

EVERYTHING = {
    "cleanup": False,
    "overwrite": False,
    "enable_monitoring": True,
    "enable_adaptive_workers": True,
    "enable_vpn_rotation": True,
    "initial_workers": 1,
    "log_level": "INFO",
    "relax_perms": True,
    "monitor_interval_seconds": 30,
    "stall_timeout_minutes": 30,
    "error_threshold_timeout": 10,
    "error_threshold_http": 10,
    "min_workers": 1,
    "max_worker_reductions": 2,
    "vpn_connect_command": "vpn connect ca",
    "max_vpn_rotations": 3,
    "vpn_rotation_frequency_minutes": 60,
    "backoff_delay_minutes": 15,
    "engine": "zimit",
    "docker_image": "ghcr.io/openzim/zimit:2.1",
    "docker_shm_size": "1g",
    "final_build": "auto",
}


def test_every_option_survives_being_stored() -> None:
    assert set(EVERYTHING) == set(TOOL_OPTIONS)
    options = ArchiveToolOptions.from_json(json.loads(json.dumps(EVERYTHING)))
    validate_tool_options(options)
    assert options.to_json() == EVERYTHING


def test_what_no_one_states_is_left_to_the_tool_but_files_stay_readable() -> None:
    assert ArchiveToolOptions().to_json() == {
        "cleanup": False,
        "overwrite": False,
        "enable_monitoring": False,
        "enable_adaptive_workers": False,
        "enable_vpn_rotation": False,
        "initial_workers": 1,
        "log_level": "INFO",
        "relax_perms": True,
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"enable_adaptive_workers": True}, "enable_adaptive_workers needs enable_monitoring"),
        ({"enable_vpn_rotation": True, "vpn_connect_command": "vpn"}, "enable_vpn_rotation needs enable_monitoring"),
        ({"enable_vpn_rotation": True, "enable_monitoring": True}, "needs a vpn_connect_command"),
        (
            {"enable_vpn_rotation": True, "enable_monitoring": True, "vpn_connect_command": "  "},
            "needs a vpn_connect_command that is not empty",
        ),
        ({"docker_image": "zimit"}, "docker_image needs engine=zimit"),
        ({"engine": "native", "docker_shm_size": "1g"}, "docker_shm_size needs engine=zimit"),
        ({"engine": "native", "final_build": "never"}, "final_build needs engine=zimit"),
    ],
)
def test_options_that_do_not_go_together_are_a_value_error(given: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        validate_tool_options(ArchiveToolOptions.from_json(given))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("initial_worker", 1, r"unknown tool option 'initial_worker' \(did you mean initial_workers\?\)"),
        ("initial_workers", 0, "initial_workers must be 1 to 256, not 0"),
        ("initial_workers", "2", "initial_workers must be a whole number, not '2'"),
        ("initial_workers", True, "initial_workers must be a whole number, not True"),
        ("initial_workers", None, "initial_workers must be a whole number"),
        ("cleanup", 1, "cleanup must be true or false, not 1"),
        ("log_level", "LOUD", "log_level must be DEBUG, INFO, WARNING, ERROR, CRITICAL, not 'LOUD'"),
        ("stall_timeout_minutes", 1.5, "stall_timeout_minutes must be a whole number, not 1.5"),
        ("backoff_delay_minutes", -1, "backoff_delay_minutes must be 0 to 10080, not -1"),
        ("engine", "heritrix", "engine must be native, zimit, not 'heritrix'"),
        ("final_build", "maybe", "final_build must be auto, always, never, not 'maybe'"),
        ("docker_image", "--privileged", "docker_image cannot be '--privileged'"),
        ("docker_shm_size", "lots", "docker_shm_size cannot be 'lots'"),
    ],
)
def test_an_option_that_cannot_be_is_refused_by_name(name: str, value: object, said: str) -> None:
    with pytest.raises(OptionsError, match=said):
        ArchiveToolOptions.from_json({name: value})


def test_values_that_were_put_in_by_hand_are_checked_too() -> None:
    with pytest.raises(OptionsError, match="min_workers must be 1 to 256, not 0"):
        validate_tool_options(replace(ArchiveToolOptions(), min_workers=0))


def test_a_command_that_may_hold_a_secret_is_not_repeated() -> None:
    with pytest.raises(OptionsError) as refused:
        ArchiveToolOptions.from_json({"vpn_connect_command": ["vpn", "--password", "hunter2"]})
    assert "hunter2" not in str(refused.value)


def test_arguments_for_zimit_are_accepted_with_every_engine_and_ignored_by_the_built_in_crawler() -> None:
    arguments = ["--pageLimit", "10", "--password=s3cret", "s3cret"]
    for engine in (None, "native", "zimit"):
        validate_tool_options(ArchiveToolOptions(engine=engine), arguments)
    said = "the built-in crawler ignores zimit_passthrough_args (--pageLimit --password)"
    assert ignored_arguments(None, arguments) == ignored_arguments("native", arguments) == said
    assert ignored_arguments("zimit", arguments) is None
    assert ignored_arguments("native", []) is None
    with pytest.raises(OptionsError, match="archive-tool says --workers itself"):
        validate_tool_options(ArchiveToolOptions(engine="zimit"), ["--workers=3"])


def test_all_that_is_wrong_with_stored_options_is_found() -> None:
    each = tool_option_problems({"initial_workers": 0, "cleanup": 1, "engin": "zimit", "log_level": "INFO"})
    assert [problem.option for problem in each] == ["initial_workers", "cleanup", "engin"]
    together = tool_option_problems({"enable_vpn_rotation": True, "docker_image": "zimit"}, ["--lang"])
    assert [problem.option for problem in together] == [
        "enable_vpn_rotation",
        "vpn_connect_command",
        "docker_image",
    ]
    assert tool_option_problems(EVERYTHING, ["--lang"]) == []


def test_every_number_has_bounds() -> None:
    numbers = {name for name, kind in TOOL_OPTIONS.items() if "int" in str(kind)}
    assert set(OPTION_BOUNDS) == numbers


def test_a_jobs_configuration_knows_its_options() -> None:
    stored = {"seeds": ["https://example.org/"], "zimit_passthrough_args": ["--pageLimit", "10"]}
    config = ArchiveJobConfig.from_json({**stored, "tool_options": EVERYTHING})
    assert config.options.to_json() == EVERYTHING
    assert config.zimit_passthrough_args == ("--pageLimit", "10")
    assert JobConfig(()).options == ArchiveToolOptions()
    with pytest.raises(OptionsError, match="unknown tool option 'x'"):
        _ = JobConfig((), tool_options={"x": 1}).options
