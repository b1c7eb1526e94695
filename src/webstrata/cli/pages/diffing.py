"""`diff`: what changed between two snapshots or two saved pages, and how much it matters."""

from contextlib import ExitStack, closing
from typing import Annotated

import typer
from rich.console import Console

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.pages.compared_pages import page_of_file, page_of_snapshot, snapshot_id
from webstrata.cli.start import print_json, started
from webstrata.model.changes.values import ChangeType, Comparison, LineEdit, PageText

verbs = typer.Typer()


@command(verbs, example="webstrata diff 12 48")
def diff(
    old: Annotated[
        str, typer.Argument(metavar="A", help="Id of the earlier snapshot, or a saved page.", show_default=False)
    ],
    new: Annotated[
        str, typer.Argument(metavar="B", help="Id of the later snapshot, or a saved page.", show_default=False)
    ],
    as_json: AsJson = False,
) -> None:
    """Compare the visible text of two captures of a page, and rate how significant the change is."""
    from webstrata.cli.pages.shown_diff import print_comparison
    from webstrata.content.comparing.comparison import compare_pages

    comparison = compare_pages(*_pages(old, new))
    if as_json:
        print_json(as_json_object(comparison))
    else:
        print_comparison(comparison, Console())


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
    from webstrata.content.reader.page_reader import PageReader

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


def _text(edit: LineEdit) -> str:
    line = edit.new or edit.old
    return line.text if line else ""
