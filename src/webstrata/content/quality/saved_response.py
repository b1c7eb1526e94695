"""The facts of a saved response by which its quality is judged: status, headers, lines and structure of its page."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import compress, count
from operator import or_

from webstrata.content.blocks import HEADINGS, Region, content_lines, content_mask, kinds_of
from webstrata.content.html import HtmlPage, parse_page
from webstrata.content.quality.structure import PageStructure
from webstrata.model.changes.values import PageLine

_MAX_LINES = 200
_FIRST_LINES = 40
"""How many short lines are read; menus without markup of their own may have hundreds."""

_MIN_LINE = 25
_ENOUGH_BYTES = 20_000
"""Sizes are counted up to here: more makes no difference."""

_CONSENT_LETTERS = bytes(chr(letter) == Region.CONSENT for letter in range(256))


@dataclass(frozen=True)
class SavedResponse:
    """A response with the facts that its quality is computed from."""

    url: str
    status: int | None
    """None when it is unknown; then the content decides."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """By their names in lower case."""
    title: str = ""
    lines: tuple[PageLine, ...] = ()
    """The lines of content and of questions about cookies; only the first ones of a long page."""
    html_bytes: int = 0
    main_bytes: int = 0
    """The size of the lines without menus, headers, footers and the like; of a long page, of the first lines."""
    text_bytes: int = 0
    """The size of all lines, or a lower limit for a long page."""
    structure: PageStructure = field(default_factory=PageStructure)
    final_url: str | None = None
    """Where redirects led, when that is another URL."""
    is_page: bool = True
    """False for images, feeds and the like, which are judged by their status alone."""


JudgedLine = tuple[str, str, str, bool]
"""A line that a page is judged by: its text, the letters of its kind and region, and whether it is content."""


def saved_response(
    url: str, status: int | None, headers: Mapping[str, str], body: bytes, final_url: str | None = None
) -> SavedResponse:
    """Return the facts of an HTML response from its decoded body."""
    lowered = lower_names(headers)
    page = parse_page(body, lowered.get("content-type"))
    return response_of_page(url, status, lowered, page, len(body), final_url)


def response_of_page(
    url: str, status: int | None, headers: Mapping[str, str], page: HtmlPage, size: int, final_url: str | None = None
) -> SavedResponse:
    """Return the facts of a response whose page was read before."""
    head = SavedResponse(url, status, lower_names(headers), page.title, html_bytes=size, structure=page.structure)
    return replace(with_lines(head, page, judged_lines(page)), final_url=final_url)


def with_lines(head: SavedResponse, page: HtmlPage, lines: Iterable[JudgedLine]) -> SavedResponse:
    """Return a response with the lines of its page."""
    return replace(
        head,
        lines=tuple(PageLine(text, kinds_of(letter), region, is_main) for text, letter, region, is_main in lines),
        main_bytes=_main_bytes(page.text, page.blocks),
        text_bytes=_size(page.text),
    )


def response_of_text(  # noqa: PLR0917 - what `response_of_page` takes, for a page without markup
    url: str,
    status: int | None,
    headers: Mapping[str, str],
    text: str,
    title: str,
    size: int,
    final_url: str | None = None,
) -> SavedResponse:
    """Return the facts of a plain-text response whose text was read before."""
    lines = tuple(PageLine(line, "p") for line in text.split("\n", _MAX_LINES)[:_MAX_LINES] if line)
    text_bytes = len(text.encode("utf-8", "replace"))
    return SavedResponse(
        url, status, lower_names(headers), title, lines, size, text_bytes, text_bytes, final_url=final_url
    )


def response_of_other(url: str, status: int | None, headers: Mapping[str, str], size: int) -> SavedResponse:
    """Return the facts of a response that is neither HTML nor text: status, headers and size."""
    return SavedResponse(url, status, lower_names(headers), html_bytes=size, is_page=False)


def lower_names(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers by their names in lower case."""
    return {name.lower(): value for name, value in headers.items()}


def judged_lines(page: HtmlPage) -> Iterator[JudgedLine]:
    """Yield the lines by which a page is judged: content and questions about cookies, only the first of a long page."""
    read = 0
    lines = zip(count(), page.text.split("\n"), page.blocks, page.regions, strict=False)
    # Most lines of most pages are menus and the like.
    for place, text, letter, region in compress(lines, _is_judged(page)):
        if len(text) >= _MIN_LINE or place < _FIRST_LINES or letter in HEADINGS:
            yield text, letter, region, not letter.isupper()
            read += 1
            if read == _MAX_LINES:
                return


def _is_judged(page: HtmlPage) -> Iterable[int]:
    """Return for every line of a page whether it may be judged."""
    is_content = content_mask(page.blocks)
    if Region.CONSENT not in page.regions:
        return is_content
    return map(or_, is_content, page.regions.encode().translate(_CONSENT_LETTERS))


def _main_bytes(text: str, blocks: str) -> int:
    size = 0
    for line in content_lines(text, blocks):
        size += _size(line)
        if size >= _ENOUGH_BYTES:
            break
    return size


def _size(text: str) -> int:
    """Return the number of bytes of a text; for a long text, its number of characters."""
    return len(text) if text.isascii() or len(text) >= _ENOUGH_BYTES else len(text.encode("utf-8", "replace"))
