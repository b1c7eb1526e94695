"""A page, parsed once: title, text and its blocks, language, and the elements that refer to others."""

from dataclasses import dataclass, field
from functools import lru_cache

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from webstrata.content.blocks import main_text
from webstrata.content.charset import utf8_of
from webstrata.content.defuse import defused
from webstrata.content.language import detect_language, tag_to_language
from webstrata.content.layout import text_and_blocks

MAX_TITLE = 500

_REFERRING = "[href], [src]"
"""More than is wanted, but found three times as fast as each kind of element by a selector of its own."""

_TITLES = ("title:not(svg title)", "h1, h2")
_MAX_SNIPPET = 280
_UTF8 = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Page:
    """What one parse of an HTML page yields."""

    title: str
    """What the page calls itself: its title, else its first heading."""
    text: str
    """What a reader sees, a block a line."""
    blocks: str
    """What each line of the text is, a letter each; see `content/blocks.py`."""
    stated_language: str | None
    tree: LexborHTMLParser = field(repr=False, compare=False)

    @property
    def referring(self) -> list[LexborNode]:
        """Return the elements that lead to something or show it, in order."""
        return self.tree.css(_REFERRING)

    def language(self, content_language: str | None) -> str | None:
        """Return the page's language: as it says, as the server says, or as it reads."""
        return (
            tag_to_language(self.stated_language)
            or tag_to_language(content_language)
            or detect_language(main_text(self.text, self.blocks))
        )


def parse_page(body: bytes, content_type: str | None = None) -> Page:
    """Return a page from its bytes, read in the charset it was written in."""
    tree = parsed(page_source(body, content_type))
    text, blocks = text_and_blocks(tree)
    return Page(_title(tree), text, blocks, _stated_language(tree), tree)


def parsed(source: bytes) -> LexborHTMLParser:
    """Return the tree of a page's source, which is UTF-8 and defused."""
    return LexborHTMLParser(source, options=LexborDocumentOptions.WO_EVENTS)


def referring_elements(source: bytes) -> list[LexborNode]:
    """Return the elements of a page that lead to something or show it, in order."""
    return parsed(source).css(_REFERRING)


def page_source(body: bytes, content_type: str | None = None) -> bytes:
    """Return a page's source as UTF-8, cut where it would stall a parser."""
    return defused(utf8_of(body, content_type))


def page_text(body: bytes, content_type: str | None = None) -> str:
    """Return a page's source as text, cut where it would stall a parser."""
    return page_source(body, content_type).decode()


def extract_title(html: str) -> str:
    """Return what a page calls itself: its title, else its first heading."""
    return _page_of(html).title


def extract_text(html: str) -> str:
    """Return what a reader of a page sees, a block a line."""
    return _page_of(html).text


def make_snippet(text: str) -> str:
    """Return the beginning of a text, cut at a word."""
    flat = " ".join(text[: 4 * _MAX_SNIPPET].split())
    if len(flat) <= _MAX_SNIPPET:
        flat = " ".join(text.split())
    if len(flat) <= _MAX_SNIPPET:
        return flat
    return flat[:_MAX_SNIPPET].rsplit(" ", 1)[0] + " …"


@lru_cache(maxsize=1)
def _page_of(html: str) -> Page:
    return parse_page(html.encode("utf-8", "replace"), _UTF8)


def _title(tree: LexborHTMLParser) -> str:
    for selector in _TITLES:
        found = tree.css_first(selector)
        title = " ".join(found.text_lexbor().split()) if found else ""
        if title:
            return title[:MAX_TITLE]
    return ""


def _stated_language(tree: LexborHTMLParser) -> str | None:
    root = tree.root
    attributes = root.attributes if root and root.tag == "html" else {}
    return attributes.get("lang") or attributes.get("xml:lang")
