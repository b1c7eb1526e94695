"""Recognises volatile text, which changes by itself: by patterns, and by changes in most earlier captures of a page."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from webstrata.content.comparing.volatile_patterns import (
    BARE_MOMENT,
    MOST_CHARACTERS,
    ROTATING_HEADING,
    STAMP_LABEL,
    volatile_parts,
)
from webstrata.model.changes.change_words import MONTHS, WEEKDAYS, fold
from webstrata.model.changes.facts import facts_in
from webstrata.model.changes.values import EditKind, LineEdit, PageLine
from webstrata.model.changes.wording import WARNING, wording_of

LEARNED = "it changed in most earlier captures"
_MOST_EDITS = 2_000
"""The most edits that are checked: a page with more has real changes."""
_FEWEST_CAPTURES = 3
_MOST_CAPTURES = 12
_FEWEST_CHANGES = 2
_SLOT_LINES = 6
"""The most lines of a slot with changing text, such as a teaser; longer parts belong to the page."""
_ALIKE = 0.5
"""Texts with at least this share of common words are versions of one text, not different texts."""
_ANCHOR_CHARACTERS = 120
_SECTIONS_CACHED = 256
_LONGEST_MOMENT = 80
_CHANGING_WORD = re.compile(r"[^\s|:;,()]*\d[^\s|:;,()]*")
_CALENDAR_WORD = re.compile(
    rf"\b(?:{'|'.join(sorted({*MONTHS, *WEEKDAYS, 'am', 'pm', 'a.m', 'p.m'}, key=len, reverse=True))})\b\.?"
)
_CHANGING_RUN = re.compile(r"#(?:[\s,]*#)*")
_ALWAYS_REPORTED = frozenset({"dose", "age", "price", "percent", "phone", "email"})
"""Kinds of facts whose changes are always reported."""

_COUNTED = frozenset({EditKind.CHANGED, EditKind.ADDED, EditKind.REMOVED})

_Slot = tuple[str, str]


def mask(line: str) -> str:
    """Return a line with its volatile parts replaced by the names of their kinds."""
    masked: list[str] = []
    done = 0
    for part in volatile_parts(line):
        masked += (line[done : part.start], f"‹{part.kind}›")
        done = part.end
    return "".join((*masked, line[done:]))


def volatile_reason(old: PageLine, new: PageLine) -> str | None:
    """Return why a changed line is ignored, as it differs only in volatile parts; None if it counts."""
    before, after = volatile_parts(old.text), volatile_parts(new.text)
    if before and len(before) == len(after) and mask(old.text) == mask(new.text):
        kinds = dict.fromkeys(
            part.kind
            for part, other in zip(before, after, strict=True)
            if old.text[part.start : part.end] != new.text[other.start : other.end]
        )
        return _only(*kinds) if kinds else None
    if not old.is_main and not new.is_main and _is_moment(old.text) and _is_moment(new.text):
        return _only("a date outside the content")
    return None


def learn_volatile(history: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return which lines of a page changed in most of its earlier captures, given the lines of at least three captures.

    A line of which only numbers and dates changed is returned as its shape; a slot with changing text as the lines
    around it.
    """
    captures = history[-_MOST_CAPTURES:]
    if len(captures) < _FEWEST_CAPTURES:
        return frozenset()
    return frozenset((*_changing_shapes(captures), *map(_slot_key, _changing_slots(captures))))


def mark_volatile(edits: Sequence[LineEdit], learned: frozenset[str] = frozenset()) -> tuple[LineEdit, ...]:
    """Return the edits of a page; those of volatile text have the reason why they are ignored."""
    counted = [place for place, edit in enumerate(edits) if edit.kind in _COUNTED and edit.ignored is None]
    counted = counted[:_MOST_EDITS]
    slots = _slots_of(edits) if learned else [("", "")] * len(edits)
    twins = _masks_on_both_sides([edits[place] for place in counted])
    marked = list(edits)
    for place in counted:
        before = edits[place - 1] if place else None
        reason = _pattern_reason(edits[place], before, twins) or _learned_reason(edits[place], slots[place], learned)
        if reason:
            marked[place] = edits[place]._replace(ignored=reason)
    return tuple(marked)


def _only(*kinds: str) -> str:
    return f"volatile: only {' and '.join(kinds)} changed"


def _is_moment(text: str) -> bool:
    return len(text) < _LONGEST_MOMENT and BARE_MOMENT.fullmatch(fold(text)) is not None


def _pattern_reason(edit: LineEdit, before: LineEdit | None, twins: frozenset[str]) -> str | None:
    """Return why an edit is ignored because of its own text, the label before it or the heading above it."""
    lines = [line for line in (edit.old, edit.new) if line is not None]
    if edit.old and edit.new and (reason := volatile_reason(edit.old, edit.new)):
        return reason
    if len(lines) == 1 and (reason := _whole_line_reason(lines[0].text, twins)):
        return reason
    if all(_is_moment(line.text) for line in lines) and _is_label(before):
        return _only("a date stamp")
    if _is_rotating(edit.section) and not _has_warning(lines):
        return _only("a rotating text")
    return None


@lru_cache(_SECTIONS_CACHED)
def _is_rotating(section: str) -> bool:
    return ROTATING_HEADING.fullmatch(fold(section).strip(" :!")) is not None


