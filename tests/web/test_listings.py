"""The pages of listings, hauls and health."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.assets.archives import Archive, Got
from tests.content.listing.pages import LD, shop
from tests.web.conftest import Page
from webstrata.app import App
from webstrata.db.collections import scraper_health
from webstrata.db.engine import Database
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
