from datetime import UTC, datetime

import pytest

from webstrata.errors import PolicyError, UnreadablePolicyError
from webstrata.model.retention.rules import (
    DEFAULT_TTL_DAYS,
    check_collection,
    check_ttl_days,
    effective_policies,
    expiry_limit,
    is_mass_disappearance,
    may_trigger,
)


@pytest.mark.parametrize("days", [0, -1, 0.5, 60.0, "abc", "60", True, None, [60], 36_501, 10**30, float("nan")])
def test_only_whole_days_from_one_on_are_a_policy(days: object) -> None:
    with pytest.raises(PolicyError, match="whole number of days"):
        check_ttl_days(days)


def test_a_policy_is_for_a_known_collection_that_is_not_exempt() -> None:
    assert [check_collection(name) for name in DEFAULT_TTL_DAYS] == [*DEFAULT_TTL_DAYS]
    with pytest.raises(PolicyError, match="exempt"):
        check_collection("listings")
    for name in ("Diagnostics", "", None, 7, ["hauls"]):
        with pytest.raises(PolicyError, match="unknown collection"):
            check_collection(name)


def test_stored_policies_that_make_no_sense_stop_everything_and_listings_have_none() -> None:
    assert effective_policies({"hauls": 7, "listings": 1}) == {**DEFAULT_TTL_DAYS, "hauls": 7, "blobs": 30}
    for name, days in (("hauls", 0), ("hauls", "abc"), ("diagnostic", 90), (None, 3)):
        with pytest.raises(UnreadablePolicyError, match="cannot be read"):
            effective_policies({name: days})


def test_days_are_counted_back_from_now() -> None:
    assert expiry_limit(datetime(2024, 3, 1, 5, tzinfo=UTC), 1) == datetime(2024, 2, 29, 5, tzinfo=UTC)
    assert expiry_limit(datetime(2026, 1, 1, tzinfo=UTC), 36_500).year == 1926


def test_one_request_in_a_hundred_triggers() -> None:
    assert sum(may_trigger(number / 10_000) for number in range(10_000)) == 100


def test_most_of_a_source_is_a_mass_and_all_of_nothing_is_none() -> None:
    assert is_mass_disappearance(51, 100, 0.5)
    assert not is_mass_disappearance(50, 100, 0.5)
    assert not is_mass_disappearance(0, 0, 0.5)
    assert not is_mass_disappearance(100, 100, 1.0)
