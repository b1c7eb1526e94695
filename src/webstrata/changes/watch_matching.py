"""Which watches and saved searches a change event belongs to."""

from collections.abc import Collection, Sequence

from webstrata.db.changes.changes import NewEvent
from webstrata.db.engine import Database
from webstrata.db.notifications.announcing import EventMatch
from webstrata.db.watching.watches import NewWatchEvent


def event_matches(
    _database: Database, _events: Sequence[NewEvent], watched: Sequence[NewWatchEvent]
) -> Collection[EventMatch]:
    """Return the watches that events belong to, as subscriptions need them."""
    return [EventMatch(one.to_snapshot_id, watch_id=one.watch_id) for one in watched]
