"""What runs once per job, page view, command or batch reads what it needs, however much the archive holds."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from tests.db.asked_lists import OF_LISTS, OF_REPORTS, OF_WHOLE_SOURCES
from tests.support.databases import FreshDatabase
from tests.support.large_archive import LARGE_JOB, OTHER_JOB, SMALL_JOB, SOURCE, fill
from tests.support.plans import Asking, Effort, effort_of
from tests.support.waiting import wait_until
from webstrata.db.assets import absence, assets, plugin_runs
from webstrata.db.auditing import queue, schedules, sessions
from webstrata.db.captures import (
    captures,
    export_records,
    moved_pages,
    page_metadata,
    page_texts,
    payloads,
    problems,
    regrouping,
    snapshots,
    warc_folders,
)
from webstrata.db.captures.previous_captures import link_previous
from webstrata.db.captures.regrouping import GroupedSource
from webstrata.db.changes import change_lists, changes, unchanged
from webstrata.db.changes.change_lists import EventFilter
from webstrata.db.changes.unchanged import EventStamp
from webstrata.db.collections import collection_lists, export_history, hauls, listings, scraper_health, scrapes
from webstrata.db.collections.collection_lists import CollectionFilter
from webstrata.db.collections.listings import ListingFilter, ListingOrder
from webstrata.db.engine import Database
from webstrata.db.links import links, signals
from webstrata.db.notifications import announcing, outbox, reviews, subscriptions
from webstrata.db.operations import (
    audit_log,
    catalog,
    integrity,
    integrity_checks,
    metrics,
    overview,
    report_review,
    storage,
)
from webstrata.db.operations.audit_log import ChangeFilter
from webstrata.db.operations.exporting import ExportScope, exported_events, exported_snapshots
from webstrata.db.queue import closed_jobs, frontier, jobs, leases, permits, run_reports
from webstrata.db.replay import captured_requisites, cdx, closest, page_links, replay_checks
from webstrata.db.retention import artifacts, holds, retention, tombstones
from webstrata.db.search.fulltext import count_documents
from webstrata.db.search.word_forms import learn_forms
from webstrata.db.sources import editions, rebuilding, source_rows, source_scopes, sources, totals
from webstrata.db.sql import counting
from webstrata.db.sql.statistics import refresh_statistics
from webstrata.db.watching import paired_pages, saved_searches, site_diff, site_events, watches
from webstrata.db.watching.site_diff import CrawlDefaults
from webstrata.index.version import INDEX_VERSION
from webstrata.model.archive import SnapshotView
from webstrata.model.auditing.sessions import AuditMode, AuditStatus
from webstrata.model.captures import Original
from webstrata.model.crawl.tasks import TaskStatus, TaskType
from webstrata.model.notifications.values import ReviewFilter, SavedReview
from webstrata.model.replay.cdx import ListPosition
from webstrata.model.replay.url_ranges import KeyRange
from webstrata.model.search.query import Words
from webstrata.model.search.values import SearchRequest, Sort
from webstrata.search.saved import matching_captures, newest_matches

CAPTURES = 30_000
MOST = {"sqlite": 12_000, "postgresql": 3_000}
"""Steps or rows that a function may take, in an archive with ten times as many captures as a source has; one that reads
a source, a large job or a whole table takes more."""

MOST_PER_CAPTURE = {"sqlite": 25, "postgresql": 5}
"""What may be taken for each capture of the archive where all of it is asked about."""

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
ANOTHER_JOB = OTHER_JOB + 2
FIRST_OF_SMALL_JOB = CAPTURES // 3 + 1
BATCH_OF_CAPTURES = range(FIRST_OF_SMALL_JOB, FIRST_OF_SMALL_JOB + 5)
URLS = [f"https://s.example/{number}" for number in range(5)]
SHOPS = [f"https://shop{number}.example/" for number in range(5)]
AUDIT = f"00000000-0000-0000-0000-{100_000_000_000 + 7}"
DIGESTS = [f"sha1:{number}" for number in range(5)]
ORIGINALS = [
    *(Original(f"<{number}>", url, NOW, f"sha1:{number}") for number, url in enumerate(URLS)),
    Original("", URLS[0], NOW, DIGESTS[0]),
    Original("", URLS[1], NOW),
]


def is_there(_path: str, _folder: str) -> bool:
    return True


def seen(session: Session) -> SnapshotView:
    found = catalog.snapshot(session, FIRST_OF_SMALL_JOB)
    assert found is not None
    return found


def front(session: Session) -> editions.PublicSource:
    found = editions.public_source(session, "source-1")
    assert found is not None
    return found


def other_places(session: Session) -> object:
    place = catalog.record_place(session, FIRST_OF_SMALL_JOB)
    assert place is not None
    return payloads.other_places(session, place)


def wait_for_events(session: Session) -> None:
    changes.add_pending(session, SOURCE, range(FIRST_OF_SMALL_JOB, FIRST_OF_SMALL_JOB + 5), is_announced=True)


def compared(session: Session) -> changes.ComparedSnapshot:
    return changes.load_snapshots(session, [FIRST_OF_SMALL_JOB])[FIRST_OF_SMALL_JOB]


def pairs_of_waiting(session: Session) -> object:
    wait_for_events(session)
    return changes.next_pairs(session, SOURCE, 50)


def settle_unchanged(session: Session) -> object:
    wait_for_events(session)
    window = unchanged.next_window(session, SOURCE, 0, 50)
    assert window is not None
    return unchanged.settle_unchanged(session, window, EventStamp("1", "1", NOW, "me"))


OFTEN_CAPTURED = f"https://s.example/{CAPTURES // 3 + 30}"
SITE = cdx.CaptureScope(KeyRange("https://s.example/", "https://s.example0"))
HALFWAY = ListPosition("https://s.example/5", NOW, 1)


def around(session: Session) -> closest.Neighbours:
    return closest.neighbours(session, closest.captures_near(session, OFTEN_CAPTURED, NOW)[0])


def changed_between(session: Session) -> object:
    newer, older = site_diff.list_runs(session, SOURCE, CrawlDefaults(20, 10_000))
    return site_diff.changed_pages(session, SOURCE, older, newer, 100)


SEARCHED = SearchRequest(q="some", sort=Sort.NEWEST)


def newest_site_events(session: Session, source: str | None = None, page: str | None = None) -> object:
    return site_events.list_site_events(session, source=source, page=page, min_significance=0.0, limit=50)


def restore_marks(session: Session) -> None:
    saved = [SavedReview(f"change-0-{number}", "noise", None, NOW, "me") for number in range(1, 20)]
    reviews.restore_reviews(session, saved)


def announce_site(session: Session) -> None:
    known = [replace(one, key=f"new-{one.key}") for one in site_events.events_of_watch(session, 7, 50)]
    run_reports = site_events.save_site_events(session, SOURCE, known)
    watched = site_events.save_watched(session, {7: run_reports})
    announcing.announce_site(session, SOURCE, run_reports, watched, NOW)


OF_JOBS: dict[str, Asking] = {
    "the summary of a job": lambda s: snapshots.compare_with_before(s, SMALL_JOB),
    "a job's snapshots": lambda s: snapshots.count_of_job(s, SMALL_JOB),
    "a job's outcome": lambda s: jobs.outcome(s, SMALL_JOB),
    "a job's first error": lambda s: frontier.first_error(s, SMALL_JOB),
    "a job's URLs": lambda s: frontier.counts(s, SMALL_JOB),
    "a job's hosts": lambda s: frontier.hosts(s, SMALL_JOB),
    "a job's URLs with queries": lambda s: [*frontier.urls_with_queries(s, SMALL_JOB)],
    "URLs that were given up": lambda s: frontier.given_up(s, LARGE_JOB),
    "a URL that lost workers": lambda s: frontier.suspect_url(s, LARGE_JOB),
    "URLs to try later": lambda s: frontier.may_succeed_later(s, LARGE_JOB),
    "URLs under way": lambda s: frontier.has_any(s, LARGE_JOB, TaskStatus.PENDING, TaskStatus.IN_PROGRESS),
    "claiming": lambda s: frontier.claim(s, LARGE_JOB, "me", limit=50, now=NOW, lease=HOUR),
    "leases that ran out": lambda s: frontier.reclaim_expired(s, LARGE_JOB, NOW),
    "how many URLs are under way": lambda s: frontier.under_way(s, LARGE_JOB),
    "kinds of URLs under way": lambda s: frontier.under_way_by_kind(s, LARGE_JOB),
    "whether requisites wait": lambda s: frontier.has_waiting(s, LARGE_JOB, TaskType.MEDIA),
    "crawls beside a job": lambda s: warc_folders.crawls_beside(s, SMALL_JOB),
    "how far a job is indexed": lambda s: jobs.indexed_bytes(s, LARGE_JOB),
    "whether a source has an indexed job": lambda s: jobs.has_indexed_job(s, "source-1"),
    "pages that are indexed during a crawl": lambda s: plugin_runs.indexed_captures(s, LARGE_JOB, after_id=0, limit=50),
    "which fields a small job's listings have": lambda s: scraper_health.set_fill_rates(s, SMALL_JOB),
    "what a small job could not fetch": lambda s: site_diff.failed_urls(s, SMALL_JOB),
    "renewing leases": lambda s: frontier.renew(s, LARGE_JOB, "me", NOW, HOUR),
    "releasing leases": lambda s: frontier.release(s, LARGE_JOB, "me", NOW),
    "clearing up after a worker": lambda s: frontier.reclaim(s, "me", NOW),
    "reviving URLs": lambda s: frontier.revive(s, SMALL_JOB, NOW),
    "asking seeds again": lambda s: frontier.ask_seeds_again(s, SMALL_JOB, NOW),
    "a site that refuses": lambda s: captures.refusal(s, LARGE_JOB),
    "redirects of a large job": lambda s: moved_pages.redirects_of(s, LARGE_JOB, 0, 400),
    "when pages were last shown": lambda s: moved_pages.last_shown(s, SOURCE, URLS),
    "pages of a job to open": lambda s: replay_checks.sample_captures(s, SMALL_JOB, 20),
    "the front page that a job captured": lambda s: editions.front_page_of_job(s, front(s), LARGE_JOB),
    "a job's WARC files": lambda s: captures.warc_files(s, SMALL_JOB),
    "a job's WARC bytes": lambda s: captures.warc_totals(s, SMALL_JOB),
    "a worker's WARC files": lambda s: captures.warc_files_of(s, "me"),
    "jobs to index again": lambda s: captures.outdated_jobs(s, INDEX_VERSION),
    "other jobs of a source": lambda s: captures.has_other_jobs(s, SOURCE, LARGE_JOB),
    "the report of a run": lambda s: run_reports.merged(s, SMALL_JOB, NOW),
    "a job's progress": lambda s: run_reports.progress(s, SMALL_JOB, NOW),
    "the WARC files of a run": lambda s: run_reports.warc_summaries(s, SMALL_JOB),
    "a job's problems": lambda s: problems.problems_of_job(s, OTHER_JOB, limit=50),
    "how many problems": lambda s: problems.count_of_job(s, OTHER_JOB),
    "unread problems": lambda s: problems.unread_problems(s, OTHER_JOB),
    "unresolved revisits": lambda s: problems.unresolved_revisits(s, OTHER_JOB),
    "the next job": lambda s: jobs.next_in_line(s, NOW),
    "the next job to index": lambda s: jobs.next_to_index(s, NOW),
    "an unfinished job": lambda s: jobs.unfinished_job(s, SOURCE, ("https://s.example/",)),
    "a job to go on with": lambda s: jobs.waits_for_index(s, SMALL_JOB, NOW),
    "a job in a folder": lambda s: jobs.job_in_folder(s, "jobs/7"),
    "a registered folder": lambda s: warc_folders.job_of_folder(s, "jobs/7"),
    "abandoned jobs": lambda s: leases.has_abandoned(s, NOW),
    "requeueing abandoned jobs": lambda s: leases.requeue_abandoned(s, NOW),
    "requeueing a worker's jobs": lambda s: leases.requeue_of(s, "me"),
    "jobs that can use help": lambda s: leases.helpable(s, NOW),
    "cleaning a job up": lambda s: warc_folders.needed_elsewhere(s, OTHER_JOB, ["22.warc.gz"], is_there),
    "forgetting payloads": lambda s: warc_folders.give_up_payloads(s, OTHER_JOB, ["22.warc.gz"]),
    "snapshots in files": lambda s: warc_folders.snapshots_in(s, OTHER_JOB, ["22.warc.gz"]),
    "moving files": lambda s: warc_folders.move_warc_files(s, OTHER_JOB, {"22.warc.gz": "another.warc.gz"}),
    "captures without assets": lambda s: plugin_runs.pending_captures(s, SMALL_JOB, ["page", "media"]),
    "failed plugin runs": lambda s: plugin_runs.failed_runs(s, SMALL_JOB),
    "when a job captured": lambda s: absence.capture_span(s, SMALL_JOB),
    "what a job got of URLs": lambda s: absence.responses_of(s, LARGE_JOB, URLS),
    "a URL that failed in a job": lambda s: absence.lost_way(s, SOURCE, SMALL_JOB),
    "jobs that are not over": lambda s: sources.jobs_under_way(s, "source-1"),
    "jobs to be indexed": rebuilding.unfinished_jobs,
    "pages that one of two runs has": lambda s: site_diff.one_sided_pages(s, OTHER_JOB, ANOTHER_JOB),
    "messages that are due": lambda s: outbox.count_due(s, NOW),
    "messages to deliver": lambda s: outbox.claim(s, "me", NOW, HOUR, most=16, is_dead=lambda owner: False),
    "events without a digest": announcing.has_uncollected,
    "digests of a source": lambda s: announcing.collect_digests(s, SOURCE, NOW),
    "whether a watch is due": lambda s: watches.is_any_due(s, NOW),
    "watches that are due": lambda s: watches.due_watches(s, NOW, 50),
    "runs that were compared": lambda s: site_events.compared_runs(s, range(1, 200)),
    "changes of a run": lambda s: site_events.events_of_run(s, SMALL_JOB),
    "pages of a small run": lambda s: [*site_diff.good_urls(s, SMALL_JOB)],
    "URLs that a run does not know": lambda s: frontier.unknown_urls(s, LARGE_JOB, URLS),
    "searches with subscriptions": saved_searches.subscribed_searches,
    "marks that wait for their events": reviews.has_restored,
    "marks of events": restore_marks,
    "site events for subscribers": announce_site,
    "files with what must be kept": lambda s: holds.held_in_files(s, OTHER_JOB, ["22.warc.gz"]),
    "expired rows": lambda s: retention.count_expired(s, "scrape_metadata", NOW),
    "deleting expired rows": lambda s: retention.delete_expired(s, "scrape_metadata", NOW, NOW, 100),
    "due watches": lambda s: watches.due_watches(s, NOW, 50),
    "checked watches": lambda s: watches.take_due_runs(s, SMALL_JOB, {1: NOW, 2: NOW}),
    "events of watches anew": lambda s: watches.forget_watch_events(s, [1, 2]),
    "changes of a small run": lambda s: site_events.events_of_run(s, SMALL_JOB),
    "the next audit": lambda s: queue.claim_audit(s, "me", NOW, HOUR),
    "whether an audit is due": lambda s: queue.has_due(s, NOW),
    "who runs audits": queue.lease_owners,
    "audits of dead workers": lambda s: queue.requeue_abandoned(s, NOW, ["me"], 3),
    "audits that wait": lambda s: sessions.waiting_audits(s, SHOPS, AuditMode.STANDARD, "1"),
    "due audit schedules": lambda s: schedules.due_schedules(s, NOW, 50),
    "withheld records of files": lambda s: tombstones.withheld_places(s, ["7-gone.warc.gz"]),
    "withheld records of an hour": lambda s: tombstones.withheld_copies(s, NOW, NOW + HOUR),
    "a withheld capture of a second": lambda s: tombstones.tombstone_at(s, OFTEN_CAPTURED, NOW),
    "snapshots of the same records": lambda s: tombstones.with_copies(s, range(1, 50)),
    "the newest withheld capture of a URL": lambda s: tombstones.last_tombstone(s, OFTEN_CAPTURED),
    "exports of a small job's files": lambda s: export_history.running_exports(s, [SMALL_JOB], NOW),
    "records to export": lambda s: export_records.records_of_captures(s, [1, 2, 3]),
    "some snapshots of a source": lambda s: source_rows.snapshots_of_source(s, SOURCE, 100),
    "files of a small source": lambda s: export_records.files_to_export(s, [SMALL_JOB]),
    "expired artifacts": lambda s: artifacts.get_expired_html_artifacts(s, NOW, 100),
    "a newer job that crawled the same": lambda s: closed_jobs.repeated_by(s, SMALL_JOB),
    "jobs with expired logs": lambda s: closed_jobs.jobs_with_expired_logs(s, NOW, 100),
    "deleting tasks": lambda s: closed_jobs.delete_expired_tasks(s, NOW, 100),
}
OF_BATCHES: dict[str, Asking] = {
    "counting pages anew": lambda s: snapshots.refresh_pages(s, SOURCE, URLS),
    "what came before": lambda s: link_previous(s, range(FIRST_OF_SMALL_JOB, FIRST_OF_SMALL_JOB + 5)),
    "known captures": lambda s: captures.capture_ids(s, 11, [FIRST_OF_SMALL_JOB * 1000]),
    "resources that a job has": lambda s: captured_requisites.taken_urls(s, LARGE_JOB, URLS),
    "files being deleted": lambda s: captures.files_being_deleted(s, [11, 12, 13]),
    "known payloads": lambda s: captures.originals(s, SOURCE, DIGESTS, is_there),
    "earlier captures": lambda s: captures.earlier_captures(s, SOURCE, SMALL_JOB, URLS, is_there),
    "payloads of revisits": lambda s: payloads.payloads(s, SOURCE, ORIGINALS, INDEX_VERSION, is_there),
    "earlier texts of a page": lambda s: changes.earlier_documents(s, compared(s), 6),
    "texts of the pages of two runs": lambda s: paired_pages.paired_texts(s, SMALL_JOB, LARGE_JOB, 20),
    "the job before": lambda s: changes.previous_job(s, SOURCE, SMALL_JOB),
    "texts of a small job": lambda s: changes.sample_texts(s, SMALL_JOB, 20),
    "listings of captures": lambda s: page_metadata.load_listings(s, range(FIRST_OF_SMALL_JOB, FIRST_OF_SMALL_JOB + 5)),
    "pairs of captures": pairs_of_waiting,
    "unchanged captures": settle_unchanged,
    "the capture before": lambda s: change_lists.previous_snapshot(s, FIRST_OF_SMALL_JOB),
    "regrouping": lambda s: regrouping.regroup_snapshots(s, GroupedSource(1, "source-1", ()), 0, 50, dry_run=True),
}
OF_BATCHES |= {
    "captures with their places": lambda s: plugin_runs.placed_captures(s, BATCH_OF_CAPTURES),
    "pages as they are indexed": lambda s: plugin_runs.indexed_pages(s, BATCH_OF_CAPTURES),
    "what plugins have done": lambda s: plugin_runs.run_statuses(s, BATCH_OF_CAPTURES),
    "known snapshots": lambda s: snapshots.known_snapshots(s, BATCH_OF_CAPTURES),
    "pages that revisits show": lambda s: snapshots.copied(s, BATCH_OF_CAPTURES),
    "pages that a page links to": lambda s: snapshots.linked_pages(s, BATCH_OF_CAPTURES),
    "sets of links": lambda s: links.link_sets(s, BATCH_OF_CAPTURES),
    "ranks of pages": lambda s: signals.ranked_pages(s, BATCH_OF_CAPTURES),
    "learning forms of words": lambda s: learn_forms(s, "en", {"word1", "marmalades"}, {"word1", "marmalades"}),
    "images of pages": lambda s: page_metadata.load_images(s, ["hash-1", "hash-2"]),
}
OF_VIEWS: dict[str, Asking] = {
    "a snapshot": seen,
    "the text of a snapshot": lambda s: page_texts.load_page_text(s, FIRST_OF_SMALL_JOB),
    "whether there are jobs": catalog.has_jobs,
    "events of snapshots": lambda s: change_lists.events_of_snapshots(s, BATCH_OF_CAPTURES),
    "the diff of an event": lambda s: change_lists.diff_of_event(s, 7),
    "saved searches": saved_searches.list_searches,
    "holds": holds.list_holds,
    "a price": lambda s: listings.find_price(s, 7),
    "copies of a record": other_places,
    "a job's newest replay check": lambda s: replay_checks.newest_check(s, LARGE_JOB),
    "captures of a second": lambda s: closest.captures_at(s, OFTEN_CAPTURED, NOW),
    "the closest captures": lambda s: closest.captures_near(s, OFTEN_CAPTURED, NOW),
    "the closest captures of a job": lambda s: closest.captures_near(s, OFTEN_CAPTURED, NOW, SMALL_JOB),
    "captures around one": around,
    "captures of a prefix": lambda s: cdx.list_captures(s, SITE, limit=100),
    "captures of a prefix, from halfway": lambda s: cdx.list_captures(s, SITE, after=HALFWAY, limit=100),
    "captures of a prefix, backwards": lambda s: cdx.list_captures(
        s, replace(SITE, is_reverse=True), after=HALFWAY, limit=100
    ),
    "the payload of a revisit": lambda s: payloads.payload_places(s, ORIGINALS[0], "<5>"),
    "a page's captures": lambda s: catalog.timeline(s, seen(s)),
    "a page's latest capture": lambda s: catalog.latest_capture(s, seen(s), html_only=True),
    "a page's resources": lambda s: page_links.resources_of(s, FIRST_OF_SMALL_JOB),
    "a page's links": lambda s: page_links.links_of(s, seen(s), most=50),
    "the event of a capture": lambda s: change_lists.event_of_snapshot(s, FIRST_OF_SMALL_JOB),
    "the newest changes": lambda s: change_lists.list_events(s, EventFilter(), limit=20),
    "significant changes": lambda s: change_lists.list_events(s, EventFilter(min_significance=0.4), limit=20),
    "changes of a page": lambda s: change_lists.list_events(s, EventFilter(normalized_url_group=URLS[0]), limit=20),
    "changes of a job": lambda s: change_lists.list_events(s, EventFilter(job_id=SMALL_JOB), limit=20),
    "the archive's totals": catalog.totals,
    "sources": catalog.sources,
    "sources with their jobs": sources.list_sources,
    "a source": lambda s: sources.source_view(s, "source-1"),
    "whose an address is": source_scopes.source_scopes,
    "due sources": lambda s: sources.due_sources(s, NOW),
    "editions": lambda s: editions.editions_of(s, front(s)),
    "a front page": lambda s: editions.front_page_in(s, "source-1", "fr"),
    "jobs": catalog.jobs,
    "jobs of a source": lambda s: catalog.jobs(s, source="source-2"),
    "jobs of a status": lambda s: catalog.jobs(s, status="indexed"),
    "jobs under way": lambda s: catalog.jobs_under_way(s, limit=10),
    "jobs by status": lambda s: catalog.job_status_counts(s, public=True),
    "sources of jobs": catalog.sources_of_jobs,
    "snapshots of a job": lambda s: catalog.job_snapshots(s, SMALL_JOB, limit=20, offset=5),
    "who leads what": lambda s: overview.led_jobs(s, NOW),
    "who crawls what": overview.crawled_by,
    "what is due": overview.next_runs,
    "numbers of jobs": metrics.job_numbers,
    "running jobs": lambda s: metrics.running_jobs(s, NOW),
    "what is not indexed": metrics.index_lag,
    "totals of sources": totals.totals,
    "bytes of sources": storage.bytes_by_source,
    "changes of a target": lambda s: audit_log.entries(s, ChangeFilter(target="job:7"), limit=20),
    "changes of an actor": lambda s: audit_log.entries(s, ChangeFilter(actor="person-7"), limit=20),
    "changes of a kind": lambda s: audit_log.entries(s, ChangeFilter(action="action-7"), limit=20),
    "new reports": lambda s: report_review.reports(s, status="new", limit=20),
    "a snapshot that is not there": lambda s: tombstones.missing_snapshot(s, 10**9),
    "messages that wait": announcing.count_waiting,
    "dead letters": outbox.list_dead,
    "the number of dead letters": outbox.count_dead,
    "changes marked as important": lambda s: change_lists.list_events(
        s, EventFilter(review=ReviewFilter.IMPORTANT), limit=30
    ),
    "watches": lambda s: watches.list_watches(s, limit=30, offset=30),
    "a watch": lambda s: watches.list_watches(s, watch_id=7),
    "the number of watches": watches.count_watches,
    "changes of a watch": lambda s: watches.events_of_watch(s, 7, 50),
    "site events of a watch": lambda s: site_events.events_of_watch(s, 7, 50),
    "the newest site events": newest_site_events,
    "site events of a source": lambda s: newest_site_events(s, source="source-1"),
    "site events of a page": lambda s: newest_site_events(s, page=URLS[0]),
    "every mark": reviews.list_reviews,
    "targets": subscriptions.list_targets,
    "subscriptions": subscriptions.list_subscriptions,
    "the last retention pass": retention.last_run,
    "attempts to fetch a URL": lambda s: scrapes.scrapes_of_url(s, URLS[0], limit=20),
    "runs of a source": lambda s: site_diff.list_runs(s, SOURCE, CrawlDefaults(20, 10_000)),
    "what a run got of pages": lambda s: site_diff.bad_responses(s, LARGE_JOB, URLS),
    "what a run got of URLs": lambda s: site_diff.responses_of(s, LARGE_JOB, URLS),
    "pages of a run": lambda s: site_diff.pages_of_run(s, LARGE_JOB, URLS),
    "contents of pages": lambda s: site_diff.page_contents(s, range(FIRST_OF_SMALL_JOB, FIRST_OF_SMALL_JOB + 5)),
    "the last integrity check": integrity_checks.last_check,
    "the next file to check": lambda s: integrity.warc_after(s, 5),
    "the next blobs to check": lambda s: [*integrity.blobs_on_disk(s, "5", 200)],
    "the first file": integrity_checks.first_file_time,
    "a page of watches": lambda s: watches.list_watches(s, limit=20, offset=40),
    "audits": lambda s: sessions.list_audits(s, limit=20),
    "failed audits": lambda s: sessions.list_audits(s, status=AuditStatus.FAILED, limit=20),
    "the audit before": lambda s: sessions.previous_audit(s, sessions.list_audits(s, limit=1)[0]),
    "artifacts of an audit": lambda s: artifacts.artifacts_of_session(s, AUDIT),
    "a listing": lambda s: listings.find_listing(s, 7),
    "listings of a page": lambda s: listings.listings_of_page(s, URLS[0], URLS[0]),
    "prices of a listing": lambda s: listings.price_history(s, [7], limit=20),
    "a haul": lambda s: hauls.load_haul(s, "haul-7"),
    "traces of a snapshot": lambda s: collection_lists.list_diagnostics(s, CollectionFilter(snapshot_id=7), limit=20),
    "scrapes of a URL": lambda s: collection_lists.list_scrapes(s, CollectionFilter(url=URLS[0]), limit=20),
    "a withheld snapshot": lambda s: tombstones.tombstone_of(s, CAPTURES + 7),
    "documents that hold a word": lambda s: count_documents(s, Words(("marmalade",)), 100),
    "busy hosts": lambda s: permits.busy_slots(s, 2),
}
OF_THE_WHOLE_ARCHIVE: dict[str, Asking] = {
    "URLs with queries of a large job": lambda s: [*frontier.urls_with_queries(s, LARGE_JOB)],
    "the health of a large job's run": lambda s: scraper_health.add_run_health(s, LARGE_JOB, "indexed", NOW),
    "the summary of a large job": lambda s: snapshots.compare_with_before(s, LARGE_JOB),
    "pages of a large run": lambda s: [*site_diff.good_urls(s, LARGE_JOB)],
    "captures that match a search": lambda s: matching_captures(s, SEARCHED, range(1, 500)),
    "the newest changes that match a search": lambda s: newest_matches(s, SEARCHED, 50),
    "a large job's failed URLs": lambda s: absence.lost_way(s, SOURCE, LARGE_JOB),
    "jobs without a template": lambda s: changes.jobs_without_template(s, SOURCE),
    "pages with a rank to hand on": lambda s: signals.unsettled_pages(s, 0.01, 1_000),
    "the rank of all pages": signals.total_mass,
    "blobs that nothing refers to": assets.unreferenced_blobs,
    "bytes of assets": storage.asset_bytes,
    "assets that were not seen": lambda s: absence.unseen_assets(s, SOURCE, ["page"], NOW - 9_999 * HOUR, after_id=0),
    "present assets of a source": lambda s: absence.count_present(s, SOURCE, ["page"]),
    "the totals of a rebuild": rebuilding.totals,
    "how many captures a prefix has": lambda s: cdx.count_captures(s, SITE),
    "a page of a prefix": lambda s: cdx.position_of(s, SITE, CAPTURES),
    "expired tasks": lambda s: closed_jobs.count_expired_tasks(s, NOW),
    "unreferenced blobs": lambda s: assets.count_unreferenced(s, NOW),
    "all reports": lambda s: report_review.reports(s, limit=20),
    "pages that lost their links": lambda s: site_diff.unlinked_pages(s, OTHER_JOB, ANOTHER_JOB, range(1, 500)),
    "pages that changed between two runs": changed_between,
    "listings by price": lambda s: listings.list_listings(s, ListingFilter(), ListingOrder.CHEAPEST, limit=20),
    "all hauls": lambda s: hauls.list_hauls(s, limit=20),
    "all watches": watches.all_watches,
    "all audit schedules": schedules.list_schedules,
    "how many captures a source has": lambda s: source_rows.count_captures(s, SOURCE),
    "pruning permits": lambda s: permits.prune(s, timedelta(days=-1)),
    "a dead worker's permits": lambda s: permits.forget_owner(s, "somebody else", HOUR),
}


@pytest.fixture(scope="module")
def large(fresh_database_url: FreshDatabase) -> Iterator[Database]:
    """An archive of many rows, of which the database knows what the index lets it know while it writes."""
    with fresh_database_url() as url, pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "MOST_COUNTED", 100)
        database = Database(url)
        fill(database, CAPTURES)
        wait_until(lambda: database.is_sqlite or has_statistics(database), "PostgreSQL looked at its tables")
        yield database
        database.dispose()


def has_statistics(database: Database) -> bool:
    refresh_statistics(database)
    with database.read() as session:
        return bool(
            session.scalar(text("SELECT min(reltuples) > 0 FROM pg_class WHERE relname IN ('captures', 'pages')"))
        )


def dear(database: Database, asked: dict[str, Asking], most: int) -> dict[str, Effort]:
    """Return what costs more than it may."""
    efforts = {name: effort_of(database, asking) for name, asking in asked.items()}
    return {name: effort for name, effort in efforts.items() if effort.amount > most}


@pytest.mark.parametrize(
    "asked", [OF_JOBS, OF_BATCHES, OF_VIEWS, OF_REPORTS], ids=["jobs", "batches", "views", "reports"]
)
def test_common_queries_read_little_of_a_large_archive(large: Database, asked: dict[str, Asking]) -> None:
    assert dear(large, asked, MOST[large.url.get_backend_name()]) == {}


def test_what_asks_about_the_whole_archive_reads_it_a_few_times_at_most(large: Database) -> None:
    most = MOST_PER_CAPTURE[large.url.get_backend_name()] * CAPTURES
    assert dear(large, OF_THE_WHOLE_ARCHIVE | OF_WHOLE_SOURCES, most) == {}


def test_a_list_is_read_and_counted_to_a_limit(large: Database) -> None:
    assert dear(large, OF_LISTS, 2 * MOST[large.url.get_backend_name()]) == {}
    with large.read() as session:
        _, total = listings.list_listings(session, ListingFilter(), ListingOrder.NEWEST, limit=1)
    assert total == 101


def test_a_list_that_is_exported_is_read_on_from_where_it_was(large: Database) -> None:
    scope = ExportScope(after_id=CAPTURES // 2, limit=20)
    exported: dict[str, Asking] = {
        "snapshots": lambda _: [*exported_snapshots(large, scope)],
        "changes": lambda _: [*exported_events(large, EventFilter(), after_id=CAPTURES // 4, limit=20)],
        "records of a job": lambda _: [*export_records.records_of_job(large, SMALL_JOB)],
        "records of a URL": lambda _: export_records.records_of_url(large, URLS[0]),
        "records of a file": lambda _: [*integrity.recorded_offsets(large, 12)],
    }
    assert dear(large, exported, MOST[large.url.get_backend_name()]) == {}


def test_a_query_that_reads_a_table_is_seen(large: Database) -> None:
    whole: Callable[[Session], object] = signals.total_mass
    assert dear(large, {"all pages": whole}, MOST[large.url.get_backend_name()]).keys() == {"all pages"}
