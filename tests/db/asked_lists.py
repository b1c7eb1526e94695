"""What lists, reports and exports ask of the database: each is shown or run again and again while the archive grows."""

from datetime import UTC, date, datetime, timedelta

from sqlalchemy import update
from sqlalchemy.orm import Session

from tests.support.large_archive import LARGE_JOB, OTHER_JOB, SMALL_JOB, SOURCE
from tests.support.plans import Asking
from webstrata.db.assets import absence, asset_contents, assets
from webstrata.db.auditing import pages, queue, schedules, sessions
from webstrata.db.captures import documents, export_records, regrouping, snapshots, warc_folders
from webstrata.db.changes import change_lists, changes
from webstrata.db.changes.change_lists import EventFilter
from webstrata.db.collections import collection_lists, listings
from webstrata.db.collections.collection_lists import CollectionFilter
from webstrata.db.collections.listings import ListingFilter, ListingOrder
from webstrata.db.links import signals
from webstrata.db.notifications import outbox, restoring
from webstrata.db.operations import audit_log, catalog, integrity, integrity_checks, storage, usage
from webstrata.db.operations.audit_log import ChangeFilter
from webstrata.db.queue import closed_jobs, jobs
from webstrata.db.retention import holds, retention, tombstones
from webstrata.db.schema.notification_tables import OutboxMessage
from webstrata.db.search.indexed_words import NewDocument
from webstrata.db.sources import manifests, rebuilding, source_rows, sources
from webstrata.db.watching import site_diff, watches
from webstrata.db.watching.site_diff import CrawlDefaults
from webstrata.model.auditing.sessions import AuditStatus
from webstrata.model.changes.values import ChangeType

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SOME = range(10_001, 10_006)
SOME_URLS = [f"https://s.example/{number}" for number in range(5)]
SOME_TEXTS = [NewDocument(url, "Title", "Some text") for url in SOME_URLS]
OLD_SOURCE, LATE_SOURCE = "source-1", "source-2"
"""The first has the oldest rows of every table, the second a part of the newest ones."""


def events(filters: EventFilter, *, by_significance: bool = False) -> Asking:
    """Ask for a page of events and their total, as the page, the API and the command do."""

    def ask(session: Session) -> object:
        total = change_lists.count_events(session, filters)
        shown = change_lists.list_events(session, filters, limit=20, by_significance=by_significance)
        return total, shown, change_lists.list_template_changes(session, filters)

    return ask


def exported(filters: EventFilter) -> Asking:
    """Ask for a part of an export that goes on."""
    return lambda s: [*change_lists.export_events(s, filters, after_id=5_000, limit=20)]


def found_listings(source: str | None) -> Asking:
    """Ask for a page of listings."""
    return lambda s: listings.list_listings(s, ListingFilter(source=source), ListingOrder.NEWEST, limit=20)


def prices(source: str | None, *, changes_only: bool) -> Asking:
    """Ask for a page of prices."""
    return lambda s: listings.list_prices(s, source=source, changes_only=changes_only, limit=20)


def diagnostics(filters: CollectionFilter) -> Asking:
    """Ask for a page of extractions."""
    return lambda s: collection_lists.list_diagnostics(s, filters, limit=20)


def scrapes(filters: CollectionFilter) -> Asking:
    """Ask for a page of attempts to fetch URLs."""
    return lambda s: collection_lists.list_scrapes(s, filters, limit=20)


