"""Matching of new events with the saved searches that have subscriptions."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from webstrata.db.engine import Database
from webstrata.db.notifications.announcing import EventMatch
from webstrata.db.watching import saved_searches
from webstrata.errors import DatabaseError, WebstrataError
from webstrata.model.watching.saved_searches import SavedSearch
from webstrata.search.saved import matching_captures

log = structlog.get_logger()


@dataclass(frozen=True)
class SearchMatching:
    """Finds the saved searches that captures match."""

    database: Database

    def match(self, snapshot_ids: Sequence[int]) -> list[EventMatch]:
        """Return the captures that match saved searches with subscriptions."""
        with self.database.read() as session:
            subscribed = saved_searches.subscribed_searches(session)
        return [match for saved in subscribed for match in self._match(saved, snapshot_ids)]

    def _match(self, saved: SavedSearch, snapshot_ids: Sequence[int]) -> list[EventMatch]:
        try:
            with self.database.read() as session:
                found = matching_captures(session, saved.to_request(1), snapshot_ids)
        except DatabaseError:
            raise
        except WebstrataError as error:
            log.warning("saved_search.not_matched", saved_search_id=saved.id, reason=str(error))
            return []
        return [EventMatch(number, saved_search_id=saved.id) for number in found]
