"""Every judged pair gets the verdict that people gave."""

import pytest

from tests.changes.building import Pair, all_pairs, expected_verdicts
from tests.changes.judging import compare, faults

PAIRS = list(all_pairs())
EXPECTED = expected_verdicts()


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.kind}-{pair.name}")
def test_a_pair_gets_the_verdict_that_people_gave(pair: Pair) -> None:
    assert list(faults(compare(pair), EXPECTED[pair.name])) == []
