"""Comparison of two captures of a page: first availability, then the visible text, then the significance of the
changes."""

from collections.abc import Sequence
from dataclasses import replace

from webstrata.content.comparing.ignoring import changes_template, is_around_content, is_ignored_title, mark_ignored
from webstrata.content.comparing.volatile import mask
from webstrata.content.diff.alignment import align
from webstrata.content.diff.sections import changed_sections, outline, summary_sentence
from webstrata.model.changes.significance import JudgeContext, context_between, judge
from webstrata.model.changes.values import (
    SIGNIFICANT,
    ChangeType,
    Comparison,
    EditKind,
    Limits,
    LineEdit,
    PageText,
    Reason,
    SiteKnowledge,
    Verdict,
)
from webstrata.model.quality import GOOD
from webstrata.model.words import counted

_NO_KNOWLEDGE = SiteKnowledge()
_LIMITS = Limits()
_GONE = frozenset({404, 410})
_GONE_WEIGHT, _OTHER_WEIGHT = 0.6, 0.2
"""A missing page matters to those who watch it; a server that is down or refuses the crawler matters less."""

_NEARLY_ALL = 0.9
_FEWEST_NOISY = 3
"""The fewest edits of a noisy comparison."""


def compare_pages(
    old: PageText, new: PageText, knowledge: SiteKnowledge = _NO_KNOWLEDGE, limits: Limits = _LIMITS
) -> Comparison:
    """Return what changed between two captures of a page, and how much it matters."""
    if old.quality < GOOD or new.quality < GOOD:
        return _compare_availability(old, new)
    alignment = align(old.lines, new.lines, limits)
    edits = mark_ignored(alignment.edits, knowledge, _outweighs_region)
    # Only the outline: iterating over all lines several times takes longer than comparing them.
    noted = outline(edits)
    context = _context(old, new, noted, knowledge)
    found = _compare_content(noted, 2 * (len(edits) - len(noted)), context, knowledge)
    return replace(found, edits=edits, limit=alignment.limit)


def _compare_availability(old: PageText, new: PageText) -> Comparison:
    """Compare two captures of which at least one does not show the page."""
    if old.quality < GOOD and new.quality < GOOD:
        return Comparison(ChangeType.UNCHANGED, summary="still not available")
    if old.quality < GOOD:
        return _event(ChangeType.RESTORED, f"available again, after: {_shown_quality(old)}", _OTHER_WEIGHT)
    is_gone = new.status_code in _GONE or new.quality_kind == "soft_404"
    text = f"not available: {_shown_quality(new)}"
    return _event(ChangeType.UNAVAILABLE, text, _GONE_WEIGHT if is_gone else _OTHER_WEIGHT)


def _event(change_type: ChangeType, text: str, weight: float) -> Comparison:
    verdict = Verdict(weight, (Reason(change_type.value, text, weight),))
    return Comparison(change_type, verdict=verdict, summary=text)


def _shown_quality(page: PageText) -> str:
    kind = page.quality_kind.replace("_", " ")
    return kind if page.status_code in {None, 200} else f"{kind}, status {page.status_code}"


def _outweighs_region(edit: LineEdit) -> bool:
    """Return whether an edit outside the content is significant anyway, such as a warning in a header."""
    return judge([edit], JudgeContext()).significance >= SIGNIFICANT


def _context(old: PageText, new: PageText, edits: Sequence[LineEdit], knowledge: SiteKnowledge) -> JudgeContext:
    """Return the differences other than lines, without those that the site's template or volatile text explains."""
    context = context_between(old, new, edits)
    removed = context.removed_links - knowledge.old_template_links
    added = context.added_links - knowledge.new_template_links
    masks = {mask(link) for link in removed} & {mask(link) for link in added}
    explained = sum(map(is_around_content, edits))
    if masks:
        removed, added = (frozenset(link for link in links if mask(link) not in masks) for links in (removed, added))
    if max(len(removed), len(added)) <= explained:
        removed = added = frozenset()
    is_same_title = is_ignored_title(old.title, new.title, knowledge)
    return replace(
        context,
        new_title=old.title if is_same_title else new.title,
        removed_links=removed,
        added_links=added,
    )


def _compare_content(
    edits: Sequence[LineEdit], other_lines: int, context: JudgeContext, knowledge: SiteKnowledge
) -> Comparison:
    """Compare the visible text: edits and headings, and the number of other lines, which are unchanged."""
    counting = [edit for edit in edits if edit.kind is not EditKind.SAME and edit.ignored is None]
    beside = _beside_lines(context)
    template_changed = any(changes_template(edit, knowledge) for edit in edits)
    if not counting and not beside:
        summary = _unchanged_summary(edits)
        noise = _is_noisy(edits, counting, 0.0)
        return Comparison(ChangeType.UNCHANGED, summary=summary, high_noise=noise, template_changed=template_changed)
    sections = changed_sections(edits)
    added = sum(edit.new is not None and _differs(edit) for edit in counting)
    removed = sum(edit.old is not None and _differs(edit) for edit in counting)
    lines = other_lines
    lines += sum((edit.old is not None) + (edit.new is not None) for edit in edits if not is_around_content(edit))
    ratio = round((added + removed) / lines, 4) if lines else 0.0
    return Comparison(
        ChangeType.UPDATED,
        verdict=judge(edits, context),
        summary="; ".join([*([summary_sentence(sections, edits)] if counting else []), *beside]),
        added_sections=len(sections.added),
        removed_sections=len(sections.removed),
        changed_sections=len(sections.changed),
        added_lines=added,
        removed_lines=removed,
        change_ratio=ratio,
        high_noise=_is_noisy(edits, counting, ratio),
        template_changed=template_changed,
        title_changed=context.old_title != context.new_title,
        added_links=tuple(sorted(context.added_links)),
        removed_links=tuple(sorted(context.removed_links)),
    )


def _beside_lines(context: JudgeContext) -> list[str]:
    """Return the differences other than lines, in words."""
    differs = {
        "title": context.old_title != context.new_title,
        "links": bool(context.added_links or context.removed_links),
        "images": bool(context.added_images or context.removed_images),
        "status": context.old_status != context.new_status,
    }
    return [f"{name} changed" for name, is_different in differs.items() if is_different]


def _differs(edit: LineEdit) -> bool:
    """Return whether an edit adds or removes words; a line that only moved does neither."""
    return edit.kind is not EditKind.MOVED or bool(edit.words)


def _is_noisy(edits: Sequence[LineEdit], counting: Sequence[LineEdit], ratio: float) -> bool:
    """Return whether most of what differs was ignored, or nearly everything differs."""
    ignored = sum(edit.ignored is not None for edit in edits)
    if ignored + len(counting) < _FEWEST_NOISY:
        return False
    return ignored > len(counting) or ratio > _NEARLY_ALL


def _unchanged_summary(edits: Sequence[LineEdit]) -> str:
    ignored = sum(edit.ignored is not None for edit in edits)
    return f"no visible change; {counted(ignored, 'line')} ignored" if ignored else "no visible change"
