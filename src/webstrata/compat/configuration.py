"""Settings and database sessions under their old names."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from webstrata.app import App, build_app
from webstrata.db.engine import Session
from webstrata.settings import load_settings

_TOOL = "archive-tool"


def _archive_root() -> Path:
    return load_settings().archive_root.resolve()


def _tool_cmd() -> str:
    return load_settings().tool_cmd or _TOOL


def _database_url() -> str:
    return load_settings().database_url.get_secret_value()


@dataclass
class ArchiveToolConfig:
    """The archive root and the command that crawls, as the environment sets them unless they are given."""

    archive_root: Path = field(default_factory=_archive_root)
    archive_tool_cmd: str = field(default_factory=_tool_cmd)

    def ensure_archive_root(self) -> None:
        """Create the archive root if it does not exist."""
        self.archive_root.mkdir(parents=True, exist_ok=True)


@dataclass
class DatabaseConfig:
    """The address of the database, as the environment sets it unless it is given."""

    database_url: str = field(default_factory=_database_url, repr=False)
    """May hold a password: it is never shown."""


@contextmanager
def opened_app() -> Iterator[App]:
    """Open the archive that the environment names, for one call."""
    app = build_app(load_settings())
    try:
        yield app
    finally:
        app.close()


@contextmanager
def get_session() -> Iterator[Session]:
    """Open a session on the configured database; what is left uncommitted is committed at the end.

    An error rolls it back. The schema is created in an empty database.
    """
    with opened_app() as app, app.database.session() as session:
        yield session
