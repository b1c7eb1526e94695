"""Failed visits, summed up."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.model.crawl.failures import VisitFailure, failure_kind, summed_up


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("timeout", "timeout"),
        ("http_429", "http"),
        ("http_503", "http"),
        ("connect", "http"),
        ("dns", "http"),
        ("tls", "http"),
        ("robots", None),
        ("blocked", None),
        ("internal", None),
        (None, None),
    ],
)
def test_only_what_states_something_about_the_site_is_counted(error: str | None, kind: str | None) -> None:
    assert failure_kind(error) == kind


KINDS, COUNTS = st.sampled_from(["timeout", "http"]), st.integers(1, 9)
FAILURES = st.lists(st.builds(VisitFailure, st.just("url"), KINDS, st.just("reason"), COUNTS))


@given(FAILURES, FAILURES, st.integers(1, 5))
def test_summing_up_keeps_a_few_of_each_kind_and_every_count(
    first: list[VisitFailure], second: list[VisitFailure], most: int
) -> None:
    kept = summed_up([*summed_up(first, most), *second], most)
    assert counts(kept) == counts([*first, *second])
    assert all(number <= most for number in Counter(failure.kind for failure in kept).values())


def counts(failures: list[VisitFailure]) -> Counter[str]:
    total: Counter[str] = Counter()
    for failure in failures:
        total[failure.kind] += failure.count
    return total
