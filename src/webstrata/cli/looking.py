"""`search` and the checks: looking without changing anything."""

import dataclasses
import json
from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from webstrata.cli.start import start_logging, started
from webstrata.errors import StorageError, UsageError
from webstrata.model.archive import SnapshotView
from webstrata.model.search import SearchRequest, SearchResponse, Sort, View

verbs = typer.Typer()

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


@verbs.command()
def search(
    words: Annotated[list[str], typer.Argument(metavar="WORD...", help="What to look for.", show_default=False)],
    source: Annotated[str | None, typer.Option(help="Only this source, by its code.")] = None,
    since: Annotated[
        str | None, typer.Option("--from", metavar="DATE", help="Captured on this UTC day or later.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", metavar="DATE", help="Captured on this UTC day or earlier.")
    ] = None,
    newest: Annotated[bool, typer.Option("--newest", help="Newest first instead of best first.")] = False,
    every_capture: Annotated[bool, typer.Option("--every-capture", help="Every capture, not one a page.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Results at most.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Search the text of everything archived."""
    from webstrata.search.service import search as find

    request = SearchRequest(
        q=" ".join(words),
        source=source,
        sort=Sort.NEWEST if newest else None,
        view=View.SNAPSHOTS if every_capture else View.PAGES,
        from_date=_date(since),
        to_date=_date(until),
        page_size=limit,
    )
    with started(quiet=True) as app:
        found = find(app.database, request)
    if as_json:
        print(json.dumps(dataclasses.asdict(found), default=str, ensure_ascii=False, indent=2))
    else:
        _print_hits(found)


@verbs.command("check-env")
def check_env(as_json: AsJson = False) -> None:
    """Show every setting, its value and where it came from, and make sure the archive's folder is there."""
    from webstrata.settings import load_settings, show_settings
    from webstrata.storage.room import check_writable

    settings = load_settings()
    start_logging(settings, quiet=True)
    knobs = show_settings(settings)
    _make_folder(settings.archive_root)
    check_writable(settings.archive_root)
    if as_json:
        print(json.dumps([dataclasses.asdict(knob) for knob in knobs], indent=2))
        return
    table = Table(
        Column("setting", no_wrap=True),
        Column("value", overflow="fold"),
        Column("from", overflow="fold"),
        box=None,
        pad_edge=False,
    )
    for knob in knobs:
        table.add_row(knob.name, Text(knob.value), Text(knob.origin))
    Console().print(table)
    print(f"archive root: {settings.archive_root.resolve()} is there and can be written to")


@verbs.command("check-db")
def check_db(as_json: AsJson = False) -> None:
    """Make sure the database can be reached and has the schema that this program needs."""
    from webstrata.db.migrate import current

    with started(quiet=True) as app:
        server, schema = app.database.server(), current(app.database)
    if as_json:
        print(json.dumps({"database": app.database.shown, "server": server, "schema": schema}, indent=2))
    else:
        print(f"{app.database.shown} is ready, at schema version {schema} ({server})")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror}") from None


def _date(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise UsageError(f"{text!r} is not a date (expected YYYY-MM-DD)") from None


def _print_hits(found: SearchResponse) -> None:
    console = Console()
    noun = "page" if found.total == 1 else "pages"
    console.print(f"{found.total} {noun} found" if found.total else "Nothing found. Fewer or other words may help.")
    for hit in found.results:
        console.print()
        console.print(Text(hit.title or hit.url, style="bold"))
        console.print(Text(f"{hit.captured_at:%Y-%m-%d %H:%M} UTC  {hit.url}  (snapshot {hit.id})", style="dim"))
        console.print(_passage(hit))


def _passage(hit: SnapshotView) -> Text:
    text = Text()
    for run in hit.marked_snippet:
        text.append(run.text, style="bold yellow" if run.marked else "")
    return text or Text(hit.snippet or "")
