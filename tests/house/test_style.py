"""The style guide's words and names hold, but for what is listed as still to be mended; that list only shrinks."""

import ast
from pathlib import Path

import pytest

from tests.house import mending
from tests.house.mending import Offences


@pytest.fixture(scope="module")
def found() -> Offences:
    return mending.offences()


def test_nothing_new_is_to_be_mended(found: Offences) -> None:
    listed = mending.listed()
    worse = [
        f"{kind} {place}: {count}, listed {listed[kind, place]}"
        for (kind, place), count in found.items()
        if count > listed[kind, place]
    ]
    assert worse == [], f"use the style guide's words; after a move run `{mending.COMMAND}`"


def test_what_was_mended_leaves_the_list(found: Offences) -> None:
    mended = [f"{kind} {place}" for (kind, place), count in mending.listed().items() if count > found[kind, place]]
    assert mended == [], f"run `{mending.COMMAND}` and commit the shorter list"


def test_the_list_cannot_grow(found: Offences, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mending, "TO_MEND", tmp_path / "list.txt")
    before = found + Offences({("words", "src/webstrata/here.py"): 1})
    mending.write(before)
    assert mending.listed() == before
    moved = found + Offences({("words", "src/webstrata/elsewhere.py"): 1})
    mending.write(moved)
    assert mending.listed() == moved
    moved["words", "src/webstrata/more.py"] = 1
    with pytest.raises(ValueError, match="only shrinks; words"):
        mending.write(moved)


def test_words_are_looked_for_in_what_people_read_and_nowhere_else() -> None:
    source = '''
"""A module whose knob is behind a door."""
name = "nobody"
option = Option("--x", help="Whoever runs " "behind a proxy, on `knob`.")
value = setting(1, "The answer.")
'''
    texts = [mending.plain(text) for text in mending.prose(ast.walk(ast.parse(source)))]
    assert [mending.BANNED.findall(text) for text in texts] == [["knob", "behind", "door"], ["Whoever"], ["answer"]]


@pytest.mark.parametrize(
    ("function", "is_offence"),
    [
        ("def _crawled(job) -> None: ...", True),
        ("def _indexed(job) -> int:\n    'Index a job.'", True),
        ("def _parsed(text) -> int:\n    'Return the number.'", False),
        ("def need(job) -> None: ...", False),
        ("def run_crawl(job) -> None: ...", False),
    ],
)
def test_a_function_that_acts_is_a_verb(function: str, is_offence: bool) -> None:
    (node,) = ast.parse(function).body
    assert mending.acts_by_participle(node) is is_offence
