"""The built-in plugin for pages: what a page says, as a text file."""

import os
import unicodedata
from collections.abc import Iterator

from webstrata.assets.naming import identifier_for, path_for
from webstrata.assets.plugin import AssetRecord, AssetType, CapturedContent, NormalizedAsset
from webstrata.content.kinds import PageKind
from webstrata.content.page_reader import shared_reader
from webstrata.content.page_requests import ReadPage
from webstrata.content.reading import Body
from webstrata.model.assets import checksum_of


class PagePlugin:
    """Keeps title and text of a page; a change of markup alone is none."""

    name = "page"
    version = "2"

    def supports(self, asset_type: str) -> bool:
        """Tell that pages are wanted."""
        return asset_type == AssetType.PAGE

    def normalize(self, content: CapturedContent) -> Iterator[NormalizedAsset]:
        """Return the page's text under its title."""
        page = shared_reader(os.getpid()).page(ReadPage(PageKind.HTML, _body(content)))
        title = _tidy(page.title)
        data = f"{title}\n\n{_tidy(page.text)}\n".encode()
        yield NormalizedAsset(
            AssetRecord(
                identifier=identifier_for(content.url),
                asset_type=AssetType.PAGE,
                source_url=content.url,
                checksum=checksum_of(data),
                normalized_path=path_for("page", content.url, "txt"),
                metadata={"title": title, "language": page.language},
            ),
            data,
        )


def _body(content: CapturedContent) -> Body:
    return Body(content.url, content.body, content.content_type, content.headers.get("content-language"))


def _tidy(text: str) -> str:
    """Return a text in one spelling: composed letters, one kind of line end, no trailing spaces."""
    composed = unicodedata.normalize("NFC", text).replace("\0", "").encode(errors="replace").decode()
    return "\n".join(line.rstrip() for line in composed.splitlines()).strip()
