import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from webstrata.errors import UsageError
from webstrata.model.jobs.registry import (
    SourceJobConfig,
    build_job_config,
    build_output_dir_for_job,
    check_entry,
    generate_job_name,
    page_parameters_of,
    parse_override,
    seeds_of,
)

LATE = datetime(2026, 1, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))
HOME = "https://www.canada.ca/en/health-canada.html"
DEFAULTS = {
    "cleanup": False,
    "overwrite": False,
    "enable_monitoring": False,
    "enable_adaptive_workers": False,
    "enable_vpn_rotation": False,
    "initial_workers": 1,
    "log_level": "INFO",
}
HC = SourceJobConfig("hc", "hc-{date:%Y%m%d}", [HOME], [], DEFAULTS)


def test_a_job_is_named_and_placed_by_its_utc_day() -> None:
    assert generate_job_name(HC, LATE) == "hc-20251231"
    placed = build_output_dir_for_job("hc", "hc-20251231", Path("/archive"), LATE)
    assert placed == Path("/archive/hc/20251231T233000Z__hc-20251231")
    assert generate_job_name(SourceJobConfig.plain("hc", ()), datetime(2026, 1, 1, tzinfo=UTC)) == "hc-20260101"


@pytest.mark.parametrize(
    ("template", "name"), [("x", "x"), ("hc-{date}", "hc-20251231"), ("hc.{date:%Y}_{date:%m}", "hc.2025_12")]
)
def test_a_template_may_name_the_date_in_any_form(template: str, name: str) -> None:
    assert generate_job_name(SourceJobConfig("hc", template, ()), LATE) == name


@pytest.mark.parametrize(
    "template", ["", "../{date}", "{date:%Y/%m}", "{code}", "{date.year}", "{date:{x}}", "a b", "x" * 101, "-x"]
)
def test_a_template_that_could_leave_the_archive_or_makes_no_sense_is_refused(template: str) -> None:
    with pytest.raises(UsageError, match="is not a template for the names of jobs"):
        generate_job_name(SourceJobConfig("hc", template, ()), LATE)


def test_a_jobs_configuration_is_the_sources_defaults() -> None:
    config = build_job_config(HC)
    assert config["seeds"] == [HOME]
    assert config["zimit_passthrough_args"] == []
    assert config["tool_options"] == {**DEFAULTS, "relax_perms": True}


def test_more_seeds_come_after_the_sources_own_and_none_twice() -> None:
    assert build_job_config(HC, ["https://example.org", HOME])["seeds"] == [HOME, "https://example.org/"]


def test_overrides_change_tool_options_and_crawl_settings_and_nothing_else() -> None:
    config = build_job_config(HC, overrides={"initial_workers": 3, "max_pages": 7})
    assert config["tool_options"] == {**DEFAULTS, "relax_perms": True, "initial_workers": 3}
    assert config["crawl"] == {"max_pages": 7}
    assert HC.default_tool_options == DEFAULTS


@pytest.mark.parametrize(
    "overrides",
    [
        {"enable_adaptive_workers": True},
        {"enable_vpn_rotation": True, "vpn_connect_command": "vpn"},
        {"enable_vpn_rotation": True, "enable_monitoring": True},
        {"enable_vpn_rotation": True, "enable_monitoring": True, "vpn_connect_command": ""},
        {"no_such_option": True},
    ],
)
def test_options_that_make_no_sense_are_a_value_error(overrides: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"needs|unknown"):
        build_job_config(HC, overrides=overrides)


