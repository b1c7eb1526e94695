"""`/audits` as the contract describes it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from webstrata.api.server import create_api
from webstrata.app import App
from webstrata.db.auditing import pages, queue
from webstrata.db.engine import Database
from webstrata.db.retention.artifacts import add_artifact, mark_artifact_deleted
from webstrata.model.auditing.sessions import AuditPageType, AuditStatus, AuditViewport
from webstrata.model.retention.artifacts import ArtifactType, NewArtifact
from webstrata.settings import Settings
from webstrata.storage.artifacts import ArtifactFolder

ADMIN = {"Authorization": "Bearer s3cret"}
UNKNOWN = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def client(database: Database, tmp_path: Path) -> TestClient:
    settings = Settings(admin_token=SecretStr("s3cret"), artifacts_dir=tmp_path / "artifacts")
    return TestClient(create_api(App(settings, database, tmp_path)), headers=ADMIN)


def test_an_audit_is_queued_and_shown(client: TestClient) -> None:
    posted = client.post("/audits", json={"url": "https://Shop.example", "mode": "debug"})
    assert posted.status_code == 201
    audit = posted.json()
    assert audit == {"id": audit["id"], "status": "queued", "url": "https://shop.example/"}
    shown = client.get(f"/audits/{audit['id']}").json()
    assert (shown["status"], shown["mode"], shown["pages"], shown["attempts"]) == ("queued", "debug", [], 0)
    assert shown["crawl_policy_version"] == shown["config_snapshot"]["crawl_policy_version"] == "v1.2"
    assert [one["id"] for one in client.get("/audits", params={"status": "queued"}).json()["items"]] == [audit["id"]]
    assert client.get("/audits", params={"status": "failed"}).json() == {"total": 0, "items": []}


BAD_REQUESTS: tuple[object, ...] = (
    {"url": "ftp://shop.example/"},
    {"url": "no address"},
    {"url": ""},
    {"url": "https://shop.example/" + "a" * 3000},
    {"url": "https://shop.example/", "mode": "fast"},
    {"url": "https://shop.example/", "speed": 1},
    {},
    [],
)


def test_a_bad_url_or_mode_is_refused(client: TestClient) -> None:
    for body in BAD_REQUESTS:
        response = client.post("/audits", json=body)
        assert response.status_code == 422, body
        assert response.json()["detail"]
    assert client.get("/audits").json()["total"] == 0


def test_only_administrators_may(client: TestClient) -> None:
    assert client.post("/audits", json={"url": "https://a.example"}, headers={"Authorization": ""}).status_code == 403
    assert client.get("/audits", headers={"Authorization": ""}).status_code == 403
    elsewhere = {"Origin": "https://evil.example"}
    assert client.post("/audits", json={"url": "https://a.example"}, headers=elsewhere).status_code == 403


def test_an_unknown_audit_is_not_found(client: TestClient) -> None:
    for audit_id in (UNKNOWN, "1", "x" * 36):
        for path in ("", "/artifacts", "/artifacts/1"):
            assert client.get(f"/audits/{audit_id}{path}").status_code == 404


def test_a_failure_and_its_artifacts_are_visible(client: TestClient, database: Database, tmp_path: Path) -> None:
    audit_id = client.post("/audits", json={"url": "https://shop.example"}).json()["id"]
    now = datetime.now(UTC)
    stored = ArtifactFolder(tmp_path / "artifacts").put(f"shop.example__{audit_id}/a.html.gz", b"evil")
    with database.write() as session:
        claimed = queue.claim_audit(session, "host:1:a", now + timedelta(seconds=1), timedelta(minutes=1))
        assert claimed is not None
        lease = claimed[0]
        queue.start_audit(session, lease, now)
        page = pages.add_page(session, lease, AuditPageType.HOMEPAGE, AuditViewport.DESKTOP, "https://shop.example/")
        kept_until = now + timedelta(days=14)
        new = NewArtifact(
            audit_id, ArtifactType.HTML_GZ, stored.uri, stored.size_bytes, stored.checksum, now, page.id, kept_until
        )
        artifact_id = add_artifact(session, new)
        queue.finish_audit(session, lease, AuditStatus.FAILED, "Domain lock timeout", now)
    shown = client.get(f"/audits/{audit_id}").json()
    assert (shown["status"], shown["error_summary"], shown["attempts"]) == ("failed", "Domain lock timeout", 1)
    assert (shown["pages"][0]["status"], shown["pages"][0]["session_id"]) == ("pending", audit_id)
    (artifact,) = client.get(f"/audits/{audit_id}/artifacts").json()["items"]
    assert (artifact["type"], artifact["size_bytes"], artifact["deleted_at"]) == ("html_gz", 4, None)
    assert artifact["retention_until"] == artifact["retentionUntil"] is not None
    assert artifact["deleted_at"] is artifact["deletedAt"]
    response = client.get(f"/audits/{audit_id}/artifacts/{artifact_id}")
    assert (response.content, response.headers["content-type"]) == (b"evil", "application/gzip")
    assert response.headers["content-security-policy"].startswith("sandbox")
    other = client.post("/audits", json={"url": "https://other.example"}).json()["id"]
    assert client.get(f"/audits/{other}/artifacts/{artifact_id}").status_code == 404
    with database.write() as session:
        mark_artifact_deleted(session, artifact_id, now)
    assert client.get(f"/audits/{audit_id}/artifacts/{artifact_id}").status_code == 410
