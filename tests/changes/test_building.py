"""The judged pairs themselves: complete, and what their names say."""

from tests.changes.building import all_pairs, expected_verdicts
from webstrata.content.html import parse_page

_SAME_ON_PURPOSE = {"identical", "blocked-twice", "article-about-captchas-unchanged"}


def test_every_pair_has_a_verdict_and_every_verdict_a_pair() -> None:
    names = [pair.name for pair in all_pairs()]
    assert len(names) == len(set(names)) >= 70
    assert set(names) == set(expected_verdicts())


def test_the_two_sides_of_a_pair_differ_unless_that_is_the_point() -> None:
    assert {pair.name for pair in all_pairs() if pair.old.body == pair.new.body} == _SAME_ON_PURPOSE


def test_pages_are_complete_pages_with_menu_content_and_footer() -> None:
    for pair in all_pairs():
        if pair.kind in ("edits", "wording", "noise", "template") and pair.old.content_type.startswith("text/html"):
            for side in (pair.old, pair.new):
                page = parse_page(side.body, side.content_type)
                assert 30 <= side.body.count(b"\n") <= 150, pair.name
                assert page.title, pair.name
                assert page.text.count("\n") >= 10, pair.name
