"""Audits of demo shops in a real browser."""

import asyncio
import hashlib
import json
from datetime import UTC, datetime
from ipaddress import ip_network
from pathlib import Path

import pytest

from tests.audit.shops import shops
from tests.support.web_server import WebServer
from webstrata.app import App
from webstrata.audit.policy import CrawlPolicy
from webstrata.db.artifacts import artifacts_of_session
from webstrata.db.auditing import pages, sessions
from webstrata.db.engine import Database
from webstrata.jobs.auditing.loop import run_audit_here
from webstrata.jobs.auditing.queueing import queue_audit
from webstrata.model.artifacts import StoredArtifact
from webstrata.model.auditing.sessions import Audit, AuditLogEntry, AuditPage
from webstrata.settings import Settings
from webstrata.storage.artifacts import ArtifactFolder


class Audited:
    """An audit that has ended, with all that is stored of it."""

    def __init__(self, app: App, audit_id: str) -> None:
        with app.database.read() as session:
            self.audit: Audit = sessions.load_audit(session, audit_id)
            self.pages: list[AuditPage] = pages.pages_of(session, audit_id)
            self.log: list[AuditLogEntry] = pages.log_of(session, audit_id)
            self.artifacts: list[StoredArtifact] = artifacts_of_session(session, audit_id)
        self.folder = ArtifactFolder(app.settings.artifacts_dir)

    def messages(self, event_type: str) -> list[str]:
        return [entry.message for entry in self.log if entry.event_type == event_type]

    def read(self, ending: str) -> bytes:
        (artifact,) = [one for one in self.artifacts if one.storage_uri.endswith(ending)]
        return self.folder.get(artifact.storage_uri)


@pytest.fixture
def app(sqlite_url: str, tmp_path: Path) -> App:
    settings = Settings(artifacts_dir=tmp_path / "artifacts", allow_private_networks=(ip_network("127.0.0.1/32"),))
    return App(settings, Database(sqlite_url), tmp_path)


def run(app: App, server: WebServer, shop: shops.Shop) -> Audited:
    server.answers.update(shop)
    audit = queue_audit(app.database, server.url("/"), datetime.now(UTC), policy=CrawlPolicy())
    asyncio.run(run_audit_here(app.audit_parts(), app.audit_browser(), audit, lambda _entry: None))
    return Audited(app, audit.id)


def test_a_clean_shop_gives_four_pages_of_evidence(app: App, web_server: WebServer) -> None:
    found = run(app, web_server, shops.clean())
    assert (found.audit.status, found.audit.error_summary) == ("completed", None)
    assert found.audit.pdp_url == web_server.url("/products/green-tea")
    places = [f"{page.page_type}/{page.viewport}" for page in found.pages]
    assert places == ["homepage/desktop", "homepage/mobile", "pdp/desktop", "pdp/mobile"]
    names = ["page.html.gz", "visible_text.txt", "features.json", "screenshot.png"]
    prefix = f"{found.audit.domain}__{found.audit.id}"
    expected = [f"{prefix}/{place}/{name}" for place in places for name in names]
    assert [one.storage_uri for one in found.artifacts] == [*expected, f"{prefix}/session_logs.jsonl"]
    for one in found.artifacts:
        assert hashlib.sha256(found.folder.get(one.storage_uri)).hexdigest() == one.checksum
        assert (one.retention_until is not None) == (one.type == "html_gz")
    assert "Green tea" in found.read("pdp/mobile/visible_text.txt").decode()
    exported = [json.loads(line) for line in found.read("session_logs.jsonl").splitlines()]
    assert [line["message"] for line in exported] == [entry.message for entry in found.log]
    agents = {request.header("User-Agent") for request in web_server.requests if request.path == "/"}
    assert sorted("Mobile" in (agent or "") for agent in agents) == [False, True]


def test_a_consent_wall_is_rejected_and_an_overlay_without_control_hidden(app: App, web_server: WebServer) -> None:
    found = run(app, web_server, shops.walled())
    assert found.audit.status == "completed"
    popups = found.messages("popup")
    assert popups.count("Dismissed a popup: Alle ablehnen") == 4
    assert popups.count("Hid overlays that blocked the page") == 4
    assert "/checkout" not in web_server.paths()
    assert "Newsletter" not in found.read("homepage/desktop/visible_text.txt").decode()


def test_a_product_page_that_scripts_build_is_found(app: App, web_server: WebServer) -> None:
    found = run(app, web_server, shops.scripted())
    assert found.audit.status == "completed"
    assert "Thé vert" in found.read("pdp/desktop/visible_text.txt").decode()


def test_a_shop_that_refuses_once_is_tried_again(app: App, web_server: WebServer) -> None:
    shop = shops.limited()
    found = run(app, web_server, {path: shop[path] for path in ("/",)})
    assert (found.audit.status, found.audit.error_summary) == ("partial", "PDP not found")
    assert found.messages("retry")[0] == "Trying again: HTTP 429"


def test_a_shop_that_blocks_robots_says_so(app: App, web_server: WebServer) -> None:
    found = run(app, web_server, shops.blocking())
    assert (found.audit.status, found.audit.error_summary) == ("failed", "Blocked (403/503)")
    assert {page.http_status for page in found.pages} == {403}
    assert found.messages("retry").count("Bot block: reloading") == 2
    assert len([path for path in web_server.paths() if path == "/"]) == 8


@pytest.mark.soak
@pytest.mark.parametrize("shop", ["hub", "slow"])
def test_other_shops_end_as_they_should(app: App, web_server: WebServer, shop: str) -> None:
    found = run(app, web_server, getattr(shops, shop)())
    expected = ("partial", "PDP not found") if shop == "hub" else ("completed", None)
    assert (found.audit.status, found.audit.error_summary) == expected


@pytest.mark.soak
def test_two_audits_of_the_same_shop_give_the_same_features_and_text(app: App, web_server: WebServer) -> None:
    first, second = (run(app, web_server, shops.clean()) for _ in range(2))
    for kind in ("features.json", "visible_text.txt", "page.html.gz"):
        for place in ("homepage/desktop", "homepage/mobile", "pdp/desktop", "pdp/mobile"):
            assert first.read(f"{place}/{kind}") == second.read(f"{place}/{kind}"), (place, kind)
