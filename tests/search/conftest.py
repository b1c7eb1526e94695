import pytest

from tests.support.shelf import Shelf
from webstrata.db.engine import Database


@pytest.fixture
def shelf(database: Database) -> Shelf:
    """An empty archive to be filled."""
    return Shelf(database)
