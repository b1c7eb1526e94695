"""The text that a reader of an HTML page sees: split into lines, each with its kind of block and its region.

The tree is walked once, from its first node to its last, so that the block around a text is always known. Texts are
joined at the end, as this loop takes half of the time that reading a page takes.
"""

import re
from collections import deque
from collections.abc import Mapping
from enum import IntEnum, auto
from functools import cache

from webstrata.content.blocks import (
    CELL,
    CODE,
    HEADER_CELL,
    HEADINGS,
    ITEM,
    OTHER,
    PARAGRAPH,
    QUOTE,
    ROW,
    Line,
    Region,
    lines_of,
)
from webstrata.content.tree import Document, Element, Node, Text


class _Place(IntEnum):
    """A part of a page: a block's role, from its element, role attribute or id."""

    NAVIGATION = auto()
    HEADER = auto()
    EDGE = auto()
    ARTICLE = auto()
    MAIN = auto()
    ALERT = auto()
    CONSENT = auto()


_KINDS = {
    **{f"h{level}": level for level in HEADINGS},
    **dict.fromkeys(("li", "dt", "dd"), ITEM),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), CODE),
    "p": PARAGRAPH,
    "tr": ROW,
    "blockquote": QUOTE,
}
_PLACES = {
    "nav": _Place.NAVIGATION,
    "header": _Place.HEADER,
    "main": _Place.MAIN,
    "article": _Place.ARTICLE,
    **dict.fromkeys(("footer", "aside"), _Place.EDGE),
}
_OTHER_BLOCKS = (
    *("address", "caption", "center", "details", "dialog", "dir", "div", "dl", "fieldset", "figcaption", "figure"),
    *("form", "hgroup", "legend", "menu", "ol", "search", "section", "summary", "table", "ul"),
)
_BLOCKS = frozenset((*_KINDS, *_PLACES, *_OTHER_BLOCKS))
_LINE_BREAKS = frozenset({"br", "hr"})
_CELLS = frozenset({"td", "th"})
_UNSEEN = frozenset(
    {"audio", "canvas", "datalist", "iframe", "label", "noembed", "noframes", "noscript", "script", "select", "style"}
    | {"textarea", "title", "video"}
)
_SPACED = _UNSEEN - {"script", "style"} | {"button"}
_SPECIAL = _LINE_BREAKS | _CELLS | _UNSEEN | {"img", "button", "template"}
_HEADING_TAGS = frozenset(f"h{level}" for level in HEADINGS)

_PLACES_OF_ROLES = {
    **dict.fromkeys(("navigation", "search"), _Place.NAVIGATION),
    **dict.fromkeys(("contentinfo", "complementary"), _Place.EDGE),
    **dict.fromkeys(("alert", "alertdialog"), _Place.ALERT),
    "banner": _Place.HEADER,
    "main": _Place.MAIN,
}
_PLACES_OF_IDS = {
    **dict.fromkeys(("nav", "navbar", "navigation", "menu", "breadcrumb", "breadcrumbs"), _Place.NAVIGATION),
    **dict.fromkeys(("header", "site-header", "masthead"), _Place.HEADER),
    **dict.fromkeys(("footer", "site-footer", "colophon", "sidebar"), _Place.EDGE),
}
"""Ids that sites without HTML5's elements use for these places. A class or id that contains banner, alert or
notification means nothing: recalls and warnings are found there."""

_CONSENT_WORDS = (
    *("bar", "banner", "bot", "box", "consent", "dialog", "disclaimer", "law", "message", "modal", "notice"),
    *("notification", "overlay", "popup", "prompt", "warning", "wrapper"),
)
_ASKING_FOR_CONSENT = re.compile(rf"cookie[-_]?(?:{'|'.join(_CONSENT_WORDS)})")
_STATING = 'div[id], [role], [class*="cookie" i]'
_CONSENT_TOOLS = ("onetrust-", "usercentrics-", "didomi-", "gdpr-")

_OUTER = {_Place.HEADER: Region.HEADER, _Place.EDGE: Region.EDGE, _Place.ARTICLE: Region.CONTENT}
"""The regions of these parts outside of other regions; inside, they belong to the outer one, as an article's header."""

_FIXED = {
    _Place.NAVIGATION: Region.NAVIGATION,
    _Place.CONSENT: Region.CONSENT,
    _Place.MAIN: Region.CONTENT,
    _Place.ALERT: Region.ALERT,
}


class _State:
    """The kind and region of a text, from the elements around it; each combination has one instance."""

    def __init__(self, kind: str, region: Region) -> None:
        self.kind, self.region = kind, region
        self.line = Line(kind, region)
        self.inside = _StatesInside(self)


class _StatesInside(dict[str, _State]):
    """The states inside blocks without attributes, by their tags: filled when first needed."""

    def __init__(self, outside: _State) -> None:
        super().__init__()
        self._outside = outside

    def __missing__(self, tag: str) -> _State:
        inside = self[tag] = _entered(self._outside, tag, _PLACES.get(tag))
        return inside


@cache
def _state(kind: str, region: Region) -> _State:
    return _State(kind, region)


_END = "\0"
"""Marks the end of a line during the walk; parsers drop or replace this character, so no text contains it."""


def visible_text(tree: Document) -> tuple[str, str, str]:
    """Return the text of a page, one block per line, with the kinds and the regions of the lines, one letter per
    line."""
    body = next((node for node in tree.root or () if isinstance(node, Element) and node.tag == "body"), None)
    return ("", "", "") if body is None else _Walk(_stated_places(tree)).walk(body)


