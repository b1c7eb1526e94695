"""Jobs over a test's own server, on each database."""

from pathlib import Path

import pytest

from tests.crawl.runs import CONFIG, GUARD
from webstrata.coordination.permits import DatabasePermits
from webstrata.db.engine import Database
from webstrata.jobs.lifecycle import Runner


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def runner(database: Database, root: Path) -> Runner:
    return Runner(database, root, CONFIG, GUARD, DatabasePermits(database))
