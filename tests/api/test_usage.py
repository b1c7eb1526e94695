"""How often the archive is used is counted in memory and written together, never while a reader waits."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from tests.api.conftest import MakeClient
from webstrata.db.engine import Database
from webstrata.db.operations import usage
from webstrata.http.metrics.usage_counts import UsageCounter


@pytest.fixture
def today() -> date:
    """Return the day on which a test runs: a run of all tests may go on past midnight."""
    return datetime.now(UTC).date()


def stored(database: Database) -> dict[tuple[date, str], int]:
    with database.read() as session:
        return usage.counts_since(session, date(2000, 1, 1))


def test_what_readers_do_is_counted_and_written_at_the_end(client: TestClient, archive: Archive, today: date) -> None:
    snapshot_id = archive.snapshot()
    with client:
        for path in (f"/api/snapshot/{snapshot_id}", f"/api/snapshots/raw/{snapshot_id}", "/api/search?q=flu"):
            client.get(path)
        client.get(f"/api/snapshot/{snapshot_id}")
        client.get("/api/snapshot/999")
        report = {"category": "takedown", "description": "Please take this page down."}
        client.post("/api/reports", json=report)
        assert stored(archive.database) == {}
        totals = client.get("/api/usage").json()["totals"]
    assert totals == {
        "searchRequests": 1,
        "snapshotDetailViews": 2,
        "rawSnapshotViews": 1,
        "reportSubmissions": 1,
    }
    assert stored(archive.database) == {(today, event): count for event, count in totals.items()}
    assert client.get("/api/usage").json()["totals"] == totals


def test_counts_of_several_processes_add_up(database: Database) -> None:
    for _ in range(2):
        counter = UsageCounter(database)
        for day in (NOON, NOON, NOON + timedelta(days=1)):
            counter.add("searchRequests", day)
        counter.write()
        counter.write()
    assert stored(database) == {
        (NOON.date(), "searchRequests"): 4,
        (NOON.date() + timedelta(days=1), "searchRequests"): 2,
    }


def test_counts_wait_while_the_database_is_away(tmp_path: Path) -> None:
    away = Database(f"sqlite:///{tmp_path / 'folder'}")
    (tmp_path / "folder").mkdir()
    counter = UsageCounter(away)
    counter.add("searchRequests", NOON)
    counter.write()
    counter.add("searchRequests", NOON)
    assert counter.waiting() == {(NOON.date(), "searchRequests"): 2}
    away.dispose()


def test_only_known_events_are_counted(database: Database) -> None:
    with pytest.raises(ValueError, match="pageLoads"):
        UsageCounter(database).add("pageLoads", NOON)


def test_every_day_of_the_window_is_reported_and_none_before_it(
    make_client: MakeClient, database: Database, today: date
) -> None:
    with database.write() as session:
        usage.add_counts(
            session, {(today - timedelta(days=days), "rawSnapshotViews"): 1 + days for days in (0, 2, 3, 400)}
        )
    answer = make_client(usage_window_days=3).get("/api/usage").json()
    assert (answer["enabled"], answer["windowDays"]) == (True, 3)
    assert [(day["date"], day["rawSnapshotViews"]) for day in answer["daily"]] == [
        ((today - timedelta(days=days)).isoformat(), views) for days, views in ((2, 3), (1, 0), (0, 1))
    ]
    assert answer["totals"]["rawSnapshotViews"] == 4


def test_nothing_is_counted_where_it_is_switched_off(make_client: MakeClient, archive: Archive) -> None:
    with make_client(usage_enabled=False) as client:
        client.get(f"/api/snapshot/{archive.snapshot()}")
        answer = client.get("/api/usage").json()
    assert (answer["enabled"], answer["daily"], set(answer["totals"].values())) == (False, [], {0})
    assert stored(archive.database) == {}