class _Walk:
    """One walk over a page."""

    def __init__(self, places: Mapping[Element, _Place]) -> None:
        self._places = places
        self._texts: list[str] = []
        self._lines: list[Line] = []
        """The kinds and regions of complete lines."""

    def walk(self, body: Element) -> tuple[str, str, str]:  # noqa: C901 - a call for each of thousands of nodes is slow
        """Walk the body and return its lines, their kinds and regions."""
        texts, lines, places = self._texts, self._lines, self._places
        add_text, end_line = texts.append, lines.append
        state, is_begun = _state(OTHER, Region.UNSTATED), False
        open_blocks: list[tuple[Node | None, _State]] = []
        """For the open blocks the node after the block around, and the state outside."""
        enter, leave = open_blocks.append, open_blocks.pop
        after: Node | None = None
        """The first node after the innermost open block; None when the body ends with it."""
        # One iterator over all nodes takes less time than one for the children of each element.
        nodes = body.descendants
        for node in nodes:
            while node is after:
                if is_begun:
                    add_text(_END)
                    end_line(state.line)
                    is_begun = False
                after, state = leave()
            if type(node) is Text:
                text = node.data
                # Half of all texts are the spaces between two tags.
                if not text.isspace() or state.line.keeps_spaces:
                    add_text(text)
                    is_begun = True
                elif is_begun:
                    add_text(" ")
            elif type(node) is Element:
                tag = node.tag
                if tag in _BLOCKS:
                    if is_begun:
                        add_text(_END)
                        end_line(state.line)
                        is_begun = False
                    enter((after, state))
                    following = node.next_sibling
                    after = _node_after(node, after) if following is None else following
                    state = _entered(state, tag, places[node]) if node in places else state.inside[tag]
                elif tag in _SPECIAL:
                    is_begun = True
                    if not self._is_walked(node, tag, state):
                        deque(zip(node.descendants, nodes, strict=False), maxlen=0)
        return lines_of("".join(texts).split(_END), [*lines, state.line])

    def _is_walked(self, element: Element, tag: str, state: _State) -> bool:
        """Add what an element shows besides its text, and return whether the text in it, if there is any, is shown."""
        if tag in _UNSEEN or tag == "button":
            if tag == "button" and _is_in_heading(element):
                return True
            if tag in _SPACED and any(text.isspace() for text in element.strings):
                self._texts.append(" ")
            return False
        if tag in _CELLS:
            # Cells that touch in the source would be joined: "10" and "mg" in two cells are not "10mg".
            self._texts.append(HEADER_CELL if tag == "th" else CELL)
        elif tag in _LINE_BREAKS:
            self._texts.append(_END)
            self._lines.append(state.line)
        elif tag == "img" and (alt := element.attr("alt")):
            self._texts.append(f" {alt} ")
        # The text of a template is that of a shadow root, which is shown in place of what is in the element around it.
        return True


def _node_after(block: Element, after_outer: Node | None) -> Node | None:
    """Return the first node after a last child, which may be the one after the block around it."""
    last: Node = block
    while (after := last.next_sibling) is None:
        parent = last.parent
        if parent is None or (isinstance(parent, Element) and parent.tag in _BLOCKS):
            return after_outer
        last = parent
    return after


def _is_in_heading(button: Element) -> bool:
    """Return whether a button is the heading of a section that it opens and closes: readers see it as a heading."""
    parent = button.parent
    above = parent.parent if parent else None
    return any(isinstance(element, Element) and element.tag in _HEADING_TAGS for element in (parent, above))


def _entered(state: _State, tag: str, place: _Place | None) -> _State:
    """Return the state inside a block, which may have the kind and region of the elements around it."""
    kind = _KINDS.get(tag, "")
    if not kind or (kind == PARAGRAPH and state.kind in (ITEM, QUOTE)):
        kind = state.kind
    return _state(kind, state.region if place is None else _region(state.region, place))


def _region(around: Region, place: _Place) -> Region:
    if place in _FIXED:
        return _FIXED[place]
    return _OUTER[place] if around is Region.UNSTATED else around


def _stated_places(tree: Document) -> dict[Element, _Place]:
    """Return the blocks whose attributes state what part of the page they are."""
    # One search in C takes a third of the time of looking at the attributes of every block.
    found = ((block, _stated_place(block.tag, block)) for block in tree.select(_STATING) if block.tag in _BLOCKS)
    return {block: place for block, place in found if place is not None}


def _stated_place(tag: str, block: Element) -> _Place | None:
    """Return the part of a page that a block's attributes state."""
    classes = block.attr("class")
    if classes and _asks_for_consent(classes.lower()):
        return _Place.CONSENT
    if tag == "div" and (name := block.attr("id")) and (place := _place_of_id(name.lower())):
        return place
    role = block.attr("role")
    return _PLACES_OF_ROLES.get(role.strip().lower()) if role else None


def _place_of_id(name: str) -> _Place | None:
    if name.startswith(_CONSENT_TOOLS) or _asks_for_consent(name):
        return _Place.CONSENT
    return _PLACES_OF_IDS.get(name)


def _asks_for_consent(name: str) -> bool:
    return "cookie" in name and _ASKING_FOR_CONSENT.search(name) is not None