def _whole_line_reason(text: str, twins: frozenset[str]) -> str | None:
    """Return why a line that was added or removed alone is ignored."""
    parts = volatile_parts(text)
    whole = next((part for part in parts if part.is_whole_line), None)
    if whole is not None or (parts and mask(text) in twins):
        return _only((whole or parts[0]).kind)
    return None


def _is_label(edit: LineEdit | None) -> bool:
    """Return whether the line before is a label such as `Date modified:`."""
    line = (edit.new or edit.old) if edit is not None else None
    return line is not None and len(line.text) < _LONGEST_MOMENT and STAMP_LABEL.fullmatch(fold(line.text)) is not None


def _masks_on_both_sides(edits: Sequence[LineEdit]) -> frozenset[str]:
    """Return the masks that occur in a removed and in an added line."""
    removed = {mask(edit.old.text) for edit in edits if edit.kind is EditKind.REMOVED and edit.old}
    if not removed:
        return frozenset()
    return frozenset(mask(edit.new.text) for edit in edits if edit.kind is EditKind.ADDED and edit.new) & removed


def _has_warning(lines: Sequence[PageLine]) -> bool:
    return any(role == WARNING for line in lines for role, _ in wording_of(line.text[:MOST_CHARACTERS]).roles)


def _learned_reason(edit: LineEdit, slot: _Slot, learned: frozenset[str]) -> str | None:
    """Return why an edit is ignored because of earlier captures; edits of warnings, doses and the like never are."""
    if not learned:
        return None
    lines = [line for line in (edit.old, edit.new) if line is not None]
    shapes = {_shape(line.text) for line in lines}
    is_known = (len(shapes) == 1 and not shapes.isdisjoint(learned)) or _slot_key(slot) in learned
    if not is_known or _has_warning(lines) or _changes_reported_fact(lines):
        return None
    return f"volatile: {LEARNED}"


def _changes_reported_fact(lines: Sequence[PageLine]) -> bool:
    sides = [
        {fact[:2] for fact in facts_in(line.text[:MOST_CHARACTERS]) if fact.kind in _ALWAYS_REPORTED} for line in lines
    ]
    return bool(sides[0] ^ sides[1]) if len(sides) > 1 else bool(sides[0])


def _shape(line: str) -> str:
    """Return a line with every number, date and word with a digit replaced by one mark."""
    marked = _CHANGING_WORD.sub("#", fold(line[:MOST_CHARACTERS]))
    if "#" in marked:
        marked = _CALENDAR_WORD.sub("#", marked)
    return _CHANGING_RUN.sub("#", marked)


def _changing_shapes(captures: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the shapes of lines whose numbers differ in most captures; shapes without letters are too general."""
    by_shape = [_texts_by_shape(lines) for lines in captures]
    for shape in set.intersection(*(set(texts) for texts in by_shape)):
        versions = [texts[shape] for texts in by_shape]
        changes = sum(old != new and len(old) == len(new) for old, new in pairwise(versions))
        if _is_most(changes, len(captures)):
            yield shape


def _texts_by_shape(lines: Sequence[str]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for line in lines:
        shape = _shape(line)
        if "#" in shape and any(map(str.isalpha, shape)):
            texts.setdefault(shape, []).append(line)
    return texts


def _is_most(changes: int, captures: int) -> bool:
    return changes >= _FEWEST_CHANGES and changes * 2 > captures - 1


def _changing_slots(captures: Sequence[Sequence[str]]) -> Iterator[_Slot]:
    """Yield the slots between two permanent lines where most captures have different texts."""
    lasting = set.intersection(*(_single_lines(lines) for lines in captures))
    by_slot = [dict(_runs(lines, lasting)) for lines in captures]
    for slot in set.intersection(*(set(runs) for runs in by_slot)):
        versions = [runs[slot] for runs in by_slot]
        changes = sum(not _is_alike(old, new) for old, new in pairwise(versions))
        if _is_most(changes, len(captures)):
            yield slot


def _single_lines(lines: Sequence[str]) -> set[str]:
    return {line for line, count in Counter(lines).items() if count == 1}


def _runs(lines: Sequence[str], lasting: set[str]) -> Iterator[tuple[_Slot, list[str]]]:
    """Yield the short runs of lines between permanent ones, by the lines around them."""
    before, run = "", list[str]()
    for line in (*lines, None):
        if line is not None and line not in lasting:
            run.append(line)
            continue
        if 0 < len(run) <= _SLOT_LINES:
            yield (before, line or ""), run
        before, run = line or "", []


def _is_alike(old: Sequence[str], new: Sequence[str]) -> bool:
    one, other = (set(" ".join(lines).split()) for lines in (old, new))
    return len(one & other) >= _ALIKE * min(len(one), len(other))


def _slots_of(edits: Sequence[LineEdit]) -> list[_Slot]:
    """Return for each edit the unchanged lines before and after it."""
    befores, afters = _nearest_same(edits), _nearest_same(edits[::-1])[::-1]
    return list(zip(befores, afters, strict=True))


def _nearest_same(edits: Sequence[LineEdit]) -> list[str]:
    nearest, found = "", []
    for edit in edits:
        found.append(nearest)
        if edit.kind is EditKind.SAME and edit.new is not None:
            nearest = edit.new.text
    return found


def _slot_key(slot: _Slot) -> str:
    """Return a slot as a text; it contains a line break, so it cannot be equal to a shape."""
    return "\n".join(line[:_ANCHOR_CHARACTERS] for line in slot)
