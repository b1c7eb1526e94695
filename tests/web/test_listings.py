"""The pages of listings, hauls and health."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from tests.assets.archives import Archive, Got
from tests.content.listing.pages import LD, shop
from tests.web.conftest import Page
from webstrata.app import App
from webstrata.db.collections import scraper_health
from webstrata.db.collections.scrapes import url_hash
from webstrata.db.engine import Database
from webstrata.db.schema.collection_tables import ScrapeRow
from webstrata.settings import Settings
from webstrata.site import create_site


def kettle(price: str) -> Got:
    offer = {"@type": "Offer", "price": price, "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}
    data = {"@type": "Product", "name": "Kettle <b>", "sku": "K-17", "offers": offer}
    return Got("/kettle", shop("<h1>Kettle</h1>", LD.format(json.dumps(data))).encode())


@pytest.fixture
def client(database: Database, tmp_path: Path) -> TestClient:
    """A site whose one listing went from 40 to 30 euros; whoever asks from this computer is an administrator."""
    archive = Archive(database, tmp_path / "archive")
    for price in ("40", "30"):
        job_id = archive.index(archive.job(kettle(price)))
        with database.write() as session:
            scraper_health.add_run_health(session, job_id, "completed", datetime.now(UTC))
        archive.run(job_id)
    site = create_site(App(Settings(), database, archive.root))
    return TestClient(site, base_url="http://127.0.0.1", client=("127.0.0.1", 50000))


def test_listings_show_price_change_and_stock_and_lead_to_the_price_over_time(client: TestClient) -> None:
    page = Page(client.get("/listings?q=kettle"))
    row = " ".join(page.one("tbody tr").text().split())
    assert "30 EUR" in row
    assert "▼ down -10 EUR (-25.00 %)" in row
    assert "In stock" in row
    listing = Page(client.get("/listings/1"))
    assert listing.text("h1") == "Kettle <b>"
    assert listing.one(".plot polyline").attributes["points"].startswith("0,8.0 ")
    assert "json-ld" in listing.text("section[aria-labelledby=fields-title]")
    assert "No listing matches" in Page(client.get("/listings?q=teapot")).text("main")
    assert client.get("/listings/2").status_code == 404


def test_a_haul_is_saved_from_its_page_and_refused_with_the_reason(client: TestClient) -> None:
    ours = {"Origin": "http://127.0.0.1"}
    refused = client.post("/hauls", data={"name": "Kettles", "snapshots": "1, 99"}, headers=ours)
    assert refused.status_code == 422
    assert "there is no snapshot 99" in Page(refused).text("[role=alert]")
    page = Page(client.post("/hauls", data={"name": "Kettles", "snapshots": "2, 1"}, headers=ours))
    assert page.text("h1") == "Kettles"
    assert [cell.text().strip() for cell in page.all("td[data-label=Price]")] == ["30 EUR", "40 EUR"]


def test_the_health_of_each_source_is_shown_with_its_trend(client: TestClient) -> None:
    page = Page(client.get("/listings/health"))
    assert "Stable" in page.text("section h2")
    assert page.all(".plot polyline")


def test_administrators_read_how_fields_were_extracted_and_what_was_exported(client: TestClient) -> None:
    listing = Page(client.get("/listings/1"))
    page = Page(client.get(listing.links("main a")["How its fields were extracted"]))
    assert "2 extractions" in page.text("main").casefold()
    assert "price, json-ld:offers.price" in page.text("tbody")
    assert "Nothing matches" in Page(client.get("/admin/diagnostics?listing=7")).text("main")
    assert "No attempts yet" in Page(client.get("/admin/scrape-metadata")).text("main")
    assert "No exports yet" in Page(client.get("/exports")).text("main")
    lists = Page(client.get("/exports")).all("main a")
    assert client.get(lists[0].attributes["href"] or "").text.startswith("snapshot_id")
    assert "List of snapshots CSV" in " ".join(Page(client.get("/exports")).text("tbody th").split())


def test_fetched_urls_are_shown_with_what_came_back(client: TestClient, database: Database) -> None:
    with database.write() as session:
        session.add(
            ScrapeRow(
                url="https://example.org/x",
                url_hash=url_hash("https://example.org/x"),
                status_code=403,
                size_bytes=2_048,
                elapsed_ms=31,
                is_blocked=True,
                created_at=datetime.now(UTC),
            )
        )
    row = " ".join(Page(client.get("/admin/scrape-metadata?url=https://example.org/x")).text("tbody tr").split())
    assert "403" in row
    assert "blocked" in row
    assert "31 ms" in row


def test_readers_are_offered_lists_but_no_history(database: Database, tmp_path: Path) -> None:
    site = create_site(App(Settings(admin_token=SecretStr("s3cret")), database, tmp_path))
    reader = TestClient(site)
    page = Page(reader.get("/exports"))
    assert "CSV" in page.links("main a")
    assert "History" not in page.text("main")
    assert [reader.get(path).status_code for path in ("/admin/diagnostics", "/admin/scrape-metadata")] == [403, 403]
