"""`search`: finding what was archived, from the command line."""

import dataclasses
import sys
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from webstrata.cli.help_pages import command
from webstrata.cli.jobs.status import outdated_words
from webstrata.cli.options import AsJson, OfSource
from webstrata.cli.start import print_json, started
from webstrata.errors import UsageError
from webstrata.model.archive import SnapshotView
from webstrata.model.search.values import SearchRequest, SearchResponse, Sort, View
from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.search.appearances import Appearances

verbs = typer.Typer()

_EMPTY = "Nothing is archived yet. Archive a site: webstrata archive https://example.org/"


@command(verbs, example='webstrata search "influenza vaccine" --from 2026-01-01')
def search(
    words: Annotated[
        list[str], typer.Argument(metavar="WORD...", help='Words, a "phrase", or a URL.', show_default=False)
    ],
    source: OfSource = None,
    since: Annotated[
        str | None,
        typer.Option("--from", metavar="DATE", help="Only captures of this UTC day or later, as YYYY-MM-DD."),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", metavar="DATE", help="Only captures of this UTC day or earlier.")
    ] = None,
    newest: Annotated[
        bool, typer.Option("--newest", help="Sort by date, newest first, instead of by relevance.")
    ] = False,
    every_capture: Annotated[
        bool, typer.Option("--every-capture", help="List every snapshot, not only one of each page.")
    ] = False,
    appearances: Annotated[
        bool,
        typer.Option("--appearances", help="Show the first and the last capture that contain this exact sentence."),
    ] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Find only pages with all words, in the form as written.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Maximum number of results.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Search the text of all archived pages."""
    if appearances:
        _show_appearances(" ".join(words), source, as_json)
        return
    first, last = _date(since), _date(until)
    if first and last and first > last:
        raise UsageError("--from must not be after --to")
    request = SearchRequest(
        q=" ".join(words),
        source=source,
        sort=Sort.NEWEST if newest else None,
        view=View.SNAPSHOTS if every_capture else View.PAGES,
        include_duplicates=every_capture,
        from_date=first,
        to_date=last,
        page_size=limit,
        exact=exact,
    )
    _show_hits(request, as_json)


def _show_hits(request: SearchRequest, as_json: bool) -> None:
    from webstrata.search.service import search as find

    with started(quiet=True) as app:
        is_empty = _is_empty(app, request.source)
        found = find(app.database, request, pages_fastpath=app.settings.pages_fastpath)
        outdated = _outdated_jobs(app)
    if as_json:
        print_json(dataclasses.asdict(found))
    elif is_empty:
        print(_EMPTY)
    else:
        _print_hits(found, request)
        if outdated:
            print(f"\n{outdated_words(outdated)}", file=sys.stderr)


def _show_appearances(sentence: str, source: str | None, as_json: bool) -> None:
    from webstrata.search.appearances import appearances

    with started(quiet=True) as app:
        is_empty = _is_empty(app, source)
        found = appearances(app.database, sentence, source)
    if as_json:
        print_json(dataclasses.asdict(found))
    elif is_empty:
        print(_EMPTY)
    else:
        _print_appearances(found, sentence)


def _outdated_jobs(app: "App") -> int:
    from webstrata.db.captures.captures import outdated_jobs
    from webstrata.index.version import INDEX_VERSION

    with app.database.read() as session:
        return len(outdated_jobs(session, INDEX_VERSION))


def _is_empty(app: "App", source: str | None) -> bool:
    """Return whether nothing is archived yet; NotFoundError for an unknown source."""
    from webstrata.db.operations import catalog
    from webstrata.db.sources.sources import source_view

    with app.database.read() as session:
        if source is not None:
            source_view(session, source)
        return catalog.totals(session).snapshots == 0


def _date(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise UsageError(f"{text!r} is not a date (expected YYYY-MM-DD)") from None


def _print_hits(found: SearchResponse, request: SearchRequest) -> None:
    console = Console()
    if not found.total:
        console.print("Nothing found. Try fewer or different words.")
        return
    if found.instead is not None:
        console.print(Text(f"No page contains “{request.q}”. Results for “{found.instead}”:"))
    thing = "snapshot" if request.view is View.SNAPSHOTS else "page"
    more = "more than " if found.total_capped else ""
    first = f", the first {len(found.results)}:" if len(found.results) < found.total else ""
    console.print(f"{more}{counted(found.total, thing)} found{_all_words(found)}{first}")
    for hit in found.results:
        console.print()
        console.print(Text(hit.title or hit.url, style="bold"))
        console.print(_place(hit))
        console.print(_passage(hit))
        if hit.missing_words:
            console.print(Text(f"Without: {', '.join(hit.missing_words)}", style="dim"))
    if found.results:
        console.print(Text(f"\nTo read one: webstrata show {found.results[0].id}", style="dim"))


def _all_words(found: SearchResponse) -> str:
    """Return the number of results with all words, in words; empty when all results have them."""
    if found.total_all_words is None or found.total_all_words == found.total:
        return ""
    return f", {found.total_all_words} with all words"


def _print_appearances(found: "Appearances", sentence: str) -> None:
    console = Console()
    if found.first is None or found.last is None:
        console.print(Text(f"No capture contains “{sentence}”, word for word. Try fewer words."))
        return
    more = "more than " if found.capped else ""
    console.print(f"{more}{counted(found.captures, 'snapshot')} {'contains' if found.captures == 1 else 'contain'} it")
    for name, hit in (("first", found.first), ("last", found.last)):
        console.print(Text.assemble((f"{name:<6}", "bold"), _place(hit)))


def _place(hit: SnapshotView) -> Text:
    return Text(f"{hit.captured_at:%Y-%m-%d %H:%M} UTC  {hit.url}  (snapshot {hit.id})", style="dim")


def _passage(hit: SnapshotView) -> Text:
    text = Text(f"{hit.passage_heading}: " if hit.passage_heading else "")
    for run in hit.marked_snippet:
        text.append(run.text, style="bold yellow" if run.marked else "")
    return text or Text(hit.snippet or "")
