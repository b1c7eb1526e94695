"""Jobs over a test's own server, on each database."""

from pathlib import Path

import pytest

from tests.crawl.runs import CONFIG, GUARD
from webstrata.coordination.permits import DatabasePermits
from webstrata.db.engine import Database
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.persistent import WorkerContext


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def runner(database: Database, root: Path) -> Runner:
    return Runner(database, root, CONFIG, GUARD, DatabasePermits(database))


@pytest.fixture
def context(runner: Runner) -> WorkerContext:
    """Whom a worker works with; the stages run in this process, where a test can see them."""
    return WorkerContext(runner.database, runner.archive_root, runner.recovery, runner)
