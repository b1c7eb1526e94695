"""Computing the change events of a source: pair by pair, in order, one process at a time."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import structlog

from webstrata.changes.compare_requests import ComparedPages, ComparePages
from webstrata.changes.comparer import Comparer
from webstrata.changes.holding import holding
from webstrata.changes.pages import PageLoader, quality_of
from webstrata.changes.templates import MAX_SAMPLED, learn_template
from webstrata.content.comparison import GOOD
from webstrata.content.page_reader import PageReader
from webstrata.db import change_leases, changes
from webstrata.db.change_leases import SourceLease
from webstrata.db.change_tables import TemplateChange
from webstrata.db.changes import CapturePair, ComparedSnapshot, NewEvent
from webstrata.db.engine import Database
from webstrata.model.changes import ChangeType, SiteKnowledge
from webstrata.model.words import counted

log = structlog.get_logger()

DIFF_VERSION = "1"
NORMALIZATION_VERSION = "1"
BATCH = 500
_FIRST_CAPTURE = "First capture of this page."
_HISTORY = 6
"""Earlier captures of a page from which its volatile lines are learned."""

_MAX_IGNORED = 20
_MAX_IGNORED_CHARACTERS = 200

Progress = Callable[[int], None]


@dataclass
class ChangeCounts:
    """How many events were computed, by kind."""

    by_type: Counter[str] = field(default_factory=Counter)
    template_changes: int = 0
    was_stopped: bool = False

    @property
    def total(self) -> int:
        """Return how many events were computed."""
        return sum(self.by_type.values())


@dataclass(frozen=True)
class ChangeTracking:
    """Computes change events."""

    database: Database
    archive_root: Path
    index_version: int
    computed_by: str = "index"

    def compute(
        self,
        source_id: int,
        *,
        max_events: int | None = None,
        stopping: threading.Event | None = None,
        progress: Progress = lambda events: None,
    ) -> ChangeCounts:
        """Compute the events of the captures of a source that wait for one; another process at it is waited for."""
        stop, counts = stopping or threading.Event(), ChangeCounts()
        with holding(self.database, self.archive_root, source_id, stop) as lease:
            if lease is None:
                counts.was_stopped = True
                return counts
            with closing(PageReader()) as reader, closing(Comparer()) as comparer:
                loader = PageLoader(self.database, self.archive_root, reader, self.index_version)
                run = _Run(self, lease, loader, comparer, counts)
                run.learn_templates()
                while not counts.was_stopped and (max_events is None or counts.total < max_events):
                    left = BATCH if max_events is None else min(BATCH, max_events - counts.total)
                    if not run.compute_batch(left):
                        break
                    progress(counts.total)
                    counts.was_stopped = stop.is_set()
        return counts


@dataclass(frozen=True)
class _Run:
    """One computation under a lease."""

    tracking: ChangeTracking
    lease: SourceLease
    loader: PageLoader
    comparer: Comparer
    counts: ChangeCounts
    templates: dict[int | None, frozenset[str]] = field(default_factory=dict)

    def learn_templates(self) -> None:
        """Learn the template of every job whose captures wait, and note where it differs from the one before."""
        database, source_id = self.tracking.database, self.lease.source_id
        with database.read() as session:
            unlearned = changes.jobs_without_template(session, source_id)
        for job_id in unlearned:
            with database.read() as session:
                texts = changes.sample_texts(session, job_id, MAX_SAMPLED)
                before = changes.previous_job(session, source_id, job_id)
                old = changes.load_template(session, before)
            template = learn_template(texts)
            change = _template_change(source_id, before, job_id, old, template, len(texts))
            with database.write() as session:
                change_leases.check(session, self.lease)
                if template:
                    changes.save_template(session, job_id, len(texts), template)
                if change is not None:
                    changes.save_template_change(session, change)
            self.counts.template_changes += change is not None

    def compute_batch(self, most: int) -> bool:
        """Compute the next events; return whether any capture waited."""
        database = self.tracking.database
        with database.read() as session:
            pairs, settled = changes.next_pairs(session, self.lease.source_id, most)
        if not settled:
            return False
        events = self._events(pairs)
        with database.write() as session:
            change_leases.check(session, self.lease)
            changes.write_events(session, events, settled)
        self.counts.by_type.update(event.change_type for event in events)
        return True

    def _events(self, pairs: Sequence[CapturePair]) -> list[NewEvent]:
        unsettled = [pair for pair in pairs if _plain_type(pair) is None]
        wanted = {one.id: one for pair in unsettled for one in (pair.old, pair.new) if one is not None}
        pages = self.loader.load(list(wanted.values()))
        now = datetime.now(UTC)
        events = []
        for pair in pairs:
            plain = _plain_type(pair)
            if plain is not None:
                events.append(_event(pair, plain, self.tracking.computed_by, now))
                continue
            assert pair.old is not None
            compared = self.comparer.compare(
                ComparePages(
                    pages[pair.old.id],
                    pages[pair.new.id],
                    self._knowledge(pair.old, pair.new),
                    self._history(pair.old),
                )
            )
            events.append(_compared_event(pair, compared, self.tracking.computed_by, now))
        return events

    def _knowledge(self, old: ComparedSnapshot, new: ComparedSnapshot) -> SiteKnowledge:
        before, after = self._template(old.job_id), self._template(new.job_id)
        return SiteKnowledge(before, after or before, is_known=bool(before or after))

    def _template(self, job_id: int | None) -> frozenset[str]:
        if job_id not in self.templates:
            with self.tracking.database.read() as session:
                self.templates[job_id] = changes.load_template(session, job_id) or changes.load_template(
                    session, job_id and changes.previous_job(session, self.lease.source_id, job_id)
                )
        return self.templates[job_id]

    def _history(self, old: ComparedSnapshot) -> tuple[str, ...]:
        """Return the texts of earlier captures of a page, oldest first."""
        with self.tracking.database.read() as session:
            documents = changes.earlier_documents(session, old, _HISTORY)
            texts = changes.load_texts(session, set(documents))
        return tuple(texts[one].text for one in reversed(documents) if one in texts)


def _plain_type(pair: CapturePair) -> ChangeType | None:
    """Return the kind of event of a pair that need not be compared; None when it must be."""
    old, new = pair.old, pair.new
    if old is None:
        return ChangeType.NEW_PAGE
    old_good, new_good = (quality_of(one)[0] >= GOOD for one in (old, new))
    if old_good != new_good:
        return None
    is_same = old.content_hash is not None and old.content_hash == new.content_hash
    return ChangeType.UNCHANGED if is_same or not new_good else None


def _event(pair: CapturePair, kind: ChangeType, computed_by: str, now: datetime, **more: object) -> NewEvent:
    old, new = pair.old, pair.new
    facts: dict[str, object] = {"summary": _FIRST_CAPTURE if kind is ChangeType.NEW_PAGE else None, **more}
    return NewEvent(
        source_id=new.source_id,
        normalized_url_group=new.normalized_url_group,
        from_snapshot_id=old.id if old else None,
        to_snapshot_id=new.id,
        from_job_id=old.job_id if old else None,
        to_job_id=new.job_id,
        from_capture_timestamp=old.capture_timestamp if old else None,
        to_capture_timestamp=new.capture_timestamp,
        change_type=kind.value,
        is_announced=pair.is_announced,
        diff_version=DIFF_VERSION,
        normalization_version=NORMALIZATION_VERSION,
        computed_at=now,
        computed_by=computed_by,
        **facts,  # type: ignore[arg-type]
    )


def _compared_event(pair: CapturePair, compared: ComparedPages, computed_by: str, now: datetime) -> NewEvent:
    found = compared.comparison
    is_update = found.change_type is ChangeType.UPDATED
    return _event(
        pair,
        found.change_type,
        computed_by,
        now,
        summary=found.summary or None,
        diff_format="html" if is_update else None,
        diff_html=compared.diff_html if is_update else None,
        diff_truncated=compared.diff_truncated,
        added_sections=found.added_sections,
        removed_sections=found.removed_sections,
        changed_sections=found.changed_sections,
        added_lines=found.added_lines,
        removed_lines=found.removed_lines,
        change_ratio=found.change_ratio,
        high_noise=found.high_noise,
        significance=found.verdict.significance,
        reasons=[asdict(reason) for reason in found.verdict.reasons],
        ignored=[
            {"text": (edit.new or edit.old).text[:_MAX_IGNORED_CHARACTERS], "reason": edit.ignored}  # type: ignore[union-attr]
            for edit in found.edits
            if edit.ignored
        ][:_MAX_IGNORED],
        template_changed=found.template_changed,
        error_message=found.limit,
    )


def _template_change(
    source_id: int, before: int | None, job_id: int, old: frozenset[str], new: frozenset[str], pages: int
) -> TemplateChange | None:
    added, removed = sorted(new - old), sorted(old - new)
    if before is None or not old or not new or not (added or removed):
        return None
    words = [
        f"{counted(len(lines), 'line')} {what}" for lines, what in ((added, "added"), (removed, "removed")) if lines
    ]
    return TemplateChange(
        source_id=source_id,
        from_job_id=before,
        to_job_id=job_id,
        added_lines=added,
        removed_lines=removed,
        summary=f"the template of the site changed: {' and '.join(words)}",
        pages=pages,
    )
