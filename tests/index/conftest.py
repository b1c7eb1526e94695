from pathlib import Path

import pytest

from tests.index.jobs import Job, crawled_job
from webstrata.db.engine import Database


@pytest.fixture
def job(database: Database, tmp_path: Path) -> Job:
    return crawled_job(database, tmp_path)
