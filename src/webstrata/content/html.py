"""A page, read once: title, text and its blocks, language, and where it leads.

A page that is written plainly, as most are, is read in one pass by `native/`, if that was built; for the others a tree
is made. Both ways say the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from webstrata.content.blocks import main_text
from webstrata.content.charset import utf8_of
from webstrata.content.defuse import defused
from webstrata.content.language import detect_language, tag_to_language
from webstrata.content.layout import text_and_blocks
from webstrata.content.native import ScannedPage, scanned

MAX_TITLE = 500

_REFERRING = "[href], [src]"
"""More than is wanted, but found three times as fast as each kind of element by a selector of its own."""

_TITLES = ("title:not(svg title)", "h1, h2")
LEADING: Mapping[str, str] = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
"""The elements that lead to other pages, and the attribute that says where."""

_SAMPLE = LexborHTMLParser("")
_BASE_TAG = _SAMPLE.create_node("base").tag_id
_LEADING_TAGS = {_SAMPLE.create_node(tag).tag_id: name for tag, name in LEADING.items()}
"""By the parser's numbers, which are faster to compare than names."""

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
    references: tuple[str, ...]
    """Where its links and frames lead, as it is written, each once and in order."""
    base: str | None
    """What those are relative to, when the page says so."""

    def language(self, content_language: str | None) -> str | None:
        """Return the page's language: as it says, as the server says, or as it reads."""
        return (
            tag_to_language(self.stated_language)
            or tag_to_language(content_language)
            or detect_language(main_text(self.text, self.blocks))
        )


def parse_page(body: bytes, content_type: str | None = None) -> Page:
    """Return a page from its bytes, read in the charset it was written in."""
    source = utf8_of(body, content_type)
    page = scanned(source)
    return _of_tree(parsed(defused(source))) if page is None else _of_scan(page)


def _of_scan(page: ScannedPage) -> Page:
    references = tuple(dict.fromkeys(page.references))
    return Page(_tidy_title(page.title), page.text, page.blocks, page.stated_language, references, page.base)


def _of_tree(tree: LexborHTMLParser) -> Page:
    text, blocks = text_and_blocks(tree)
    referring = tree.css(_REFERRING)
    # Menus and teasers lead to the same page over and over: what is written alike is looked at once.
    references = dict.fromkeys(
        element.attrs.get(name) for element in referring if (name := _LEADING_TAGS.get(element.tag_id))
    )
    leading = tuple(reference for reference in references if reference)
    return Page(_title(tree), text, blocks, _stated_language(tree), leading, _base(referring))


def _base(referring: list[LexborNode]) -> str | None:
    """Return what the page's links are relative to, by the first of its elements that say so."""
    for element in referring:
        if element.tag_id == _BASE_TAG and "href" in element.attributes:
            return element.attributes["href"] or ""
    return None


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
        title = _tidy_title(found.text_lexbor()) if found else ""
        if title:
            return title
    return ""


def _tidy_title(title: str) -> str:
    return " ".join(title.split())[:MAX_TITLE]


def _stated_language(tree: LexborHTMLParser) -> str | None:
    root = tree.root
    attributes = root.attributes if root and root.tag == "html" else {}
    return attributes.get("lang") or attributes.get("xml:lang")
