"""Retention passes: exactly the expired rows go, and nothing else does."""

import threading
from datetime import timedelta

import pytest
from sqlalchemy import text

from tests.retention.rows import DAY, MODELS, NOW, TICK, add_row, count, dates
from tests.support.plans import effort_of
from webstrata.db.engine import Database
from webstrata.db.operations import audit_log
from webstrata.db.operations.audit_log import ChangeFilter
from webstrata.db.retention import retention
from webstrata.db.schema.collection_tables import HaulRow, ListingRow
from webstrata.model.retention.rules import DEFAULT_TTL_DAYS, PassTrigger, expiry_limit
from webstrata.retention.policies import reset_policies, set_policy, show_policies
from webstrata.retention.sweep import run_manual_pass, run_requested_pass, run_scheduled_pass

QUIET = threading.Event()


def fill(database: Database, collection: str, rows: int) -> None:
    """Add many rows that expired on different days, the newest first, and as many that did not."""
    table = MODELS[collection].__tablename__
    columns = {"diagnostics": "url", "export_history": "kind, format, actor"}[collection]
    values = {"diagnostics": "'u'", "export_history": "'k', 'csv', 'a'"}[collection]
    with database.write() as session:
        for number in range(rows):
            for at in (NOW - timedelta(days=100 + number), NOW):
                session.execute(
                    text(f"INSERT INTO {table} (created_at, {columns}) VALUES (:at, {values})"),
                    {"at": at.replace(tzinfo=None) if database.is_sqlite else at},
                )


@pytest.mark.parametrize("collection", DEFAULT_TTL_DAYS)
def test_exactly_the_rows_older_than_the_ttl_go(database: Database, collection: str) -> None:
    limit = NOW - DEFAULT_TTL_DAYS[collection] * DAY
    kept = [limit, limit + TICK, NOW, NOW + DAY]
    for number, at in enumerate([limit - TICK, limit - 999 * DAY, *kept]):
        add_row(database, collection, at, f"row-{number}")
    has_undated = collection != "audit_log"
    if has_undated:
        add_row(database, collection, None, "undated")
    dry = run_manual_pass(database, NOW, dry_run=True).collections[collection]
    assert (dry.expired, dry.deleted, dry.remaining, dry.undated) == (2, 0, 2, has_undated)
    done = run_manual_pass(database, NOW, dry_run=False).collections[collection]
    assert (done.expired, done.deleted, done.remaining, done.undated) == (2, 2, 0, has_undated)
    assert done.ttl_days == DEFAULT_TTL_DAYS[collection]
    left = dates(database, collection)
    assert left[: len(kept)] == kept or (collection == "audit_log" and set(kept) <= set(left))
    assert count(database, MODELS[collection]) == len(kept) + has_undated + (collection == "audit_log")


def test_a_request_deletes_a_hundred_rows_the_oldest_first_and_a_schedule_all(database: Database) -> None:
    fill(database, "diagnostics", 230)
    first = run_requested_pass(database, NOW)
    assert first is not None
    found = first.collections["diagnostics"]
    assert (found.expired, found.deleted, found.remaining) == (230, 100, 130)
    assert dates(database, "diagnostics")[0] == NOW - timedelta(days=100 + 129)
    scheduled = run_scheduled_pass(database, NOW, QUIET)
    assert scheduled is not None
    assert scheduled.collections["diagnostics"].deleted == 130
    assert dates(database, "diagnostics") == [NOW] * 230


def test_passes_are_an_hour_apart_whoever_begins_them_and_a_dry_run_is_none(database: Database) -> None:
    run_manual_pass(database, NOW, dry_run=True)
    assert run_requested_pass(database, NOW) is not None
    assert run_requested_pass(Database(str(database.engine.url.render_as_string(hide_password=False))), NOW) is None
    assert run_requested_pass(database, NOW + timedelta(minutes=59)) is None
    assert run_requested_pass(database, NOW + timedelta(hours=1)) is not None
    assert run_manual_pass(database, NOW + timedelta(hours=1, minutes=1), dry_run=False).error is None


def test_of_many_that_draw_at_once_one_begins(database: Database) -> None:
    begun: list[bool] = []
    start = threading.Barrier(4)

    def draw() -> None:
        start.wait(timeout=30)
        begun.append(run_requested_pass(database, NOW) is not None)

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(begun) == [False, False, False, True]


