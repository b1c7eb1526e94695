"""Site events of runs: compares each run of a source once with the previous one, and notifies subscribers."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from webstrata.changes.site.choosing import choose_runs
from webstrata.changes.site.comparing import SiteComparison
from webstrata.db.changes import change_leases
from webstrata.db.changes.change_leases import SourceLease
from webstrata.db.engine import Database
from webstrata.db.notifications import announcing
from webstrata.db.queue import frontier, jobs
from webstrata.db.watching import site_diff, site_events, watches
from webstrata.db.watching.site_diff import CrawlDefaults
from webstrata.db.watching.site_events import SiteEventReport, StoredSiteEvent
from webstrata.db.watching.watches import source_code
from webstrata.errors import NotFoundError, UsageError
from webstrata.model.assets import same_reach
from webstrata.model.changes.values import ChangeType
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.model.jobs.job import JobStatus
from webstrata.model.watching.site_diff import SiteRun
from webstrata.model.watching.site_events import site_events as events_of_diff
from webstrata.model.watching.watches import Watch, WatchScope

MOST_RUNS = 20
"""The most runs that are compared at a time, newest first; an older archive may have many without site events."""

MOST_LISTED = 10_000


@dataclass(frozen=True)
class EndedRun:
    """The run that has just ended, and the status that it gets after its changes are computed."""

    job_id: int
    status: JobStatus


@dataclass(frozen=True)
class SiteReporting:
    """Stores the site events of runs that have none yet."""

    database: Database
    archive_root: Path
    defaults: CrawlDefaults

    def report(self, lease: SourceLease, ended: EndedRun | None) -> None:
        """Compare the runs of a source that were not compared yet; subscribers get only the events of the run that has
        ended."""
        with self.database.read() as session:
            code = source_code(session, lease.source_id)
            runs = _with_ended(site_diff.list_runs(session, lease.source_id, self.defaults, _job(ended)), ended)
            known = site_events.compared_runs(session, [run.job_id for run in runs])
        for run in reversed([run for run in runs if run.job_id not in known][:MOST_RUNS]):
            is_new = ended is not None and ended.job_id == run.job_id and self._was_crawled_here(run.job_id)
            self._report_run(lease, code, runs, run, is_announced=is_new)

    def _report_run(
        self, lease: SourceLease, code: str, runs: Sequence[SiteRun], run: SiteRun, *, is_announced: bool
    ) -> None:
        older = older_run(code, runs, run)
        found = [] if older is None else self._events(code, older, run)
        now = datetime.now(UTC)
        with self.database.write() as session:
            change_leases.check(session, lease)
            site_events.note_comparison(session, run.job_id, older.job_id if older else None, now)
            reports = site_events.save_site_events(session, lease.source_id, found)
            watched = _events_of_watches(
                watches.watches_of_sources(session, [lease.source_id]) if reports else (), reports
            )
            new = site_events.save_watched(session, watched)
            if is_announced:
                announcing.announce_site(session, lease.source_id, reports, new, now)

    def _events(self, code: str, older: SiteRun, newer: SiteRun) -> list[StoredSiteEvent]:
        comparison = SiteComparison(self.database, self.archive_root, self.defaults)
        diff = comparison.compare_runs(code, older, newer, most=MOST_LISTED)
        with self.database.read() as session:
            changes = site_events.events_of_run(session, newer.job_id)
        new = {snapshot_id for snapshot_id, kind, _ in changes if kind is ChangeType.NEW_PAGE}
        events = events_of_diff(diff, frozenset(one.snapshot_id for one in diff.added) - new)
        replaced = site_events.replaced_by(events, changes)
        runs = older.job_id, newer.job_id
        return [
            StoredSiteEvent(one, one.key(code, *runs), code, *runs, newer.last_capture, replaced[one]) for one in events
        ]

    def _was_crawled_here(self, job_id: int) -> bool:
        with self.database.read() as session:
            return jobs.load_job(session, job_id).was_crawled_here or frontier.has_any(session, job_id, *TaskStatus)


def _events_of_watches(known: Sequence[Watch], reports: Sequence[SiteEventReport]) -> dict[int, list[SiteEventReport]]:
    """Return the site events that belong to each watch."""
    by_page: dict[str, list[SiteEventReport]] = defaultdict(list)
    for one in reports:
        for page in {one.stored.event.page, one.stored.event.new_page or one.stored.event.page}:
            by_page[page].append(one)
    return {
        watch.id: [
            one
            # Of thousands of events, few are about the page of a watch.
            for one in (by_page.get(watch.page, ()) if watch.scope is WatchScope.PAGE else reports)
            if watch.may_report_site_event(one.stored.event, one.stored.from_job_id)
        ]
        for watch in known
    }


def older_run(code: str, runs: Sequence[SiteRun], newer: SiteRun) -> SiteRun | None:
    """Return the previous run of the same scope; None without one, and for runs of single pages."""
    try:
        older, _ = choose_runs(code, runs, newer=newer.job_id)
    except (NotFoundError, UsageError):
        return None
    has_several = newer.max_depth > 0 and newer.max_pages > 1
    return older if has_several and same_reach(older.config, newer.config) else None


def _job(ended: EndedRun | None) -> int | None:
    return None if ended is None else ended.job_id


def _with_ended(runs: Sequence[SiteRun], ended: EndedRun | None) -> list[SiteRun]:
    """Return runs, with the new status of the one that has ended."""
    return [replace(run, status=ended.status) if ended and run.job_id == ended.job_id else run for run in runs]
