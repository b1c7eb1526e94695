from datetime import UTC, datetime

import pytest

from tests.support.shelf import Shelf
from webstrata.db.engine import Database
from webstrata.db.operations import catalog
from webstrata.db.queue import jobs
from webstrata.model.archive import ArchiveTotals
from webstrata.model.jobs.job import JobStatus

PAGE = "https://example.org/a"


def noon(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T12:00:00+00:00").astimezone(UTC)


def test_a_snapshot_is_shown_with_its_source_and_job(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    snapshot = shelf.page(job, "https://www.example.org/a?q=1", "2026-01-01", "text", title="Title")
    with database.read() as session:
        view = catalog.snapshot(session, snapshot)
        place = catalog.record_place(session, snapshot)
    assert view is not None
    assert (view.id, view.url, view.title) == (snapshot, "https://www.example.org/a?q=1", "Title")
    assert (view.normalized_url_group, view.captured_at) == (PAGE, noon("2026-01-01"))
    assert (view.source_code, view.source_name, view.job_id, view.job_name) == ("hc", "HC", job, "hc-job")
    assert place is not None
    assert (place.url, place.length, place.captured_at) == (view.url, 1, view.captured_at)


def test_a_snapshot_that_is_not_there_is_none(database: Database) -> None:
    with database.read() as session:
        assert catalog.snapshot(session, 2**62) is None
        assert catalog.record_place(session, 2**62) is None


def test_a_timeline_holds_all_captures_of_the_page_by_its_source_oldest_first(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    february = shelf.page(job, PAGE, "2026-02-01")
    january = shelf.page(job, "http://www.example.org/a/", "2026-01-01", status=404)
    shelf.page(job, PAGE + "b", "2026-01-01")
    shelf.page(shelf.job("phac"), PAGE, "2026-01-15")
    with database.read() as session:
        view = catalog.snapshot(session, february)
        assert view is not None
        assert [capture.id for capture in catalog.timeline(session, view)] == [january, february]


def test_a_source_is_summed_up(database: Database, shelf: Shelf) -> None:
    job = shelf.job(base_url="http://example.org")
    front = shelf.page(job, "https://www.example.org/", "2026-01-02")
    shelf.page(job, "https://example.org/", "2026-01-03", status=500)
    latest = shelf.page(job, PAGE, "2026-01-04")
    with database.read() as session:
        (source,) = catalog.sources(session)
    assert (source.code, source.name, source.record_count) == ("hc", "HC", 3)
    assert (source.first_capture, source.last_capture) == (noon("2026-01-02"), noon("2026-01-04"))
    assert (source.latest_record_id, source.entry_record_id) == (latest, front)


@pytest.mark.parametrize("base_url", [None, "", "nonsense", "https://example.org/never-captured"])
def test_a_source_without_a_captured_front_page_has_no_entry(
    database: Database, shelf: Shelf, base_url: str | None
) -> None:
    shelf.page(shelf.job(base_url=base_url), PAGE, "2026-01-01")
    with database.read() as session:
        assert catalog.sources(session)[0].entry_record_id is None


def test_sources_come_by_name_and_only_those_with_captures(database: Database, shelf: Shelf) -> None:
    for code in ("b", "C", "a"):
        shelf.page(shelf.job(code), PAGE, "2026-01-01")
    shelf.job("empty")
    with database.read() as session:
        assert [source.code for source in catalog.sources(session)] == ["a", "b", "C"]


def test_the_test_source_is_in_no_list_and_no_count(database: Database, shelf: Shelf) -> None:
    shelf.page(shelf.job("test"), PAGE, "2026-12-01")
    shelf.page(shelf.job("hc"), PAGE, "2026-01-01")
    shelf.page(shelf.job("hc"), PAGE, "2026-01-02")
    with database.read() as session:
        assert [source.code for source in catalog.sources(session)] == ["hc"]
        assert catalog.totals(session) == ArchiveTotals(2, 1, 1, noon("2026-01-02"))


def test_an_empty_archive_adds_up_to_nothing(database: Database) -> None:
    with database.read() as session:
        assert catalog.totals(session) == ArchiveTotals(0, 0, 0, None)
        assert catalog.sources(session) == ()
        assert catalog.jobs(session) == ((), 0)
        assert catalog.job_status_counts(session) == {}
        assert catalog.job(session, 1) is None


def test_jobs_are_listed_newest_first_filtered_and_paged(database: Database, shelf: Shelf) -> None:
    ids = [shelf.job(source) for source in ("hc", "hc", "phac")]
    with database.write() as session:
        jobs.set_job(session, ids[0], status=JobStatus.INDEXED, status_reason="why")
    with database.read() as session:
        everything, total = catalog.jobs(session)
        assert ([job.id for job in everything], total) == (ids[::-1], 3)
        page, total = catalog.jobs(session, limit=1, offset=1)
        assert ([job.id for job in page], total) == ([ids[1]], 3)
        assert [job.id for job in catalog.jobs(session, source="phac")[0]] == [ids[2]]
        assert [job.id for job in catalog.jobs(session, status="indexed")[0]] == [ids[0]]
        assert catalog.jobs(session, limit=10, offset=100) == ((), 3)
        assert catalog.job_status_counts(session) == {"indexed": 1, "queued": 2}
        one = catalog.job(session, ids[0])
    assert one is not None
    assert (one.status, one.status_reason, one.source_code) == ("indexed", "why", "hc")


def test_a_jobs_snapshots_come_in_the_order_they_were_indexed(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    ids = [shelf.page(job, f"{PAGE}{n}", f"2026-01-{9 - n:02}") for n in range(3)]
    shelf.page(shelf.job(), PAGE, "2026-01-01")
    with database.read() as session:
        assert [view.id for view in catalog.job_snapshots(session, job, limit=10, offset=0)] == ids
        assert [view.id for view in catalog.job_snapshots(session, job, limit=1, offset=1)] == [ids[1]]
