"""Every change over the API is in the audit log: who, what, to what, and how it was before and after."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.archives import Archive
from tests.api.conftest import MakeClient
from webstrata.db.engine import Database
from webstrata.db.operations import audit_log
from webstrata.db.operations.audit_log import ChangeFilter
from webstrata.db.operations.readers_reports import NewReport, add_report
from webstrata.db.schema.base import utcnow

TOKEN = {"Authorization": "Bearer s3cret"}


@pytest.fixture
def admin(make_client: MakeClient) -> TestClient:
    client = make_client(client=("203.0.113.5", 1), rate_limit=0)
    client.headers.update(TOKEN | {"X-Request-Id": "r1"})
    return client


def changes(database: Database) -> list[tuple[str, str]]:
    with database.read() as session:
        found, _ = audit_log.entries(session, ChangeFilter(), limit=100)
    return [(change.action, change.target) for change in reversed(found)]


def newest(admin: TestClient) -> dict[str, Any]:
    item: dict[str, Any] = admin.get("/api/admin/audit-log", params={"limit": 1}).json()["items"][0]
    return item


def test_every_order_to_a_job_is_written_down(admin: TestClient, archive: Archive, database: Database) -> None:
    archive.source("health", base_url="https://health.example/")
    job_id = admin.post("/api/admin/jobs", json={"source": "health", "overrides": {"max_pages": 5}}).json()["id"]
    entry = newest(admin)
    assert admin.get(f"/api/admin/audit-log/{entry['id']}").json() == entry
    assert admin.get("/api/admin/audit-log/999").status_code == 404
    assert entry.pop("at").endswith("+00:00")
    assert entry.pop("id") == 1
    assert entry == {
        "actor": "admin token",
        "action": "job.create",
        "target": f"job:{job_id}",
        "details": {"source": "health", "seeds": [], "overrides": {"max_pages": 5}},
        "requestId": "r1",
        "client": "203.0.113.5",
    }
    for order, before, after in (("stop", "queued", "stopped"), ("resume", "stopped", "queued")):
        assert admin.post(f"/api/admin/jobs/{job_id}/{order}").status_code == 200
        assert newest(admin)["details"] == {"before": {"status": before}, "after": {"status": after}}
    failed = archive.job("health", status="failed")
    admin.post(f"/api/admin/jobs/{failed}/retry")
    target = f"job:{job_id}"
    assert changes(database) == [
        *(("job.create", target), ("job.stop", target), ("job.resume", target), ("job.retry", f"job:{failed}")),
    ]


def test_what_a_clean_up_deletes_is_written_down_and_a_dry_run_is_not(
    admin: TestClient, archive: Archive, database: Database
) -> None:
    folder = archive.root / "health" / "one"
    temporary = folder / ".tmpabc"
    temporary.mkdir(parents=True)
    (temporary / "pages.jsonl").write_bytes(b"x" * 2_000)
    job_id = archive.job("health", output_dir=str(folder))
    admin.post(f"/api/admin/jobs/{job_id}/cleanup")
    assert changes(database) == []
    admin.post(f"/api/admin/jobs/{job_id}/cleanup", json={"dryRun": False})
    entry = newest(admin)
    assert (entry["action"], entry["target"]) == ("job.cleanup", f"job:{job_id}")
    assert entry["details"] == {
        "before": {"cleanup_status": "none"},
        "after": {"cleanup_status": "temp_cleaned"},
        "mode": "temp",
        "deleted": [str(temporary)],
        "moved": 0,
        "freed_bytes": 2_000,
        "warcs_deleted": 0,
        "snapshots_lost": 0,
    }


def test_every_change_to_a_source_is_written_down(admin: TestClient, database: Database) -> None:
    admin.post("/api/admin/sources", json={"seeds": ["health.example"], "code": "health"})
    source = "/api/admin/sources/health"
    admin.post(f"{source}/schedule", json={"schedule": "7d"})
    assert newest(admin)["details"] == {"before": {"schedule": None}, "after": {"schedule": "7d"}}
    for order in ("pause", "resume", "disable", "enable"):
        assert admin.post(f"{source}/{order}").status_code == 200
    assert newest(admin)["details"] == {"before": {"enabled": False}, "after": {"enabled": True}}
    admin.patch(source, json={"name": "Health Agency", "pageParameters": ["id"]})
    admin.delete(source)
    assert newest(admin)["details"]["before"]["name"] == "Health Agency"
    actions = ["add", "schedule", "pause", "resume", "disable", "enable", "edit", "parameters", "remove"]
    assert changes(database) == [(f"source.{action}", "source:health") for action in actions]


def test_a_report_that_was_dealt_with_is_written_down_once(admin: TestClient, database: Database) -> None:
    with database.write() as session:
        report_id = add_report(session, NewReport("takedown", "Please take this page down."), utcnow())
    for _ in range(2):
        admin.patch(f"/api/admin/reports/{report_id}", json={"status": "resolved"})
    assert changes(database) == [("report.update", f"report:{report_id}")]
    assert newest(admin)["details"] == {"before": {"status": "new"}, "after": {"status": "resolved"}}


def test_what_was_refused_is_no_change(admin: TestClient, archive: Archive, database: Database) -> None:
    job_id = archive.job("health", status="indexed")
    assert admin.post(f"/api/admin/jobs/{job_id}/stop").status_code == 409
    assert admin.post("/api/admin/jobs", json={"source": "nobody"}).status_code == 404
    assert admin.post("/api/admin/sources/health/pause").status_code == 409
    assert admin.patch("/api/admin/sources/health", json={"crawl": {"max_pages": -1}}).status_code == 422
    assert admin.post(f"/api/admin/jobs/{job_id}/resume", headers={"Origin": "https://evil.example"}).status_code == 403
    assert changes(database) == []


def test_no_secret_gets_into_the_log(admin: TestClient, archive: Archive) -> None:
    archive.source("health", base_url="https://health.example/")
    options = {"enable_monitoring": True, "enable_vpn_rotation": True, "vpn_connect_command": "vpn --password hunter2"}
    assert admin.patch("/api/admin/sources/health", json={"toolOptions": options}).status_code == 200
    admin.post("/api/admin/jobs", json={"source": "health", "overrides": {"vpn_connect_command": "vpn hunter2"}})
    admin.patch("/api/admin/sources/health", json={"seeds": ["https://user:hunter2@health.example/"]})
    assert "hunter2" not in admin.get("/api/admin/audit-log").text
    assert len(admin.get("/api/admin/audit-log").json()["items"]) >= 2


def test_the_log_is_read_in_parts_and_by_target_action_and_actor(admin: TestClient, database: Database) -> None:
    with database.write() as session:
        for number in range(5):
            audit_log.record(session, "job.stop", f"job:{number}")
        audit_log.record(session, "source.add", "source:x")

    def listed(**wanted: object) -> tuple[list[str], int]:
        answer = admin.get("/api/admin/audit-log", params=wanted).json()
        return [item["target"] for item in answer["items"]], answer["total"]

    assert listed(limit=2) == (["source:x", "job:4"], 6)
    assert listed(limit=2, offset=2) == (["job:3", "job:2"], 6)
    assert listed(target="job:3") == (["job:3"], 1)
    assert listed(action="source.add") == (["source:x"], 1)
    assert listed(actor="program")[1] == 6
    assert listed(actor="admin token") == ([], 0)
    assert listed(offset=10**12) == ([], 6)
    assert admin.get("/api/admin/audit-log", params={"limit": 501}).status_code == 422


def test_in_open_development_the_log_reports_it(make_client: MakeClient, archive: Archive) -> None:
    client = make_client(admin_token=None, env="development")
    client.post(f"/api/admin/jobs/{archive.job('health', status='queued')}/stop")
    entry = newest(client)
    assert (entry["actor"], entry["client"]) == ("open development", "testclient")


def test_a_change_that_fails_halfway_leaves_no_entry(database: Database) -> None:
    def fail() -> None:
        with database.write() as session:
            audit_log.record(session, "job.stop", "job:1")
            raise RuntimeError("halfway")

    with pytest.raises(RuntimeError, match="halfway"):
        fail()
    assert changes(database) == []
