"""`db`: the schema's versions."""

from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.start import start_logging

if TYPE_CHECKING:
    from webstrata.db.engine import Database

verbs = typer.Typer(
    help="Bring the database to this program's schema version, or see where it is.", no_args_is_help=True
)


@verbs.command()
def upgrade() -> None:
    """Bring the database to the schema version that this program needs; nothing is lost."""
    from webstrata.db import migrate

    database = _database()
    migrate.upgrade(database)
    print(f"{database.shown} is at schema version {migrate.current(database)}")


@verbs.command()
def downgrade(
    revision: Annotated[str, typer.Argument(help="An earlier version; `base` empties the database.")],
) -> None:
    """Take the database back to an earlier schema version; what that version cannot hold is lost."""
    from webstrata.db import migrate

    database = _database()
    typer.confirm(f"Take {database.shown} back to {revision}, losing what it cannot hold?", abort=True)
    migrate.downgrade(database, revision)
    print(f"{database.shown} is at schema version {migrate.current(database) or 'base'}")


@verbs.command()
def status() -> None:
    """Show the database's schema version and the one that this program needs."""
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
