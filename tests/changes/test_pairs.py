"""Every judged pair gets the verdict that people gave."""

import pytest

from tests.changes.building import Pair, all_pairs, expected_verdicts
from tests.changes.judging import compare, faults

_EXPECTED = expected_verdicts()


@pytest.mark.parametrize("pair", all_pairs(), ids=lambda pair: f"{pair.kind}-{pair.name}")
def test_a_pair_gets_the_verdict_that_people_gave(pair: Pair) -> None:
    assert list(faults(compare(pair), _EXPECTED[pair.name])) == []
