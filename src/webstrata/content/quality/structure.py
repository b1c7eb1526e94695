"""Structure of an HTML page: counts and markers that tell a page of content from an error page or an empty shell."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from webstrata.content.quality.markers import found_markers
from webstrata.content.tree import Document, Element

FORM_CONTROLS = ("input", "button", "select", "textarea", "noscript", "object", "canvas")
"""Elements that only this module needs, and only counts."""

SHORT_TEXT = 4_000
"""In characters: for pages with more text, only the counts matter."""

_MARKED_TEXT = 1_500
"""In characters: the source of pages with more text is not searched for markers, as that takes a millisecond."""

_SEARCHED = 60_000
"""Characters of the source that are searched for markers; most firewalls' pages are smaller."""

_TINY_TEXT = 600

_MAX_BUTTONS = 60
_MAX_BUTTON_TEXT = 80
_MAX_NOSCRIPT = 600
_TAIL = 2_000
_MEDIA = frozenset({"img", "video", "audio", "embed", "iframe", "object", "canvas"})
_SHOWN_MEDIA = frozenset({*_MEDIA, "svg", "input", "select", "textarea"})
_INVISIBLE_FIELDS = frozenset({"hidden", "submit", "button", "image", "reset", "checkbox", "radio"})
_CONTAINERS = ", ".join(
    (
        *("main", "[role=main]", "app-root", "#root", "#app", "#app-root", "#react-root", "#main-app", "#q-app"),
        *("#__next", "#__nuxt", "#___gatsby", "#svelte", "#content", "#main", "#main-content", "#page-content"),
    )
)
"""Elements that hold what a page is about, by the names that sites and script frameworks use."""

_NOT_FREE = re.compile(r'"isAccessibleForFree"\s*:\s*"?(?:false|https?://schema.org/False)', re.IGNORECASE)
_REFRESH = re.compile(r"\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", re.IGNORECASE)
_SCRIPTED_MOVE = re.compile(
    r"""(?:window\.|document\.|top\.|self\.)location(?:\.href)?\s*=\s*["']([^"'\s]{1,500})["']"""
    r"""|location\.(?:replace|assign)\(\s*["']([^"'\s]{1,500})["']"""
)
_OPEN_AT_END = re.compile(r"<(script|style|textarea|title)\b", re.IGNORECASE)
_CONTAINING = ("<div", "<section", "<ul", "<table", "<article", "<main")


@dataclass(frozen=True)
class PageStructure:
    """What a page's markup shows about its purpose."""

    scripts: int = 0
    media: int = 0
    """The number of visible images, videos, embedded pages and the like."""
    links: int = 0
    frames: int = 0
    fields: int = 0
    """The number of form fields, including password fields."""
    passwords: int = 0
    buttons: tuple[str, ...] = ()
    """The labels of its buttons."""
    noscript: str = ""
    """The text for browsers without scripts."""
    moves_to: str | None = None
    """The target of a meta refresh or of the only script of a tiny page, as it is written."""
    is_noindex: bool = False
    is_hollow: bool = False
    """Whether the element for the page's content exists and is empty."""
    is_not_free: bool = False
    """Whether the page states that reading it needs a subscription."""
    markers: frozenset[str] = frozenset()
    """Which of the markers of `content/quality/markers.py` are in the source of a page with little text."""
    cut: str = ""
    """Why the source seems to be cut off; empty when it does not."""


def page_structure(tree: Document, named: Mapping[str, Sequence[Element]], source: str, text: str) -> PageStructure:
    """Return the structure of a page from its tree, its elements by tag, its source and its visible text."""
    inputs = [(one, (one.attr("type") or "text").lower()) for one in named["input"]]
    shown = sum(kind not in _INVISIBLE_FIELDS for _, kind in inputs)
    of_all = PageStructure(
        scripts=len(named["script"]),
        links=len(named["a"]),
        frames=len(named["frame"]),
        fields=shown + len(named["select"]) + len(named["textarea"]),
        passwords=sum(kind == "password" for _, kind in inputs),
        moves_to=_refresh(named["meta"]),
        is_noindex=any(_is_noindex(meta) for meta in named["meta"]),
        is_not_free=any(_is_not_free(script) for script in named["script"]),
        cut=_cut(source),
    )
    return of_all if len(text) > SHORT_TEXT else _of_short_page(of_all, tree, named, source, text)


