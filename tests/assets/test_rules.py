"""The pure rules: what may be kept, when jobs reach the same, when much is too much."""

import math

import pytest

from tests.assets.archives import DAY, NEW_YEAR
from webstrata.errors import UsageError
from webstrata.model.assets import (
    AssetRecord,
    AssetResponse,
    Fate,
    KnownAsset,
    RunStatus,
    Sight,
    UnseenAsset,
    is_back,
    judge_sighting,
    judge_unseen,
    same_reach,
    too_many_at_once,
)
from webstrata.model.jobs.job import JobConfig


def record(**values: object) -> AssetRecord:
    given: dict[str, object] = {"identifier": "a", "asset_type": "b", "source_url": "c", "checksum": "d"}
    return AssetRecord(**(given | values))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"identifier": ""}, "needs an identifier"),
        ({"checksum": ""}, "needs an identifier"),
        ({"identifier": 7}, "identifier cannot be 7"),
        ({"identifier": "a\0b"}, "identifier cannot be"),
        ({"identifier": "\ud800"}, "identifier is not Unicode"),
        ({"identifier": "é" * 1_025}, "identifier has 2050 bytes, more than 2048"),
        ({"asset_type": "t" * 65}, "asset_type has 65 bytes"),
        ({"tags": "word"}, "tags must be words"),
        ({"tags": (1,)}, "tags must be words"),
        ({"tags": ("\0",)}, "tags cannot hold NUL"),
        ({"metadata": {"a": {1, 2}}}, "metadata must be JSON"),
        ({"metadata": {"a": math.nan}}, "metadata must be JSON"),
        ({"metadata": {"a": "\ud800"}}, "metadata must be JSON"),
        ({"metadata": {"a": ["\\\0"]}}, "metadata cannot hold NUL"),
        ({"metadata": {"a": "x" * 1_000_001}}, "more than 1000000"),
        ({"normalized_path": "/etc/passwd"}, "leads out"),
        ({"normalized_path": "a/../../b"}, "leads out"),
        ({"normalized_path": "a\\b"}, "leads out"),
        ({"normalized_path": "a\nb"}, "leads out"),
    ],
)
def test_a_record_that_cannot_be_kept_is_refused_with_the_reason(values: dict[str, object], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        record(**values)


def test_a_record_keeps_a_copy_of_what_it_was_given() -> None:
    tags, numbers = ["x"], [1]
    made = record(tags=tags, metadata={"text": "a backslash and a word: \\u0000", "list": numbers})
    tags.append("y")
    numbers.append(2)
    assert made.tags == ("x",)
    assert made.metadata == {"text": "a backslash and a word: \\u0000", "list": [1]}


UNSEEN = UnseenAsset(1, "page", "https://a.example/", NEW_YEAR, 1)


@pytest.mark.parametrize(
    ("status", "run", "fate"),
    [
        *((status, None, Fate.GONE) for status in (404, 410, 301, 308)),
        *((status, None, Fate.UNKNOWN) for status in (302, 303, 307, 401, 403, 429, 451, 500, 503)),
        *((status, RunStatus.DONE, Fate.GONE) for status in (200, 304, None)),
        (200, RunStatus.SKIPPED, Fate.GONE),
        *((200, run, Fate.UNKNOWN) for run in (RunStatus.FAILED, RunStatus.RUNNING, None)),
    ],
)
def test_only_a_response_with_a_gone_status_makes_an_asset_gone(
    status: int | None, run: RunStatus | None, fate: Fate
) -> None:
    assert judge_unseen(UNSEEN, AssetResponse(1, NEW_YEAR + DAY, status), run, tried=True) is fate
    assert judge_unseen(UNSEEN, AssetResponse(1, NEW_YEAR, status), run, tried=True) is Fate.UNKNOWN


def test_without_a_response_an_asset_is_absent_if_its_url_was_not_requested() -> None:
    assert judge_unseen(UNSEEN, None, None, tried=False) is Fate.ABSENT
    assert judge_unseen(UNSEEN, None, None, tried=True) is Fate.UNKNOWN


def test_versions_only_go_forward_in_time() -> None:
    known = KnownAsset("a", NEW_YEAR)
    assert judge_sighting(None, "a", NEW_YEAR) is Sight.NEW
    assert judge_sighting(known, "a", NEW_YEAR) is Sight.UNCHANGED
    assert judge_sighting(known, "b", NEW_YEAR) is Sight.CHANGED
    assert judge_sighting(known, "b", NEW_YEAR - DAY) is Sight.LATE


def test_what_was_seen_before_it_was_missing_is_still_missing() -> None:
    missing = KnownAsset("a", NEW_YEAR, missing_since=NEW_YEAR + 2 * DAY)
    assert not is_back(missing, NEW_YEAR + DAY)
    assert is_back(missing, NEW_YEAR + 3 * DAY)
    assert is_back(KnownAsset("a", NEW_YEAR), NEW_YEAR)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (JobConfig(("https://b.example/", "https://a.example/")), True),
        (JobConfig(("https://a.example/",)), False),
        (JobConfig(("https://a.example/", "https://b.example/"), {"concurrency": 1, "max_pages": 9}), True),
        (JobConfig(("https://a.example/", "https://b.example/"), plugins=("page",)), True),
        (JobConfig(("https://a.example/", "https://b.example/"), {"max_depth": 1}), False),
        (JobConfig(("https://a.example/", "https://b.example/"), {"user_agent": "x"}), False),
        (JobConfig(("https://a.example/", "https://b.example/"), zimit_passthrough_args=("--depth",)), False),
        (JobConfig(("https://a.example/", "https://b.example/"), scope={"deny_paths": ("/x",)}), False),
    ],
)
def test_jobs_reach_the_same_unless_something_could_lead_them_elsewhere(other: JobConfig, same: bool) -> None:
    config = JobConfig(("https://a.example/", "https://b.example/"))
    assert same_reach(config.to_json(), other.to_json()) is same


@pytest.mark.parametrize(
    ("absent", "present", "too_many"), [(10, 10, False), (11, 11, True), (11, 21, True), (11, 22, False), (0, 0, False)]
)
def test_much_is_more_than_a_few_and_more_than_half(absent: int, present: int, too_many: bool) -> None:
    assert too_many_at_once(absent, present) is too_many
