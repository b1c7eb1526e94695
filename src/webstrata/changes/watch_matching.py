"""Which watches and saved searches a change event belongs to."""

from collections.abc import Collection, Sequence

from webstrata.db.changes import NewEvent
from webstrata.db.engine import Database
from webstrata.db.notifications.announcing import EventMatch


def watch_matches(_database: Database, _events: Sequence[NewEvent]) -> Collection[EventMatch]:
    """Return the watches and saved searches that events belong to; the archive has none of them yet."""
    return ()
