"""Listings follow their pages when these get other names."""

from collections.abc import Mapping

import pytest
from sqlalchemy import select, update

from tests.assets.archives import Archive
from tests.retention.test_listing_writers import Shop, kettle
from webstrata.db.schema.collection_tables import DiagnosticRow, ListingRow, PriceRow
from webstrata.db.schema.tables import ArchiveJob, Source
from webstrata.db.sources import sources
from webstrata.jobs.folders.regrouping import regroup


@pytest.fixture
def shelf(archive: Archive) -> Shop:
    return Shop(archive)


def tell_apart(shelf: Shop, *names: str) -> None:
    """Set the parameters that distinguish pages, and regroup."""
    with shelf.archive.database.write() as session:
        session.execute(update(ArchiveJob).values(status="indexed"))
        sources.set_page_parameters(session, session.scalars(select(Source.code)).one(), names)
    regroup(shelf.archive.database)


def histories(shelf: Shop) -> Mapping[str, list[tuple[str | None, str | None]]]:
    """Return the changes of each listing's price, by the end of its page's name."""
    with shelf.archive.database.read() as session:
        listings = session.scalars(select(ListingRow).order_by(ListingRow.id)).all()
        found = {}
        for listing in listings:
            rows = session.scalars(
                select(PriceRow).where(PriceRow.listing_id == listing.id).order_by(PriceRow.captured_at)
            ).all()
            assert {row.normalized_url_group for row in rows} <= {listing.normalized_url_group}
            name = listing.normalized_url_group.rpartition("/")[2]
            found[name] = [(row.previous_price, row.price) for row in rows]
            assert listing.price == (rows[-1].price if rows else None)
        known = {listing.id for listing in listings}
        assert set(session.scalars(select(DiagnosticRow.listing_id))) <= known
    return found


def test_a_listing_whose_page_falls_apart_becomes_several(shelf: Shop) -> None:
    for number, price in ((1, "10.00"), (2, "10.00"), (1, "12.00"), (2, "11.00")):
        shelf.capture(kettle(price, path=f"/kettle?id={number}"))
    assert histories(shelf) == {"kettle": [(None, "10.00"), ("10.00", "12.00"), ("12.00", "11.00")]}
    tell_apart(shelf, "id")
    assert histories(shelf) == {
        "kettle?id=2": [(None, "10.00"), ("10.00", "11.00")],
        "kettle?id=1": [(None, "10.00"), ("10.00", "12.00")],
    }
    tell_apart(shelf, "id")
    assert len(histories(shelf)) == 2


def test_listings_whose_pages_become_one_are_joined(shelf: Shop) -> None:
    for number, price in ((1, "10.00"), (2, "10.00"), (1, "12.00"), (2, "11.00")):
        shelf.capture(kettle(price, path=f"/kettle?id={number}"))
    tell_apart(shelf, "id")
    tell_apart(shelf)
    assert histories(shelf) == {"kettle": [(None, "10.00"), ("10.00", "12.00"), ("12.00", "11.00")]}
    row = shelf.listing()
    assert (row.price, row.last_snapshot_id, row.first_snapshot_id) == ("11.00", 4, 1)
    assert shelf.traced() == 4
    shelf.capture(kettle("13.00", path="/kettle?id=1"))
    assert histories(shelf)["kettle"][-1] == ("11.00", "13.00")


def test_a_listing_whose_page_gets_another_name_stays_itself(shelf: Shop) -> None:
    shelf.capture(kettle("10.00", path="/kettle?id=1"))
    number = shelf.listing().id
    tell_apart(shelf, "id")
    row = shelf.listing()
    assert (row.id, row.price, row.normalized_url_group[-5:]) == (number, "10.00", "?id=1")
    assert histories(shelf) == {"kettle?id=1": [(None, "10.00")]}
