"""How the elements of a page part its text: into blocks, and into what the page is about and what its site puts around.

The page is walked through once, node by node, down to a first child and on to the next: so the block around a text is
known and need not be looked for. What is not seen is passed over. Elements are told apart by numbers, and the texts are
put together at the end, as this loop takes a third of the time of a page that needs a tree.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto
from functools import cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

from webstrata.content.blocks import (
    BOILERPLATE,
    CODE,
    HEADINGS,
    ITEM,
    OTHER,
    PARAGRAPH,
    QUOTE,
    ROW,
    letter_of,
    lines_of,
)


class Place(IntEnum):
    """What of a page a block is by its element or by its attributes; the scanner in C knows them by their numbers."""

    NONE = 0
    NAVIGATION = auto()
    HEADER = auto()
    EDGE = auto()
    ARTICLE = auto()
    MAIN = auto()
    ALERT = auto()


_KINDS = {
    **{f"h{level}": level for level in HEADINGS},
    **dict.fromkeys(("li", "dt", "dd"), ITEM),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), CODE),
    "p": PARAGRAPH,
    "tr": ROW,
    "blockquote": QUOTE,
}
_PLACES = {
    "nav": Place.NAVIGATION,
    "header": Place.HEADER,
    "main": Place.MAIN,
    "article": Place.ARTICLE,
    **dict.fromkeys(("footer", "aside"), Place.EDGE),
}
_OTHER_BLOCKS = (
    *("address", "caption", "center", "details", "dialog", "dir", "div", "dl", "fieldset", "figcaption", "figure"),
    *("form", "hgroup", "legend", "menu", "ol", "search", "section", "summary", "table", "ul"),
)
_ENDING_A_LINE = ("br", "hr")
_CELLS = ("td", "th")
_UNSEEN = (
    *("audio", "canvas", "datalist", "iframe", "label", "noembed", "noframes", "noscript", "script", "select", "style"),
    *("template", "textarea", "title", "video"),
)

_PLACES_OF_ROLES = {
    **dict.fromkeys(("navigation", "search"), Place.NAVIGATION),
    **dict.fromkeys(("contentinfo", "complementary"), Place.EDGE),
    **dict.fromkeys(("alert", "alertdialog"), Place.ALERT),
    "banner": Place.HEADER,
    "main": Place.MAIN,
}
_PLACES_OF_IDS = {
    **dict.fromkeys(("nav", "navbar", "navigation", "menu", "breadcrumb", "breadcrumbs"), Place.NAVIGATION),
    **dict.fromkeys(("header", "site-header", "masthead"), Place.HEADER),
    **dict.fromkeys(("footer", "site-footer", "colophon", "sidebar"), Place.EDGE),
}
"""What sites without today's elements call those places. A class or id that says banner, alert or notification is
none of them: recalls and warnings live there."""

_CONSENT_WORDS = (
    *("bar", "banner", "bot", "box", "consent", "dialog", "disclaimer", "law", "message", "modal", "notice"),
    *("notification", "overlay", "popup", "prompt", "warning", "wrapper"),
)
_ASKING_FOR_CONSENT = re.compile(rf"cookie[-_]?(?:{'|'.join(_CONSENT_WORDS)})")
_STATING = 'div[id], [role], [class*="cookie" i]'
_CONSENT_TOOLS = ("onetrust-", "usercentrics-", "didomi-", "gdpr-")


class _Spot(Enum):
    """Where in a page some text stands."""

    ANYWHERE = auto()
    CONTENT = auto()
    AROUND = auto()
    PAGE_HEADER = auto()
    """Around the content, but its first heading often is the page's."""


_SPOTS = {Place.HEADER: _Spot.PAGE_HEADER, Place.EDGE: _Spot.AROUND, Place.ARTICLE: _Spot.CONTENT}


@dataclass(frozen=True, eq=False)
class _State:
    """What a text is, by the elements around it; there is one of each, known by its identity."""

    kind: str
    spot: _Spot
    letter: str
    inside: "dict[int, _State]" = field(default_factory=dict)
    """What becomes of it in a block, by the block's tag: worked out when it is first met."""


