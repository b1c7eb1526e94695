"""What monitoring reads: the names that it has always known, and what a scrape costs."""

import os
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import Connection, event, text
from starlette.testclient import TestClient

from tests.api.archives import Archive
from tests.api.conftest import MakeClient
from webstrata.db.engine import Database
from webstrata.db.operations import operations
from webstrata.db.operations.operations import Operation
from webstrata.db.queue import frontier, run_reports
from webstrata.db.schema.every_table import Base
from webstrata.db.schema.tables import WarcFile
from webstrata.model.crawl.run_reports import CrawlReport
from webstrata.model.crawl.tasks import Link

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]

GROWING = {
    *("snapshots", "captures", "documents", "pages", "crawl_tasks", "snapshot_outlinks", "page_signals"),
    *("plugin_runs", "assets", "asset_versions", "asset_blobs", "record_problems", "warc_files", "audit_log"),
}
"""Tables that grow with what is captured or done; to read one of them as a whole would take longer every day."""


@pytest.fixture
def admin(client: TestClient) -> TestClient:
    client.headers["Authorization"] = "Bearer s3cret"
    return client


def scraped(admin: TestClient) -> Samples:
    answer = admin.get("/metrics")
    assert answer.status_code == 200
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def value(samples: Samples, metric: str, **labels: str) -> float:
    return samples[metric, frozenset(labels.items())]


def test_the_names_of_old_are_there_with_their_labels(admin: TestClient, archive: Archive) -> None:
    archive.snapshot(source="hc", job_id=archive.job("hc", pages_crawled=7, pages_failed=2))
    archive.snapshot(source="phac", job_id=archive.job("phac", pages_crawled=3, cleanup_status="temp_cleaned"))
    archive.snapshot("https://phac.example/b", source="phac", job_id=archive.job("phac", status="failed"))
    archive.job(None, status="queued")
    samples = scraped(admin)
    assert value(samples, "healtharchive_jobs_total", status="indexed") == 2
    assert value(samples, "healtharchive_jobs_total", status="failed") == 1
    assert value(samples, "healtharchive_jobs_total", status="running") == 0
    assert value(samples, "healtharchive_jobs_cleanup_status_total", cleanup_status="none") == 3
    assert value(samples, "healtharchive_jobs_cleanup_status_total", cleanup_status="temp_cleaned") == 1
    assert value(samples, "healtharchive_snapshots_total") == 3
    assert value(samples, "healtharchive_snapshots_total", source="hc") == 1
    assert value(samples, "healtharchive_snapshots_total", source="phac") == 2
    assert value(samples, "healtharchive_jobs_pages_crawled_total") == 10
    assert value(samples, "healtharchive_jobs_pages_crawled_total", source="hc") == 7
    assert value(samples, "healtharchive_jobs_pages_failed_total") == 2
    assert value(samples, "healtharchive_jobs_pages_failed_total", source="phac") == 0


def test_a_crawl_reports_its_frontier_its_rate_and_when_it_last_got_on(
    admin: TestClient, archive: Archive, database: Database
) -> None:
    now = datetime.now(UTC)
    stats = {"pending": 30, "in_progress": 4, "finished": 9, "error": 1}
    told = archive.job("hc", status="running", started_at=now, last_stats_json=stats)
    with database.write() as session:
        run_reports.write(session, told, "one", CrawlReport(rate=2.5, idle=3.0), now)
        run_reports.write(session, told, "two", CrawlReport(rate=1.5, idle=300.0), now)
    samples = scraped(admin)
    of_job = {"job": str(told), "source": "hc"}
    assert value(samples, "webstrata_frontier_depth", **of_job) == 34
    assert value(samples, "webstrata_crawl_rate", **of_job) == 4.0
    assert 3 <= value(samples, "webstrata_job_last_progress_age_seconds", **of_job) < 100


def test_a_crawler_that_reports_nothing_is_judged_by_its_log_or_its_start(admin: TestClient, archive: Archive) -> None:
    began = datetime.now(UTC) - timedelta(hours=2)
    log = archive.root / "combined.log"
    log.write_text("crawling\n")
    an_hour_ago = datetime.now(UTC).timestamp() - 3600
    os.utime(log, (an_hour_ago, an_hour_ago))
    logged = archive.job("hc", status="running", started_at=began, combined_log_path=str(log))
    silent = archive.job("hc", status="running", started_at=began, combined_log_path=str(archive.root / "gone"))
    samples = scraped(admin)
    ages = [
        value(samples, "webstrata_job_last_progress_age_seconds", job=str(job), source="hc") for job in (logged, silent)
    ]
    assert ages == [pytest.approx(3600, abs=60), pytest.approx(7200, abs=60)]


def test_what_is_not_searchable_yet_is_reported_in_bytes_and_in_time(
    admin: TestClient, archive: Archive, database: Database
) -> None:
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    waiting = archive.job("hc", status="completed", finished_at=hour_ago)
    done = archive.job("hc", status="indexed", finished_at=hour_ago)
    with database.write() as session:
        session.add(WarcFile(job_id=waiting, path="a", committed_bytes=1000, indexed_bytes=300))
        session.add(WarcFile(job_id=waiting, path="b", committed_bytes=50, indexed_bytes=0))
        session.add(WarcFile(job_id=done, path="c", committed_bytes=77, indexed_bytes=77))
    samples = scraped(admin)
    assert value(samples, "webstrata_index_lag_bytes") == 750
    assert value(samples, "webstrata_index_lag_seconds") == pytest.approx(3600, abs=60)


