"""Sightings: the records of assets that plugins found in captures."""

from webstrata.assets.listing import ListingPlugin
from webstrata.assets.media import MediaPlugin
from webstrata.assets.page import PagePlugin
from webstrata.assets.plugin import AssetRecord, Plugin
from webstrata.db.assets.assets import Sighting
from webstrata.db.assets.plugin_runs import IndexedPage, PlacedCapture
from webstrata.model.assets import NormalizedAsset, checksum_of


def sighting_of_page(page: IndexedPage, plugin: PagePlugin, record: AssetRecord, size: int) -> Sighting:
    """Return the sighting of an indexed page, whose file consists of the stored document."""
    return Sighting(
        plugin=plugin.name,
        record=record,
        blob_digest=record.checksum,
        blob_size=size,
        capture_id=page.capture_id,
        url=page.url,
        captured_at=page.captured_at,
        document_id=page.document_id,
    )


def sighting_of_listing(page: IndexedPage, plugin: ListingPlugin, asset: NormalizedAsset) -> Sighting:
    """Return the sighting of the listing of an indexed page."""
    return Sighting(
        plugin=plugin.name,
        record=asset.record,
        blob_digest=checksum_of(asset.content),
        blob_size=len(asset.content),
        capture_id=page.capture_id,
        url=page.url,
        captured_at=page.captured_at,
    )


def sighting_of_capture(capture: PlacedCapture, plugin: Plugin, asset: NormalizedAsset) -> Sighting:
    """Return the sighting of an asset in a capture; the bytes of media are those of the capture."""
    return Sighting(
        plugin=plugin.name,
        record=asset.record,
        blob_digest=checksum_of(asset.content),
        blob_size=len(asset.content),
        capture_id=capture.id,
        url=capture.url,
        captured_at=capture.captured_at,
        is_body=isinstance(plugin, MediaPlugin),
    )
