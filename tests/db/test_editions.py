"""How readers meet a source: its front page and its editions."""

from sqlalchemy import update

from tests.support.shelf import Shelf
from webstrata.db.engine import Database
from webstrata.db.operations import catalog
from webstrata.db.schema.tables import ArchiveJob, Snapshot
from webstrata.db.sources.editions import editions_of, public_source

FRONT = "https://example.org/"


def settle(database: Database, job: int, **columns: object) -> None:
    with database.write() as session:
        session.execute(update(ArchiveJob).where(ArchiveJob.id == job).values(**columns))


def test_editions_are_the_jobs_that_are_over_and_have_captures_newest_first(database: Database, shelf: Shelf) -> None:
    first, second, empty, running, failed, stopped = (shelf.job(base_url=FRONT) for _ in range(6))
    entry = shelf.page(first, FRONT, "2026-01-01")
    shelf.page(first, f"{FRONT}a", "2026-01-03")
    shelf.page(second, f"{FRONT}a", "2026-02-01")
    shelf.page(second, FRONT, "2026-02-01", status=500)
    shelf.page(running, FRONT, "2026-03-01")
    shelf.page(failed, f"{FRONT}a", "2026-04-01")
    shelf.page(stopped, f"{FRONT}a", "2026-05-01")
    for job in (first, second, empty):
        settle(database, job, status="indexed", indexed_page_count=2)
    settle(database, running, status="running")
    settle(database, failed, status="failed", indexed_page_count=1)
    settle(database, stopped, status="stopped", indexed_page_count=1)
    with database.read() as session:
        source = public_source(session, "hc")
        assert source is not None
        found = editions_of(session, source)
    assert [(edition.job_id, edition.entry_record_id, edition.record_count) for edition in found] == [
        (stopped, None, 1),
        (failed, None, 1),
        (second, None, 2),
        (first, entry, 2),
    ]
    assert (found[3].first_capture.day, found[3].last_capture.day) == (1, 3)


def test_a_source_is_public_unless_it_is_hidden(database: Database, shelf: Shelf) -> None:
    for code in ("hc", "test"):
        shelf.job(code)
    with database.read() as session:
        assert public_source(session, "test") is None
        assert public_source(session, "nobody") is None
        found = public_source(session, "hc")
    assert found is not None
    assert (found.code, found.front_group) == ("hc", None)


def test_the_latest_capture_is_the_newest_good_one_of_the_page(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    page = shelf.page(job, FRONT, "2026-01-01")
    newer = shelf.page(job, FRONT, "2026-01-02")
    shelf.page(job, FRONT, "2026-01-03", status=404)
    pdf = shelf.page(job, FRONT, "2026-01-04")
    shelf.page(shelf.job("other"), FRONT, "2026-01-05")
    with database.write() as session:
        session.execute(update(Snapshot).where(Snapshot.id == pdf).values(mime_type="application/pdf"))
    with database.read() as session:
        view = catalog.snapshot(session, page)
        assert view is not None
        latest = [catalog.latest_capture(session, view, html_only=html_only) for html_only in (True, False)]
    assert [found.id if found else None for found in latest] == [newer, pdf]


def test_a_page_without_a_good_capture_has_no_latest(database: Database, shelf: Shelf) -> None:
    page = shelf.page(shelf.job(), FRONT, "2026-01-01", status=500)
    with database.read() as session:
        view = catalog.snapshot(session, page)
        assert view is not None
        assert catalog.latest_capture(session, view, html_only=False) is None
