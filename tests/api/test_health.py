from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from tests.api.conftest import MakeClient, make_settings
from webstrata import __version__
from webstrata.api import present
from webstrata.api.server import create_api
from webstrata.app import App
from webstrata.db.engine import Database
from webstrata.db.migrate import head
from webstrata.model.archive import ArchiveTotals


def test_health_counts_jobs_and_snapshots(client: TestClient, archive: Archive) -> None:
    for status in ("queued", "indexed", "indexed"):
        archive.job("health", status=status)
    archive.snapshot(job_id=archive.job("health", status="failed"))
    answer = client.get("/api/health")
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "checks": {"db": "ok", "jobs": {"queued": 1, "indexed": 2, "failed": 1}, "snapshots": {"total": 1}},
    }
    assert answer.headers["cache-control"] == "no-store"


def test_an_empty_archive_is_healthy(client: TestClient) -> None:
    assert client.get("/api/health").json()["checks"] == {"db": "ok", "jobs": {}, "snapshots": {"total": 0}}


def test_health_reports_versions_when_details_are_requested(client: TestClient, database_kind: str) -> None:
    answer = client.get("/api/health", params={"details": "true"}).json()
    details = answer.pop("details")
    assert answer == client.get("/api/health").json()
    assert details.pop("databaseMs") >= 0
    assert details == {"version": __version__, "schemaVersion": head(), "database": database_kind}


@pytest.mark.parametrize("url", ["sqlite:///{folder}", "postgresql://nobody@127.0.0.1:1/nothing"])
def test_health_fails_when_the_database_is_away(url: str, tmp_path: Path) -> None:
    client = client_without_database(url.format(folder=tmp_path), tmp_path)
    answer = client.get("/api/health", params={"details": "true"})
    assert answer.status_code == 500
    assert answer.json() == {"status": "error", "checks": {"db": "error"}}
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("url", ["sqlite:///{folder}", "postgresql://nobody:hunter2@127.0.0.1:1/nothing"])
@pytest.mark.parametrize(
    "path", ["/api/stats", "/api/sources", "/api/search?q=x", "/api/snapshot/1", "/api/snapshots/raw/1"]
)
def test_without_its_database_the_api_reports_it_and_no_more(url: str, path: str, tmp_path: Path) -> None:
    answer = client_without_database(url.format(folder=tmp_path), tmp_path).get(path)
    assert (answer.status_code, answer.json()) == (503, {"detail": "The archive's database is not available"})
    assert "etag" not in answer.headers


def client_without_database(url: str, root: Path) -> TestClient:
    return TestClient(create_api(App(make_settings(), Database(url), root)))


def test_stats_of_an_empty_archive_have_no_latest_capture(client: TestClient) -> None:
    assert client.get("/api/stats").json() == {
        "snapshotsTotal": 0,
        "pagesTotal": 0,
        "sourcesTotal": 0,
        "latestCaptureDate": None,
        "latestCaptureAgeDays": None,
    }


def test_stats_count_what_is_public(client: TestClient, archive: Archive) -> None:
    now = datetime.now(UTC)
    archive.snapshot(at=NOON)
    archive.snapshot(at=now - timedelta(days=3))
    archive.snapshot("https://other.example/", source="other", at=now - timedelta(days=5))
    archive.snapshot("https://test.example/", source="test", at=now)
    answer = client.get("/api/stats")
    assert answer.json() == {
        "snapshotsTotal": 3,
        "pagesTotal": 2,
        "sourcesTotal": 2,
        "latestCaptureDate": (now - timedelta(days=3)).date().isoformat(),
        "latestCaptureAgeDays": 3,
    }
    assert answer.headers["cache-control"] == "public, max-age=60"


def test_a_capture_from_a_fast_clock_is_not_of_negative_age() -> None:
    totals = ArchiveTotals(1, 1, 1, NOON)
    assert present.stats(totals, (NOON - timedelta(days=2)).date()).latestCaptureAgeDays == 0


def test_the_hidden_source_is_in_no_public_count_or_search(client: TestClient, archive: Archive) -> None:
    archive.snapshot(job_id=archive.job("test", status="indexed"), source="test")
    assert client.get("/api/health").json()["checks"] == {"db": "ok", "jobs": {}, "snapshots": {"total": 0}}
    for parameters in ({}, {"source": "test"}, {"source": "TEST", "view": "pages"}):
        assert client.get("/api/search", params=parameters).json()["total"] == 0


def test_health_states_when_new_captures_would_find_no_place(make_client: MakeClient, archive: Archive) -> None:
    archive.job("health", status="queued")
    assert "storage" not in make_client().get("/api/health").json()["checks"]
    answer = make_client(min_free_bytes=2**62).get("/api/health")
    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    assert answer.json()["checks"] == {
        "db": "ok",
        "jobs": {"queued": 1},
        "snapshots": {"total": 0},
        "storage": "error",
    }
    assert str(archive.root) not in answer.text


def test_an_archive_whose_folder_is_not_made_yet_is_healthy(client: TestClient, archive: Archive) -> None:
    archive.root.rmdir()
    assert client.get("/api/health").json()["status"] == "ok"
    archive.job("health", status="indexed")
    assert client.get("/api/health").json()["status"] == "degraded"
