"""A small site that was crawled and indexed, on each database."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.assets.archives import Archive
from tests.crawl.runs import CONFIG, GUARD
from webstrata.coordination.permits import DatabasePermits
from webstrata.db.engine import Database
from webstrata.jobs.running.lifecycle import Runner


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def runner(database: Database, root: Path) -> Runner:
    config = replace(CONFIG, per_host_delay=0.0, max_retries=0)
    return Runner(database, root, config, GUARD, DatabasePermits(database))


@pytest.fixture
def archive(database: Database, root: Path) -> Archive:
    return Archive(database, root)