def test_two_passes_at_once_delete_every_row_once(database: Database) -> None:
    fill(database, "export_history", 150)
    deleted: list[int] = []
    start = threading.Barrier(2)

    def sweep() -> None:
        start.wait(timeout=30)
        deleted.append(run_manual_pass(database, NOW, dry_run=False).collections["export_history"].deleted)

    threads = [threading.Thread(target=sweep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sum(deleted) == 300 - count(database, MODELS["export_history"])
    assert sum(deleted) in (100, 150)


def test_a_policy_that_is_set_counts_until_the_reset(database: Database) -> None:
    add_row(database, "hauls", NOW - 10 * DAY, "ten-days-old")
    set_policy(database, "hauls", 7)
    assert run_manual_pass(database, NOW, dry_run=True).collections["hauls"].expired == 1
    set_policy(database, "hauls", 11)
    assert run_manual_pass(database, NOW, dry_run=True).collections["hauls"].expired == 0
    reset_policies(database)
    assert show_policies(database).ttl_days == DEFAULT_TTL_DAYS
    with database.read() as session:
        changes, _ = audit_log.entries(session, ChangeFilter(target="retention:hauls"), limit=5)
    assert [change.details["after"] for change in changes] == [{"ttlDays": 11}, {"ttlDays": 7}]


def test_listings_stay_whatever_the_stored_policy_says(database: Database) -> None:
    add_row(database, "price_history", NOW - 999 * DAY, "old")
    with database.write() as session:
        moment = "2026-01-01 00:00:00"
        session.execute(text(f"INSERT INTO retention_policies VALUES ('listings', 1, '{moment}')"))
    result = run_manual_pass(database, NOW, dry_run=False)
    assert result.collections["price_history"].deleted == 1
    assert "listings" not in result.collections
    assert count(database, ListingRow) == 1


@pytest.mark.parametrize(("name", "days"), [("hauls", 0), ("hauls", -5), ("nonsense", 3)])
def test_policies_that_cannot_be_read_delete_nothing_and_are_shown(database: Database, name: str, days: int) -> None:
    add_row(database, "hauls", NOW - 999 * DAY, "old")
    with database.write() as session:
        moment = "2026-01-01 00:00:00"
        session.execute(text(f"INSERT INTO retention_policies VALUES ('{name}', {days}, '{moment}')"))
    result = run_manual_pass(database, NOW, dry_run=False)
    assert result.error is not None
    assert name in result.error
    assert count(database, HaulRow) == 1
    assert name in (show_policies(database).error or "")
    with database.read() as session:
        last = retention.last_run(session)
    assert last is not None
    assert last.error == result.error
    reset_policies(database)
    assert run_manual_pass(database, NOW, dry_run=False).collections["hauls"].deleted == 1


def test_a_collection_that_fails_does_not_stop_the_others(database: Database) -> None:
    add_row(database, "hauls", NOW - 999 * DAY, "old")
    with database.write() as session:
        session.execute(text("DROP TABLE diagnostics"))
    result = run_manual_pass(database, NOW, dry_run=False)
    assert "diagnostics" in (result.collections["diagnostics"].error or "")
    assert result.collections["hauls"].deleted == 1
    assert result.has_failed
    with database.read() as session:
        (entry,), _ = audit_log.entries(session, ChangeFilter(action="retention.pass"), limit=1)
    assert entry.details["deleted"] == {"hauls": 1}
    assert "diagnostics" in str(entry.details["error"])


def test_a_haul_in_use_stays_until_it_is_used_no_more(database: Database) -> None:
    with database.write() as session:
        old = NOW - 999 * DAY
        session.add(HaulRow(id="used", name="n", actor="a", created_at=old, in_use_until=NOW + TICK))
        session.add(HaulRow(id="free", name="n", actor="a", created_at=old, in_use_until=NOW - DAY))
    found = run_manual_pass(database, NOW, dry_run=False).collections["hauls"]
    assert (found.expired, found.deleted, found.remaining) == (2, 1, 1)
    assert run_manual_pass(database, NOW + DAY, dry_run=False).collections["hauls"].deleted == 1


def test_a_sweep_reads_the_expired_rows_and_not_the_table(database: Database) -> None:
    rows = 20_000
    with database.write() as session:
        moment = "2026-06-30 00:00:00.000000" if database.is_sqlite else "2026-06-30T00:00:00Z"
        session.execute(
            text(
                f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})"
                f" INSERT INTO scrape_metadata (created_at, url, url_hash) SELECT '{moment}', 'u', i FROM n"
            )
        )
    for number in range(100):
        add_row(database, "scrape_metadata", NOW - 999 * DAY, f"old-{number}")
    if not database.is_sqlite:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execution_options(postgresql_readonly=False)
            connection.execute(text("SET default_transaction_read_only = off"))
            connection.execute(text("ANALYZE scrape_metadata"))
    limit = expiry_limit(NOW, 90)
    counting = effort_of(database, lambda s: retention.count_expired(s, "scrape_metadata", limit))
    deleting = effort_of(database, lambda s: retention.delete_expired(s, "scrape_metadata", limit, NOW, 100))
    assert counting.amount < 2_000, counting
    assert deleting.amount < rows / 2, deleting
    for effort in (counting, deleting):
        seen = [line for line in effort.plan if "scrape_metadata" in line]
        assert seen
        assert not [line for line in seen if line.startswith(("SCAN scrape_metadata", "Seq Scan"))], effort.plan


def test_a_pass_is_recorded_with_what_began_it(database: Database) -> None:
    run_scheduled_pass(database, NOW, QUIET)
    with database.read() as session:
        last = retention.last_run(session)
    assert last is not None
    assert (last.trigger, last.began_at) == (PassTrigger.SCHEDULE, NOW)
    assert set(last.results) == set(DEFAULT_TTL_DAYS)
