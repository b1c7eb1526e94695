"""Sections of a page by its headings: which were added, removed or changed, and the sentence that sums it up."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from webstrata.content.blocks import HEADINGS
from webstrata.model.changes.values import EditKind, LineEdit, PageLine

NO_CHANGE = "no visible change"
_NO_LINE = PageLine("", "p")
_CHANGES = frozenset({EditKind.ADDED, EditKind.REMOVED, EditKind.CHANGED})


@dataclass(frozen=True)
class Sections:
    """The headings of the sections that differ between two captures, in reading order."""

    added: tuple[str, ...] = ()
    """An added or removed section counts once, with the sections inside it."""
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Sections with changed lines or a changed heading, without inner sections; an empty name means the start of the
    page."""


def section_names(lines: Sequence[PageLine]) -> list[str]:
    """Return for each line the text of the heading that it is under; a heading is under itself.

    Headings of menus and footers do not count.
    """
    content = around = ""
    names: list[str] = []
    for text, kind, _, is_main, _, _ in lines:
        is_heading = kind in HEADINGS
        if is_main:
            content = text if is_heading else content
            names.append(content)
        else:
            around = text if is_heading else around
            names.append(around)
    return names


def outline(edits: Iterable[LineEdit]) -> list[LineEdit]:
    """Return the edits that are not unchanged lines, with their headings: few lines of a page."""
    same, none = EditKind.SAME, _NO_LINE
    noted: list[LineEdit] = []
    before: PageLine | None = None
    for edit in [
        edit
        for edit in edits
        if edit.kind is not same or (edit.new or none).kind in HEADINGS or (edit.old or none).kind in HEADINGS
    ]:
        heading = _unchanged_heading(edit)
        # A following heading ends a section without changes.
        if before and heading and heading.is_main is before.is_main and heading.kind <= before.kind:
            noted.pop()
        noted.append(edit)
        before = heading
    return noted


def _unchanged_heading(edit: LineEdit) -> PageLine | None:
    """Return the heading of an edit that is an unchanged heading, with the same level and region on both pages; else
    None."""
    old, new = edit.old, edit.new
    if edit.kind is not EditKind.SAME or old is None or new is None:
        return None
    return new if old is new or (old.kind == new.kind and old.is_main is new.is_main) else None


def changed_sections(edits: Sequence[LineEdit]) -> Sections:
    """Return the sections that were added, removed or changed; ignored edits change nothing."""
    removed, changed = _walk(edits, EditKind.REMOVED)
    added, also_changed = _walk(edits, EditKind.ADDED)
    names = changed | also_changed
    return Sections(tuple(added), tuple(removed), tuple(names[place] for place in sorted(names)))


def summary_sentence(sections: Sections, edits: Iterable[LineEdit]) -> str:
    """Return a short summary of changes, such as `2 sections changed; 1 added; 3 lines removed`."""
    lines = Counter(edit.kind for edit in edits if edit.ignored is None)
    parts = _counted(
        "section",
        {"changed": len(sections.changed), "added": len(sections.added), "removed": len(sections.removed)},
    )
    parts += _counted(
        "line",
        {"added": lines[EditKind.ADDED], "removed": lines[EditKind.REMOVED], "moved": lines[EditKind.MOVED]},
    )
    return "; ".join(parts) or NO_CHANGE


class _OpenSection(NamedTuple):
    """A section that contains the current line of a walk."""

    level: str
    name: str
    place: int
    """The edit of its heading."""
    is_own: bool
    """Whether it is only on the page that is walked."""


def _walk(edits: Sequence[LineEdit], own: EditKind) -> tuple[list[str], dict[int, str]]:
    """Walk over one page; return the sections that the other page lacks, and the changed sections by position.

    `own` is ADDED for the new page and REMOVED for the old one.
    """
    own_sections: list[str] = []
    changed: dict[int, str] = {}
    outlines: dict[bool, list[_OpenSection]] = {True: [_BEGINNING], False: [_BEGINNING]}
    for place, edit in enumerate(edits):
        line = edit.new if own is EditKind.ADDED else edit.old
        if line is None or (own is EditKind.REMOVED and edit.kind is EditKind.MOVED):
            continue
        outline = outlines[line.is_main]
        is_own = edit.kind is own and edit.ignored is None
        if line.kind in HEADINGS:
            while outline[-1].level >= line.kind:
                outline.pop()
            if is_own and not outline[-1].is_own:
                own_sections.append(line.text)
            outline.append(_OpenSection(line.kind, line.text, place, is_own))
        if _is_change(edit) and not outline[-1].is_own:
            changed[outline[-1].place] = outline[-1].name
    return own_sections, changed


_BEGINNING = _OpenSection("", "", -1, is_own=False)
"""The part before the first heading."""


def _is_change(edit: LineEdit) -> bool:
    """Return whether an edit changes the section that it is in; moving a line does not, unless its words changed."""
    if edit.ignored is not None:
        return False
    return edit.kind in _CHANGES or (edit.kind is EditKind.MOVED and bool(edit.words))


def _counted(noun: str, counts: dict[str, int]) -> list[str]:
    """Return counts in words; only the first has the noun."""
    parts: list[str] = []
    for verb, count in counts.items():
        if count:
            what = "" if parts else f" {noun}" if count == 1 else f" {noun}s"
            parts.append(f"{count}{what} {verb}")
    return parts