OF_LISTS: dict[str, Asking] = {
    "changes": events(EventFilter()),
    "changes of an old source": events(EventFilter(source=OLD_SOURCE)),
    "changes of another source": events(EventFilter(source=LATE_SOURCE)),
    "changes of an unknown source": events(EventFilter(source="unknown")),
    "changes of a large job": events(EventFilter(job_id=LARGE_JOB)),
    "changes of a small job, unchanged ones too": events(EventFilter(job_id=SMALL_JOB, includes_unchanged=True)),
    "changes of a kind": events(EventFilter(change_types=(ChangeType.UPDATED,))),
    "changes of a kind that is not there": events(EventFilter(change_types=(ChangeType.ERROR,))),
    "significant changes": events(EventFilter(min_significance=0.4)),
    "very significant changes, of which there are none": events(EventFilter(min_significance=0.9)),
    "the most significant changes": events(EventFilter(), by_significance=True),
    "changes and unchanged captures": events(EventFilter(includes_unchanged=True)),
    "unchanged captures of an old source": events(EventFilter(source=OLD_SOURCE, includes_unchanged=True)),
    "changes of some days": events(EventFilter(from_date=date(2020, 1, 5), to_date=date(2020, 1, 6))),
    "changes of the newest jobs": events(EventFilter(is_latest=True)),
    "changes of a source's newest job": events(EventFilter(source=OLD_SOURCE, is_latest=True)),
    "an export of changes": exported(EventFilter()),
    "listings": found_listings(None),
    "listings of an old source": found_listings(OLD_SOURCE),
    "listings of another source": found_listings(LATE_SOURCE),
    "prices": prices(None, changes_only=False),
    "prices of a source": prices(OLD_SOURCE, changes_only=False),
    "price changes": prices(None, changes_only=True),
    "price changes of a source": prices(OLD_SOURCE, changes_only=True),
    "extractions": diagnostics(CollectionFilter()),
    "extractions of an old source": diagnostics(CollectionFilter(source=OLD_SOURCE)),
    "extractions of another source": diagnostics(CollectionFilter(source=LATE_SOURCE)),
    "extractions of a listing": diagnostics(CollectionFilter(listing_id=7)),
    "extractions of a URL": diagnostics(CollectionFilter(url=SOME_URLS[0])),
    "attempts": scrapes(CollectionFilter()),
    "attempts at an old source": scrapes(CollectionFilter(source=OLD_SOURCE)),
    "attempts at another source": scrapes(CollectionFilter(source=LATE_SOURCE)),
    "attempts of a large job": scrapes(CollectionFilter(job_id=LARGE_JOB)),
    "attempts of a small job": scrapes(CollectionFilter(job_id=SMALL_JOB)),
    "exports": lambda s: collection_lists.list_exports(s, CollectionFilter(), limit=20),
    "runs and their health": lambda s: collection_lists.list_health(s, CollectionFilter(), limit=20),
    "the health of each source": collection_lists.source_health,
    "how many audits": sessions.count_audits,
    "audits that are completed": lambda s: sessions.list_audits(s, status=AuditStatus.COMPLETED, limit=20),
    "how many are completed": lambda s: sessions.count_audits(s, status=AuditStatus.COMPLETED),
    "some audit schedules": lambda s: schedules.list_schedules(s, limit=20),
    "how many audit schedules": schedules.count_schedules,
    "the audit log": lambda s: audit_log.entries(s, ChangeFilter(), limit=20),
}
"""Totals are counted to a limit, which the test makes low."""


def changed_since(session: Session) -> object:
    newer, older = site_diff.list_runs(session, SOURCE, CrawlDefaults(20, 10_000))
    return site_diff.count_changed(session, SOURCE, older, newer)


def busy_domain(session: Session) -> object:
    return queue.is_domain_busy(session, sessions.list_audits(session, limit=1)[0], NOW)


def withhold(session: Session) -> object:
    (capture,) = tombstones.describe(session, [10_001], "order", "me", NOW)
    return tombstones.withhold(session, capture)


def deliver(session: Session) -> object:
    session.execute(update(OutboxMessage).where(OutboxMessage.id == 7).values(delivered_at=None))
    (message,) = outbox.claim(session, "me", NOW, timedelta(hours=1), most=1, is_dead=lambda owner: False)
    return outbox.settle_delivered(session, message, NOW)


