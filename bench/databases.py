"""The databases to measure on: those of `DATABASES`, by itself SQLite and PostgreSQL."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_DURABLE = {
    **dict.fromkeys(("fsync", "synchronous_commit", "full_page_writes", "autovacuum"), "on"),
    "wal_level": "replica",
    "max_wal_size": "1GB",
}
"""What a PostgreSQL that is no test's does."""


def databases(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the address of each database, a new one in the folder or on a new server."""
    kinds = os.environ.get("DATABASES", "sqlite postgresql").split()
    if "sqlite" in kinds:
        yield "SQLite", f"sqlite:///{folder / 'webstrata.db'}"
    if "postgresql" in kinds:
        with durable_postgres() as url:
            yield "PostgreSQL", url


@contextmanager
def durable_postgres() -> Iterator[str]:
    """Run a PostgreSQL that loses nothing in a crash, and yield the address of a new database."""
    from tests.support.postgres import started

    with (
        tempfile.TemporaryDirectory(prefix="webstrata-bench-pg-") as place,
        started(Path(place), **_DURABLE) as server,
    ):
        yield server.url(server.create())