@cache
def _state(kind: str, spot: _Spot) -> _State:
    is_main = spot is not _Spot.AROUND and (spot is not _Spot.PAGE_HEADER or kind == "1")
    return _State(kind, spot, letter_of(kind, is_main=is_main))


_END = "\0"
"""Ends a line while the page is walked through: no text has one, as parsers drop or replace it."""


def text_and_blocks(tree: LexborHTMLParser) -> tuple[str, str]:
    """Return what a reader sees of a page, a block a line, and the letters of the lines."""
    return _Walk(tree.body, _stated_places(tree)).go() if tree.body is not None else ("", "")


def _stated_places(tree: LexborHTMLParser) -> dict[int, Place]:
    """Return the places that blocks are by what their attributes say, by the elements' addresses."""
    # One selector with three parts: the page is searched once, which takes half the time of three searches.
    stating = (element for element in tree.css(_STATING) if element.tag_id in _BLOCKS)
    places = {element.mem_id: _stated_place(element) for element in stating}
    return {address: place for address, place in places.items() if place}


def _stated_place(block: LexborNode) -> Place:
    attributes = block.attributes
    if _asks_for_consent((attributes.get("class") or "").lower()):
        return Place.NAVIGATION
    role = (attributes.get("role") or "").strip().lower()
    is_division = block.tag_id == _DIVISION
    by_id = _place_of_id((attributes.get("id") or "").lower()) if is_division else Place.NONE
    return by_id or _PLACES_OF_ROLES.get(role, Place.NONE)


def _place_of_id(name: str) -> Place:
    if name.startswith(_CONSENT_TOOLS) or _asks_for_consent(name):
        return Place.NAVIGATION
    return _PLACES_OF_IDS.get(name, Place.NONE)


def _asks_for_consent(name: str) -> bool:
    return "cookie" in name and _ASKING_FOR_CONSENT.search(name) is not None


class _Walk:
    """One way through a page, from its first node to its last."""

    def __init__(self, body: LexborNode, places: Mapping[int, Place]) -> None:
        self._body = body
        self._places = places
        self._texts: list[str] = []
        """As they come, with an end behind every line; many lines are blank."""
        self._letters: list[str] = []
        """Of the lines that have ended."""

    def go(self) -> tuple[str, str]:
        """Return the lines of the page and their letters."""
        texts, letters, places = self._texts, self._letters, self._places
        state = _state(OTHER, _Spot.ANYWHERE)
        above: list[tuple[LexborNode | None, _State | None]] = []
        """What follows the elements that are open, and for blocks what a text is there."""
        node = self._body.first_child
        while True:
            while node is None:
                if not above:
                    return self._lines(state)
                node, outside = above.pop()
                if outside is not None:
                    texts.append(_END)
                    letters.append(state.letter)
                    state = outside
            tag = node.tag_id
            if tag == _TEXT:
                texts.append(node.text_content or "")
                node = node.next
            elif tag in _BLOCKS:
                texts.append(_END)
                letters.append(state.letter)
                above.append((node.next, state))
                place = places and places.get(node.mem_id)
                state = _inside(state, tag, place) if place else state.inside.get(tag) or _remembered(state, tag)
                node = node.first_child
            elif tag in _SPECIAL and not self._look_into(node, tag, state):
                node = node.next
            else:
                child, node = node.first_child, node.next
                if child is not None:
                    if node is not None:
                        above.append((node, None))
                    node = child

    def _look_into(self, element: LexborNode, tag: int, state: _State) -> bool:
        """Take from an element what is no text in it, and tell whether to go through what is in it."""
        if tag in _CELL_TAGS:
            # Cells that touch in the source would run together: "10" and "mg" in two cells are not "10mg".
            self._texts.append(" ")
            return True
        if tag in _BREAKING_TAGS:
            self._texts.append(_END)
            self._letters.append(state.letter)
        elif tag == _IMAGE:
            alt = element.attrs.get("alt")
            self._texts.append(f" {alt} " if alt else "")
        elif tag == _BUTTON and _is_in_heading(element):
            return True
        elif tag in _SPACED_TAGS and _is_spaced(element):
            self._texts.append(" ")
        return False

    def _lines(self, last: _State) -> tuple[str, str]:
        texts = "".join(self._texts).split(_END)
        return lines_of(zip(texts, [*self._letters, last.letter], strict=True))