def test_leases_that_were_taken_back_waits_and_clean_ups_are_counted(
    admin: TestClient, archive: Archive, database: Database
) -> None:
    job_id = archive.job("hc", status="running")
    then = datetime.now(UTC) - timedelta(hours=1)
    with database.write() as session:
        frontier.add_links(session, job_id, [Link(f"https://hc.example/{n}") for n in range(3)], 0, then)
        frontier.claim(session, job_id, "dead", limit=3, now=then, lease=timedelta(minutes=1))
    with database.write() as session:
        frontier.reclaim_expired(session, job_id, datetime.now(UTC))
        for operation, times in {
            Operation.JOB_LEASES_RECLAIMED: 2,
            Operation.HOST_TURN_WAITS: 5,
            Operation.HOST_TURN_WAIT_MS: 2_500,
            Operation.CLEANUPS: 1,
            Operation.CLEANUP_BYTES: 4_096,
        }.items():
            operations.count(session, operation, times)
    samples = scraped(admin)
    assert value(samples, "webstrata_lease_reclaims_total", kind="task") == 3
    assert value(samples, "webstrata_lease_reclaims_total", kind="job") == 2
    assert value(samples, "webstrata_lock_waits_total", lock="host") == 5
    assert value(samples, "webstrata_lock_wait_seconds_total", lock="host") == 2.5
    assert value(samples, "webstrata_cleanups_total") == 1
    assert value(samples, "webstrata_cleanup_freed_bytes_total") == 4_096


def test_the_room_on_the_disk_is_reported(make_client: MakeClient, archive: Archive) -> None:
    admin = make_client(min_free_bytes=10**18)
    admin.headers["Authorization"] = "Bearer s3cret"
    samples = scraped(admin)
    free = value(samples, "webstrata_disk_free_bytes")
    assert free > 0
    assert value(samples, "webstrata_disk_headroom_bytes") == pytest.approx(free - 10**18)
    archive.root.rmdir()
    assert ("webstrata_disk_free_bytes", frozenset()) not in scraped(admin)


def test_requests_are_timed_by_their_route_and_never_by_what_was_requested(admin: TestClient) -> None:
    for path in ("/api/snapshot/1", "/api/snapshot/2", "/nothing/of/the/sort", "/api/search?q=flu", "/api/search"):
        admin.get(path)
    admin.head("/api/stats")
    admin.request("BREW", "/api/stats")
    admin.get(f"/api/stats?{'x' * 9000}")
    samples = scraped(admin)

    def count(method: str, route: str, status: str) -> float:
        return value(samples, "webstrata_http_request_seconds_count", method=method, route=route, status=status)

    assert count("GET", "/api/snapshot/{snapshot_id}", "404") == 2
    assert count("GET", "/api/search", "200") == 2
    assert count("HEAD", "/api/stats", "200") == 1
    assert count("GET", "none", "404") == 1
    assert count("GET", "none", "414") == 1
    routes = {dict(labels).get("route") for name, labels in samples if name.startswith("webstrata_http")}
    assert not any("sort" in (route or "") for route in routes)
    assert {dict(labels).get("method") for _, labels in samples} == {None, "GET", "HEAD", "other"}
    assert value(samples, "webstrata_search_seconds_count", door="api") == 2


def test_two_archives_in_one_process_do_not_count_for_each_other(make_client: MakeClient) -> None:
    one, other = make_client(), make_client()
    one.get("/api/stats")
    other.headers["Authorization"] = "Bearer s3cret"
    assert not [name for name, labels in scraped(other) if ("route", "/api/stats") in labels]


def test_only_administrators_read_them(client: TestClient, make_client: MakeClient) -> None:
    assert client.get("/metrics").status_code == 403
    assert client.get("/metrics", headers={"Authorization": "Bearer s3cret"}).headers["cache-control"] == "no-store"
    unset = make_client(admin_token=None, env="production").get("/metrics")
    assert (unset.status_code, unset.json()["detail"]) == (500, "Admin token not configured for this environment")


def test_a_scrape_reads_no_table_that_grows_as_a_whole(admin: TestClient, archive: Archive, database: Database) -> None:
    assert set(Base.metadata.tables) >= GROWING
    archive.snapshot(job_id=archive.job("health", status="running"))
    asked: list[tuple[str, Any]] = []

    def note(_conn: Connection, _cursor: object, statement: str, parameters: Any, *_rest: object) -> None:
        asked.append((statement, parameters))

    event.listen(database.engine, "before_cursor_execute", note)
    scraped(admin)
    event.remove(database.engine, "before_cursor_execute", note)
    assert len(asked) >= 5
    for statement, parameters in asked:
        if statement.lstrip().upper().startswith("SELECT"):
            named = {table for table in GROWING if re.search(rf"\b{table}\b", statement)}
            assert named <= {"warc_files"}, statement
            assert tables_scanned(database, statement, parameters) & GROWING == set(), statement


def tables_scanned(database: Database, statement: str, parameters: Any) -> set[str]:
    """Return the tables that a statement reads from their beginning to their end."""
    explain = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
    with database.engine.connect() as connection:
        if not database.is_sqlite:
            # Tables as small as a test's are quickest read as a whole; a large one is read so when there is no index.
            connection.execute(text("SET enable_seqscan = off"))
        plan = [str(row[-1]) for row in connection.exec_driver_sql(explain + statement, parameters)]
    scan = r"SCAN (\w+)" if database.is_sqlite else r"Seq Scan on (\w+)"
    return {found[1] for line in plan if (found := re.search(scan, line))}


def test_a_scan_would_be_noticed(database: Database) -> None:
    count = "SELECT count(*), max(title) FROM snapshots WHERE title > 'a'"
    assert tables_scanned(database, count, ()) == {"snapshots"}
