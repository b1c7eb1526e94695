"""A source's totals say what counting its snapshots would say, whatever happened to them."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select, text, update

from tests.support.shelf import Shelf
from tests.support.waiting import wait_until
from webstrata.db import migrate
from webstrata.db.captures import regrouping, snapshots
from webstrata.db.engine import Database, Session
from webstrata.db.schema.tables import Snapshot, Source
from webstrata.db.sources import totals
from webstrata.db.sources.totals import SourceTotal
from webstrata.model.urls import url_group

JANUARY = datetime(2026, 1, 1, 12, tzinfo=UTC)
SITE = "https://example.org"


def recounted(session: Session) -> list[SourceTotal]:
    """Count everything anew, from the snapshots alone."""
    counted = session.execute(
        select(
            Source.id,
            Source.code,
            Source.name,
            func.count(),
            func.count(Snapshot.normalized_url_group.distinct()),
            func.min(Snapshot.capture_timestamp),
            func.max(Snapshot.capture_timestamp),
        )
        .join(Snapshot, Snapshot.source_id == Source.id)
        .group_by(Source.id, Source.code, Source.name)
        .order_by(Source.code)
    ).all()
    by_age = select(Snapshot.source_id, Snapshot.id).order_by(Snapshot.capture_timestamp, Snapshot.id)
    newest = {row[0]: row[1] for row in session.execute(by_age)}
    return [SourceTotal(*row, newest[row[0]]) for row in counted]


def assert_exact(database: Database) -> None:
    with database.read() as session:
        kept = totals.totals(session)
        assert [total for total in kept if total.snapshots] == recounted(session)
        empty = [total for total in kept if not total.snapshots]
    for total in empty:
        assert (total.pages, total.first_capture, total.last_capture, total.latest_snapshot_id) == (0, None, None, None)


def snapshot_rows(database: Database) -> list[tuple[int, int, str]]:
    with database.read() as session:
        rows = session.execute(select(Snapshot.id, Snapshot.source_id, Snapshot.normalized_url_group))
        return [(row[0], row[1] or 0, row[2] or "") for row in rows]


def index_differently(database: Database, chance: random.Random, some: list[tuple[int, int, str]]) -> None:
    """Move snapshots to other pages and moments, as indexing again by other rules does."""
    for snapshot_id, source_id, group in some:
        wanted = url_group(f"{SITE}/{chance.randrange(6)}")
        at = JANUARY + timedelta(days=chance.randrange(9))
        with database.write() as session:
            session.execute(
                update(Snapshot)
                .where(Snapshot.id == snapshot_id)
                .values(normalized_url_group=wanted, capture_timestamp=at)
            )
            snapshots.refresh_pages(session, source_id, {group, wanted})


def drop(database: Database, some: list[tuple[int, int, str]]) -> None:
    for snapshot_id, source_id, group in some:
        with database.write() as session:
            snapshots.delete_snapshots(session, [snapshot_id])
            snapshots.refresh_pages(session, source_id, [group])


def test_totals_are_exact_after_any_indexing_and_deleting(database: Database, shelf: Shelf) -> None:
    chance = random.Random(6)
    jobs = [shelf.job(code) for code in ("hc", "phac", "test")]
    for _ in range(12):
        for _ in range(chance.randrange(4)):
            day = JANUARY + timedelta(days=chance.randrange(9))
            shelf.page(chance.choice(jobs), f"{SITE}/{chance.randrange(6)}", day.date().isoformat())
        known = snapshot_rows(database)
        index_differently(database, chance, chance.sample(known, min(len(known), chance.randrange(3))))
        known = snapshot_rows(database)
        drop(database, chance.sample(known, min(len(known), chance.randrange(3))))
        assert_exact(database)
    drop(database, snapshot_rows(database))
    assert_exact(database)


def test_totals_are_exact_after_pages_were_grouped_anew(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    for number in range(4):
        shelf.page(job, f"{SITE}/a?id={number}", f"2026-01-0{number + 1}")
    source = regrouping.GroupedSource(1, "hc", ("id",))
    with database.write() as session:
        assert regrouping.regroup_snapshots(session, source, 0, 100).moved == 4
    assert_exact(database)
    with database.read() as session:
        assert [(total.snapshots, total.pages) for total in totals.totals(session)] == [(4, 4)]


@pytest.fixture
def shared(postgres_url: str) -> Iterator[Database]:
    """A database that several write to at a time, which SQLite does not let them."""
    database = Database(postgres_url)
    yield database
    database.dispose()


def is_waited_for(database: Database) -> bool:
    with database.read() as session:
        waiting = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
        return bool(session.scalar(waiting))


def test_two_who_drop_captures_of_the_same_page_at_once_count_each_other(shared: Database) -> None:
    shelf = Shelf(shared)
    job = shelf.job()
    first, second, _ = (shelf.page(job, f"{SITE}/a", f"2026-01-0{day}") for day in (1, 2, 3))

    def dropped(snapshot_id: int) -> None:
        with shared.write() as session:
            totals.hold_totals(session, 1)
            snapshots.delete_snapshots(session, [snapshot_id])
            snapshots.refresh_pages(session, 1, [f"{SITE}/a"])

    with ThreadPoolExecutor() as beside, shared.write() as session:
        totals.hold_totals(session, 1)
        snapshots.delete_snapshots(session, [first])
        other = beside.submit(dropped, second)
        wait_until(lambda: is_waited_for(shared), "the other waits its turn")
        snapshots.refresh_pages(session, 1, [f"{SITE}/a"])
        session.commit()
        other.result(timeout=30)
    assert_exact(shared)


def test_the_public_does_not_see_the_hidden_sources_totals(database: Database, shelf: Shelf) -> None:
    for code in ("test", "hc"):
        shelf.page(shelf.job(code), SITE, "2026-01-01")
    with database.read() as session:
        assert [total.code for total in totals.totals(session)] == ["hc", "test"]
        assert [total.code for total in totals.totals(session, public=True)] == ["hc"]


def test_an_archive_of_before_gets_its_totals_with_the_migration(database: Database, shelf: Shelf) -> None:
    hc, phac = shelf.job("hc"), shelf.job("phac")
    for job, url, day in ((hc, "a", 3), (hc, "b", 1), (hc, "a", 2), (phac, "a", 5), (hc, "c", 3)):
        shelf.page(job, f"{SITE}/{url}", f"2026-01-0{day}")
    with database.read() as session:
        before = totals.totals(session)
    migrate.downgrade(database, "0004")
    migrate.upgrade(database)
    with database.read() as session:
        assert totals.totals(session) == before
    assert_exact(database)
