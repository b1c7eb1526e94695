"""Calls plugins and checks their results; a failure affects only the assets of one capture."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from traceback import format_exception_only

import structlog

from webstrata.assets.listing import ListingPlugin
from webstrata.assets.page import PagePlugin
from webstrata.assets.plugin import CapturedContent, Plugin
from webstrata.db.assets.plugin_runs import IndexedPage
from webstrata.errors import UsageError, WebstrataError
from webstrata.model.assets import AssetRecord, NormalizedAsset
from webstrata.model.collections.listing_json import listing_from_json

log = structlog.get_logger()

MAX_ASSETS = 10_000
MAX_BYTES = 400_000_000
"""The most bytes that a plugin may return for one capture: twice the largest capture."""

_LONGEST_REASON = 2_000


@dataclass(frozen=True)
class PluginFailure:
    """Why a capture has no assets of a plugin."""

    reason: str

    @classmethod
    def of(cls, error: BaseException) -> "PluginFailure":
        """Return an error as a failure whose reason can be stored in a database."""
        return cls(_storable(format_exception_only(error)[-1].strip())[:_LONGEST_REASON])


def normalized_by(plugin: Plugin, content: CapturedContent) -> list[NormalizedAsset] | PluginFailure | None:
    """Return the assets of a capture by a plugin, or the reason of its failure; None when it is not supported."""
    try:
        if not plugin.supports(content.asset_type):
            return None
        return _check_assets(plugin.normalize(content))
    except (Exception, SystemExit) as error:
        failure = PluginFailure.of(error)
        # Our own errors are about the page, and their message is enough; all others are the plugin's.
        is_foreign = not isinstance(error, WebstrataError)
        log.warning(
            "plugin.page.failed", plugin=plugin.name, url=content.url, reason=failure.reason, exc_info=is_foreign
        )
        return failure


def record_of_page(plugin: PagePlugin, page: IndexedPage) -> tuple[AssetRecord, int] | PluginFailure:
    """Return the asset of a page that is indexed, with the size of its file, or why it has none."""
    try:
        if page.file is not None:
            return plugin.record(page.url, page.title, page.language, page.file.checksum), page.file.size
        asset = plugin.normalize_text(page.url, page.title, page.text, page.language)
        return asset.record, len(asset.content)
    except (WebstrataError, ValueError) as error:
        failure = PluginFailure.of(error)
        log.warning("plugin.page.failed", plugin=plugin.name, url=page.url, reason=failure.reason)
        return failure


def normalized_listing(
    plugin: ListingPlugin, page: IndexedPage, payload: Mapping[str, object]
) -> NormalizedAsset | PluginFailure:
    """Return the asset of a listing that the index read, or why it has none."""
    try:
        # The URL is set here, as the index stores a listing once for all URLs with the same bytes.
        listing = replace(listing_from_json(payload), url=page.url)
        return plugin.normalize_listing(page.url, listing)
    except (WebstrataError, ValueError, KeyError, TypeError) as error:
        failure = PluginFailure.of(error)
        log.warning("plugin.page.failed", plugin=plugin.name, url=page.url, reason=failure.reason)
        return failure


def _check_assets(found: Iterable[object]) -> list[NormalizedAsset]:
    """Return the assets of a plugin; UsageError when they are invalid."""
    assets: dict[str, NormalizedAsset] = {}
    size = 0
    for item in found:
        asset = _pair(item)
        size += len(asset.content)
        if asset.record.identifier in assets:
            raise UsageError(f"the plugin returned {asset.record.identifier!r} twice")
        if len(assets) == MAX_ASSETS or size > MAX_BYTES:
            raise UsageError(f"the plugin returned more than {MAX_ASSETS} assets or {MAX_BYTES} bytes")
        assets[asset.record.identifier] = asset
    return list(assets.values())


def _pair(item: object) -> NormalizedAsset:
    match item:
        case (AssetRecord() as record, bytes() as content):
            return NormalizedAsset(record, content)
    raise UsageError(f"the plugin returned {item!r:.200}, not an AssetRecord and bytes")


def _storable(text: str) -> str:
    """Return a text without characters that PostgreSQL cannot store."""
    return text.replace("\0", "").encode(errors="replace").decode()