def _remembered(state: _State, tag: int) -> _State:
    inside = state.inside[tag] = _inside(state, tag, _BLOCKS[tag][1])
    return inside


def _inside(state: _State, tag: int, place: Place) -> _State:
    """Return what a text is in a block; kind and place may both be as around it."""
    kind = _BLOCKS[tag][0]
    if not kind or (kind == PARAGRAPH and state.kind in (ITEM, QUOTE)):
        kind = state.kind
    return _state(kind, _spot(state.spot, place) if place else state.spot)


def _spot(around: _Spot, place: Place) -> _Spot:
    """Return where the text of a place stands: headers and footers of a part of the content belong to it."""
    if place == Place.NAVIGATION:
        return _Spot.AROUND
    if place in (Place.MAIN, Place.ALERT):
        return _Spot.CONTENT
    return _SPOTS[place] if around is _Spot.ANYWHERE else around


def _is_spaced(element: LexborNode) -> bool:
    """Tell whether there is space in a part of a form: then what stands before and behind it does not touch."""
    return any(node.tag_id == _TEXT and (node.text_content or "").isspace() for node in element.traverse(True))


def _is_in_heading(button: LexborNode) -> bool:
    """Tell whether a button is the heading of a part that it folds away: a reader sees that as a heading."""
    parent = button.parent
    above = parent.parent if parent else None
    return any(element is not None and element.tag_id in _HEADING_TAGS for element in (parent, above))


_SAMPLE = LexborHTMLParser("<p>text")


def _tag(name: str) -> int:
    """Return the number by which the parser knows a tag; comparing those is faster than comparing names."""
    return _SAMPLE.create_node(name).tag_id


@dataclass(frozen=True)
class TagLayout:
    """How an element is laid out: what becomes of kind and place in it, when it is a block."""

    name: str
    kind: str = ""
    place: Place = Place.NONE
    is_block: bool = False
    is_unseen: bool = False


@dataclass(frozen=True)
class Layout:
    """All that the scanner in C has to know to lay pages out as it is done here."""

    tags: tuple[TagLayout, ...]
    boilerplate: Mapping[str, str]
    words: Mapping[str, Mapping[str, Place]]
    """What roles (r), ids (i), and the words and tools of those who ask for consent (c, t) stand for."""


_BLOCK_LAYOUTS = tuple(
    TagLayout(name, _KINDS.get(name, ""), _PLACES.get(name, Place.NONE), is_block=True)
    for name in (*_KINDS, *_PLACES, *_OTHER_BLOCKS)
)
_BLOCKS = {_tag(layout.name): (layout.kind, layout.place) for layout in _BLOCK_LAYOUTS}
"""What becomes of kind and place in a block; nothing where it is empty."""

LAYOUT = Layout(
    (*_BLOCK_LAYOUTS, *(TagLayout(name, is_unseen=True) for name in _UNSEEN)),
    BOILERPLATE,
    {
        "r": _PLACES_OF_ROLES,
        "i": _PLACES_OF_IDS,
        "c": dict.fromkeys(_CONSENT_WORDS, Place.NAVIGATION),
        "t": dict.fromkeys(_CONSENT_TOOLS, Place.NAVIGATION),
    },
)

_TEXT = next(node.tag_id for node in _SAMPLE.css("p")[0].traverse(include_text=True) if node.is_text_node)
_CELL_TAGS = frozenset(map(_tag, _CELLS))
_BREAKING_TAGS = frozenset(map(_tag, _ENDING_A_LINE))
_HEADING_TAGS = frozenset(_tag(f"h{level}") for level in HEADINGS)
_IMAGE, _BUTTON, _DIVISION = _tag("img"), _tag("button"), _tag("div")
_SPACED_TAGS = frozenset({_BUTTON, *map(_tag, _UNSEEN)} - {_tag("script"), _tag("style")})
_SPECIAL = frozenset({*_CELL_TAGS, *_BREAKING_TAGS, _IMAGE, _BUTTON, *map(_tag, _UNSEEN)})
