"""Jobs that come by themselves, when their sources are due."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Event

import pytest
from sqlalchemy import select

from tests.support.web_server import WebServer, page
from webstrata.db.engine import Database, Session
from webstrata.db.schema.tables import ArchiveJob, Page, Source
from webstrata.db.sources import sources
from webstrata.db.sources.sources import DueSource, NewSource
from webstrata.errors import ConflictError
from webstrata.jobs.running.persistent import WorkerContext
from webstrata.jobs.running.worker import run_worker_loop
from webstrata.jobs.sources.registry import add_source, create_job_for_source, make_job
from webstrata.jobs.sources.schedule import queue_due
from webstrata.model.jobs.registry import SourceJobConfig, SourceView

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def add(database: Database, code: str = "site", schedule: str | None = "1d") -> None:
    entry = SourceJobConfig(code, f"{code}-{{date}}", (f"https://{code}.example/",), schedule_hint=schedule)
    add_source(database, NewSource(entry, name=code), NOON)


def view(database: Database, code: str = "site") -> SourceView:
    with database.read() as session:
        return sources.source_view(session, code)


def settle(database: Database, status: str = "indexed") -> None:
    with database.write() as session:
        for job in session.scalars(select(ArchiveJob)):
            job.status = status


def test_a_source_that_is_due_gets_a_job_and_its_next_run(database: Database, root: Path) -> None:
    add(database)
    (job_id,) = queue_due(database, root, NOON + timedelta(seconds=7))
    assert view(database).next_run_at == NOON + DAY, "turns keep step with the first"
    last = view(database).last_job
    assert last
    assert (last.id, last.status) == (job_id, "queued")
    settle(database)
    assert queue_due(database, root, NOON + DAY - timedelta(seconds=1)) == []
    assert len(queue_due(database, root, NOON + DAY)) == 1


def test_after_downtime_a_source_gets_one_job_not_one_for_each_missed_run(database: Database, root: Path) -> None:
    add(database)
    later = NOON + 10 * DAY + timedelta(hours=3)
    assert len(queue_due(database, root, later)) == 1
    settle(database)
    assert queue_due(database, root, later) == []
    assert view(database).next_run_at == NOON + 11 * DAY


def test_a_manual_job_counts_as_the_run_that_is_due(database: Database, root: Path) -> None:
    add(database)
    make_job(database, root, "site")
    settle(database)
    assert queue_due(database, root, datetime.now(UTC)) == []
    assert len(queue_due(database, root, datetime.now(UTC) + DAY)) == 1


@pytest.mark.parametrize("status", ["queued", "retryable", "running", "completed", "indexing"])
def test_a_due_run_waits_while_a_job_of_the_source_is_under_way(database: Database, root: Path, status: str) -> None:
    add(database)
    queue_due(database, root, NOON)
    settle(database, status)
    assert queue_due(database, root, NOON + 3 * DAY) == []
    settle(database, "indexed")
    assert len(queue_due(database, root, NOON + 3 * DAY)) == 1, "it is taken when that is over"
    assert view(database).next_run_at == NOON + 4 * DAY


@pytest.mark.parametrize("status", ["failed", "index_failed", "stopped"])
def test_a_job_that_waits_for_a_person_does_not_hold_up_the_schedule(
    database: Database, root: Path, status: str
) -> None:
    add(database)
    queue_due(database, root, NOON)
    settle(database, status)
    assert len(queue_due(database, root, NOON + DAY)) == 1


def test_paused_and_disabled_sources_and_those_without_a_schedule_get_none(database: Database, root: Path) -> None:
    for code in ("paused", "disabled", "site"):
        add(database, code)
    add(database, "never", schedule=None)
    with database.write() as session:
        sources.pause_schedule(session, "paused")
        sources.set_enabled(session, "disabled", False)
    assert len(queue_due(database, root, NOON + DAY)) == 1
    assert {code: view(database, code).jobs for code in ("paused", "disabled", "never", "site")} == {
        "paused": 0,
        "disabled": 0,
        "never": 0,
        "site": 1,
    }


def test_a_resumed_schedule_makes_up_for_missed_runs_once(database: Database, root: Path) -> None:
    add(database)
    queue_due(database, root, NOON)
    settle(database)
    with database.write() as session:
        sources.pause_schedule(session, "site")
    assert queue_due(database, root, NOON + 5 * DAY) == []
    with database.write() as session:
        assert sources.resume_schedule(session, "site", NOON + 5 * DAY) == NOON + DAY
    assert len(queue_due(database, root, NOON + 5 * DAY)) == 1
    settle(database)
    assert queue_due(database, root, NOON + 5 * DAY) == []


def test_two_workers_that_notice_a_due_run_at_once_queue_one_job(
    database: Database, database_url: str, root: Path
) -> None:
    for number in range(4):
        add(database, f"site{number}")
    both = [Database(database_url), Database(database_url)]
    start = Barrier(2)

    def poll(of_worker: Database) -> list[int]:
        start.wait(timeout=30)
        return queue_due(of_worker, root, NOON)

    with ThreadPoolExecutor(2) as pool:
        queued = [job for found in pool.map(poll, both) for job in found]
    for worker in both:
        worker.dispose()
    assert len(queued) == len(set(queued)) == 4
    assert [view(database, f"site{number}").jobs for number in range(4)] == [1, 1, 1, 1]


def test_a_due_run_waits_for_a_job_that_is_made_by_hand_at_the_same_moment(
    database: Database, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(database)
    noticed, due_sources = Event(), sources.due_sources

    def noticing(session: Session, now: datetime) -> list[DueSource]:
        found = due_sources(session, now)
        noticed.set()
        return found

    monkeypatch.setattr(sources, "due_sources", noticing)
    with ThreadPoolExecutor(1) as pool:
        with database.write() as session:
            create_job_for_source("site", session=session, archive_root=root, now=NOON)
            polled = pool.submit(queue_due, database, root, NOON)
            assert noticed.wait(timeout=30)
        assert polled.result(timeout=30) == []
    assert (view(database).jobs, view(database).next_run_at) == (1, NOON)


def test_a_source_whose_folder_cannot_be_made_reports_it_and_is_tried_again(database: Database, root: Path) -> None:
    add(database, "blocked")
    add(database, "site")
    root.mkdir(parents=True)
    (root / "blocked").write_text("a file where a folder should be")
    assert len(queue_due(database, root, NOON)) == 1
    waiting = view(database, "blocked")
    assert waiting.schedule_error
    assert str(root / "blocked") in waiting.schedule_error
    assert (waiting.jobs, waiting.next_run_at) == (0, NOON)
    (root / "blocked").unlink()
    assert len(queue_due(database, root, NOON)) == 1
    assert view(database, "blocked").schedule_error is None


def test_an_invalid_entry_does_not_delay_others(database: Database, root: Path) -> None:
    add(database, "broken")
    add(database, "site")
    with database.write() as session:
        row = session.scalars(select(Source).where(Source.code == "broken")).one()
        row.job_config = {"default_seeds": ["nonsense"]}
    assert len(queue_due(database, root, NOON)) == 1
    assert "'nonsense' is not a web address" in (view(database, "broken").schedule_error or "")


def test_a_schedule_counts_from_the_last_job(database: Database, root: Path) -> None:
    add(database, schedule=None)
    with database.write() as session:
        assert sources.set_schedule(session, "site", "7d", NOON) == NOON
        assert sources.set_schedule(session, "site", "0 3 * * *", NOON) == NOON + timedelta(hours=15)
    made = make_job(database, root, "site")
    with database.write() as session:
        created = session.get_one(ArchiveJob, made.id).created_at
        assert sources.set_schedule(session, "site", "7d", created + DAY) == created + 7 * DAY
        assert sources.set_schedule(session, "site", "7d", created + 30 * DAY) == created + 30 * DAY
        assert sources.set_schedule(session, "site", None, NOON) is None
    with pytest.raises(ConflictError, match="site has no schedule to pause"), database.write() as session:
        sources.pause_schedule(session, "site")
    with pytest.raises(ConflictError, match="site has no schedule: give it one"), database.write() as session:
        sources.resume_schedule(session, "site", NOON)


def test_what_is_scheduled_does_not_change_with_a_job_made_by_hand(database: Database, root: Path) -> None:
    from webstrata.jobs.running.queueing import queue_archive

    queue_archive(database, root, ("https://site.example/",), code="site")
    with database.write() as session:
        sources.set_schedule(session, "site", "1d", NOON)
    settle(database)
    queue_archive(database, root, ("https://site.example/one-page",), code="site", crawl={"max_pages": 1})
    settle(database)
    with database.read() as session:
        entry = sources.registry_entry(session, "site")
    assert (list(entry.default_seeds), dict(entry.crawl)) == (["https://site.example/"], {})


def test_a_worker_archives_what_is_due_and_distinguishes_pages_as_the_source_says(
    context: WorkerContext, database: Database, web_server: WebServer
) -> None:
    web_server.answers |= {
        "/": page("Home", "/recipe?id=1&utm_source=x", "/recipe?id=2"),
        "/recipe?id=1&utm_source=x": page("Soup"),
        "/recipe?id=2": page("Cake"),
    }
    entry = SourceJobConfig("site", "site-{date}", (web_server.url(),), schedule_hint="7d")
    add_source(database, NewSource(entry, name="Site", page_parameters=("id",)), NOON)
    run_worker_loop(run_once=True, context=context)
    last = view(database).last_job
    assert last
    assert (last.status, view(database).snapshots) == ("indexed", 3)
    with database.read() as session:
        groups = set(session.scalars(select(Page.normalized_url_group)))
    root = web_server.url().replace("http://", "https://")
    assert groups == {root, f"{root}recipe?id=1", f"{root}recipe?id=2"}
