"""Two plugins as another package would bring them: one as a class, one as an instance, and one that cannot be made."""

from collections.abc import Iterator

from webstrata.assets.plugin import AssetRecord, CapturedContent, NormalizedAsset
from webstrata.model.assets import checksum_of


class WordCount:
    """Counts the words of pages."""

    name = "words"
    version = "2.1"

    def supports(self, asset_type: str) -> bool:
        return asset_type == "page"

    def normalize(self, content: CapturedContent) -> Iterator[NormalizedAsset]:
        words = content.text.count("word")
        data = f"{words}\n".encode()
        record = AssetRecord(
            identifier=f"words of {content.url}",
            asset_type="word-count",
            source_url=content.url,
            checksum=checksum_of(data),
            tags=("words",),
            normalized_path="words.txt",
            metadata={"words": words},
        )
        yield NormalizedAsset(record, data)


class Shout:
    """Keeps what was captured in capitals."""

    name = "shout"

    def supports(self, asset_type: str) -> bool:
        return True

    def normalize(self, content: CapturedContent) -> list[tuple[AssetRecord, bytes]]:
        data = content.body.upper()
        return [(AssetRecord(f"shout of {content.url}", "shout", content.url, checksum_of(data)), data)]


class Broken:
    name = "broken"

    def __init__(self) -> None:
        raise RuntimeError("this plugin needs a newer program")


shout = Shout()
