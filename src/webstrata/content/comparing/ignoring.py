"""Marks edits that do not count: lines of a site's template, and text that changes by itself."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from webstrata.content.blocks import Region
from webstrata.content.comparing.volatile import mark_volatile, volatile_reason
from webstrata.model.changes.values import EditKind, LineEdit, PageLine, SiteKnowledge

TEMPLATE = "template: most pages of the site share this line"
_OF_REGIONS = {
    Region.NAVIGATION: "structure: in the page's navigation",
    Region.HEADER: "structure: in the page's header",
    Region.EDGE: "structure: in the page's footer or a sidebar",
    Region.CONSENT: "structure: in a question about cookies",
}
"""The reason for ignoring an edit in a region such as a menu when the site's template is unknown."""

_MOST_WEIGHED = 300
"""The most edits outside the content or in the template that are checked: a page with more has a new menu, not a
warning."""

_LINE_BREAKS = "layout: only the breaks between lines changed"
_AROUND_CONTENT = frozenset({TEMPLATE, *_OF_REGIONS.values()})

_SEPARATOR = re.compile(r"\s+[-–—|:·»]\s+")

Weighing = Callable[[LineEdit], bool]
"""A function that returns whether an edit is too significant to be ignored because of its region."""


def normalized_line(line: str) -> str:
    """Return a line normalised for comparison with lines of other pages: lower case, single spaces."""
    return " ".join(line.casefold().split())


def mark_ignored(edits: Sequence[LineEdit], knowledge: SiteKnowledge, outweighs: Weighing) -> tuple[LineEdit, ...]:
    """Return all edits; those that do not count have the reason."""
    marked = list(edits)
    places = [place for place, edit in enumerate(edits) if edit.kind is not EditKind.SAME]
    if knowledge.is_known:
        _mark_template(marked, places, knowledge, outweighs)
    _mark_line_breaks(marked, places)
    marked = [*mark_volatile(marked, knowledge.volatile)]
    _mark_by_structure(marked, places, outweighs)
    return tuple(marked)


def is_around_content(edit: LineEdit) -> bool:
    """Return whether an edit is ignored because it is outside the content, such as in a menu."""
    return edit.ignored in _AROUND_CONTENT


def changes_template(edit: LineEdit, knowledge: SiteKnowledge) -> bool:
    """Return whether an edit changes the site's template: most pages have its line in only one of the two captures."""
    return edit.ignored == TEMPLATE and _is_of_one_template(edit, knowledge)


def _mark(edit: LineEdit, reason: str) -> LineEdit:
    return edit._replace(ignored=reason)


def _is_of_one_template(edit: LineEdit, knowledge: SiteKnowledge) -> bool:
    lines = (normalized_line(line.text) for line in (edit.old, edit.new) if line is not None)
    return any((line in knowledge.old_template) != (line in knowledge.new_template) for line in lines)


def _mark_template(edits: list[LineEdit], places: Sequence[int], knowledge: SiteKnowledge, outweighs: Weighing) -> None:
    """Mark edits of lines that most pages share.

    If only this page lost or got such a line, the edit counts if it is significant, such as a warning.
    """
    weighed = 0
    for place in places:
        edit = edits[place]
        if not _is_template(edit, knowledge):
            continue
        if not _is_of_one_template(edit, knowledge) and edit.kind is not EditKind.MOVED and weighed < _MOST_WEIGHED:
            weighed += 1
            if outweighs(edit):
                continue
        edits[place] = _mark(edit, TEMPLATE)


def _is_template(edit: LineEdit, knowledge: SiteKnowledge) -> bool:
    sides = ((edit.old, knowledge.old_template), (edit.new, knowledge.new_template))
    return all(line is None or normalized_line(line.text) in template for line, template in sides)


def _mark_line_breaks(edits: list[LineEdit], places: Sequence[int]) -> None:
    """Mark runs of edits whose words are the same on both pages, divided into other lines."""
    divided = [place for place in places if _is_divided(edits[place])]
    for _, run in groupby(enumerate(divided), key=lambda numbered: numbered[1] - numbered[0]):
        group = [place for _, place in run]
        olds, news = (edits[place].old for place in group), (edits[place].new for place in group)
        if len(group) > 1 and _joined(olds) == _joined(news):
            for place in group:
                edits[place] = _mark(edits[place], _LINE_BREAKS)


def _is_divided(edit: LineEdit) -> bool:
    """Return whether an edit may only be a different division into lines."""
    return edit.ignored is None and edit.kind is not EditKind.MOVED


def _joined(lines: Iterable[PageLine | None]) -> str:
    return "".join("".join(line.text.split()) for line in lines if line is not None)


def _mark_by_structure(edits: list[LineEdit], places: Sequence[int], outweighs: Weighing) -> None:
    """Mark edits outside the content; only a limited number is weighed, as that takes time."""
    weighed = 0
    for place in places:
        edit = edits[place]
        lines = [line for line in (edit.old, edit.new) if line is not None]
        if edit.ignored is not None or any(line.is_main for line in lines):
            continue
        weighed += 1
        if weighed > _MOST_WEIGHED or not outweighs(edit):
            edits[place] = _mark(edit, _of_region(lines[-1]))


def _of_region(line: PageLine) -> str:
    return _OF_REGIONS.get(Region(line.region), _OF_REGIONS[Region.EDGE])


def is_ignored_title(old: str, new: str, knowledge: SiteKnowledge) -> bool:
    """Return whether two titles differ only in volatile text or in the site's name."""
    if old == new or volatile_reason(PageLine(old, "1"), PageLine(new, "1")):
        return True
    parts, other_parts = (_SEPARATOR.split(normalized_line(title)) for title in (old, new))
    gone, come = set(parts) - set(other_parts), set(other_parts) - set(parts)
    is_site_name = gone <= knowledge.old_template and come <= knowledge.new_template
    return knowledge.is_known and bool(gone or come) and is_site_name
