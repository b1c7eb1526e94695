"""What crawls and exports write into the collections does expire."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy import select
from starlette.testclient import TestClient

from tests.assets.archives import Archive
from tests.retention.rows import DAY, MODELS, count
from tests.retention.test_listing_writers import Shop, kettle
from tests.support.web_server import Answer, WebServer, page
from webstrata.api.server import create_api
from webstrata.app import App
from webstrata.db.collections import hauls, scrapes
from webstrata.db.engine import Database
from webstrata.db.schema.collection_tables import ExportRow, HaulCapture, HealthRow, ListingRow, ScrapeRow
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.queueing import queue_archive
from webstrata.retention.policies import set_policy
from webstrata.retention.sweep import run_manual_pass
from webstrata.settings import Settings

SHELL = b"<!doctype html><title>App</title><body><div id=root></div><script>start()</script>"


def crawl(runner: Runner, server: WebServer) -> None:
    job_id = queue_archive(runner.database, runner.archive_root, (server.url(),))
    runner.run(job_id)


def expires_after(database: Database, collection: str, days: int, rows: int) -> None:
    """Check that the rows of a collection stay for some days, and go then."""
    now = datetime.now(UTC)
    assert count(database, MODELS[collection]) == rows
    early = run_manual_pass(database, now + days * DAY - timedelta(minutes=10), dry_run=False)
    assert early.collections[collection].expired == 0
    late = run_manual_pass(database, now + days * DAY + timedelta(minutes=10), dry_run=False)
    assert late.collections[collection].deleted == rows
    assert count(database, MODELS[collection]) == 0


def test_a_crawl_records_every_attempt_and_the_health_of_its_run(runner: Runner, web_server: WebServer) -> None:
    links = ("/good", "/forbidden", "/app", "/broken", "/missing")
    web_server.answers["/"] = page("Front", *links)
    article = page("Good", "/", "/good", "/app", "/missing", text="Many good words. " * 20)
    web_server.answers["/good"] = article
    web_server.answers["/forbidden"] = Answer(b"No.", 403)
    web_server.answers["/app"] = Answer(SHELL)
    web_server.answers["/broken"] = Answer(b"Later.", 503)
    crawl(runner, web_server)
    database = runner.database
    with database.read() as session:
        found = {row.url.removeprefix(web_server.url()): row for row in session.scalars(select(ScrapeRow))}
        (health,) = session.scalars(select(HealthRow))
        of_url = scrapes.scrapes_of_url(session, web_server.url("/good"), limit=5)
    seen = {path: (row.status_code, row.is_blocked, row.is_js_only, row.error_kind) for path, row in found.items()}
    assert seen == {
        "": (200, False, False, None),
        "good": (200, False, False, None),
        "forbidden": (403, True, False, None),
        "app": (200, False, True, None),
        "broken": (503, False, False, "http_503"),
        "missing": (404, False, False, None),
    }
    good = found["good"]
    assert (good.size_bytes, good.payload_digest) == (len(article.body), of_url[0].payload_digest)
    assert good.elapsed_ms is not None
    assert (health.pages_fetched, health.pages_failed, health.success_rate) == (3, 3, 0.5)
    expires_after(database, "scrape_metadata", 90, 6)
    expires_after(database, "scraper_health", 180, 1)


def test_an_export_is_recorded_with_its_reader_and_its_rows(
    runner: Runner, web_server: WebServer, database: Database, root: Path
) -> None:
    web_server.answers["/"] = page("Front", "/a")
    web_server.answers["/a"] = page("A")
    crawl(runner, web_server)
    app = App(Settings(admin_token=SecretStr("s3cret"), exports_enabled=True), database, root)
    client = TestClient(create_api(app))
    listed = client.get("/api/exports/snapshots", params={"format": "csv", "compressed": "false", "limit": 1})
    assert len(listed.text.splitlines()) == 2
    client.get("/api/exports/changes", headers={"Authorization": "Bearer s3cret"})
    with database.read() as session:
        first, second = session.scalars(select(ExportRow).order_by(ExportRow.id))
    assert (first.kind, first.format, first.actor, first.item_count) == ("snapshots", "csv", "reader", 1)
    assert first.filters == {"limit": 1}
    assert first.finished_at is not None
    assert (second.kind, second.actor, second.item_count) == ("changes", "admin token", 2)
    expires_after(database, "export_history", 90, 2)


def test_an_entry_of_the_audit_log_expires(database: Database) -> None:
    set_policy(database, "hauls", 10)
    now = datetime.now(UTC)
    early = run_manual_pass(database, now + 90 * DAY - timedelta(minutes=10), dry_run=False)
    assert early.collections["audit_log"].expired == 0
    late = run_manual_pass(database, now + 90 * DAY + timedelta(minutes=10), dry_run=False)
    assert late.collections["audit_log"].deleted == 2, "the policy and the first pass, which has an entry of its own"
    assert count(database, MODELS["audit_log"]) == 1


def test_what_is_read_of_a_listing_expires_and_the_listing_stays(archive: Archive) -> None:
    shelf = Shop(archive)
    for price in ("39.90", "35.00"):
        shelf.capture(kettle(price))
    expires_after(archive.database, "diagnostics", 90, 2)
    expires_after(archive.database, "price_history", 365, 2)
    assert (shelf.listing().price, count(archive.database, ListingRow)) == ("35.00", 1)


def test_a_saved_haul_expires_with_its_captures(archive: Archive) -> None:
    archive.index(archive.job(kettle("39.90")))
    with archive.database.write() as session:
        hauls.add_haul(session, "Kettles", [1], datetime.now(UTC))
    expires_after(archive.database, "hauls", 30, 1)
    assert count(archive.database, HaulCapture) == 0