def test_the_right_options_together_are_taken() -> None:
    wanted = {"enable_monitoring": True, "enable_vpn_rotation": True, "vpn_connect_command": "vpn connect ca"}
    options = build_job_config(HC, overrides=wanted)["tool_options"]
    assert isinstance(options, dict)
    assert options.items() >= wanted.items()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (SourceJobConfig("hc", "hc", ()), "hc has no seeds"),
        (SourceJobConfig("hc", "hc", ("nonsense",)), "'nonsense' is not a web address"),
        (SourceJobConfig("H C", "hc", (HOME,)), "'H C' is not a source's code"),
        (SourceJobConfig("../hc", "hc", (HOME,)), "is not a source's code"),
        (SourceJobConfig("hc", "hc", (HOME,), schedule_hint="soon"), "'soon' is not a schedule"),
        (SourceJobConfig("hc", "hc", (HOME,), crawl={"max_pages": 0}), "max_pages cannot be 0"),
        (SourceJobConfig("hc", "hc", (HOME,), scope={"paths": ["/"]}), "unknown key in the scope of hc: paths"),
        (SourceJobConfig("hc", "hc", (HOME,), scope={"allow_paths": ["x"]}), "'x' is not a path pattern"),
        (
            SourceJobConfig("hc", "hc", (HOME,), (), {"engine": "native", "docker_image": "zimit"}),
            "docker_image needs engine=zimit",
        ),
        (
            SourceJobConfig("hc", "hc", (HOME,), (), {"engine": "zimit"}, crawl={"max_pages": 3}),
            "max_pages has no effect with zimit",
        ),
        (
            SourceJobConfig("hc", "hc", (HOME,), (), {"engine": "zimit"}, scope={"deny_paths": ["/x"]}),
            "deny_paths has no effect with zimit",
        ),
    ],
)
def test_an_entry_that_no_job_could_be_made_from_is_refused(entry: SourceJobConfig, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        check_entry(entry)


@pytest.mark.parametrize(
    "entry",
    [
        SourceJobConfig(
            "hc", "hc-{date}", [HOME], [], DEFAULTS, "7d", {"max_pages": 3}, {"deny_paths": ["/x"]}, ["page"]
        ),
        SourceJobConfig("hc", "hc-{date}", [HOME], ["--lang", "en"], {**DEFAULTS, "engine": "zimit"}),
    ],
    ids=["native", "zimit"],
)
def test_an_entry_survives_being_stored(entry: SourceJobConfig) -> None:
    check_entry(entry)
    assert SourceJobConfig.from_json("hc", json.loads(json.dumps(entry.to_json()))) == entry


def test_a_stored_entry_with_a_key_that_no_one_reads_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown key in the registry's entry of hc: seeds"):
        SourceJobConfig.from_json("hc", {"seeds": [HOME]})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("default_seeds", HOME),
        ("default_seeds", [1]),
        ("default_seeds", None),
        ("crawl", None),
        ("crawl", []),
        ("scope", {"allow_paths": "/x"}),
        ("default_tool_options", "x"),
        ("plugins", "page"),
        ("name_template", None),
        ("schedule_hint", 7),
    ],
)
def test_a_stored_value_of_the_wrong_kind_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"the registry's entry of hc has an invalid {name}"):
        SourceJobConfig.from_json("hc", {name: value})


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("max_pages=500", ("max_pages", 500)),
        ("max-pages = 500", ("max_pages", 500)),
        ("per_host_delay=2", ("per_host_delay", 2.0)),
        ("per_host_delay=none", ("per_host_delay", None)),
        ("max_bytes=1000", ("max_bytes", 1000)),
        ("cleanup=yes", ("cleanup", True)),
        ("respect_robots=false", ("respect_robots", False)),
        ("log_level=DEBUG", ("log_level", "DEBUG")),
        ("vpn_connect_command=vpn up --to=ca", ("vpn_connect_command", "vpn up --to=ca")),
        ("fetcher=null", ("fetcher", "null")),
        ("max_pages=many", ("max_pages", "many")),
    ],
)
def test_an_option_is_read_as_its_kind(text: str, meant: tuple[str, object]) -> None:
    assert parse_override(text) == meant


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max_pages", "'max_pages' is not an option"),
        ("max_page=1", r"unknown option 'max_page' \(did you mean max_pages\?\)"),
    ],
)
def test_an_option_that_there_is_not_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_override(text)


def test_an_option_of_the_wrong_kind_is_refused_when_a_job_is_made() -> None:
    with pytest.raises(UsageError, match="a job's max_pages cannot be 'many'"):
        build_job_config(HC, overrides=dict([parse_override("max_pages=many")]))


def test_page_parameters_are_names_each_once_in_order() -> None:
    assert page_parameters_of(["lang", "id", "lang"]) == ("id", "lang")
    for wrong in ("", "a b", "a=b", "a&b"):
        with pytest.raises(UsageError, match="is not the name of a query parameter"):
            page_parameters_of([wrong])
    with pytest.raises(UsageError, match="more than 20"):
        page_parameters_of([f"p{n}" for n in range(21)])


def test_addresses_are_read_as_people_type_them() -> None:
    assert seeds_of(["example.org", "https://example.org/", "http://example.org/a"]) == (
        "https://example.org/",
        "http://example.org/a",
    )
