"""The built-in plugin for listings: what a product or property page offers, as JSON."""

import json
import os
from collections.abc import Iterator

from webstrata.assets.naming import identifier_for, path_for
from webstrata.assets.page import body_of
from webstrata.assets.plugin import AssetRecord, AssetType, CapturedContent, NormalizedAsset
from webstrata.content.reader.page_reader import shared_reader
from webstrata.content.reader.page_requests import ReadListing
from webstrata.db.captures.packed_text import plain
from webstrata.model.assets import checksum_of
from webstrata.model.collections.listing import Listing
from webstrata.model.collections.listing_json import listing_as_json, stable_facts

LISTING_TYPE = "listing"
_SHOWN = ("name", "price", "currency", "availability", "quality")


class ListingPlugin:
    """Stores the listings of pages; another confidence or position on the page does not make a new version."""

    name = "listing"
    version = "2"

    def supports(self, asset_type: str) -> bool:
        """Return whether captures are pages."""
        return asset_type == AssetType.PAGE

    def normalize(self, content: CapturedContent) -> Iterator[NormalizedAsset]:
        """Yield the page's listing, if it offers a product or a property."""
        listing = shared_reader(os.getpid()).listing(ReadListing(body_of(content)))
        if listing is not None:
            yield self.normalize_listing(content.url, listing)

    def normalize_listing(self, url: str, listing: Listing) -> NormalizedAsset:
        """Return the asset of a listing that was read before."""
        data = json.dumps(listing_as_json(listing), ensure_ascii=False, indent=1, sort_keys=True)
        payload = listing.as_payload()
        facts = json.dumps(stable_facts(listing), sort_keys=True).encode()
        return NormalizedAsset(
            AssetRecord(
                identifier=identifier_for(url),
                asset_type=LISTING_TYPE,
                source_url=url,
                checksum=checksum_of(facts),
                tags=(listing.kind.value,),
                normalized_path=path_for("listing", url, "json"),
                metadata={name: _storable(payload[name]) for name in _SHOWN},
            ),
            plain(data).encode(),
        )


def _storable(value: object) -> object:
    return plain(value) if isinstance(value, str) else value
