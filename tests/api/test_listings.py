"""Listings, prices, hauls and health over the API, from captures that the real stages read."""

import csv
import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from tests.assets.archives import SITE, Archive, Got
from tests.content.listing.pages import LD, shop
from tests.retention.rows import MODELS, count
from webstrata.api.collections.spreadsheet import safe_cell
from webstrata.api.server import create_api
from webstrata.app import App
from webstrata.db.collections import hauls, scraper_health
from webstrata.db.engine import Database
from webstrata.model.collections.health_trend import RunRates, health_trend
from webstrata.retention.sweep import run_manual_pass
from webstrata.settings import Settings

ADMIN = {"Authorization": "Bearer s3cret"}


def product(path: str, name: str, price: str, **more: object) -> Got:
    offer = {"@type": "Offer", "price": price, "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}
    data = {"@type": "Product", "name": name, "offers": offer, **more}
    return Got(path, shop(f"<h1>{name}</h1>", LD.format(json.dumps(data))).encode())


@pytest.fixture
def shelf(database: Database, tmp_path: Path) -> Archive:
    """An archive with two products, of which one became cheaper."""
    archive = Archive(database, tmp_path / "archive")
    for price in ("39.90", "29.90"):
        job_id = archive.job(product("/kettle", "Blue Kettle", price), product("/pot", "=HYPERLINK(1)", "1000.50"))
        archive.index(job_id)
        with database.write() as session:
            scraper_health.add_run_health(session, job_id, "completed", datetime.now(UTC))
        archive.run(job_id)
    return archive


@pytest.fixture
def client(shelf: Archive) -> TestClient:
    settings = Settings(admin_token=SecretStr("s3cret"), exports_enabled=True, rate_limiting_enabled=False)
    return TestClient(create_api(App(settings, shelf.database, shelf.root)))


def get(client: TestClient, path: str, **query: object) -> Any:
    response = client.get(path, params=query, headers=ADMIN)
    assert response.status_code == 200, response.text
    return response.json()


def test_listings_are_found_by_words_source_price_and_stock(client: TestClient) -> None:
    for path in ("/api/listings", "/public_api/v1/listings"):
        found = get(client, path, q="kettle BLUE", maxPrice="29.90", availability="InStock", source="site")
        (kettle,) = found["items"]
        assert (found["total"], kettle["price"], kettle["currency"]) == (1, "29.90", "EUR")
        assert kettle["lastChange"]["change"] == {"amount": "-10.00", "percent": "-25.06", "direction": "down"}
        assert kettle["fields"]["price"]["sources"][0] == "json-ld"
        assert get(client, f"{path}/{kettle['id']}") == kettle
        assert client.get(f"{path}/99").status_code == 404
    assert get(client, "/api/listings", q="100%")["total"] == 0
    cheapest = get(client, "/api/listings", sort="cheapest", limit=1)
    assert (cheapest["total"], cheapest["items"][0]["name"]) == (2, "Blue Kettle")
    assert client.get("/api/listings", params={"minPrice": "NaN"}).status_code == 422


def test_the_history_of_a_url_is_all_prices_or_only_changes(client: TestClient) -> None:
    url = f"{SITE}/kettle"
    found = get(client, "/public_api/v1/listings/history", url=url)
    assert [(one["previousPrice"], one["price"]) for one in found["history"]] == [("39.90", "29.90"), (None, "39.90")]
    changes = get(client, "/public_api/v1/listings/history", url=url, changes_only=True, limit=5)
    assert [one["change"]["direction"] for one in changes["history"]] == ["down"]
    (changed,) = get(client, "/api/price-history")["items"]
    assert changed == changes["history"][0] == get(client, f"/api/price-history/{changed['id']}")
    listed = get(client, f"/api/listings/{changed['listingId']}/history")
    assert listed["items"] == found["history"]
    for unknown in ("https://other.example/", "no address"):
        assert client.get("/public_api/v1/listings/history", params={"url": unknown}).status_code == 404


def test_only_administrators_read_how_pages_were_fetched_extracted_and_exported(client: TestClient) -> None:
    for path in ("diagnostics", "scrape-metadata", "export-history"):
        assert client.get(f"/api/admin/{path}").status_code == 403
        assert get(client, f"/api/admin/{path}")["limit"] == 50
        assert client.get(f"/api/admin/{path}/999", headers=ADMIN).status_code == 404
    listed = get(client, "/api/admin/diagnostics", url=f"{SITE}/kettle", limit=1)
    (newest,) = listed["items"]
    assert listed["total"] == 2
    chosen = {trace["field"]: trace["value"] for trace in newest["traces"] if trace["chosen"]}
    assert chosen["price"].startswith("29.90")
    assert newest == get(client, f"/api/admin/diagnostics/{newest['id']}")


def test_a_haul_is_shared_by_link_exported_and_kept_while_it_is_read(client: TestClient, shelf: Archive) -> None:
    new = {"name": "Kettles", "snapshotIds": [3, 1, 2]}
    assert client.post("/api/hauls", json=new).status_code == 403
    haul = client.post("/api/hauls", json=new, headers=ADMIN).json()
    assert [(one["snapshotId"], one["price"]) for one in haul["captures"]] == [
        (3, "29.90"),
        (1, "39.90"),
        (2, "1000.50"),
    ]
    assert haul["link"].endswith(f"/hauls/{haul['id']}")
    shared = client.get(f"/public_api/v1/hauls/{haul['id']}")
    assert shared.json() == haul
    table = client.get(f"/api/hauls/{haul['id']}/export", params={"format": "csv"})
    rows = list(csv.DictReader(StringIO(table.text)))
    assert [row["name"] for row in rows] == ["Blue Kettle", "Blue Kettle", "'=HYPERLINK(1)"]
    assert client.get(f"/api/hauls/{haul['id']}/export", params={"format": "json"}).json() == haul
    assert [one["itemCount"] for one in get(client, "/api/admin/export-history", kind="haul")["items"]] == [3, 3]
    for wrong in ([], [1] * 21, [99], list(range(1, 22))):
        refused = client.post("/api/hauls", json=new | {"snapshotIds": wrong}, headers=ADMIN)
        assert refused.status_code == 422, wrong
    assert [get(client, "/api/hauls", q=words)["total"] for words in ("", "ettl K", "pans", "%")] == [1, 1, 0, 0]
    assert client.delete(f"/api/hauls/{haul['id']}", headers=ADMIN).status_code == 204
    assert client.get(f"/public_api/v1/hauls/{haul['id']}").status_code == 404


def test_hauls_expire_after_thirty_days_but_not_while_in_use(client: TestClient, shelf: Archive) -> None:
    made = [client.post("/api/hauls", json={"name": name, "snapshotIds": [1]}, headers=ADMIN).json() for name in "ab"]
    now = datetime.now(UTC)
    client.get(f"/public_api/v1/hauls/{made[0]['id']}")
    with shelf.database.write() as session:
        hauls.use_haul(session, made[0]["id"], now + timedelta(days=32))
    early = run_manual_pass(shelf.database, now + timedelta(days=29), dry_run=False).collections["hauls"]
    late = run_manual_pass(shelf.database, now + timedelta(days=31), dry_run=False).collections["hauls"]
    assert (early.expired, late.expired, late.deleted, late.remaining) == (0, 2, 1, 1)
    assert count(shelf.database, MODELS["hauls"]) == 1
    assert client.get(f"/public_api/v1/hauls/{made[0]['id']}").status_code == 200


def test_the_health_of_a_source_has_a_trend(client: TestClient) -> None:
    (of_site,) = get(client, "/api/scraper-health/trends", source="site")["items"]
    assert (of_site["trend"], len(of_site["runs"])) == ("stable", 2)
    assert of_site["runs"][-1]["fieldFillRates"]["price"] == 1.0
    listed = get(client, "/api/scraper-health", source="site")
    assert listed["total"] == 2
    assert get(client, f"/api/scraper-health/{listed['items'][0]['id']}") == listed["items"][0]


@pytest.mark.parametrize(
    ("rates", "trend"),
    [
        ([], "stable"),
        ([0.5], "stable"),
        ([0.9, 0.5], "declining"),
        ([0.99, 0.98, 1.0, 0.97, 0.2], "stable"),
        ([0.99, 0.98, 1.0, 0.97, 0.2, 0.3], "declining"),
        ([0.4, 0.5, 0.9, 0.95], "improving"),
        ([0.1] * 20 + [0.9] * 10, "stable"),
    ],
)
def test_a_trend_compares_the_newest_runs_with_those_before(rates: list[float], trend: str) -> None:
    assert health_trend([RunRates(rate) for rate in rates]).direction == trend


def test_a_field_that_disappears_is_a_decline_although_all_pages_are_fetched() -> None:
    runs = [RunRates(1.0, {"price": 0.9, "gtin": 0.5})] * 4 + [RunRates(1.0, {"price": 0.1, "gtin": 0.9})] * 3
    found = health_trend(runs)
    assert (found.direction, found.because) == ("declining", ("price",))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =1", "\uff1d1"])
def test_a_cell_is_never_a_formula(text: str) -> None:
    assert safe_cell(text) == f"'{text}"
