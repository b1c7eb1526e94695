"""The built-in plugin for pages: the title and text of a page, as a text file."""

import os
from collections.abc import Iterator

from webstrata.assets.naming import identifier_for, path_for
from webstrata.assets.plugin import AssetRecord, AssetType, CapturedContent, NormalizedAsset
from webstrata.content.kinds import PageKind
from webstrata.content.page_file import page_file, tidy
from webstrata.content.reader.page_reader import shared_reader
from webstrata.content.reader.page_requests import MAX_PAGE_BYTES, ReadPage
from webstrata.content.reading import Body
from webstrata.errors import UnreadablePageError
from webstrata.model.assets import checksum_of
from webstrata.model.urls import parse_url


class PagePlugin:
    """Stores title and text of a page; a change of markup alone does not make a new version."""

    name = "page"
    version = "2"

    def supports(self, asset_type: str) -> bool:
        """Return true for pages."""
        return asset_type == AssetType.PAGE

    def normalize(self, content: CapturedContent) -> Iterator[NormalizedAsset]:
        """Return the page's text under its title."""
        page = shared_reader(os.getpid()).page(ReadPage(PageKind.HTML, body_of(content)))
        yield self.normalize_text(content.url, page.title, page.text, page.language)

    def normalize_text(self, url: str, title: str, text: str, language: str | None) -> NormalizedAsset:
        """Return the asset of a page that was read before."""
        data = page_file(title, text)
        return NormalizedAsset(self.record(url, title, language, checksum_of(data)), data)

    def record(self, url: str, title: str, language: str | None, checksum: str) -> AssetRecord:
        """Return the record of a page whose file has a checksum."""
        return AssetRecord(
            identifier=identifier_for(url),
            asset_type=AssetType.PAGE,
            source_url=url,
            checksum=checksum,
            normalized_path=path_for("page", url, "txt"),
            metadata={"title": tidy(title), "language": language},
        )


def body_of(content: CapturedContent) -> Body:
    """Return the body of a page; UnreadablePageError when it is larger than what is read."""
    if len(content.body) > MAX_PAGE_BYTES:
        raise UnreadablePageError(f"a page of {len(content.body)} bytes is larger than what is read")
    return Body(
        parse_url(content.url).href, content.body, content.content_type, content.headers.get("content-language")
    )
