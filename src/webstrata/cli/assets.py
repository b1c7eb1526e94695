"""`assets export`: the assets of sources as files."""

import dataclasses
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import PlainGroup, command
from webstrata.cli.options import AsJson, OfSource
from webstrata.cli.start import print_json, started
from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.app import App

verbs = typer.Typer(
    cls=PlainGroup, help="Export assets: the texts and files that plugins made from captures.", no_args_is_help=True
)


@verbs.callback()
def _group() -> None:
    """Make this a group: Typer would turn a group with a single command into that command."""


@command(verbs, example="webstrata assets export --output exported --source example")
def export(
    output: Annotated[Path, typer.Option("--output", metavar="DIR", help="Folder to write to.", show_default=False)],
    source: OfSource = None,
    as_json: AsJson = False,
) -> None:
    """Write the newest version of every asset to a file, DIR/SOURCE/PATH."""
    from webstrata.assets.exporting import export_assets
    from webstrata.db.collections.export_history import finish_export
    from webstrata.db.sources import sources

    with started(quiet=True) as app:
        if source is not None:
            with app.database.read() as session:
                sources.source_view(session, source)
        number = _begin(app, source)
        files = None
        try:
            done = export_assets(app.database, app.archive_root, output, source_code=source)
            files = done.files
        finally:
            if number is not None:
                with app.database.write() as session:
                    finish_export(session, number, files, datetime.now(UTC))
    if as_json:
        print_json({**dataclasses.asdict(done), "folder": str(done.folder)})
        return
    print(f"{counted(done.files, 'asset')} written to {done.folder}")
    if done.unreadable:
        print(f"{counted(done.unreadable, 'asset')} could not be read: see the log")


def _begin(app: "App", source: str | None) -> int | None:
    """Record the start of an export and return its number; None in a read-only archive."""
    from webstrata.db.collections.export_history import begin_export

    if app.database.is_read_only:
        return None
    with app.database.write() as session:
        return begin_export(session, "assets", "files", {"source": source}, datetime.now(UTC))
