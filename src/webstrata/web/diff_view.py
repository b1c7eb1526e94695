"""The comparison of two captures for display: changes under their headings, unchanged lines folded between them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from webstrata.content.blocks import HEADINGS
from webstrata.model.changes.values import EditKind, LineEdit, WordEdit

MAX_CHARACTERS = 18_000
"""The most characters of changed lines that are shown at once; the rest is shown on request."""

MAX_FOLDED_CHARACTERS = 10_000
_MAX_LINE_CHARACTERS = 4_000
_CONTEXT = 1
"""Unchanged lines shown before and after a change."""

_SHORTEST_FOLD = 3

_SIGNS = {
    EditKind.SAME: (" ", ""),
    EditKind.ADDED: ("+", "Added"),
    EditKind.REMOVED: ("−", "Removed"),
    EditKind.CHANGED: ("±", "Changed"),
    EditKind.MOVED: ("↕", "Moved"),
}


@dataclass(frozen=True)
class DiffLine:
    """One line of a comparison."""

    kind: EditKind
    words: tuple[WordEdit, ...]
    """The words of both sides, in reading order."""
    is_heading: bool = False
    ignored: str = ""
    """Why a difference in the line is ignored; empty when none is."""

    @property
    def sign(self) -> str:
        """Return the sign of the line: its kind is never shown by colour alone."""
        return _SIGNS[self.kind][0]

    @property
    def label(self) -> str:
        """Return the kind of the line's edit, in a word."""
        return _SIGNS[self.kind][1]

    @property
    def old(self) -> tuple[WordEdit, ...]:
        """Return the words of the older capture."""
        return () if self.kind is EditKind.ADDED else tuple(w for w in self.words if w.kind is not EditKind.ADDED)

    @property
    def new(self) -> tuple[WordEdit, ...]:
        """Return the words of the newer capture."""
        return () if self.kind is EditKind.REMOVED else tuple(w for w in self.words if w.kind is not EditKind.REMOVED)


@dataclass(frozen=True)
class DiffPart:
    """Some lines of a comparison: a change with the lines around it, or unchanged lines that are folded."""

    lines: tuple[DiffLine, ...]
    section: str = ""
    """The heading to show above a change; empty when it is the same as above the one before."""
    number: int = 0
    """Which change it is, from 1; 0 for folded lines."""
    folded: int = 0
    """How many lines are folded; their texts may be left out."""
    ignored: int = 0
    """How many of them have ignored differences."""


@dataclass(frozen=True)
class DiffView:
    """A comparison for display."""

    parts: tuple[DiffPart, ...] = ()
    changes: int = 0
    left_out: int = 0
    """Changes that are not shown, to keep the page small."""


@dataclass
class _Budget:
    """How many characters may still be shown."""

    changed: float = MAX_CHARACTERS
    folded: float = MAX_FOLDED_CHARACTERS
    section: str = ""
    number: int = 0
    left_out: int = 0
    parts: list[DiffPart] = field(default_factory=list)


def view_diff(edits: Sequence[LineEdit], *, whole: bool = False) -> DiffView:
    """Return a comparison for display; only a part of a long one, unless the whole is requested."""
    budget = _Budget() if not whole else _Budget(changed=float("inf"), folded=float("inf"))
    shown = _visible_lines(edits)
    for is_shown, places in groupby(range(len(edits)), key=shown.__getitem__):
        some = [edits[place] for place in places]
        if is_shown:
            for change in _by_section(some):
                _add_change(change, budget)
        else:
            _add_fold(some, budget)
    return DiffView(tuple(budget.parts), budget.number + budget.left_out, budget.left_out)


def _add_change(edits: Sequence[LineEdit], budget: _Budget) -> None:
    lines = tuple(_line(edit) for edit in edits)
    size = _size(lines)
    if size > budget.changed and budget.number:
        budget.left_out += 1
        return
    budget.changed -= size
    budget.number += 1
    section = next(edit.section for edit in edits if _counts(edit))
    is_there = section == budget.section or any(line.is_heading for line in lines[:1])
    heading = "" if is_there else section
    budget.section = section
    budget.parts.append(DiffPart(lines, heading, budget.number))


def _by_section(edits: Sequence[LineEdit]) -> Iterator[list[LineEdit]]:
    """Yield lines that are shown together section by section; lines around a change stay with one."""
    waiting: list[LineEdit] = []
    for _, some in groupby(edits, key=lambda edit: edit.section):
        of_section = list(some)
        if any(map(_counts, of_section)) and any(map(_counts, waiting)):
            yield waiting
            waiting = []
        waiting += of_section
    yield waiting


def _add_fold(edits: Sequence[LineEdit], budget: _Budget) -> None:
    if budget.left_out:
        return
    lines = tuple(_line(edit) for edit in edits)
    size = _size(lines)
    fits = size <= budget.folded
    budget.folded -= size if fits else 0
    ignored = sum(bool(line.ignored) for line in lines)
    budget.parts.append(DiffPart(lines if fits else (), folded=len(lines), ignored=ignored))


def _visible_lines(edits: Sequence[LineEdit]) -> list[bool]:
    """Return for each line whether it is shown: changes, the lines around them, and runs too short to fold."""
    shown = [False] * len(edits)
    for place, edit in enumerate(edits):
        if _counts(edit):
            for near in range(max(0, place - _CONTEXT), min(len(edits), place + _CONTEXT + 1)):
                shown[near] = True
    for start, end in list(_hidden_runs(shown)):
        if end - start < _SHORTEST_FOLD and (start > 0 and end < len(edits)):
            shown[start:end] = [True] * (end - start)
    return shown


def _hidden_runs(shown: Sequence[bool]) -> Iterator[tuple[int, int]]:
    for is_shown, places in groupby(range(len(shown)), key=shown.__getitem__):
        run = list(places)
        if not is_shown:
            yield run[0], run[-1] + 1


def _counts(edit: LineEdit) -> bool:
    return edit.kind is not EditKind.SAME and edit.ignored is None


def _line(edit: LineEdit) -> DiffLine:
    line = edit.new or edit.old
    text, is_heading = ("", False) if line is None else (line.text, line.kind in HEADINGS)
    if not _counts(edit):
        return DiffLine(EditKind.SAME, (WordEdit(EditKind.SAME, _shorten(text)),), is_heading, edit.ignored or "")
    if edit.words:
        return DiffLine(edit.kind, tuple(WordEdit(word.kind, _shorten(word.text)) for word in edit.words), is_heading)
    kind = edit.kind if edit.kind in (EditKind.ADDED, EditKind.REMOVED) else EditKind.SAME
    return DiffLine(edit.kind, (WordEdit(kind, _shorten(text)),), is_heading)


def _shorten(text: str) -> str:
    """Return a very long text without its middle; the changes are next to its ends."""
    half = _MAX_LINE_CHARACTERS // 2
    return text if len(text) <= _MAX_LINE_CHARACTERS else f"{text[:half]} … {text[-half:]}"


def _size(lines: Iterable[DiffLine]) -> int:
    return sum(len(word.text) for line in lines for word in line.words)
