"""Audits of demo shops in a real browser."""

import asyncio
import gzip
import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from tests.audit.shops import shops
from tests.support.web_server import WebServer, serving
from webstrata.app import App, build_app
from webstrata.cli.main import run
from webstrata.db.auditing import pages, sessions
from webstrata.db.retention.artifacts import artifacts_of_session
from webstrata.jobs.auditing.loop import run_audits
from webstrata.jobs.auditing.queueing import queue_audit
from webstrata.model.auditing.sessions import Audit, AuditLogEntry, AuditMode, AuditPage
from webstrata.model.retention.artifacts import ArtifactType, StoredArtifact
from webstrata.retention.artifact_cleanup import ArtifactCleanupReport, clean_up_artifacts
from webstrata.settings import Settings
from webstrata.storage.artifacts import ArtifactFolder

PACK = ArtifactType.EVIDENCE_PACK
SHOPS = {
    "clean": shops.clean,
    "walled": shops.walled,
    "scripted": shops.scripted,
    "hub": shops.hub,
    "slow": shops.slow,
    "limited": shops.limited,
    "blocking": shops.blocking,
}


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


@dataclass
class Street:
    """The demo shops after one audit of each, all run at the same time."""

    app: App
    servers: dict[str, WebServer]
    ids: dict[str, str]

    def audited(self, shop: str) -> Audited:
        return Audited(self.app, self.ids[shop])


@pytest.fixture(scope="module")
def street(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Street]:
    folder = tmp_path_factory.mktemp("street")
    app = make_app(folder, audit_concurrency=len(SHOPS))
    with ExitStack() as stack:
        servers = {name: stack.enter_context(serving()) for name in SHOPS}
        for name, server in servers.items():
            server.answers.update(SHOPS[name]())
        modes = dict.fromkeys(SHOPS, AuditMode.STANDARD) | {"scripted": AuditMode.EVIDENCE_PACK}
        ids = {name: queue(app, server, modes[name]) for name, server in servers.items()}
        asyncio.run(run_audits(app.audit_parts(), app.audit_browser(), threading.Event(), timedelta(0)))
        yield Street(app, servers, ids)
    app.close()


def make_app(folder: Path, **settings: Any) -> App:
    database = f"sqlite:///{folder / 'webstrata.db'}"
    return build_app(
        Settings(
            data_dir=folder,
            archive_root=folder / "archive",
            database_url=SecretStr(database),
            allow_private_networks=(ip_network("127.0.0.1/32"),),
            artifacts_dir=folder / "artifacts",
            **settings,
        )
    )


def queue(app: App, server: WebServer, mode: AuditMode = AuditMode.STANDARD) -> str:
    return queue_audit(app.database, server.url("/"), datetime.now(UTC), policy=app.audit_policy(), mode=mode).id


def test_a_clean_shop_gives_four_pages_of_evidence(street: Street) -> None:
    found, server = street.audited("clean"), street.servers["clean"]
    assert (found.audit.status, found.audit.error_summary) == ("completed", None)
    assert found.audit.pdp_url == server.url("/products/green-tea")
    places = [f"{page.page_type}/{page.viewport}" for page in found.pages]
    assert places == ["homepage/desktop", "homepage/mobile", "pdp/desktop", "pdp/mobile"]
    names = ["page.html.gz", "visible_text.txt", "features.json", "screenshot.png"]
    prefix = f"{found.audit.domain}__{found.audit.id}"
    expected = [f"{prefix}/{place}/{name}" for place in places for name in names]
    assert [one.storage_uri for one in found.artifacts] == [*expected, f"{prefix}/session_logs.jsonl"]
    for one in found.artifacts:
        assert hashlib.sha256(found.folder.get(one.storage_uri)).hexdigest() == one.checksum
        assert (one.retention_until is not None) == (one.type == "html_gz")
    features = json.loads(found.read("pdp/mobile/features.json"))
    assert features["pdp_core"] == {
        "price": "24.50",
        "currency": "EUR",
        "availability": "InStock",
        "add_to_cart_present": True,
    }
    exported = [json.loads(line) for line in found.read("session_logs.jsonl").splitlines()]
    assert [line["message"] for line in exported] == [entry.message for entry in found.log]
    agents = {request.header("User-Agent") for request in server.requests if request.path == "/"}
    assert sorted("Mobile" in (agent or "") for agent in agents) == [False, True]


def test_a_consent_wall_is_rejected_and_an_overlay_without_control_hidden(street: Street) -> None:
    found = street.audited("walled")
    assert found.audit.status == "completed"
    popups = found.messages("popup")
    assert popups.count("Dismissed a popup: Alle ablehnen") == 4
    assert popups.count("Hid overlays that blocked the page") == 4
    assert "/checkout" not in street.servers["walled"].paths()
    assert "Newsletter" not in found.read("homepage/desktop/visible_text.txt").decode()


