"""Matching of change events with watches: by URL, time, selected parts of the page, and significance."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import structlog

from webstrata.changes.watching.parts import PartChange, PartComparer
from webstrata.db.changes.changes import NewEvent
from webstrata.db.engine import Database
from webstrata.db.watching import watches
from webstrata.db.watching.watches import NewWatchEvent
from webstrata.errors import WebstrataError
from webstrata.model.changes.values import ChangeType
from webstrata.model.watching.watches import Watch, WatchScope

log = structlog.get_logger()


@dataclass(frozen=True)
class WatchMatching:
    """Finds the watches that change events belong to."""

    database: Database
    parts: PartComparer

    def match(self, events: Sequence[NewEvent]) -> list[NewWatchEvent]:
        """Return which events belong to which watches."""
        with self.database.read() as session:
            pages = {event.normalized_url_group for event in events}
            known = watches.watches_covering(session, {event.source_id for event in events}, pages)
        index = _Index(known)
        found = []
        for event in events if known else ():
            for watch in index.covering(event):
                change = self._change(watch, event)
                if change is not None and change.significance >= watch.min_significance:
                    found.append(NewWatchEvent(watch.id, event.to_snapshot_id, **vars(change)))
        return found

    def _change(self, watch: Watch, event: NewEvent) -> PartChange | None:
        """Return the change of an event in the parts of a watch; None when the event does not belong to the watch."""
        kind = ChangeType(event.change_type)
        if kind is ChangeType.UNCHANGED and watch.rules.selector is not None and event.from_snapshot_id is not None:
            # Compared again, as the page's comparison may ignore exactly the parts that the watch selects.
            kind = ChangeType.UPDATED
        if not watch.may_report(kind, event.from_capture_timestamp, event.to_job_id):
            return None
        whole = PartChange(event.significance, event.summary, tuple(str(one["text"]) for one in event.reasons))
        if kind is not ChangeType.UPDATED:
            # A page that appears, fails or recovers matters to all watches, whatever parts they select.
            return replace(whole, significance=1.0)
        if not watch.rules.narrows or event.from_snapshot_id is None:
            return whole
        try:
            return self.parts.compare(event.from_snapshot_id, event.to_snapshot_id, watch.rules)
        except WebstrataError as error:
            log.warning("watch.parts.not_compared", watch_id=watch.id, reason=str(error))
            return whole


class _Index:
    """Watches by the pages that they watch."""

    def __init__(self, known: Iterable[Watch]) -> None:
        self._by_page: dict[tuple[int, str], list[Watch]] = defaultdict(list)
        self._wider: list[Watch] = []
        for watch in known:
            if watch.scope is WatchScope.PAGE:
                self._by_page[watch.source_id, watch.page].append(watch)
            else:
                self._wider.append(watch)

    def covering(self, event: NewEvent) -> list[Watch]:
        """Return the watches that an event's page belongs to."""
        page = event.normalized_url_group
        wider = [one for one in self._wider if one.source_id == event.source_id and one.covers(page)]
        return [*self._by_page.get((event.source_id, page), ()), *wider]
