"""The web pages of audits."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page, make_app
from tests.web.test_every_page import MAX_PAGE_BYTES
from webstrata.app import App
from webstrata.audit.policy import CrawlPolicy
from webstrata.db.auditing import pages, queue, schedules
from webstrata.db.engine import Database
from webstrata.db.retention.artifacts import add_artifact
from webstrata.jobs.auditing.queueing import queue_audit
from webstrata.model.auditing.sessions import (
    AuditEventType,
    AuditLogEntry,
    AuditLogLevel,
    AuditPageType,
    AuditStatus,
    AuditViewport,
)
from webstrata.model.retention.artifacts import ArtifactType, NewArtifact
from webstrata.storage.artifacts import ArtifactFolder

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)


@pytest.fixture
def app(database: Database, tmp_path: Path) -> App:
    return make_app(database, tmp_path, artifacts_dir=tmp_path / "artifacts")


HOSTILE = "<script>alert(1)</script>"


def store_audit(app: App, price: str, at: datetime) -> str:
    """Store an audit with one page that was read, and one log entry."""
    audit = queue_audit(app.database, "https://shop.example/", at, policy=CrawlPolicy())
    features = json.dumps({"meta": {"title": HOSTILE}, "pdp_core": {"price": price, "add_to_cart_present": True}})
    folder = ArtifactFolder(app.settings.artifacts_dir)
    with app.database.write() as session:
        lease = queue.lease_audit(session, audit.id, "host:1:a", at, timedelta(minutes=1))
        queue.start_audit(session, lease, at)
        page = pages.add_page(session, lease, AuditPageType.PDP, AuditViewport.DESKTOP, audit.url)
        for kind, data in ((ArtifactType.SCREENSHOT, b"\x89PNG"), (ArtifactType.FEATURES_JSON, features.encode())):
            stored = folder.put(f"shop.example__{audit.id}/{kind}", data)
            add_artifact(
                session, NewArtifact(audit.id, kind, stored.uri, stored.size_bytes, stored.checksum, at, page.id)
            )
        entry = AuditLogEntry(at, AuditLogLevel.WARNING, AuditEventType.POPUP, f"Dismissed {HOSTILE}")
        pages.add_log(session, audit.id, entry)
        verdict = {"score": 0.8, "reasons": [f"title: {HOSTILE}"]}
        pages.add_log(session, audit.id, replace(entry, event_type=AuditEventType.NAVIGATION, details=verdict))
        queue.finish_audit(session, lease, AuditStatus.PARTIAL, "One or more viewports failed", at)
    return audit.id


def test_an_administrator_starts_an_audit_and_sees_it_wait(client: TestClient) -> None:
    assert "No audits yet" in Page(client.get("/evidence")).text()
    wrong = Page(client.post("/evidence", data={"url": "no address"}, headers=OWN_ORIGIN))
    assert (wrong.status, wrong.one("#shop-url").attributes["value"]) == (422, "no address")
    assert "is not a web address" in wrong.text("#shop-problem")
    started = Page(client.post("/evidence", data={"url": "shop.example"}, headers=OWN_ORIGIN))
    assert "Queued It waits for a worker." in " ".join(started.text(".lead").split())
    assert started.all("meta[http-equiv=refresh]")
    assert Page(client.get("/evidence")).texts("tbody th a") == ["shop.example"]


def test_an_audit_shows_its_evidence_and_what_changed_since_the_one_before(app: App, client: TestClient) -> None:
    now = datetime.now(UTC)
    store_audit(app, "24.50", now - timedelta(days=1))
    audit_id = store_audit(app, "19.90", now)
    response = client.get(f"/evidence/{audit_id}")
    page = Page(response)
    assert page.text("h1") == "Audit of shop.example"
    assert "One or more viewports failed" in page.text(".lead")
    assert page.text("#verdict-title ~ details summary").endswith("score 0.8")
    assert f"title: {HOSTILE}" in page.texts("#verdict-title ~ details li")
    image = page.one(".audit-pages img").attributes["src"]
    assert client.get(image).headers["content-type"] == "image/png"
    assert client.get(image).headers["content-security-policy"].startswith("sandbox")
    assert page.texts("#compare-title ~ table tbody tr") == ["pdp_core.price24.5019.90"]
    assert HOSTILE not in response.text
    assert "Dismissed" in page.text(".audit-log")
    assert not page.all("[style], style, script:not([src]), meta[http-equiv=refresh]")
    assert len(response.content) < MAX_PAGE_BYTES


def test_pages_of_audits_are_closed_to_readers(make_client: MakeClient, client: TestClient) -> None:
    reader = make_client(token=TOKEN)
    for path in ("/evidence", "/evidence/x", "/evidence/x/artifacts/1"):
        assert reader.get(path).status_code == 403
    assert (
        client.post("/evidence", data={"url": "a.example"}, headers={"Origin": "https://b.example"}).status_code == 403
    )
    assert client.get("/evidence/unknown").status_code == 404


def test_schedules_are_added_paused_and_removed_on_the_page_of_audits(client: TestClient, app: App) -> None:
    assert "No schedules yet" in Page(client.get("/evidence")).text()
    new = {"url": "shop.example", "every": "12h", "mode": "standard"}
    assert client.post("/evidence/schedules", data=new, headers=OWN_ORIGIN, follow_redirects=False).status_code == 303
    assert "https://shop.example/" in Page(client.get("/evidence")).text()
    refused = client.post("/evidence/schedules", data=new | {"every": "often"}, headers=OWN_ORIGIN)
    assert (refused.status_code, 'value="often"' in refused.text) == (422, True)
    again = client.post("/evidence/schedules", data=new, headers=OWN_ORIGIN)
    assert (again.status_code, "already" in again.text) == (422, True)
    assert client.post("/evidence/schedules", data=new).status_code == 403
    client.post("/evidence/schedules/1/pause", headers=OWN_ORIGIN)
    with app.database.read() as session:
        assert [one.paused for one in schedules.list_schedules(session)] == [True]
    assert "Resume" in Page(client.get("/evidence")).text()
    assert client.post("/evidence/schedules/1/explode", headers=OWN_ORIGIN).status_code == 404
    client.post("/evidence/schedules/1/remove", headers=OWN_ORIGIN)
    assert client.post("/evidence/schedules/1/remove", headers=OWN_ORIGIN).status_code == 404
    with app.database.read() as session:
        assert schedules.list_schedules(session) == []
