"""Plugins as others might write them."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from webstrata.assets.plugin import AssetRecord, CapturedContent, NormalizedAsset
from webstrata.model.assets import checksum_of

_PRODUCT = re.compile(r"product:(\w+)=(\w+)")


class Products:
    """Finds many assets on a page: every `product:name=price` in its text."""

    name = "products"

    def supports(self, asset_type: str) -> bool:
        return asset_type == "page"

    def normalize(self, content: CapturedContent) -> Iterator[NormalizedAsset]:
        for product, price in _PRODUCT.findall(content.text):
            data = price.encode()
            record = AssetRecord(product, "product", content.url, checksum_of(data), ("shop",), f"products/{product}")
            yield NormalizedAsset(record, data)


class Counting:
    """Makes one asset of everything, counts its calls, and does something else first if told to."""

    name = "counting"
    version = "1.0"

    def __init__(self, first: Callable[[CapturedContent], None] = lambda content: None) -> None:
        self.calls: Counter[str] = Counter()
        self.first = first

    def supports(self, asset_type: str) -> bool:
        return True

    def normalize(self, content: CapturedContent) -> list[NormalizedAsset]:
        self.calls[content.url] += 1
        self.first(content)
        record = AssetRecord(content.url, "anything", content.url, checksum_of(content.body))
        return [NormalizedAsset(record, content.body)]
