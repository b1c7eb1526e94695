"""Page requisites: the images, styles, scripts and fonts that a browser loads to show a page, besides plain `src`.

`content/links.py` collects what elements name in `src` and `href`. This module adds the candidates of `srcset`,
posters, preloads, objects, drawings, backgrounds and inline styles.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from webstrata.content.links import Reference
from webstrata.content.requisites.css import text_references
from webstrata.content.rewriting.link_rewriting import srcset_candidates
from webstrata.content.tree import Document, Element

MAX_CANDIDATES = 20
"""The most candidates of one `srcset` that are captured, enough for real pages.

All are captured, because it depends on window and screen which one a browser requests at replay.
"""

_PRELOADS = frozenset({"preload", "modulepreload"})
_FRAME_TYPES = ("text/html", "application/xhtml")


def collect_requisites(tree: Document, source: str) -> tuple[Reference, ...]:
    """Return the requisites that `collect_references` does not find, as they are written."""
    found: dict[str, None] = {}
    for element in tree.iter_elements(_TAGS):
        for written in _READERS[element.tag](element):
            found[written] = None
    lowered = source.lower()
    if "background=" in lowered:
        found |= dict.fromkeys(element.attr("background") or "" for element in tree.select("[background]"))
    if "url(" in lowered or "image-set(" in lowered:
        for element in tree.select("[style]"):
            found |= dict.fromkeys(text_references(element.attr("style") or ""))
    # An empty reference or a fragment refers to the page itself, which no browser loads again.
    return tuple(Reference(one, False) for one in found if one.strip() and not one.lstrip().startswith("#"))


def _of_object(element: Element) -> Iterable[str]:
    """Return what an object element loads, unless it is a frame with a page."""
    is_frame = (element.attr("type") or "").strip().lower().startswith(_FRAME_TYPES)
    return () if is_frame else _stated(element.attr("data"))


def _of_input(element: Element) -> Iterable[str]:
    is_image = (element.attr("type") or "").strip().lower() == "image"
    return _stated(element.attr("src")) if is_image else ()


def _of_drawing(element: Element) -> Iterable[str]:
    return _stated(element.attr("href") or element.attr("xlink:href"))


def _of_link(element: Element) -> Iterator[str]:
    """Yield what a link element preloads and the candidates of its `imagesrcset`; nothing if it preloads a page."""
    if _PRELOADS.isdisjoint((element.attr("rel") or "").lower().split()):
        return
    if (element.attr("as") or "").strip().lower() != "document":
        yield from _stated(element.attr("href"))
        yield from _candidates(element.attr("imagesrcset"))


def _candidates(srcset: str | None) -> Iterator[str]:
    if srcset:
        for url, _ in zip(srcset_candidates(srcset), range(MAX_CANDIDATES), strict=False):
            yield url


def _stated(written: str | None) -> tuple[str, ...]:
    return (written,) if written else ()


_READERS: Mapping[str, Callable[[Element], Iterable[str]]] = {
    "img": lambda element: _candidates(element.attr("srcset")),
    "source": lambda element: _candidates(element.attr("srcset")),
    "link": _of_link,
    "style": lambda element: text_references(element.text),
    "video": lambda element: _stated(element.attr("poster")),
    "track": lambda element: _stated(element.attr("src")),
    "input": _of_input,
    "object": _of_object,
    "use": _of_drawing,
    "image": _of_drawing,
    "feImage": _of_drawing,
}
"""The functions that read an element's URLs, by its name."""

_TAGS = tuple(_READERS)
