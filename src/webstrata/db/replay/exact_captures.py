"""Captures of a URL within a second, looked up for every archived file that a replayed page loads."""

from datetime import datetime

from webstrata.db.engine import Database
from webstrata.db.replay.closest import MOST_NEAR, WITHIN, after_second
from webstrata.db.replay.prepared import PreparedQuery
from webstrata.model.captures import ArchivedCapture


class ExactCaptures:
    """Looks captures up by URL key and second."""

    def __init__(self, database: Database) -> None:
        """Prepare the query."""
        self._query = PreparedQuery(database, WITHIN)

    def find(self, key: str, moment: datetime) -> list[ArchivedCapture]:
        """Return the captures of a URL within the second of a moment."""
        begin = moment.replace(microsecond=0)
        rows = self._query.rows(key=key, begin=begin, end=after_second(begin), most=MOST_NEAR)
        return [ArchivedCapture(*row) for row in rows]
