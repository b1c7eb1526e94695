import pytest

from webstrata.errors import ConflictError, OptionsError
from webstrata.model.jobs.job import ArchiveJobConfig
from webstrata.model.jobs.job_checks import check_for_engine, check_job_config, config_problems

SEED = "https://example.org/"


def test_a_configuration_that_can_be_run_has_no_problems() -> None:
    native = {"seeds": [SEED], "crawl": {"max_pages": 5}, "scope": {"deny_paths": ["/x"]}, "plugins": None}
    assert config_problems(native) == ()
    zimit = {"seeds": [SEED], "zimit_passthrough_args": ["--lang", "en"], "tool_options": {"engine": "zimit"}}
    assert config_problems(zimit) == ()
    for_another_tool = {"seeds": [SEED], "zimit_passthrough_args": ["--lang", "en"], "tool_options": {}}
    assert config_problems(for_another_tool) == ()
    assert ArchiveJobConfig.from_json(for_another_tool).zimit_passthrough_args == ("--lang", "en")


@pytest.mark.parametrize(
    ("stored", "options"),
    [
        ({}, ["seeds"]),
        ({"seeds": []}, ["seeds"]),
        ({"seeds": [SEED, "nonsense", "ftp://x"]}, ["seeds", "seeds"]),
        ({"seed": [SEED], "seeds": SEED}, ["seed", "seeds"]),
        ({"seeds": None, "tool_options": []}, ["seeds", "tool_options"]),
        ({"seeds": [SEED], "crawl": None, "tool_options": None}, ["crawl", "tool_options"]),
        ({"seeds": [SEED], "crawl": {"max_pages": 0, "max_page": 1}}, ["crawl.max_pages", "crawl.max_page"]),
        (
            {"seeds": [SEED], "scope": {"paths": [], "deny_paths": ["x"], "allow_paths": 1}},
            ["scope.paths", "scope.deny_paths", "scope.allow_paths"],
        ),
        (
            {"seeds": [SEED], "tool_options": {"engine": "zimit"}, "crawl": {"max_pages": 9}, "scope": {}},
            ["crawl.max_pages"],
        ),
        (
            {"seeds": [], "zimit_passthrough_args": ["--lang"], "tool_options": {"enable_adaptive_workers": True}},
            ["seeds", "enable_adaptive_workers"],
        ),
    ],
)
def test_every_problem_is_found_and_names_its_option(stored: dict[str, object], options: list[str]) -> None:
    found = config_problems(stored)
    assert [problem.option for problem in found] == options
    assert all(problem.reason for problem in found)


def test_a_stored_configuration_is_refused_with_every_problem() -> None:
    check_job_config(ArchiveJobConfig((SEED,)))
    with pytest.raises(ConflictError, match=r"there are no seeds: .*; enable_vpn_rotation needs"):
        check_job_config(ArchiveJobConfig((), tool_options={"enable_vpn_rotation": True}))


def test_what_only_the_other_engine_can_obey_is_refused() -> None:
    check_for_engine(ArchiveJobConfig((SEED,), crawl={"max_pages": 3}))
    with pytest.raises(OptionsError, match="max_pages has no effect with zimit"):
        check_for_engine(ArchiveJobConfig((SEED,), crawl={"max_pages": 3}, tool_options={"engine": "zimit"}))
