"""Requests to read a page. Each has a method `read`, which runs in this process or in a child process with limits."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from webstrata.content.charset import text_of
from webstrata.content.decode import decoded
from webstrata.content.extraction import PageExtract, extract_page, read_page_listing
from webstrata.content.html import PageLinks, read_links, read_sheet_links
from webstrata.content.kinds import PageKind, page_kind
from webstrata.content.links import Grouping
from webstrata.content.plain import parse_text, title_of_text
from webstrata.content.quality.assessment import judge_quality
from webstrata.content.quality.saved_response import (
    SavedResponse,
    lower_names,
    response_of_other,
    response_of_text,
    saved_response,
)
from webstrata.content.reading import Body, Reading, read_page
from webstrata.content.requisites.css import may_refer
from webstrata.content.shop.features import ShopFeatures, read_shop_features
from webstrata.content.shop.signals import ShopSignals, read_shop_signals
from webstrata.content.tree import parse_html
from webstrata.model.collections.listing import Listing
from webstrata.model.content_types import CSS_TYPE, may_be_page, media_type
from webstrata.model.quality import Quality
from webstrata.model.urls import url_group

MAX_PAGE_BYTES = 10_000_000
"""The largest decoded page that is read: its tree takes some thirty times as much memory."""

_HTML = "text/html"
"""The content type of a saved response without one."""

SMALL_PAGE = 32_768
"""Pages up to this size are read in this process: the most hostile one that we know takes 110 MB and 0.4 seconds."""


@dataclass(frozen=True)
class UnreadablePage:
    """The reply for a page that cannot be read."""

    reason: str


@dataclass(frozen=True)
class ListingReply:
    """The listing of a page, None when it has none."""

    listing: Listing | None


PageReply = Reading | PageLinks | Quality | PageExtract | ListingReply | ShopSignals | ShopFeatures
"""The result of reading a page."""


class PageRequest(ABC):
    """A page to be read."""

    @property
    @abstractmethod
    def is_small(self) -> bool:
        """Return whether the page may be read outside of a process with limits."""

    @abstractmethod
    def read(self) -> PageReply:
        """Read the page in this process."""


@dataclass(frozen=True)
class ReadPage(PageRequest):
    """Request for everything that the index stores of a page."""

    kind: PageKind
    body: Body
    page_parameters: tuple[str, ...] = ()

    @property
    def is_small(self) -> bool:
        """Return whether the page is small, or a PDF, which is read in its own process anyway."""
        return self.kind is not PageKind.HTML or len(self.body.content) <= SMALL_PAGE

    def read(self) -> Reading:
        """Read the page in this process."""
        return read_page(self.kind, self.body, _grouping(self.page_parameters))


@dataclass(frozen=True)
class ReadLinks(PageRequest):
    """Request for the links of a response, if it is a page, and its robots directives."""

    url: str
    content: bytes
    """The body as it was sent, with its content encoding."""
    content_type: str | None
    content_encoding: str | None
    x_robots_tag: str | None
    user_agent: str

    @property
    def is_small(self) -> bool:
        """Return whether the page is small; never for encoded bodies, which may be of any size. Style sheets have a
        lower limit."""
        if self._is_sheet and self.content:
            return False
        return not self.content_encoding and len(self.content) <= SMALL_PAGE

    def simplified(self) -> "ReadLinks":
        """Return a simpler request with the same result: without the body if it is not a page, and with a small page
        decoded."""
        if self._is_sheet:
            is_plain = not self.content_encoding and not may_refer(self.content)
            return replace(self, content=b"") if is_plain else self
        if not may_be_page(self.content_type):
            return replace(self, content=b"", content_encoding=None)
        if self.content_encoding and len(self.content) <= SMALL_PAGE:
            body = decoded(self.content, self.content_encoding, SMALL_PAGE + 1)
            return replace(self, content=body, content_encoding=None) if len(body) <= SMALL_PAGE else self
        if not self.content_encoding and page_kind(self.content_type, self.content, self.url) is not PageKind.HTML:
            return replace(self, content=b"")
        return self

    def read(self) -> PageLinks:
        """Read the response in this process."""
        body = decoded(self.content, self.content_encoding, MAX_PAGE_BYTES)
        is_page = not self._is_sheet and page_kind(self.content_type, body, self.url) is PageKind.HTML
        return (read_sheet_links if self._is_sheet else read_links)(
            body if is_page or self._is_sheet else b"",
            self.content_type,
            self.url,
            user_agent=self.user_agent,
            x_robots_tag=self.x_robots_tag,
        )

    @property
    def _is_sheet(self) -> bool:
        return media_type(self.content_type) == CSS_TYPE


@dataclass(frozen=True)
class ReadQuality(PageRequest):
    """Request for the quality of a saved response."""

    url: str
    status: int | None
    headers: Mapping[str, str]
    content: bytes
    """The decoded body."""
    final_url: str | None = None

    @property
    def is_small(self) -> bool:
        """Return whether the page is small."""
        return len(self.content) <= SMALL_PAGE

    def read(self) -> Quality:
        """Read and judge the response in this process."""
        return judge_quality(self._response())

    def _response(self) -> SavedResponse:
        headers = lower_names(self.headers)
        kind = (
            page_kind(headers.get("content-type") or _HTML, self.content, self.url) if self.content else PageKind.HTML
        )
        if kind is PageKind.TEXT:
            text, _ = parse_text(self.content, headers.get("content-type"))
            title = title_of_text(text, self.url)
            return response_of_text(self.url, self.status, headers, text, title, len(self.content), self.final_url)
        if kind is not PageKind.HTML:
            return response_of_other(self.url, self.status, headers, len(self.content))
        response = saved_response(self.url, self.status, headers, self.content[:MAX_PAGE_BYTES], self.final_url)
        is_cut_here = len(self.content) > MAX_PAGE_BYTES
        return replace(response, structure=replace(response.structure, cut="")) if is_cut_here else response


@dataclass(frozen=True)
class ReadExtract(PageRequest):
    """Request for the text and the listing of an HTML page."""

    body: Body

    @property
    def is_small(self) -> bool:
        """Return whether the page is small."""
        return len(self.body.content) <= SMALL_PAGE

    def read(self) -> PageExtract:
        """Read the page in this process."""
        return extract_page(self.body)


@dataclass(frozen=True)
class ReadListing(PageRequest):
    """Request for the listing of a product or property page."""

    body: Body

    @property
    def is_small(self) -> bool:
        """Return whether the page is small."""
        return len(self.body.content) <= SMALL_PAGE

    def read(self) -> ListingReply:
        """Read the page in this process."""
        return ListingReply(read_page_listing(self.body))


@dataclass(frozen=True)
class ReadShopSignals(PageRequest):
    """Request for the signals that make an HTML page a product page."""

    body: Body

    @property
    def is_small(self) -> bool:
        """Return whether the page is small."""
        return len(self.body.content) <= SMALL_PAGE

    def read(self) -> ShopSignals:
        """Read the page in this process."""
        tree = parse_html(text_of(self.body.content, self.body.content_type))
        return read_shop_signals(tree, self.body.url)


@dataclass(frozen=True)
class ReadShopFeatures(PageRequest):
    """Request for everything that an audit stores of an HTML page: features, links, text and signals."""

    body: Body

    @property
    def is_small(self) -> bool:
        """Return whether the page is small."""
        return len(self.body.content) <= SMALL_PAGE

    def read(self) -> ShopFeatures:
        """Read the page in this process."""
        source = text_of(self.body.content, self.body.content_type)
        return read_shop_features(parse_html(source), source, self.body.url)


@lru_cache
def _grouping(page_parameters: tuple[str, ...]) -> Grouping:
    """Return the grouping function of a source; cached, as the groups of links are cached per function object."""
    return partial(url_group, page_parameters=page_parameters)