def test_a_product_page_that_scripts_build_is_found(street: Street) -> None:
    found = street.audited("scripted")
    assert found.audit.status == "completed"
    assert "Thé vert" in found.read("pdp/desktop/visible_text.txt").decode()


def test_an_evidence_pack_holds_every_exchange_and_verifies_elsewhere(
    street: Street, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = street.audited("scripted")
    pack = tmp_path / "taken-along.evidence.zip"
    pack.write_bytes(found.read("session.evidence.zip"))
    assert run(["verify", str(pack)]) == 0
    assert capsys.readouterr().out
    with zipfile.ZipFile(pack) as packed:
        manifest = packed.read("manifest.json")
        names = set(packed.namelist())
        wacz = zipfile.ZipFile(io.BytesIO(packed.read("archive.wacz")))
    assert hashlib.sha256(manifest).hexdigest() == found.audit.manifest_sha256
    artifacts = {f"artifacts/{one.storage_uri.partition('/')[2]}" for one in found.artifacts if one.type != PACK}
    assert artifacts | {"manifest.json", "archive.wacz"} == names
    warc = b"".join(gzip.decompress(wacz.read(name)) for name in wacz.namelist() if name.endswith(".warc.gz"))
    for path in ("/", "/products/green-tea", "/api/tea", "/tea.png"):
        assert f"WARC-Target-URI: {street.servers['scripted'].url(path)}\r\n".encode() in warc


def test_a_shop_of_lists_has_no_product_page(street: Street) -> None:
    found = street.audited("hub")
    assert (found.audit.status, found.audit.error_summary) == ("partial", "PDP not found")
    assert len(found.pages) == 2


def test_a_shop_that_refuses_once_is_tried_again(street: Street) -> None:
    found = street.audited("limited")
    assert (found.audit.status, found.audit.error_summary) == ("completed", None)
    assert found.messages("retry") == ["Trying again: HTTP 429"]


def test_a_shop_that_blocks_robots_fails_with_the_reason(street: Street) -> None:
    found = street.audited("blocking")
    assert (found.audit.status, found.audit.error_summary) == ("failed", "Blocked (403/503)")
    assert {page.http_status for page in found.pages} == {403}
    assert found.messages("retry").count("Bot block: reloading") == 2
    assert street.servers["blocking"].paths().count("/") == 8


def test_a_slow_shop_is_waited_for(street: Street) -> None:
    assert street.audited("slow").audit.status == "completed"


def test_the_html_of_an_audit_is_cleaned_up_when_its_days_are_over(street: Street) -> None:
    def clean_up(days: float, *, dry_run: bool = False, batch_size: int = 100) -> ArtifactCleanupReport:
        moment, root = datetime.now(UTC) + timedelta(days=days), street.app.settings.artifacts_dir
        return clean_up_artifacts(street.app.database, root, moment, batch_size=batch_size, dry_run=dry_run)

    before = street.audited("limited")
    html = [one for one in before.artifacts if one.type == "html_gz"]
    assert len(html) == 4
    assert clean_up(13.9).candidates == 0
    rehearsed = clean_up(15, dry_run=True)
    assert (rehearsed.candidates >= 4, rehearsed.deleted, rehearsed.bytes) == (True, 0, 0)
    assert street.audited("limited").artifacts == before.artifacts
    assert clean_up(15, batch_size=1).candidates == 1
    (street.app.settings.artifacts_dir / html[-1].storage_uri).unlink()
    report = clean_up(15)
    assert (report.failed, report.missing, report.deleted) == (0, 1, rehearsed.candidates - 2)
    assert report.bytes > 0
    assert clean_up(15).candidates == 0
    after = street.audited("limited")
    assert {one.type for one in after.artifacts if one.deleted_at} == {"html_gz"}
    assert all(one.deleted_at for one in after.artifacts if one.type == "html_gz")
    assert after.read("pdp/desktop/features.json")


@pytest.mark.soak
def test_two_audits_of_the_same_shop_give_the_same_features_and_text(tmp_path: Path, web_server: WebServer) -> None:
    app = make_app(tmp_path)
    web_server.answers.update(shops.clean())
    ids = [queue(app, web_server) for _ in range(2)]
    asyncio.run(run_audits(app.audit_parts(), app.audit_browser(), threading.Event(), timedelta(seconds=5)))
    first, second = (Audited(app, one) for one in ids)
    for kind in ("features.json", "visible_text.txt", "page.html.gz"):
        for place in ("homepage/desktop", "homepage/mobile", "pdp/desktop", "pdp/mobile"):
            assert first.read(f"{place}/{kind}") == second.read(f"{place}/{kind}"), (place, kind)
    app.close()
