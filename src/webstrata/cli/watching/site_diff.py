"""`site-diff`: added, removed, moved, unlinked and changed pages between two runs of a source."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import fold_code, print_json, started
from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.model.watching.site_diff import SiteDiff, SitePage

verbs = typer.Typer()

_WhichSource = Annotated[str, typer.Argument(metavar="SOURCE", help="Short code of the source.", parser=fold_code)]


@command(verbs, "site-diff", example="webstrata site-diff example-org --from 2026-04-01 --to 2026-05-01")
def show_site_diff(
    source: _WhichSource,
    older: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="JOB|DATE",
            help="Older run: a job's number, or a date: the last run that began by the end of that day.",
        ),
    ] = None,
    newer: Annotated[
        str | None, typer.Option("--to", metavar="JOB|DATE", help="Newer run, by default the newest complete one.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100_000, help="Maximum number of pages in a list.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Show what changed on a site between two runs.

    A page is reported as removed only when both runs are complete and have the same scope.
    """
    from webstrata.changes.site.choosing import read_choice
    from webstrata.model.watching.site_diff_json import site_diff_json

    choices = read_choice(older, "--from"), read_choice(newer, "--to")
    with started(quiet=True) as app:
        diff = app.site_comparison().compare(source, *choices, most=limit)
    if as_json:
        print_json(site_diff_json(diff))
    else:
        _print(diff)


def _print(diff: "SiteDiff") -> None:
    console = Console()
    older, newer = diff.older, diff.newer
    console.print(
        Text(
            f"{diff.source}: job {older.job_id} ({older.first_capture:%Y-%m-%d %H:%M} UTC)"
            f" and job {newer.job_id} ({newer.first_capture:%Y-%m-%d %H:%M} UTC)"
        )
    )
    for title, name, lines in _sections(diff):
        _print_section(console, title, diff.counts[name], [*lines])
    for template in diff.templates:
        console.print(Text(f"\nTemplate changed ({counted(template.pages, 'page')})", style="bold"))
        for sign, changed in (("-", template.removed_lines), ("+", template.added_lines)):
            for line in changed[:20]:
                console.print(Text(f"{sign} {line}"))
    if not any(diff.counts.values()) and not diff.templates:
        console.print("No differences.")
    if diff.why_nothing_removed:
        console.print(Text(f"\nPages that were not seen are not reported as removed: {diff.why_nothing_removed}."))
    for limit in diff.limits:
        console.print(Text(f"Note: {limit}."))


def _sections(diff: "SiteDiff") -> Iterable[tuple[str, str, Iterable[str]]]:
    yield (
        "Changed",
        "changed",
        (f"{one.significance:.2f}  {_name(one.page)}  {one.summary}" for one in diff.changed),
    )
    yield "Added", "added", (f"+ {_name(one)}" for one in diff.added)
    yield "Removed", "removed", (f"- {_name(one.page)}  ({one.reason})" for one in diff.removed)
    yield "Moved", "moved", (f"{_name(one.old)} → {_name(one.new)}  ({_words(one.evidence)})" for one in diff.moved)
    yield "Unlinked", "unlinked", (_name(one) for one in diff.unlinked)
    yield "Restored", "restored", (_name(one) for one in diff.restored)
    yield "Unavailable", "unavailable", (f"{_name(one.page)}  ({one.reason})" for one in diff.unavailable)
    yield "Not seen", "not_seen", (_name(one) for one in diff.not_seen)


def _name(page: "SitePage") -> str:
    """Return the address of a page without the scheme: http and https are one page."""
    return page.page.removeprefix("https://")


def _words(evidence: str) -> str:
    return evidence.replace("_", " ")


def _print_section(console: Console, title: str, count: int, lines: Sequence[str]) -> None:
    if not count:
        return
    console.print(Text(f"\n{title}: {counted(count, 'page')}", style="bold"))
    for line in lines:
        console.print(Text(line), soft_wrap=True)
    if count > len(lines):
        console.print(Text(f"… and {count - len(lines):,} more", style="dim"))
