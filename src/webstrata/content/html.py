"""Reading an HTML page from one parse: title, text and blocks, language, links, and what it states about itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from webstrata.content.blocks import main_text, without_cells
from webstrata.content.charset import text_of
from webstrata.content.language import detect_language, tag_to_language
from webstrata.content.links import (
    LINKING,
    MAX_REFERENCES,
    RESOURCES,
    Reference,
    References,
    WrittenLinks,
    collect_references,
    links_of,
    written_links,
)
from webstrata.content.metadata import HtmlMetadata, page_metadata
from webstrata.content.quality.structure import FORM_CONTROLS, PageStructure, page_structure
from webstrata.content.requisites.css import sheet_references
from webstrata.content.requisites.markup import collect_requisites
from webstrata.content.robots_meta import RobotsDirectives, robots_directives
from webstrata.content.tree import Document, Element, by_tag, is_html, parse_html
from webstrata.content.visible_text import visible_text
from webstrata.model.crawl.tasks import Link

MAX_TITLE = 500

_HEADINGS = ("h1", "h2")
_REFERRING = (*LINKING, *RESOURCES, "base")
_COLLECTED = (*_REFERRING, "title", "meta", *FORM_CONTROLS)
_MAX_SNIPPET = 280
_UTF8 = "text/html; charset=utf-8"


@dataclass(frozen=True)
class HtmlPage:
    """The contents of an HTML page, from one parse."""

    title: str
    """The page's title, else its first heading."""
    text: str
    """The visible text, one block per line."""
    blocks: str
    """The kind of each line, one letter per line; see `content/blocks.py`."""
    regions: str
    """The region of each line, one letter per line."""
    stated_language: str | None
    references: WrittenLinks
    metadata: HtmlMetadata = field(default_factory=HtmlMetadata)
    structure: PageStructure = field(default_factory=PageStructure)

    def language(self, content_language: str | None) -> str | None:
        """Return the page's language: as the page declares it, as the server does, or as detected from its text."""
        return (
            tag_to_language(self.stated_language)
            or tag_to_language(content_language)
            or detect_language(main_text(self.text, self.blocks))
        )


@dataclass(frozen=True)
class PageLinks:
    """The links of a page, and its robots directives, for a crawler."""

    links: tuple[Link, ...] = ()
    directives: RobotsDirectives = field(default_factory=RobotsDirectives)
    is_cut: bool = False
    """Whether the page has more links than are read."""


def parse_page(body: bytes, content_type: str | None = None) -> HtmlPage:
    """Return a page from its bytes, read in the charset it was written in."""
    source = text_of(body, content_type)
    return page_of_tree(parse_html(source), source)


def page_of_tree(tree: Document, source: str) -> HtmlPage:
    """Return a page from the tree of its source."""
    named = by_tag(tree.iter_elements(_COLLECTED))
    text, blocks, regions = visible_text(tree)
    return HtmlPage(
        title=_title(tree, named),
        text=text,
        blocks=blocks,
        regions=regions,
        stated_language=_stated_language(tree),
        references=written_links(tree, named),
        metadata=page_metadata(tree, named),
        structure=page_structure(tree, named, source, text),
    )


def read_links(
    body: bytes, content_type: str | None, url: str, *, user_agent: str = "", x_robots_tag: str | None = None
) -> PageLinks:
    """Return the links of a page, and its robots directives for a user agent."""
    source = text_of(body, content_type)
    tree = parse_html(source)
    head = _child(tree.root, "head")
    metas = () if head is None else head.iter_elements("meta")
    stated = [(meta.attr("name") or "", meta.attr("content") or "") for meta in metas]
    references = collect_references(tree.iter_elements(_REFERRING))
    requisites = collect_requisites(tree, source)[: MAX_REFERENCES - len(references.all)]
    references = References((*references.all, *requisites), references.base)
    is_cut = len(references.all) == MAX_REFERENCES
    return PageLinks(links_of(references, url), robots_directives(stated, x_robots_tag, user_agent), is_cut)


def read_sheet_links(
    body: bytes, content_type: str | None, url: str, *, user_agent: str = "", x_robots_tag: str | None = None
) -> PageLinks:
    """Return what a style sheet loads, and the robots directives of its headers for a user agent."""
    references = References(tuple(Reference(one, False) for one in sheet_references(body, content_type)))
    return PageLinks(links_of(references, url), robots_directives((), x_robots_tag, user_agent))


def extract_title(html: str) -> str:
    """Return a page's title, else its first heading."""
    return _page_of(html).title


def extract_text(html: str) -> str:
    """Return the visible text of a page, one block per line."""
    return "\n".join(map(without_cells, _page_of(html).text.split("\n")))


def make_snippet(text: str) -> str:
    """Return the beginning of a text, cut at a word."""
    flat = " ".join(text[: 4 * _MAX_SNIPPET].split())
    if len(flat) <= _MAX_SNIPPET:
        flat = " ".join(text.split())
    if len(flat) <= _MAX_SNIPPET:
        return flat
    return flat[:_MAX_SNIPPET].rsplit(" ", 1)[0] + " …"


@lru_cache(maxsize=1)
def _page_of(html: str) -> HtmlPage:
    return parse_page(html.encode("utf-8", "replace"), _UTF8)


def _child(root: Element | None, tag: str) -> Element | None:
    children = root or ()
    return next((node for node in children if isinstance(node, Element) and node.tag == tag), None)


def _title(tree: Document, named: Mapping[str, Sequence[Element]]) -> str:
    """Return the first title outside of SVG images, else the first heading."""
    for elements in (named["title"], tree.iter_elements(_HEADINGS)):
        found = next(filter(is_html, elements), None)
        title = "" if found is None else " ".join(found.text.split())[:MAX_TITLE]
        if title:
            return title
    return ""


def _stated_language(tree: Document) -> str | None:
    root = tree.root
    return None if root is None else root.attr("lang") or root.attr("xml:lang")
