"""Prints the comparison of two pages: with coloured words, or words in brackets if there are no colours."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from webstrata.logs import harmless
from webstrata.model.changes.values import ChangeType, Comparison, EditKind, LineEdit, WordEdit

_SIGNS = {
    EditKind.SAME: " ",
    EditKind.ADDED: "+",
    EditKind.REMOVED: "-",
    EditKind.CHANGED: "~",
    EditKind.MOVED: ">",
}
_STYLES = {EditKind.ADDED: "green", EditKind.REMOVED: "red strike"}
_BRACKETS = {EditKind.ADDED: ("{+", "+}"), EditKind.REMOVED: ("[-", "-]")}
"""The marks of words on terminals without colours, like Git's."""


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print what changed and why it matters, then the lines that changed with their words marked."""
    verdict = comparison.verdict
    heading = f"{comparison.change_type}: {comparison.summary}"
    console.print(Text(harmless(heading), style="bold"))
    if comparison.change_type is not ChangeType.UNCHANGED:
        console.print(Text(f"significance {verdict.significance:.2f} of 1"))
    for reason in verdict.reasons:
        console.print(Text(f"  {harmless(reason.text)}"))
    for links, sign in ((comparison.removed_links, "-"), (comparison.added_links, "+")):
        for link in links:
            console.print(Text(f"  {sign} link to {harmless(link)}"))
    for line in _shown_lines(comparison.edits, has_colours=console.is_terminal and not console.no_color):
        console.print(line)
    if comparison.limit:
        console.print(Text(comparison.limit, style="dim"))


def _shown_lines(edits: Sequence[LineEdit], *, has_colours: bool) -> Iterator[Text]:
    """Yield the lines that changed, each section under its heading, and at the end how many were ignored."""
    section = None
    for edit in edits:
        if edit.kind is EditKind.SAME or edit.ignored:
            continue
        if edit.section != section:
            section = edit.section
            yield Text(f"\n{harmless(section)}" if section else "", style="bold cyan")
        yield _shown_line(edit, has_colours)
    ignored = [edit for edit in edits if edit.ignored]
    if ignored:
        yield Text(f"\n{len(ignored)} ignored:", style="dim")
        for edit in ignored:
            yield Text(f"  {harmless(_text(edit))} ({edit.ignored})", style="dim")


def _shown_line(edit: LineEdit, has_colours: bool) -> Text:
    line = Text(f"{_SIGNS[edit.kind]} ")
    for word in edit.words or (WordEdit(_kind_of_words(edit), _text(edit)),):
        is_marked = bool(edit.words) and not has_colours
        line.append(harmless(_bracketed(word) if is_marked else word.text), style=_STYLES.get(word.kind, ""))
    return line


def _bracketed(word: WordEdit) -> str:
    """Return words in the brackets of their kind, with the spaces around them outside."""
    before, after = _BRACKETS.get(word.kind, ("", ""))
    inner = word.text.strip()
    return word.text.replace(inner, f"{before}{inner}{after}") if inner else word.text


def _kind_of_words(edit: LineEdit) -> EditKind:
    return edit.kind if edit.kind in _STYLES else EditKind.SAME


def _text(edit: LineEdit) -> str:
    line = edit.new or edit.old
    return line.text if line else ""
