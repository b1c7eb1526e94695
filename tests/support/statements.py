"""Statements that are compiled once in a run: a test's database is new, and would compile all of them again."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy
from sqlalchemy import Engine

MOST_KEPT = 3_000

_first_of_its_kind: dict[str, Engine] = {}


@pytest.fixture(scope="session", autouse=True)
def shared_statements() -> Iterator[None]:
    """Let all engines of a dialect share what they compiled: it took a third of the time of tests with a database."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("webstrata.db.engine.create_engine", _sharing_engine)
        yield


def _sharing_engine(*given: Any, **options: Any) -> Engine:
    engine = sqlalchemy.create_engine(*given, query_cache_size=MOST_KEPT, **options)
    first = _first_of_its_kind.setdefault(engine.name, engine)
    if first.dialect.server_version_info is None:
        # It has met no server yet, and perhaps there is none at its address: others would never know theirs.
        first = _first_of_its_kind[engine.name] = engine
    # What is compiled is kept by the dialect it was compiled for.
    engine.dialect, engine._compiled_cache = first.dialect, first._compiled_cache
    return engine
