import json
from dataclasses import asdict, fields
from math import inf, nan
from pathlib import Path
from typing import get_args

import pytest

from webstrata.errors import UsageError
from webstrata.model.crawl.crawl_config import CRAWL_SETTINGS, CrawlConfig
from webstrata.model.crawl.tasks import RetryPolicy
from webstrata.model.jobs.job import JobConfig
from webstrata.settings import Settings, load_settings


@pytest.fixture
def defaults(tmp_path: Path) -> CrawlConfig:
    settings = load_settings({}, tmp_path / "nothing")
    return CrawlConfig(**{f.name: getattr(settings, f.name) for f in fields(CrawlConfig)})


def test_a_configuration_survives_being_stored() -> None:
    config = JobConfig(
        seeds=("https://example.org/", "https://example.org/fr"),
        crawl={"max_pages": 5, "per_host_delay": 0.5},
        scope={"deny_paths": ("/private",), "allowed_domains": ("example.org:8080",)},
        zimit_passthrough_args=("--lang", "en"),
        tool_options={"cleanup": True, "deep": {"er": [1]}},
    )
    assert JobConfig.from_json(json.loads(json.dumps(config.to_json()))) == config


def test_what_a_stored_configuration_leaves_out_is_empty() -> None:
    assert JobConfig.from_json({}) == JobConfig(())


@pytest.mark.parametrize(
    ("stored", "named"),
    [
        ({"seed": []}, "seed"),
        ({"crawl": {"max_page": 1}}, r"crawl\.max_page"),
        ({"scope": {"deny": []}}, r"scope\.deny"),
        ({"b": 1, "a": 1, "crawl": {"x": 1}}, r"a, b, crawl\.x"),
    ],
)
def test_a_key_that_no_one_reads_is_refused_by_name(stored: dict[str, object], named: str) -> None:
    with pytest.raises(UsageError, match=f"unknown key in a job's configuration: {named}$"):
        JobConfig.from_json(stored)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seeds", "https://example.org/"),
        ("seeds", [1]),
        ("seeds", None),
        ("crawl", []),
        ("scope", []),
        ("crawl", None),
        ("crawl", "max_pages=1"),
        ("zimit_passthrough_args", "--lang en"),
        ("tool_options", ["cleanup"]),
        ("tool_options", 0),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_by_name(key: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"a job's {key} must be"):
        JobConfig.from_json({key: value})


def test_a_jobs_own_settings_win_over_the_defaults(defaults: CrawlConfig) -> None:
    own = defaults.overridden({"max_pages": 5, "per_host_delay": 2, "respect_robots": False, "user_agent": "me"})
    changed = {"max_pages": 5, "per_host_delay": 2, "respect_robots": False, "user_agent": "me"}
    assert asdict(own) == asdict(defaults) | changed
    assert defaults.overridden({}) == defaults


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("max_pages", "5"),
        ("max_pages", 5.0),
        ("max_pages", True),
        ("max_pages", None),
        ("max_pages", 0),
        ("respect_robots", 1),
        ("respect_robots", "no"),
        ("per_host_delay", "1"),
        ("per_host_delay", True),
        ("per_host_delay", nan),
        ("per_host_delay", -1),
        ("lease_seconds", inf),
        ("backoff_multiplier", 1e300),
        ("concurrency", 0),
        ("user_agent", 5),
        ("user_agent", ""),
        ("user_agent", "bot\r\nX-Injected: yes"),
        ("per_host_concurrency", 0),
        ("per_host_concurrency", 2.5),
        ("per_host_concurrency", True),
        ("max_crawl_delay", None),
        ("max_crawl_delay", nan),
        ("jitter", 1.01),
        ("jitter", -0.1),
        ("jitter", None),
        ("max_seconds", 0),
        ("max_seconds", inf),
        ("max_seconds", "60"),
        ("max_bytes", 0),
        ("max_bytes", 1.5),
        ("fetcher", None),
        ("fetcher", "ftp"),
        ("fetcher", ["http"]),
        ("no_such_knob", 1),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name(defaults: CrawlConfig, knob: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"a job's {knob} cannot be "):
        defaults.overridden({knob: value})


@pytest.mark.parametrize("knob", ["per_host_delay", "per_host_concurrency", "max_seconds", "max_bytes"])
def test_a_setting_that_may_be_nothing_can_be_taken_back_to_it(defaults: CrawlConfig, knob: str) -> None:
    set_to_one = defaults.overridden({knob: 1})
    assert getattr(set_to_one, knob) == 1
    assert set_to_one.overridden({knob: None}) == defaults


def test_a_job_may_choose_its_fetcher(defaults: CrawlConfig) -> None:
    assert defaults.overridden({"fetcher": "null"}).fetcher == "null"


def test_jobs_and_settings_agree_on_what_makes_sense() -> None:
    numbers = {f.name for f in fields(CrawlConfig) if {int, float} & {f.type, *get_args(f.type)}}
    assert {name for name, declared in CRAWL_SETTINGS.items() if declared.lowest is not None} == numbers
    for name, declared in CRAWL_SETTINGS.items():
        limits = Settings.model_fields[name].metadata
        assert next((limit.ge for limit in limits if hasattr(limit, "ge")), None) == declared.lowest
        assert next((limit.le for limit in limits if hasattr(limit, "le")), None) == declared.highest
        assert Settings.model_fields[name].default == getattr(CrawlConfig(), name)


def test_the_retry_settings_make_the_retry_policy(defaults: CrawlConfig) -> None:
    knobs = {"max_retries": 7, "backoff_min": 2, "backoff_max": 9, "backoff_multiplier": 3, "jitter": 0.5}
    assert defaults.overridden(knobs).retry_policy == RetryPolicy(7, 2, 9, 3, 0.5)
