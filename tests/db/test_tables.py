import subprocess
import sys

import pytest

from webstrata.db.schema import every_table

AREAS = sorted(name for name in every_table.__all__ if name.endswith("tables"))
CHECK = """
import webstrata.db.schema.{}
from sqlalchemy.orm import configure_mappers
from webstrata.db.schema.base import Base

configure_mappers()
print(len([key.column for table in Base.metadata.tables.values() for key in table.foreign_keys]))
"""


@pytest.mark.parametrize("area", AREAS)
def test_the_tables_of_an_area_bring_the_tables_that_they_refer_to(area: str) -> None:
    # In a process of its own: here all tables are loaded.
    ended = subprocess.run([sys.executable, "-c", CHECK.format(area)], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
