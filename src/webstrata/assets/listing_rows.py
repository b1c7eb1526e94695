"""Converts the results of the `listing` plugin to rows of the collections."""

import json
from collections.abc import Iterable, Mapping

from webstrata.assets.listing import ListingPlugin
from webstrata.assets.plugin import Plugin
from webstrata.db.assets.assets import Sighting
from webstrata.model.collections.listing_json import listing_from_json
from webstrata.model.collections.seen_listings import SeenListing


def seen_listings(
    plugins: Mapping[str, Plugin], sightings: Iterable[Sighting], contents: Mapping[str, bytes]
) -> list[SeenListing]:
    """Return the listings among sightings of assets, given the contents of their files by digest."""
    if not isinstance(plugins.get(ListingPlugin.name), ListingPlugin):
        return []
    return [
        SeenListing(
            sighting.capture_id,
            sighting.captured_at,
            sighting.url,
            listing_from_json(json.loads(contents[sighting.blob_digest])),
        )
        for sighting in sightings
        if sighting.plugin == ListingPlugin.name
    ]
