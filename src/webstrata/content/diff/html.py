"""The comparison of two captures as HTML: a unified diff with marked words and folded unchanged parts."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from webstrata.content.blocks import HEADINGS
from webstrata.model.changes.values import EditKind, Limits, LineEdit, WordEdit

_CONTEXT = 2
"""Unchanged lines that are shown before and after a change."""
_MAX_TEXT = 4_000
"""The longest text that is shown completely."""
_START, _END = '<div class="diff">', "</div>"
_MARKS = {
    EditKind.SAME: ("", ""),
    EditKind.ADDED: ('<ins class="diff-added">', "</ins>"),
    EditKind.REMOVED: ('<del class="diff-removed">', "</del>"),
}
_CLASSES = {kind: "diff-context" if kind is EditKind.SAME else f"diff-{kind}" for kind in EditKind}


def diff_html(edits: Sequence[LineEdit], limits: Limits) -> tuple[str, bool]:
    """Return a diff as HTML with all text escaped, and whether it was shortened."""
    room = limits.max_html_characters - len(_START) - len(_END)
    if room < 0:
        return "", True
    writer = _Writer()
    parts = [_START]
    for part in writer.parts(edits):
        room -= len(part)
        if room < 0:
            return "".join([*parts, _END]), True
        parts.append(part)
    return "".join([*parts, _END]), writer.is_cut


class _Writer:
    """Writes one diff, in parts that are each complete HTML."""

    def __init__(self) -> None:
        self.is_cut = False
        """Whether a text was too long to be shown as a whole."""

    def parts(self, edits: Sequence[LineEdit]) -> Iterator[str]:
        """Yield the lines of a diff, the folds between them, and the heading above each part."""
        is_shown = _shown(edits)
        section = ""
        for shown, places in groupby(range(len(edits)), key=is_shown.__getitem__):
            group = [edits[place] for place in places]
            if not shown:
                yield _fold(group)
                continue
            if group[0].section not in ("", section) and not _is_heading(group[0]):
                yield f'<h4 class="diff-section">{self._text(group[0].section)}</h4>'
            section = group[-1].section
            yield from map(self._line, group)

    def _line(self, edit: LineEdit) -> str:
        classes = f"diff-line {_CLASSES[edit.kind]}"
        if _is_heading(edit):
            classes += " diff-heading"
        title = ""
        if edit.ignored is not None:
            classes += " diff-ignored"
            title = f' title="{self._text(edit.ignored)}"'
        content = "".join(self._mark(word) for word in _words(edit))
        return f'<div class="{classes}"{title}>{content}</div>'

    def _mark(self, word: WordEdit) -> str:
        before, after = _MARKS[word.kind]
        return f"{before}{self._text(word.text)}{after}"

    def _text(self, text: str) -> str:
        """Return a text for HTML; a very long one is reduced to its start and end, which are next to changes."""
        if len(text) > _MAX_TEXT:
            self.is_cut = True
            text = f"{text[: _MAX_TEXT // 2]} … {text[-_MAX_TEXT // 2 :]}"
        return escape(text)


def _shown(edits: Sequence[LineEdit]) -> list[bool]:
    """Return for each edit whether it is shown: changes that count, and the lines around them."""
    shown = [False] * len(edits)
    same = EditKind.SAME
    for place in [place for place, edit in enumerate(edits) if edit.kind is not same]:
        if edits[place].ignored is None:
            start = max(0, place - _CONTEXT)
            shown[start : place + _CONTEXT + 1] = [True] * (min(len(edits), place + _CONTEXT + 1) - start)
    return shown


def _fold(edits: Sequence[LineEdit]) -> str:
    """Return the marker for lines that are not shown."""
    unchanged = [edit.kind for edit in edits].count(EditKind.SAME)
    ignored = len(edits) - unchanged
    counts = [f"{count} {what}" for count, what in ((unchanged, "unchanged"), (ignored, "ignored")) if count]
    return f'<div class="diff-fold">{", ".join(counts)} {"line" if len(edits) == 1 else "lines"}</div>'


def _words(edit: LineEdit) -> Sequence[WordEdit]:
    """Return the words of an edit; a line that was not compared word by word is one."""
    if edit.words:
        return edit.words
    line = edit.new or edit.old
    kind = edit.kind if edit.kind in (EditKind.ADDED, EditKind.REMOVED) else EditKind.SAME
    return (WordEdit(kind, line.text),) if line else ()


def _is_heading(edit: LineEdit) -> bool:
    line = edit.new or edit.old
    return line is not None and line.kind in HEADINGS
