"""What zimit's exit codes mean, and when its ZIM is not enough."""

import pytest

from webstrata.model.jobs.zimit import judged, wants_final_build


@pytest.mark.parametrize("code", [0, 16, 32, 33])
def test_whatever_ends_a_crawl_that_got_what_it_could_is_a_success(code: int) -> None:
    assert judged(code) == 0


@pytest.mark.parametrize("code", [1, 2, 3, 9, 11, 137])
def test_any_other_exit_code_stays_what_it_is(code: int) -> None:
    assert judged(code) == code


@pytest.mark.parametrize(
    ("choice", "places", "has_zim", "wanted"),
    [
        ("auto", {".tmpa"}, True, False),
        ("auto", {".tmpa", ".tmpb"}, True, True),
        ("auto", {".tmpa", "warcs"}, True, True),
        ("auto", {".tmpa"}, False, True),
        ("auto", set(), False, False),
        ("always", {".tmpa"}, True, True),
        ("always", set(), True, False),
        ("never", {".tmpa", ".tmpb"}, False, False),
    ],
)
def test_a_zim_is_built_again_when_the_last_start_did_not_bring_all_of_it(
    choice: str, places: set[str], has_zim: bool, wanted: bool
) -> None:
    assert wants_final_build(choice, places, has_zim=has_zim) is wanted
