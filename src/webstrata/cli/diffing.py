"""`diff`: what changed between two snapshots or two saved pages, and how much it matters."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from webstrata.cli.compared_pages import page_of_file, page_of_snapshot, snapshot_id
from webstrata.cli.start import print_json, started
from webstrata.logs import harmless
from webstrata.model.changes import ChangeType, Comparison, EditKind, LineEdit, PageText, WordEdit

verbs = typer.Typer()

_SIGNS = {
    EditKind.SAME: " ",
    EditKind.ADDED: "+",
    EditKind.REMOVED: "-",
    EditKind.CHANGED: "~",
    EditKind.MOVED: ">",
}
_STYLES = {EditKind.ADDED: "green", EditKind.REMOVED: "red strike"}
_BRACKETS = {EditKind.ADDED: ("{+", "+}"), EditKind.REMOVED: ("[-", "-]")}
"""How words are marked where there are no colours, as Git does it."""


@verbs.command()
def diff(
    old: Annotated[str, typer.Argument(metavar="A", help="A snapshot's id, or a saved page.", show_default=False)],
    new: Annotated[str, typer.Argument(metavar="B", help="The later one: an id, or a saved page.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Compare two captures of a page: what a reader sees of it, and how much the change matters."""
    from webstrata.content.comparison import compare_pages

    comparison = compare_pages(*_pages(old, new))
    if as_json:
        print_json(as_json_object(comparison))
    else:
        _print(comparison, Console())


def as_json_object(comparison: Comparison) -> dict[str, object]:
    """Return a comparison as scripts get it."""
    return {
        "changed": comparison.change_type is not ChangeType.UNCHANGED,
        "changeType": comparison.change_type.value,
        "significance": comparison.verdict.significance,
        "reasons": [
            {"code": reason.code, "text": reason.text, "weight": reason.weight} for reason in comparison.verdict.reasons
        ],
        "addedSections": comparison.added_sections,
        "removedSections": comparison.removed_sections,
        "changedSections": comparison.changed_sections,
        "addedLines": comparison.added_lines,
        "removedLines": comparison.removed_lines,
        "changeRatio": comparison.change_ratio,
        "highNoise": comparison.high_noise,
        "summary": comparison.summary,
        "titleChanged": comparison.title_changed,
        "addedLinks": list(comparison.added_links),
        "removedLinks": list(comparison.removed_links),
        "ignored": [{"text": _text(edit), "reason": edit.ignored} for edit in comparison.edits if edit.ignored],
        "limit": comparison.limit,
    }


def _pages(old: str, new: str) -> tuple[PageText, PageText]:
    """Return the two pages; the archive is opened only when one of them is a snapshot."""
    from webstrata.content.page_reader import PageReader

    with ExitStack() as open_parts:
        reader = open_parts.enter_context(closing(PageReader()))
        numbers = [snapshot_id(argument) for argument in (old, new)]
        if numbers == [None, None]:
            return page_of_file(old, reader), page_of_file(new, reader)
        app = open_parts.enter_context(started(quiet=True))
        first, second = (
            page_of_file(argument, reader) if number is None else page_of_snapshot(number, app, reader)
            for argument, number in zip((old, new), numbers, strict=True)
        )
        return first, second


def _print(comparison: Comparison, console: Console) -> None:
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
            yield Text(f"\n{harmless(section)}", style="bold cyan")
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
