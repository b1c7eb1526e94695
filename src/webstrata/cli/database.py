"""`db`: the schema's versions."""

from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import PlainGroup, command
from webstrata.cli.start import start_logging

if TYPE_CHECKING:
    from webstrata.db.engine import Database

verbs = typer.Typer(
    cls=PlainGroup, help="Upgrade the schema of the database, or show its version.", no_args_is_help=True
)


@command(verbs, example="webstrata db upgrade")
def upgrade() -> None:
    """Upgrade the database to the schema version that this program needs; no data is lost."""
    from webstrata.db import migrate
    from webstrata.db.search.stored_forms import learn_stored_forms

    database = _database()
    migrate.upgrade(database)
    learn_stored_forms(database)
    print(f"{database.shown} is at schema version {migrate.current(database)}")


@command(verbs, example="webstrata db downgrade 0017")
def downgrade(
    revision: Annotated[
        str, typer.Argument(metavar="REVISION", help="An earlier version; `base` deletes all data.", show_default=False)
    ],
) -> None:
    """Downgrade the database to an earlier schema version; data that it cannot store is lost."""
    from webstrata.db import migrate

    database = _database()
    typer.confirm(f"Downgrade {database.shown} to {revision} and lose the data that it cannot store?", abort=True)
    migrate.downgrade(database, revision)
    print(f"{database.shown} is at schema version {migrate.current(database) or 'base'}")


@command(verbs, example="webstrata db status")
def status() -> None:
    """Show the schema version of the database and the one that this program needs."""
    from webstrata.db import migrate

    database = _database()
    found = migrate.current(database) or "none"
    print(f"{database.shown} is at schema version {found}; this program needs {migrate.head()}")


def _database() -> "Database":
    from webstrata.db.engine import Database
    from webstrata.settings import load_settings

    settings = load_settings()
    start_logging(settings, quiet=True)
    return Database(settings.database_url.get_secret_value())
