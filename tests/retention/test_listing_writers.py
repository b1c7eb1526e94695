"""What the stage writes of listings: current facts, price changes and traces, whatever the order of the captures."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import delete, func, select

from tests.assets.archives import Archive, Got
from tests.content.listing.pages import LD, shop
from webstrata.assets.listing import ListingPlugin
from webstrata.db.collections import scraper_health
from webstrata.db.schema.asset_tables import PluginRun
from webstrata.db.schema.collection_tables import DiagnosticRow, HealthRow, ListingRow, PriceRow
from webstrata.model.collections.listing import Money
from webstrata.model.collections.prices import PriceDirection, price_move
from webstrata.retention.sweep import run_manual_pass


def kettle(price: str | None, currency: str | None = "EUR", path: str = "/kettle", **more: object) -> Got:
    offer = {"@type": "Offer", "availability": "https://schema.org/InStock"}
    offer |= {"price": price} if price else {}
    offer |= {"priceCurrency": currency} if currency else {}
    product = {"@type": "Product", "name": "Blue Kettle 1.7 l", "sku": "K-17", "offers": offer, **more}
    return Got(path, shop("<h1>Blue Kettle 1.7 l</h1>", LD.format(json.dumps(product))).encode())


@dataclass(frozen=True)
class Shop:
    """An archive whose jobs are indexed and read for listings at once."""

    archive: Archive

    def capture(self, *got: Got, day: int | None = None) -> int:
        job_id = self.archive.index(self.archive.job(*got, day=day))
        assert self.archive.run(job_id, ListingPlugin()).failed == 0
        return job_id

    def listing(self) -> ListingRow:
        with self.archive.database.read() as session:
            return session.scalars(select(ListingRow)).one()

    def history(self) -> list[tuple[str | None, str | None]]:
        with self.archive.database.read() as session:
            rows = session.scalars(select(PriceRow).order_by(PriceRow.captured_at))
            return [(row.previous_price, row.price) for row in rows]

    def traced(self) -> int:
        with self.archive.database.read() as session:
            return session.scalar(select(func.count()).select_from(DiagnosticRow)) or 0


@pytest.fixture
def shelf(archive: Archive) -> Shop:
    return Shop(archive)


def test_a_listing_has_its_current_facts_and_a_history_of_changes_only(shelf: Shop) -> None:
    for price in ("39.90", "39.90", "35.00", None, "35.0", "42.50"):
        shelf.capture(kettle(price))
    row = shelf.listing()
    assert (row.name, row.price, row.currency, row.availability) == ("Blue Kettle 1.7 l", "42.50", "EUR", "InStock")
    assert row.fields is not None
    assert row.fields["price"]["sources"][0] == "json-ld"
    assert (row.first_snapshot_id, row.last_snapshot_id) == (1, 6)
    assert shelf.history() == [(None, "39.90"), ("39.90", "35.00"), ("35.0", "42.50")]
    assert shelf.traced() == 6


def test_late_captures_take_their_place_and_leave_the_current_facts(shelf: Shop) -> None:
    shelf.capture(kettle("30"), day=10)
    shelf.capture(kettle("40", sku="New"), day=20)
    shelf.capture(kettle("40", sku="Old"), day=15)
    assert shelf.history() == [(None, "30"), ("30", "40")]
    shelf.capture(kettle("25"), day=12)
    shelf.capture(kettle("20"), day=5)
    shelf.capture(kettle("50"), day=17)
    assert shelf.history() == [(None, "20"), ("20", "30"), ("30", "25"), ("25", "40"), ("40", "50"), ("50", "40")]
    row = shelf.listing()
    assert (row.price, row.sku) == ("40", "New")
    assert row.first_seen_at == datetime(2024, 1, 6, tzinfo=UTC)


def test_a_second_run_and_an_expired_history_change_nothing(shelf: Shop) -> None:
    job_id = shelf.capture(kettle("39.90"))
    shelf.capture(kettle("35"))
    database = shelf.archive.database
    with database.write() as session:
        session.execute(delete(PluginRun))
    assert shelf.archive.run(job_id, ListingPlugin()).failed == 0
    assert (shelf.history(), shelf.traced()) == ([(None, "39.90"), ("39.90", "35")], 2)
    done = run_manual_pass(database, datetime.now(UTC) + timedelta(days=366), dry_run=False)
    assert (done.collections["price_history"].deleted, done.collections["diagnostics"].deleted) == (2, 2)
    shelf.capture(kettle("35.00"))
    assert shelf.history() == []
    assert shelf.listing().price == "35.00"


def test_text_that_no_database_stores_costs_only_its_characters(shelf: Shop) -> None:
    shelf.capture(kettle("35", sku="A\0\ud800B", name="Kettle\0\udfff", brand="x" * 100_000))
    assert shelf.listing().price == "35"


def test_a_run_records_the_share_of_listings_that_have_each_field(shelf: Shop) -> None:
    job_id = shelf.archive.index(shelf.archive.job(kettle("35"), kettle("36", path="/pot", gtin13="4006381333931")))
    with shelf.archive.database.write() as session:
        scraper_health.add_run_health(session, job_id, "completed", datetime.now(UTC))
    shelf.archive.run(job_id, ListingPlugin())
    with shelf.archive.database.read() as session:
        rates = session.scalars(select(HealthRow)).one().field_fill_rates
    assert rates is not None
    assert (rates["price"], rates["gtin"], rates["rooms"]) == (1.0, 0.5, 0.0)


@pytest.mark.parametrize(
    ("before", "after", "direction", "amount", "percent"),
    [
        (Money(Decimal("0.1"), "EUR"), Money(Decimal("0.3"), "EUR"), "up", "0.2", "200.00"),
        (Money(Decimal(30), "EUR"), Money(Decimal("20.00"), None), "down", "-10.00", "-33.33"),
        (Money(Decimal(0), "EUR"), Money(Decimal(5), "EUR"), "up", "5", "None"),
        (Money(Decimal(5), "EUR"), Money(Decimal(5), "USD"), "currency", "None", "None"),
        (None, Money(Decimal(5), "USD"), "first", "None", "None"),
    ],
)
def test_a_price_change_is_exact(before: Money | None, after: Money, direction: str, amount: str, percent: str) -> None:
    move = price_move(before, after)
    assert (move.direction, str(move.amount), str(move.percent)) == (PriceDirection(direction), amount, percent)
