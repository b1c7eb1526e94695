from datetime import UTC, datetime, timedelta

import pytest

from tests.support.shelf import Shelf
from webstrata.db.engine import Database
from webstrata.db.queue import jobs, run_reports
from webstrata.db.queue.frontier import FrontierCounts
from webstrata.db.queue.run_reports import WarcSummary
from webstrata.model.crawl.run_reports import CrawlReport, HostReport

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
ONE = CrawlReport(3, 30, {"timeout": 1}, {"a.example": HostReport(3, 30, 1)}, 1.5)
TWO = CrawlReport(5, 70, {"dns": 4}, {"b.example": HostReport(5, 70, 4)}, 2.0)


@pytest.fixture
def shelf(database: Database) -> Shelf:
    return Shelf(database)


def write(database: Database, job_id: int, owner: str, report: CrawlReport, now: datetime = NOW) -> None:
    with database.write() as session:
        run_reports.write(session, job_id, owner, report, now)


def merged(database: Database, job_id: int, now: datetime = NOW) -> CrawlReport:
    with database.read() as session:
        return run_reports.merged(session, job_id, now)


def test_what_processes_wrote_is_read_together(database: Database, shelf: Shelf) -> None:
    job_id, other = shelf.job(), shelf.job()
    assert merged(database, job_id) == CrawlReport()
    write(database, job_id, "here:1:x", ONE)
    write(database, job_id, "here:2:y", TWO)
    write(database, other, "here:1:x", TWO)
    both = merged(database, job_id)
    assert (both.responses, both.bytes, both.rate) == (8, 100, 3.5)
    assert both.errors == {"dns": 4, "timeout": 1}
    assert list(both.hosts) == ["b.example", "a.example"]


def test_a_process_writes_over_what_it_wrote_before(database: Database, shelf: Shelf) -> None:
    job_id = shelf.job()
    write(database, job_id, "here:1:x", ONE)
    write(database, job_id, "here:1:x", TWO)
    assert merged(database, job_id) == TWO


def test_what_a_silent_process_saw_counts_but_its_rate_does_not(database: Database, shelf: Shelf) -> None:
    job_id = shelf.job()
    write(database, job_id, "gone:1:x", ONE, NOW - timedelta(minutes=1))
    write(database, job_id, "here:2:y", TWO)
    both = merged(database, job_id)
    assert (both.responses, both.rate) == (8, 2.0)


def test_a_new_run_forgets_the_reports_of_the_last(database: Database, shelf: Shelf) -> None:
    job_id, other = shelf.job(), shelf.job()
    write(database, job_id, "here:1:x", ONE)
    write(database, job_id, "here:2:y", TWO, NOW + timedelta(seconds=1))
    write(database, other, "here:1:x", TWO)
    with database.write() as session:
        run_reports.clear(session, job_id, NOW + timedelta(seconds=1))
    assert merged(database, job_id) == TWO, "what was written since the run began is its own"
    assert merged(database, other) == TWO


def test_a_jobs_progress_has_its_counts_and_its_report(database: Database, shelf: Shelf) -> None:
    job_id = shelf.job()
    write(database, job_id, "here:1:x", ONE)
    with database.write() as session:
        jobs.set_crawl_counts(session, job_id, {"pending": 4, "in_progress": 3, "finished": 2, "error": 1})
    with database.read() as session:
        found = run_reports.progress(session, job_id, NOW)
    assert found is not None
    assert (found.job.id, found.counts, found.report) == (job_id, FrontierCounts(4, 3, 2, 1), ONE)


def test_a_job_is_over_once_it_is_settled_and_no_one_leads_it(database: Database, shelf: Shelf) -> None:
    job_id = shelf.job()
    ahead = {"lease_owner": "here:1:x", "lease_expires_at": NOW + timedelta(minutes=1)}
    steps: list[tuple[dict[str, object], bool]] = [
        ({"status": "running", **ahead}, False),
        ({"status": "stopped"}, False),
        ({"lease_expires_at": NOW - timedelta(seconds=1)}, True),
        ({"status": "queued"}, False),
        ({"status": "indexed", "lease_owner": None, "lease_expires_at": None}, True),
    ]
    for columns, over in steps:
        with database.write() as session:
            jobs.set_job(session, job_id, **columns)
        with database.read() as session:
            found = run_reports.progress(session, job_id, NOW)
        assert found is not None
        assert found.is_over is over, columns


def test_a_job_that_never_ran_has_empty_counts(database: Database, shelf: Shelf) -> None:
    job_id = shelf.job()
    with database.read() as session:
        found = run_reports.progress(session, job_id, NOW)
        assert run_reports.progress(session, job_id + 1, NOW) is None
    assert found is not None
    assert (found.counts, found.report) == (FrontierCounts(), CrawlReport())


def test_statistics_of_another_engine_do_not_break_the_counts(database: Database, shelf: Shelf) -> None:
    job_id = shelf.job()
    with database.write() as session:
        jobs.set_job(session, job_id, last_stats_json={"crawled": 4, "pending": 2, "limit": {"max": 0}, "error": "x"})
    with database.read() as session:
        found = run_reports.progress(session, job_id, NOW)
    assert found is not None
    assert found.counts == FrontierCounts(pending=2)


def test_warc_files_are_summed_up_with_their_captures(database: Database, shelf: Shelf) -> None:
    job_id, other = shelf.job("hc"), shelf.job("phac")
    for n in range(3):
        shelf.page(job_id, f"https://hc.example/{n}", "2026-05-01")
    with database.read() as session:
        assert run_reports.warc_summaries(session, job_id) == [WarcSummary(f"hc/{job_id}.warc.gz", 0, 3)]
        assert run_reports.warc_summaries(session, other) == [WarcSummary(f"phac/{other}.warc.gz", 0, 0)]


def test_a_job_is_as_idle_as_the_busiest_of_its_processes_and_silence_counts(database: Database, shelf: Shelf) -> None:
    job_id = shelf.job()
    write(database, job_id, "one", CrawlReport(idle=5.0), NOW)
    write(database, job_id, "two", CrawlReport(idle=1.0), NOW - timedelta(minutes=1))
    assert merged(database, job_id, NOW + timedelta(seconds=2)).idle == 7.0
    assert merged(database, job_id, NOW + timedelta(hours=1)).idle == 3605.0
