"""Finds the watches and saved searches to which change events belong."""

from collections.abc import Callable, Collection, Sequence

from webstrata.db.changes.changes import NewEvent
from webstrata.db.notifications.announcing import EventMatch, is_announced
from webstrata.db.watching.watches import NewWatchEvent

MatchSearches = Callable[[Sequence[int]], Collection[EventMatch]]
"""A function that returns which captures match which saved searches."""


def event_matches(
    events: Sequence[NewEvent], watched: Sequence[NewWatchEvent], match_searches: MatchSearches | None
) -> Collection[EventMatch]:
    """Return the watches and saved searches that events belong to, as subscriptions need them."""
    found = [EventMatch(one.to_snapshot_id, watch_id=one.watch_id, watched=one) for one in watched]
    fresh = [event.to_snapshot_id for event in events if is_announced(event)]
    return [*found, *match_searches(fresh)] if match_searches is not None and fresh else found