OF_REPORTS: dict[str, Asking] = {
    "what a job tried of URLs": lambda s: absence.tried_urls(s, LARGE_JOB, SOME_URLS),
    "plugin runs of captures": lambda s: absence.run_statuses(s, SOME),
    "assets of a source to export": lambda s: asset_contents.exported_assets(s, OLD_SOURCE, after_id=100, limit=20),
    "assets to export": lambda s: asset_contents.exported_assets(s, None, after_id=100, limit=20),
    "files whose names contain a digest": lambda s: export_records.jobs_of_files_named(s, {"123": "123"}),
    "files of a size": lambda s: export_records.files_of_size(s, [1, 2]),
    "jobs with files": lambda s: warc_folders.jobs_with_files(s, ["1.warc.gz", "2.warc.gz"]),
    "sources to group again": regrouping.sources_to_regroup,
    "jobs that are being indexed": lambda s: regrouping.jobs_being_indexed(s, SOURCE),
    "jobs to export": lambda s: export_records.jobs_to_export(s, source_code=OLD_SOURCE),
    "where a blob is": lambda s: asset_contents.stored_blob(s, "digest-7"),
    "known assets": lambda s: assets.known_assets(s, SOURCE, [("page", "asset-7"), ("page", "new")]),
    "blobs that are not referred to": lambda s: assets.release_blobs(s, ["digest-7", "digest-8"]),
    "assets that are missing": lambda s: absence.mark_missing(s, {7: NOW, 8: NOW}),
    "deleted snapshots": lambda s: snapshots.delete_snapshots(s, [30_000]),
    "texts that are stored already": lambda s: documents.ensure_documents(s, SOME_TEXTS),
    "delivered messages": deliver,
    "a capture that is withheld": withhold,
    "watches of some pages": lambda s: watches.watches_covering(s, [SOURCE], SOME_URLS),
    "ranks of some pages": lambda s: signals.spread_rank(s, 1.0, 0.01, range(1, 50)),
    "the configuration of a source's jobs": lambda s: sources.registry_entry(s, LATE_SOURCE, ["https://s.example/"]),
    "a source's first run": lambda s: sources.first_run(s, SOURCE, "1d", NOW),
    "folders of a source's jobs": lambda s: sources.job_folders(s, OLD_SOURCE),
    "retention policies": retention.stored_policies,
    "significance of captures": lambda s: change_lists.significance_of_snapshots(s, SOME),
    "how many pages changed": changed_since,
    "links of pages": lambda s: signals.links_today(s, SOME),
    "the last page with a rank": signals.last_page,
    "pages of an audit": lambda s: pages.pages_of(s, "00000000-0000-0000-0000-100000000007"),
    "the log of an audit": lambda s: pages.log_of(s, "00000000-0000-0000-0000-100000000007"),
    "whether a domain is busy": busy_domain,
    "dead letters to send again": lambda s: outbox.retry_dead(s, NOW),
    "subscriptions to write down": restoring.list_saved,
    "a check that runs": integrity_checks.running_check,
    "problems of a check": lambda s: integrity_checks.problems_of(s, 1, 50),
    "recorded bytes": integrity.recorded_bytes,
    "folders of jobs": storage.job_folders,
    "folders of running jobs": lambda s: storage.job_folders(s, ["running"], 50),
    "usage of a month": lambda s: usage.counts_since(s, date(2025, 12, 1)),
    "delays of jobs": lambda s: jobs.host_delays(s, range(1, 20)),
    "snapshots under a hold": lambda s: holds.held_among(s, SOME),
    "snapshots that are kept": lambda s: holds.kept_among(s, SOME),
    "sources to write down": manifests.source_facts,
    "folders of known jobs": manifests.known_jobs,
    "whether anything was crawled": rebuilding.has_crawled,
    "files of a source": lambda s: source_rows.files_of_source(s, SOURCE),
}

OF_WHOLE_SOURCES: dict[str, Asking] = {
    "expired logs": lambda s: closed_jobs.count_expired_logs(s, NOW),
    "files of all jobs": integrity.recorded_warcs,
    "watches of a source": lambda s: watches.watches_of_sources(s, [SOURCE]),
    "captures that wait for their events": lambda s: changes.pending_count(s, SOURCE),
    "captures by day": lambda s: catalog.captures_by_day(s, OLD_SOURCE),
    "captures without events": lambda s: changes.missing_count(s, SOURCE, NOW - timedelta(days=9_000)),
    "captures that get events": lambda s: changes.add_missing(s, SOURCE, NOW - timedelta(days=9_000)),
    "places of withheld copies": tombstones.places_of_copies,
    "blobs in captures of a large job": lambda s: asset_contents.blobs_in_captures(s, LARGE_JOB),
    "blobs in captures of a job": lambda s: asset_contents.blobs_in_captures(s, OTHER_JOB),
    "the guard of expired rows": lambda s: retention.expired_of_sources(s, "scrape_metadata", NOW + timedelta(1), 9),
}
"""Run by hand, once for a source or a pass, or cached until the archive changes: they may read a source or a table."""
