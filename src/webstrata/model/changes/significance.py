"""Significance of a change for a person who watches the page: a number between 0 and 1, with reasons."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from webstrata.model.changes import change_words as lists
from webstrata.model.changes import wording
from webstrata.model.changes.change_words import fold
from webstrata.model.changes.changed_lines import judge_changed
from webstrata.model.changes.evidence import ChangeEvidence, combined, shown, size_weight
from webstrata.model.changes.link_changes import judge_links
from webstrata.model.changes.reflow import separate_reflowed
from webstrata.model.changes.values import EditKind, LineEdit, PageLine, PageText, Reason, Verdict
from webstrata.model.changes.whole_lines import judge_whole
from webstrata.model.changes.wording import content_words, word_change, wording_of

_MINOR = frozenset(
    {"wording", "spelling", "punctuation", "moved", "images", "boilerplate", "outside", "links", "site_name", "label"}
)
"""Codes of reasons that are not significant, however many there are."""
_MOST_MINOR = 0.28
_MINOR_SHARE = 0.3
"""How much of the minor reasons is added to others."""
_MOST_LINES = 300
"""The most edited lines of each kind that are judged; a page with more is significant anyway."""
_MOST_PLACED = 2_000
"""The most edits whose texts decide their place; further edits are placed by region alone."""
_MOST_JOINED = 60_000
"""Characters of moved lines that are judged as one text."""
_OUTSIDE_SHARE, _MOST_OUTSIDE = 0.4, 0.25
_MOST_BOILERPLATE = 0.15
_REWRITTEN_SHARE = 0.5
_SHORT_SECTION = 5
"""A section with fewer words is no more than its heading."""
_FURNITURE_WORDS = 7
_FURNITURE_CHARACTERS = 200
_EDGE_SIGNS = " .,:;!?>»|•…-–*[]()"
_WARNING_WORDS = 6
_WARNING_CHARACTERS = 1_000
_HEADINGS = "123456"
_ITEM = "l"
_NAVIGATION, _CONSENT, _CONTENT, _UNSTATED = "n", "c", "m", "o"
_CAPITALISED_NOUNS = frozenset({"de", "lb"})
"""Languages in which a capital letter does not show a name."""
_MOST_REASONS = 20
_LONGEST_TEASER = 60
_HEADINGS_CACHED = 2_048


@dataclass(frozen=True)
class SectionChange:
    """A section that was added or removed as a whole."""

    heading: str
    words: int = 0
    """The words under the heading that were added or removed with it."""


@dataclass(frozen=True)
class JudgeContext:
    """The differences of two captures of a page other than edited lines."""

    language: str | None = None
    old_title: str = ""
    new_title: str = ""
    old_status: int | None = 200
    new_status: int | None = 200
    added_links: frozenset[str] = frozenset()
    removed_links: frozenset[str] = frozenset()
    added_images: int = 0
    removed_images: int = 0
    added_sections: tuple[SectionChange, ...] = ()
    removed_sections: tuple[SectionChange, ...] = ()
    page_lines: int = 0
    """Lines of the longer page; 0 when not known."""
    has_content: bool = False
    """Whether the newer page marks a part of itself as its content."""


class _Place(Enum):
    """The part of a page with an edit, by its importance."""

    MAIN = auto()
    OUTSIDE = auto()
    """Lists of articles and links to other pages, and lines outside of the part that a page marks as its content."""
    BOILERPLATE = auto()


def judge(edits: Sequence[LineEdit], context: JudgeContext) -> Verdict:
    """Return how much a change matters, and why; edits that are ignored do not count.

    Of the lines that are the same, only headings are needed.
    """
    places: dict[_Place, list[LineEdit]] = {place: [] for place in _Place}
    for edit, place in _placed(edits, context.has_content):
        places[place].append(edit)
    evidence = ChangeEvidence()
    _collect(places[_Place.MAIN], context, evidence)
    _judge_outside(places[_Place.OUTSIDE], context, evidence)
    _judge_boilerplate(places[_Place.BOILERPLATE], evidence)
    _judge_page(context, evidence, len(places[_Place.MAIN]))
    ignored = [edit.ignored for edit in edits if edit.ignored is not None]
    # Only ignored edits of menus and the like explain changed links, as volatile text has none.
    not_content = sum(not why.startswith("volatile") for why in ignored) + len(places[_Place.BOILERPLATE])
    is_text_same = not any(places.values())
    judge_links(context.removed_links, context.added_links, not_content, evidence, is_text_same=is_text_same)
    reasons = [reason for reason in evidence.reasons() if reason.weight > 0]
    return Verdict(_total(reasons), tuple(reasons[:_MOST_REASONS]))


def context_between(old: PageText, new: PageText, edits: Sequence[LineEdit]) -> JudgeContext:
    """Return the context of two pages and the edits between them."""
    return JudgeContext(
        language=new.language or old.language,
        old_title=old.title,
        new_title=new.title,
        old_status=old.status_code,
        new_status=new.status_code,
        added_links=new.links - old.links,
        removed_links=old.links - new.links,
        added_images=len(new.images - old.images),
        removed_images=len(old.images - new.images),
        added_sections=tuple(_whole_sections(edits, EditKind.ADDED)),
        removed_sections=tuple(_whole_sections(edits, EditKind.REMOVED)),
        page_lines=max(len(old.lines), len(new.lines)),
        has_content=any(line.region == _CONTENT for line in new.lines),
    )


def _total(reasons: Sequence[Reason]) -> float:
    """Return the weight of all reasons; minor ones alone are never significant."""
    minor = min(_MOST_MINOR, combined(reason.weight for reason in reasons if reason.code in _MINOR))
    major = combined(reason.weight for reason in reasons if reason.code not in _MINOR)
    if major == 0:
        return round(minor, 3)
    return round(min(1.0, max(minor, combined((major, minor * _MINOR_SHARE)))), 3)


def _placed(edits: Sequence[LineEdit], has_content: bool) -> Iterator[tuple[LineEdit, _Place]]:
    """Yield the edits that count, each with its place on the page."""
    has_content = has_content or any(line.region == _CONTENT for edit in edits if (line := edit.new or edit.old))
    teaser_level = placed = 0
    for edit in edits:
        line = edit.new or edit.old
        assert line is not None
        if line.kind in _HEADINGS and (not teaser_level or int(line.kind) <= teaser_level):
            teaser_level = int(line.kind) if int(line.kind) > 1 and _is_teaser(line.text) else 0
        if edit.kind is EditKind.SAME or edit.ignored is not None:
            continue
        placed += 1
        if placed > _MOST_PLACED:
            yield edit, _Place.MAIN if line.is_main else _Place.BOILERPLATE
            continue
        is_outside = bool(teaser_level) or _is_teaser(edit.section) or (has_content and line.region == _UNSTATED)
        yield edit, _place(edit, is_outside)


def _place(edit: LineEdit, is_outside: bool) -> _Place:
    lines = [line for line in (edit.old, edit.new) if line is not None]
    place = _Place.OUTSIDE if is_outside else _Place.MAIN
    if all(not line.is_main or _is_furniture(line.text) for line in lines):
        place = _Place.BOILERPLATE
    return _Place.MAIN if place is not _Place.MAIN and any(map(_is_warning, lines)) else place


def _is_warning(line: PageLine) -> bool:
    """Return whether a line warns in a sentence, outside of menus; a link to warnings is shorter."""
    if line.region in {_NAVIGATION, _CONSENT} or line.text.count(" ") < _WARNING_WORDS - 1:
        return False
    return any(role == wording.WARNING for role, _ in wording_of(line.text[:_WARNING_CHARACTERS]).roles)


def _is_furniture(text: str) -> bool:
    """Return whether a line is a control of the site, such as `Share this page`."""
    folded = fold(text[:_FURNITURE_CHARACTERS])
    if len(text) <= _FURNITURE_CHARACTERS and any(mention in folded for mention in lists.FURNITURE_MENTIONS):
        return True
    if text.count(" ") > _FURNITURE_WORDS or any(sign in text for sign in "@0123456789"):
        return False
    plain = " ".join(folded.replace("&", "and").strip(_EDGE_SIGNS).split())
    if plain in lists.FURNITURE or plain.startswith(lists.FURNITURE_STARTS) or len(plain) < 2:
        return True
    return all(word.strip(_EDGE_SIGNS) in lists.SHARING_WORDS for word in plain.split())


def _is_teaser(heading: str) -> bool:
    """Return whether a section is a list of recent or other pages."""
    return 0 < len(heading) < _LONGEST_TEASER and _names_teaser(heading)


@lru_cache(_HEADINGS_CACHED)
def _names_teaser(heading: str) -> bool:
    return fold(heading).replace("&", "and").strip(" .:!?>»") in lists.TEASER_HEADINGS


def _collect(edits: Sequence[LineEdit], context: JudgeContext, evidence: ChangeEvidence) -> None:
    """Collect the reasons of edits in one place."""
    has_names = (context.language or "")[:2] not in _CAPITALISED_NOUNS
    whole = [edit for edit in edits if edit.kind in {EditKind.ADDED, EditKind.REMOVED}][: 2 * _MOST_LINES]
    reflow = separate_reflowed(
        [edit.old for edit in whole if edit.old and edit.kind is EditKind.REMOVED],
        [edit.new for edit in whole if edit.new and edit.kind is EditKind.ADDED],
        [(edit.old, edit.new) for edit in edits if edit.kind is EditKind.CHANGED and edit.old and edit.new][
            :_MOST_LINES
        ],
    )
    for old, new in reflow.changed:
        judge_changed(old, new, evidence, has_names)
    if reflow.joined:
        judge_changed(*reflow.joined, evidence, has_names=False, most=_MOST_JOINED)
    sections = {section.heading for section in (*context.added_sections, *context.removed_sections)}
    reported = frozenset(line.text for edit in whole if edit.section in sections and (line := edit.new or edit.old))
    kept = {*reflow.removed, *reflow.added}
    judge_whole(reflow.removed, reflow.added, reported | sections, evidence)
    _judge_under_warnings([edit for edit in whole if (edit.new or edit.old) in kept], evidence)
    moved = reflow.moved + sum(edit.kind is EditKind.MOVED for edit in edits)
    if moved:
        evidence.add("moved", f"{moved} lines moved or have other line breaks", min(0.1, 0.01 * moved))


def _judge_under_warnings(edits: Sequence[LineEdit], evidence: ChangeEvidence) -> None:
    """Collect items that were only added, or only removed, under a heading that warns, such as `Side effects`."""
    items: dict[str, list[LineEdit]] = {}
    for edit in edits:
        line = edit.new or edit.old
        if line is not None and line.kind == _ITEM:
            items.setdefault(edit.section, []).append(edit)
    for section, found in items.items():
        if len({edit.kind for edit in found}) > 1 or all(
            role != wording.WARNING for role, _ in wording_of(section).roles
        ):
            continue
        event = "added" if found[0].kind is EditKind.ADDED else "removed"
        text = f"{len(found)} items were {event} under the heading of a warning: {shown(section)}"
        evidence.add(f"warning_{event}", text, 0.35)


def _judge_outside(edits: Sequence[LineEdit], context: JudgeContext, evidence: ChangeEvidence) -> None:
    """Collect edits of lists of articles and the like as one reason."""
    if not edits:
        return
    found = ChangeEvidence()
    _collect(edits, context, found)
    weight = min(_MOST_OUTSIDE, _OUTSIDE_SHARE * combined(reason.weight for reason in found.reasons()))
    evidence.add("outside", f"{len(edits)} lines of news, related links or outside the content changed", weight)


def _judge_boilerplate(edits: Sequence[LineEdit], evidence: ChangeEvidence) -> None:
    if edits:
        text = f"{len(edits)} lines of menus, headers, footers or controls changed"
        evidence.add("boilerplate", text, min(_MOST_BOILERPLATE, 0.02 * len(edits)))


def _judge_page(context: JudgeContext, evidence: ChangeEvidence, edited: int) -> None:
    """Collect what concerns the page as a whole."""
    _judge_title(context.old_title, context.new_title, evidence)
    if context.old_status != context.new_status:
        evidence.add("status", f"the status changed: {context.old_status} → {context.new_status}", 0.5)
    _judge_sections(context.removed_sections, "removed", evidence)
    _judge_sections(context.added_sections, "added", evidence)
    images = max(context.added_images, context.removed_images)
    if images:
        text = f"images changed: {context.removed_images} removed, {context.added_images} added"
        evidence.add("images", text, min(0.1, 0.02 * images))
    if context.page_lines >= 10 and edited > _REWRITTEN_SHARE * context.page_lines:
        evidence.add("page_rewritten", "most of the page changed", 0.4)


def _judge_title(old: str, new: str, evidence: ChangeEvidence) -> None:
    """Collect a changed title; a changed name of the site in it is minor."""
    if not old or not new or old == new:
        return
    change = word_change(wording_of(old), wording_of(new))
    if change.size == 0 and not any(letter.isdigit() for letter in old + new):
        return
    text = f"the title changed: {shown(old)} → {shown(new)}"
    is_site_name = _is_site_name_changed(_title_parts(old), _title_parts(new))
    evidence.add("site_name" if is_site_name else "title", text, 0.05 if is_site_name else 0.32)


def _is_site_name_changed(old: list[str], new: list[str]) -> bool:
    """Return whether two titles share a beginning that is longer than the rest."""
    if old[0] != new[0]:
        return False
    kept = sum(len(part) for part in old if part in new)
    return kept > min(sum(map(len, parts)) - kept for parts in (old, new))


def _title_parts(title: str) -> list[str]:
    plain = fold(title)
    for separator in ("|", " – ", " — ", " :: ", "»"):
        plain = plain.replace(separator, " - ")
    return [part.strip() for part in plain.split(" - ")]


def _judge_sections(sections: Collection[SectionChange], event: str, evidence: ChangeEvidence) -> None:
    for section in sections:
        if _is_teaser(section.heading) or _is_furniture(section.heading):
            evidence.add("outside", f"a section was {event}: {shown(section.heading)}", 0.1)
            continue
        roles = {role for role, _ in wording_of(section.heading).roles}
        weight = 0.35 + size_weight(section.words, 80, 0.35) if section.words >= _SHORT_SECTION else 0.2
        if wording.WARNING in roles:
            evidence.add(f"warning_{event}", f"a warning was {event}: {shown(section.heading)}", 0.5)
        if wording.TOPIC in roles:
            weight += 0.1
        text = f"a section was {event}: {shown(section.heading)} ({section.words} words)"
        evidence.add(f"section_{event}", text, weight)


def _whole_sections(edits: Sequence[LineEdit], kind: EditKind) -> Iterator[SectionChange]:
    """Yield the sections whose heading was added (or removed), with the words that came (or went) under it."""
    heading, words = "", 0
    for edit in edits:
        line = edit.new or edit.old
        assert line is not None
        if line.kind in _HEADINGS:
            if heading:
                yield SectionChange(heading, words)
            counts = edit.kind is kind and edit.ignored is None and line.is_main
            heading, words = (line.text if counts else ""), 0
        elif heading and edit.kind is kind and edit.ignored is None:
            words += len(content_words(fold(line.text).split()))
    if heading:
        yield SectionChange(heading, words)
