"""Audits of demo shops in a real browser."""

import asyncio
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
