"""Commands that check the archive without changing anything."""

import dataclasses
import json
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import start_logging, started, warn_of_ignored_names
from webstrata.errors import StorageError

verbs = typer.Typer()


@command(verbs, "check-env", example="webstrata check-env")
def check_env(as_json: AsJson = False) -> None:
    """Show every setting with its value and origin, and check that the archive folder can be written to."""
    from webstrata.settings import load_settings, show_settings
    from webstrata.storage.file_system import check_writable

    settings = load_settings()
    start_logging(settings, quiet=True)
    warn_of_ignored_names()
    shown = show_settings(settings)
    _make_folder(settings.archive_root)
    check_writable(settings.archive_root)
    if as_json:
        print(json.dumps([dataclasses.asdict(setting) for setting in shown], indent=2))
        return
    table = Table(
        Column("setting", no_wrap=True),
        Column("value", overflow="fold"),
        Column("from", overflow="fold"),
        box=None,
        pad_edge=False,
    )
    for setting in shown:
        table.add_row(setting.name, Text(setting.value), Text(setting.origin))
    Console().print(table)
    print(f"archive root: {settings.archive_root.resolve()} exists and can be written to")


@command(verbs, "check-db", example="webstrata check-db")
def check_db(as_json: AsJson = False) -> None:
    """Check that the database can be reached and has the schema that this program needs."""
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
        place = "WEBSTRATA_DATA_DIR must be a folder, as must WEBSTRATA_ARCHIVE_ROOT"
        raise StorageError(f"{folder} cannot be created: {error.strerror} ({place})") from None
