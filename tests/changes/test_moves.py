"""Moved pages: near-duplicates among pages that disappeared and new ones, on sites that share their words."""

import random
from collections.abc import Callable

import pytest

from webstrata.changes.site.moves import CommonWords, find_moves
from webstrata.content.fingerprint import fingerprint
from webstrata.db.watching.site_diff import PageContent
from webstrata.model.watching.site_diff import MoveEvidence

_WORDS = (
    "river",
    "council",
    "water",
    "permit",
    "road",
    "school",
    "nurse",
    "budget",
    "winter",
    "storm",
    "farm",
    "price",
)


def _of_few_words(number: int) -> str:
    """Return a page that has the vocabulary of the whole site."""
    chosen = random.Random(number)
    return "\n".join(" ".join(chosen.choices(_WORDS, k=12)) for _ in range(8))


def _of_one_form(number: int) -> str:
    """Return a page that differs from the others in a few numbers only."""
    return (
        f"Medicine {number}\nIt lowers a fever of kind {number * 7}, see report {number * 31}.\n"
        f"Give 160 mg every 4 hours, and never to a child under two.\nBox {number} has {number + 3} tablets."
    )


def _page(snapshot_id: int, url: str, text: str) -> PageContent:
    # The text of the whole page differs, as its menu does.
    return PageContent(snapshot_id, url, "A page", snapshot_id, f"hash {snapshot_id}", fingerprint(text))


@pytest.mark.parametrize("text_of", [_of_few_words, _of_one_form])
def test_moved_pages_are_distinguished_from_pages_that_are_like_all_others(text_of: Callable[[int], str]) -> None:
    site = [text_of(number) for number in range(60)]
    edited = site[8].replace("160", "80") if "160" in site[8] else site[8].replace("river", "stream", 2)
    texts = dict(enumerate([*site[:10], site[7], edited, text_of(70), text_of(71)]))
    gone = [_page(number, f"https://example.org/{number}", texts[number]) for number in range(10)]
    new = [_page(number, f"https://example.org/new/{number}", texts[number]) for number in range(10, 14)]
    found = find_moves(gone, new, lambda ids: {one: texts[one] for one in ids}, CommonWords(site))
    assert {(move.old_id, move.new_id, move.evidence) for move in found} == {
        (7, 10, MoveEvidence.SAME_TEXT),
        (8, 11, MoveEvidence.SIMILAR_TEXT),
    }


def test_a_text_that_very_many_pages_have_is_no_sign_of_a_move() -> None:
    def moved(pages: int) -> int:
        gone, new = (
            [PageContent(first + n, f"https://example.org/{first}/{n}", "A page", 1, "same", 7) for n in range(pages)]
            for first in (0, pages)
        )
        return len(find_moves(gone, new, lambda ids: dict.fromkeys(ids, ""), CommonWords([])))

    assert moved(30) == 30
    assert moved(1_001) == 0, "a million pairs of addresses would be compared"