def _of_short_page(
    of_all: PageStructure, tree: Document, named: Mapping[str, Sequence[Element]], source: str, text: str
) -> PageStructure:
    """Add the facts that are only needed for a page with little text."""
    pushed = [*named["button"], *(one for one in named["input"] if _is_pushed(one))]
    is_tiny = len(text) < _TINY_TEXT
    return replace(
        of_all,
        media=sum(_is_shown(element) for tag in _MEDIA for element in named[tag]),
        buttons=_buttons(pushed),
        noscript=_noscript(named["noscript"]),
        moves_to=of_all.moves_to or (_scripted_move(source) if is_tiny else None),
        is_hollow=_is_hollow(tree),
        markers=found_markers(source[:_SEARCHED].lower()) if len(text) < _MARKED_TEXT else frozenset(),
    )


def _is_shown(element: Element) -> bool:
    """Return whether a reader sees an element, unlike counting pixels, and frames that only scripts need."""
    parent = element.parent
    if isinstance(parent, Element) and parent.tag == "noscript":
        return False
    sizes = (element.attr("width"), element.attr("height"))
    style = (element.attr("style") or "").replace(" ", "").lower()
    return not ({"0", "1", "0px", "1px"} & set(sizes)) and "display:none" not in style


def _is_pushed(element: Element) -> bool:
    return (element.attr("type") or "").lower() in ("submit", "button")


def _buttons(pushed: Sequence[Element]) -> tuple[str, ...]:
    written = (" ".join((one.attr("value") or one.text).split()) for one in pushed[:_MAX_BUTTONS])
    return tuple(text for text in written if 0 < len(text) <= _MAX_BUTTON_TEXT)


def _noscript(elements: Iterable[Element]) -> str:
    texts = (" ".join(one.text.split()) for one in elements)
    return " ".join(text for text in texts if text)[:_MAX_NOSCRIPT]


def _refresh(metas: Iterable[Element]) -> str | None:
    for meta in metas:
        if (meta.attr("http-equiv") or "").strip().lower() == "refresh":
            found = _REFRESH.match(meta.attr("content") or "")
            return found[1].strip() if found else None
    return None


def _scripted_move(source: str) -> str | None:
    found = _SCRIPTED_MOVE.search(source) if len(source) <= 2 * _TAIL else None
    return None if found is None else found[1] or found[2]


def _is_noindex(meta: Element) -> bool:
    return (meta.attr("name") or "").lower() == "robots" and "noindex" in (meta.attr("content") or "").lower()


def _is_hollow(tree: Document) -> bool:
    containers = tree.select(_CONTAINERS)
    return bool(containers) and not any(_holds_something(one) for one in containers)


def _holds_something(container: Element) -> bool:
    unseen = sum(len(one.text.strip()) for one in container.iter_elements(("script", "style", "noscript")))
    return len(container.text.strip()) > unseen or next(container.iter_elements(tuple(_SHOWN_MEDIA)), None) is not None


def _is_not_free(script: Element) -> bool:
    # Most scripts are code, and searching them takes longer than all counts together.
    return "json" in (script.attr("type") or "") and _NOT_FREE.search(script.text) is not None


def _cut(source: str) -> str:
    """Return why a source seems to be cut off."""
    tail = source[-_TAIL:].lower()
    if "</html" in tail or "</body" in tail:
        return ""
    opened = source.rfind("<")
    if opened > source.rfind(">") and re.match(r"</?[a-zA-Z]|<!-", source[opened : opened + 3]):
        return "the source ends in the middle of a tag"
    begun = _last(_OPEN_AT_END, source)
    if begun and f"</{begun[1].lower()}" not in source[begun.start() :].lower():
        return f"the source ends inside of a {begun[1].lower()} element"
    return _unclosed(source)


def _last(pattern: re.Pattern[str], source: str) -> re.Match[str] | None:
    start = max(source.rfind("<script"), source.rfind("<style"), source.rfind("<textarea"), source.rfind("<title"), 0)
    return pattern.search(source, start)


def _unclosed(source: str) -> str:
    """Return a reason if a page has a body and several elements that are not closed; a single one may be sloppiness."""
    lowered = source.lower()
    if "<body" not in lowered or "</body" in lowered or "</html" in lowered:
        return ""
    left_open = sum(max(0, lowered.count(tag) - lowered.count(f"</{tag[1:]}")) for tag in _CONTAINING)
    return "the source ends before its elements are closed" if left_open >= 2 else ""
