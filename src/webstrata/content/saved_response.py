"""A saved response as its quality is judged: status, headers, the lines of its page and its structure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from webstrata.content.blocks import HEADINGS, Region, kinds_of
from webstrata.content.html import Page, parse_page
from webstrata.content.plain import parse_text, title_of_text
from webstrata.content.structure import PageStructure
from webstrata.model.changes import PageLine

_MAX_LINES = 200
_FIRST_LINES = 40
"""So many short lines are read; menus without markup of their own may have hundreds."""

_MIN_LINE = 25


@dataclass(frozen=True)
class SavedResponse:
    """What is known of a response: enough to judge how good a capture it is."""

    url: str
    status: int | None
    """None when it is unknown; then the content decides."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """By their names in lower case."""
    title: str = ""
    lines: tuple[PageLine, ...] = ()
    """The lines of the content and of questions about cookies; of a long page the first ones."""
    html_bytes: int = 0
    main_bytes: int = 0
    """Of the lines that are not menus, headers, footers and the like."""
    text_bytes: int = 0
    """Of all lines."""
    structure: PageStructure = field(default_factory=PageStructure)
    final_url: str | None = None
    """Where redirects led, when that is another URL."""
    is_page: bool = True
    """False for images, feeds and the like, which only their status tells about."""


def saved_response(
    url: str, status: int | None, headers: Mapping[str, str], body: bytes, final_url: str | None = None
) -> SavedResponse:
    """Return an HTML response as it is judged, read from its bytes without content encoding."""
    lowered = lower_names(headers)
    page = parse_page(body, lowered.get("content-type"))
    return response_of_page(url, status, lowered, page, len(body), final_url)


def response_of_page(
    url: str, status: int | None, headers: Mapping[str, str], page: Page, size: int, final_url: str | None = None
) -> SavedResponse:
    """Return a response as it is judged, from its page that was read before."""
    return SavedResponse(
        url=url,
        status=status,
        headers=lower_names(headers),
        title=page.title,
        lines=tuple(_judged_lines(page)),
        html_bytes=size,
        main_bytes=_main_bytes(page.text, page.blocks),
        text_bytes=len(page.text.encode("utf-8", "replace")),
        structure=page.structure,
        final_url=final_url,
    )


def response_of_text(
    url: str, status: int | None, headers: Mapping[str, str], body: bytes, final_url: str | None = None
) -> SavedResponse:
    """Return a plain text as it is judged."""
    lowered = lower_names(headers)
    text, _ = parse_text(body, lowered.get("content-type"))
    lines = tuple(PageLine(line, "p") for line in text.split("\n")[:_MAX_LINES] if line)
    size = len(text.encode("utf-8", "replace"))
    return SavedResponse(
        url, status, lowered, title_of_text(text, url), lines, len(body), size, size, final_url=final_url
    )


def response_of_other(url: str, status: int | None, headers: Mapping[str, str], body: bytes) -> SavedResponse:
    """Return what is no HTML and no text as it is judged: by its status, its headers and its size."""
    return SavedResponse(url, status, lower_names(headers), html_bytes=len(body), is_page=False)


def lower_names(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers by their names in lower case."""
    return {name.lower(): value for name, value in headers.items()}


def _judged_lines(page: Page) -> Iterator[PageLine]:
    count = 0
    lines = zip(page.text.split("\n"), page.blocks, page.regions, strict=False)
    for place, (text, letter, region) in enumerate(lines):
        is_main = not letter.isupper()
        if not is_main and region != Region.CONSENT:
            continue
        if len(text) >= _MIN_LINE or place < _FIRST_LINES or letter in HEADINGS:
            yield PageLine(text, kinds_of(letter), region, is_main)
            count += 1
            if count == _MAX_LINES:
                return


def _main_bytes(text: str, blocks: str) -> int:
    lines = zip(text.split("\n"), blocks, strict=False)
    return sum(len(line.encode("utf-8", "replace")) for line, letter in lines if not letter.isupper())
