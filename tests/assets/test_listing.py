"""The built-in plugin for listings: what becomes an asset, when it is a new version, and what is read for it."""

import json
from collections.abc import Iterator
from typing import NoReturn

import pytest
from sqlalchemy import update

from tests.assets.archives import Archive, Got, html
from tests.content.listing.pages import LD, shop
from webstrata.assets.listing import ListingPlugin
from webstrata.db.captures import page_metadata
from webstrata.db.schema.tables import PageMetadata
from webstrata.model.collections.listing_json import listing_from_json

OFFER = '{"@type":"Product","name":"Blue Kettle 1.7 l","offers":{"@type":"Offer","price":"%s","priceCurrency":"EUR"}}'


def kettle(price: str, note: str = "") -> Got:
    return Got("/kettle", shop(f"<h1>Blue Kettle 1.7 l</h1><p>{note}</p>", LD.format(OFFER % price)).encode())


def must_not_be_read(*_: object) -> NoReturn:
    raise AssertionError("the WARC file was read")


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Make reading a WARC file fail."""
    with monkeypatch.context() as patch:
        patch.setattr("webstrata.assets.stage.captured_content", must_not_be_read)
        yield patch


def test_another_price_is_another_version_and_another_markup_is_none(
    archive: Archive, unread: pytest.MonkeyPatch
) -> None:
    jobs = [archive.index(archive.job(got, html("/about", "About us."))) for got in (kettle("39.90"),)]
    first = archive.run(jobs[0], ListingPlugin())
    again = archive.run(archive.index(archive.job(kettle("39.90", "New words."))), ListingPlugin())
    changed = archive.run(archive.index(archive.job(kettle("35.00"))), ListingPlugin())
    assert (first.new, again.unchanged, changed.changed) == (1, 1, 1)
    assert (first.failed, again.failed, changed.failed) == (0, 0, 0)
    assert set(archive.assets()) == {"/kettle"}
    prices = [json.loads(archive.content("/kettle", version))["price"] for version in (1, 2)]
    assert prices == ["39.90", "35.00"]
    newest = max(archive.versions("/kettle"), key=lambda one: one.version)
    assert (newest.metadata["price"], newest.metadata["currency"]) == ("35.00", "EUR")
    assert newest.normalized_path == "listing/site.example/kettle.json"


def test_a_capture_that_the_index_has_not_read_for_listings_is_read_from_its_warc(archive: Archive) -> None:
    unindexed = archive.run(archive.job(kettle("39.90")), ListingPlugin())
    indexed = archive.index(archive.job(kettle("35.00"), html("/about", "About us.")))
    with archive.database.write() as session:
        stated = page_metadata.load_metadata(session, _hash_of(kettle("35.00")))
        before = json.dumps({name: value for name, value in stated.items() if name != "listing"})
        session.execute(update(PageMetadata).values(metadata_json=b""))
        page_metadata.store_metadata(session, {_hash_of(kettle("35.00")): before})
    later = archive.run(indexed, ListingPlugin())
    assert (unindexed.new, later.changed, later.failed) == (1, 1, 0)
    listing = listing_from_json(json.loads(archive.content("/kettle", 2)))
    assert listing.url == "https://site.example/kettle"
    assert listing.price is not None
    assert str(listing.price.value) == "35.00 EUR"


def _hash_of(got: Got) -> str:
    from webstrata.model.assets import checksum_of

    return checksum_of(got.body)
