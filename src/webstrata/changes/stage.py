"""Computes the change events of a source: pair by pair, in order, in one process at a time."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import structlog

from webstrata.changes.compare_requests import ComparePages
from webstrata.changes.comparer import Comparer
from webstrata.changes.events import compared_event, plain_event, plain_type, stamp
from webstrata.changes.holding import holding
from webstrata.changes.knowledge import KnowledgeLoader
from webstrata.changes.pages import PageLoader
from webstrata.changes.site.reporting import EndedRun, SiteReporting
from webstrata.changes.template_changes import template_difference
from webstrata.changes.templates import MAX_SAMPLED, learn_template
from webstrata.changes.watch_matching import MatchSearches, event_matches
from webstrata.changes.watching.matching import WatchMatching
from webstrata.changes.watching.parts import PartComparer
from webstrata.content.reader.page_reader import PageReader
from webstrata.db.changes import change_leases, changes, unchanged
from webstrata.db.changes.change_leases import SourceLease
from webstrata.db.changes.changes import CapturePair, NewEvent
from webstrata.db.engine import Database, Session
from webstrata.db.notifications import announcing, reviews
from webstrata.db.schema.change_tables import TemplateChange
from webstrata.db.watching import watches
from webstrata.model.changes.values import ChangeType

log = structlog.get_logger()

BATCH = 500
SETTLED_AT_ONCE = 5_000
"""How many captures one transaction compares with their predecessors by hash: about a quarter of a second."""

Progress = Callable[[int], None]


@dataclass
class ChangeCounts:
    """The number of computed events by kind."""

    by_type: Counter[str] = field(default_factory=Counter)
    template_changes: int = 0
    was_stopped: bool = False

    @property
    def total(self) -> int:
        """Return the number of computed events."""
        return sum(self.by_type.values())


@dataclass(frozen=True)
class ChangeTracking:
    """Computes change events."""

    database: Database
    archive_root: Path
    index_version: int
    computed_by: str = "index"
    site_reporting: SiteReporting | None = None
    """Compares whole runs; None if runs are not compared."""
    match_searches: MatchSearches | None = None
    """Finds the captures that match saved searches; None if they are not matched."""

    def compute(
        self,
        source_id: int,
        *,
        max_events: int | None = None,
        stopping: threading.Event | None = None,
        progress: Progress = lambda events: None,
        ended: EndedRun | None = None,
    ) -> ChangeCounts:
        """Compute the queued events of a source's captures, after another process that computes them has ended.

        `ended` is the run that has just ended: its digests also contain its site events.
        """
        stop, counts = stopping or threading.Event(), ChangeCounts()
        with holding(self.database, self.archive_root, source_id, stop) as lease:
            if lease is None:
                counts.was_stopped = True
                return counts
            with closing(PageReader()) as reader, closing(Comparer()) as comparer:
                loader = PageLoader(self.database, self.archive_root, reader, self.index_version)
                run = _Run(self, lease, loader, comparer, counts, KnowledgeLoader(self.database))
                run.learn_templates()
                bounds = _Bounds(max_events, stop, progress)
                run.repeat(run.settle_unchanged, SETTLED_AT_ONCE, bounds)
                is_done = run.repeat(run.compute_batch, BATCH, bounds)
                run.apply_reviews()
                if is_done:
                    run.report_site(ended)
                    run.collect_digests()
        return counts


@dataclass(frozen=True)
class _Bounds:
    """The end condition of a computation, and its progress callback."""

    max_events: int | None
    stop: threading.Event
    progress: Progress


@dataclass
class _Run:
    """One computation under a lease."""

    tracking: ChangeTracking
    lease: SourceLease
    loader: PageLoader
    comparer: Comparer
    counts: ChangeCounts
    knowledge: KnowledgeLoader
    _looked_up_to: int = 0
    """The last queued capture that was compared with the one before it by hash."""

    def repeat(self, step: Callable[[int], bool], most: int, bounds: _Bounds) -> bool:
        """Repeat a step, with a limit of events each time; return whether nothing is queued any more."""
        while not bounds.stop.is_set():
            left = most if bounds.max_events is None else min(most, bounds.max_events - self.counts.total)
            if left <= 0:
                return False
            if not step(left):
                return True
            bounds.progress(self.counts.total)
        self.counts.was_stopped = True
        return False

    def learn_templates(self) -> None:
        """Compute the template of every job with queued captures, and store its differences from the previous one."""
        database, source_id = self.tracking.database, self.lease.source_id
        with database.read() as session:
            unlearned = changes.jobs_without_template(session, source_id)
        for job_id in unlearned:
            with database.read() as session:
                texts = changes.sample_texts(session, job_id, MAX_SAMPLED)
                before = changes.previous_job(session, source_id, job_id)
                template = learn_template(texts)
                change = _template_change(session, source_id, before, job_id, template, len(texts))
            with database.write() as session:
                change_leases.check(session, self.lease)
                if template:
                    changes.save_template(session, job_id, len(texts), template)
                if change is not None:
                    changes.save_template_change(session, change)
            self.counts.template_changes += change is not None

    def settle_unchanged(self, most: int) -> bool:
        """Compute the events of the next captures that are equal to their predecessors; return whether any capture was
        queued."""
        database, tracking = self.tracking.database, self.tracking
        with database.read() as session:
            window = unchanged.next_window(session, self.lease.source_id, self._looked_up_to, most)
        if window is None:
            return False
        with database.write() as session:
            change_leases.check(session, self.lease)
            count = unchanged.settle_unchanged(session, window, stamp(tracking.computed_by, datetime.now(UTC)))
        self._looked_up_to = window.last_id
        if count:
            self.counts.by_type[ChangeType.UNCHANGED.value] += count
        return True

    def compute_batch(self, most: int) -> bool:
        """Compute the next events; return whether any capture was queued."""
        database = self.tracking.database
        with database.read() as session:
            pairs, settled = changes.next_pairs(session, self.lease.source_id, most)
        if not settled:
            return False
        events = self._events(pairs)
        watched = self._matching().match(events)
        matches = event_matches(events, watched, self.tracking.match_searches)
        with database.write() as session:
            change_leases.check(session, self.lease)
            changes.write_events(session, events, settled)
            watches.save_watch_events(session, watched)
            announcing.announce(session, events, matches, datetime.now(UTC))
        self.counts.by_type.update(event.change_type for event in events)
        return True

    def _matching(self) -> WatchMatching:
        tracking = self.tracking
        parts = PartComparer(tracking.database, tracking.archive_root, self.loader.reader, self.comparer)
        return WatchMatching(tracking.database, parts)

    def report_site(self, ended: EndedRun | None) -> None:
        """Store the site events of the runs that were not compared with the ones before them."""
        if self.tracking.site_reporting is not None:
            self.tracking.site_reporting.report(self.lease, ended)

    def apply_reviews(self) -> None:
        """Apply the marks that a rebuild restored before their events were computed."""
        with self.tracking.database.read() as session:
            if not reviews.has_restored(session):
                return
        with self.tracking.database.write() as session:
            reviews.apply_restored(session)

    def collect_digests(self) -> None:
        """Release one digest message for each run whose events are complete."""
        with self.tracking.database.read() as session:
            if not announcing.has_uncollected(session):
                return
        with self.tracking.database.write() as session:
            change_leases.check(session, self.lease)
            announcing.collect_digests(session, self.lease.source_id, datetime.now(UTC))

    def _events(self, pairs: Sequence[CapturePair]) -> list[NewEvent]:
        unsettled = [pair for pair in pairs if plain_type(pair) is None]
        requested = {one.id: one for pair in unsettled for one in (pair.old, pair.new) if one is not None}
        pages = self.loader.load(list(requested.values()))
        now = datetime.now(UTC)
        events = []
        for pair in pairs:
            plain = plain_type(pair)
            if plain is not None:
                events.append(plain_event(pair, plain, self.tracking.computed_by, now))
                continue
            assert pair.old is not None
            compared = self.comparer.compare(
                ComparePages(
                    pages[pair.old.id],
                    pages[pair.new.id],
                    self.knowledge.of_site(pair.old, pair.new),
                    self.knowledge.history(pair.old),
                )
            )
            events.append(compared_event(pair, compared, self.tracking.computed_by, now))
        return events


def _template_change(
    session: Session, source_id: int, before: int | None, job_id: int, template: frozenset[str], pages: int
) -> TemplateChange | None:
    if before is None:
        return None
    old = changes.load_template(session, before)
    found = template_difference(session, before, job_id, old, template, pages)
    if found is None:
        return None
    return TemplateChange(
        source_id=source_id,
        from_job_id=before,
        to_job_id=job_id,
        added_lines=list(found.added_lines),
        removed_lines=list(found.removed_lines),
        summary=found.summary,
        pages=pages,
    )
