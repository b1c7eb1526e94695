"""How deep a page nests, told from its tags alone, and never less deep than a parser takes it, but for a small factor.

An end tag counts only where no parser overlooks it: where its element is the last that is open, but for some that end
by themselves. Whatever a page does to look flat, it is rather taken for too deep. Where tags mean something else, in
raw text and in drawings, is followed exactly; should that become unclear, so does the depth.
"""

import re
from collections import Counter

_SPACE = rb"\t\n\f\r "
_ATTRIBUTE = rb"""[^%b/>][^%b/>=]*+(?:[%b]*+=[%b]*+(?:"[^"]*+"?|'[^']*+'?|[^%b>"'][^%b>]*+)?)?""" % ((_SPACE,) * 6)
ATTRIBUTES = re.compile(_ATTRIBUTE)
TOKEN = re.compile(
    rb"<!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>)?)"
    rb"|<[!?][^>]*+>?|</(?![a-zA-Z])[^>]*+>?"
    rb"|<(?P<closing>/?)(?P<name>[a-zA-Z][^%b/>]*+)(?P<attributes>(?:[%b/]++|%b)*+)>?" % (_SPACE, _SPACE, _ATTRIBUTE)
)
"""A tag as it is written, or a comment or the like, which has no name."""

_CDATA, _CDATA_END = b"<![CDATA[", b"]]>"


def _names(names: str) -> frozenset[bytes]:
    return frozenset(names.encode().split())


_RAW = _names("iframe noembed noframes script style textarea title xmp")
"""What is in them is text, whatever it looks like."""

_RAW_END = {name: re.compile(rb"</%b(?=[%b/>])" % (name, _SPACE), re.IGNORECASE) for name in _RAW}
_SCRIPT_STEP = re.compile(rb"<!(?=--)|-->|<(/?)script(?=[%b/>])" % _SPACE, re.IGNORECASE)

_EMPTY = _names(
    "area base basefont bgsound body br col embed frame head hr html image img input keygen link meta param source"
    " track wbr"
)
"""Elements that hold nothing, or begin only once."""

_HARDLY_NESTING = _names("a caption colgroup option tbody td tfoot th thead tr")
"""Elements of which no two are open without something else between them. They count only in drawings, where it matters
which element is the last that is open."""

_ENDING_PARAGRAPHS = _names(
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1"
    " h2 h3 h4 h5 h6 header hgroup li listing main menu nav ol p plaintext pre search section summary table ul xmp"
)
_ENDED_BY = {b"p": _names("p"), b"li": _names("li"), b"dd": _names("dd dt"), b"dt": _names("dd dt")}
"""By an element's name, those that it ends when it follows them."""

_ENDED_WITH = (
    dict.fromkeys(
        _names(
            "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer"
            " header hgroup listing main menu nav ol pre search section summary ul"
        ),
        _names("dd dt li p"),
    )
    | dict.fromkeys(_names("button form h1 h2 h3 h4 h5 h6 table"), _names("p"))
    | {b"ruby": _names("rb rp rt rtc"), b"select": _names("optgroup")}
)
"""By an element's name, those that may still be open in it and end with it."""

_MOST_ENDED_WITH = 4
_HTML_INSIDE = {b"svg": _names("foreignobject desc title"), b"math": _names("mi mo mn ms mtext")}
"""Drawings and formulas have elements of their own; inside these of them is HTML again."""

_OF_DRAWINGS = frozenset({*_HTML_INSIDE}.union(*_HTML_INSIDE.values()))
_BREAKING_OUT = _names(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta"
    " nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)
_BREAKING_OUT_BY_END = _names("br p")
_UNCLEAR = _names("frameset malignmark mglyph")
_MAY_SAY_HTML = re.compile(rb"encoding[%b]*+=[^>]*?(?:html|&)" % _SPACE, re.IGNORECASE)


class Nesting:
    """The elements that are open, as far as tags tell."""

    def __init__(self) -> None:
        """Begin with none."""
        self._open: list[tuple[bytes, bytes]] = []
        """Names, and which kind of drawing the element is part of, if any."""
        self._count: Counter[bytes] = Counter()
        self._drawn = 0
        self.is_clear = True
        """Whether it is still known what the page's tags mean."""

    @property
    def depth(self) -> int:
        """Return how many elements are open at most."""
        return len(self._open)

    def take(self, html: bytes, token: re.Match[bytes]) -> int:
        """Take what a page is made of, and return where to look for the next: raw text is passed over."""
        name = (token["name"] or b"").lower()
        if not name:
            return self._behind_comment(html, token)
        if token["closing"]:
            self._end(name)
            return token.end()
        holds_raw = name in _RAW and self._holds_html
        self._start(name, token["attributes"])
        return _behind_raw(html, name, token.end()) if holds_raw else token.end()

    def _behind_comment(self, html: bytes, token: re.Match[bytes]) -> int:
        if not (self._is_drawn and html.startswith(_CDATA, token.start())):
            return token.end()
        end = html.find(_CDATA_END, token.start())
        return len(html) if end < 0 else end

    @property
    def _is_drawn(self) -> bool:
        """Tell whether the last element that is open is part of a drawing."""
        return bool(self._open and self._open[-1][1])

    @property
    def _holds_html(self) -> bool:
        return not self._open or _holds_html(*self._open[-1])

    def _start(self, name: bytes, attributes: bytes) -> None:
        if not self._holds_html and name in _BREAKING_OUT:
            self._leave_drawing()
        if self._holds_html and name not in _HTML_INSIDE:
            self.is_clear = name not in _UNCLEAR
            self._start_html(name)
        elif not _is_closed(attributes):
            self.is_clear = self._holds_html or not _may_be_html(name, attributes)
            self._push(name, name if self._holds_html else self._open[-1][1])

    def _start_html(self, name: bytes) -> None:
        if self._last == b"p" and name in _ENDING_PARAGRAPHS:
            self._pop()
        is_counted = name not in _EMPTY and (self._drawn or name not in _HARDLY_NESTING)
        if is_counted and self._last not in _ENDED_BY.get(name, ()):
            self._push(name)

    def _end(self, name: bytes) -> None:
        if name in _BREAKING_OUT_BY_END:
            self._leave_drawing()
        if self._is_drawn:
            self._end_drawn(name)
        else:
            self._end_html(name)

    def _end_drawn(self, name: bytes) -> None:
        """End a part of a drawing; what is around the drawing may end with it, but whether it does is unclear."""
        if not self._count[name]:
            self.is_clear = name not in _HARDLY_NESTING  # Of which one may be open.
            return
        place = len(self._open) - 1
        while place > 0 and self._open[place][1] and self._open[place][0] != name:
            place -= 1
        self.is_clear = self._open[place][0] == name and bool(self._open[place][1])
        self._pop_to(place)

    def _end_html(self, name: bytes) -> None:
        passed, place = _ENDED_WITH.get(name, ()), len(self._open) - 1
        for _ in range(_MOST_ENDED_WITH):
            place -= place > 0 and self._open[place][0] in passed
        if place >= 0 and self._open[place] == (name, b""):
            self._pop_to(place)
        elif name in _OF_DRAWINGS and self._drawn:
            self.is_clear = False

    def _leave_drawing(self) -> None:
        while not self._holds_html:
            self._pop()

    @property
    def _last(self) -> bytes:
        return self._open[-1][0] if self._open and not self._is_drawn else b""

    def _push(self, name: bytes, drawing: bytes = b"") -> None:
        self._open.append((name, drawing))
        self._count[name] += 1
        self._drawn += bool(drawing)

    def _pop(self) -> None:
        name, drawing = self._open.pop()
        self._count[name] -= 1
        self._drawn -= bool(drawing)

    def _pop_to(self, place: int) -> None:
        while len(self._open) > place:
            self._pop()


def _holds_html(name: bytes, drawing: bytes) -> bool:
    return not drawing or name in _HTML_INSIDE[drawing]


def _may_be_html(name: bytes, attributes: bytes) -> bool:
    """Tell whether an element in a drawing may be none, or hold HTML, by its attributes."""
    return (name == b"font" and bool(attributes)) or (
        name == b"annotation-xml" and _MAY_SAY_HTML.search(attributes) is not None
    )


def _is_closed(attributes: bytes) -> bool:
    """Tell whether a tag ends with a slash that is not part of a value."""
    if not attributes.endswith(b"/"):
        return False
    ends = max((attribute.end() for attribute in ATTRIBUTES.finditer(attributes)), default=0)
    return ends < len(attributes)


def _behind_raw(html: bytes, name: bytes, position: int) -> int:
    """Return where the text of a raw element ends."""
    if name == b"script":
        return _behind_script(html, position)
    end = _RAW_END[name].search(html, position)
    return end.start() if end else len(html)


def _behind_script(html: bytes, position: int) -> int:
    """Return where a script ends: an end tag is none behind a start tag in what looks like a comment."""
    in_comment = in_script = False
    for step in _SCRIPT_STEP.finditer(html, position):
        if step[0].startswith(b"<!"):
            in_comment = True
        elif step[0] == b"-->":
            in_comment = in_script = False
        elif in_script or not step[1]:
            in_script = in_comment and not step[1]
        else:
            return step.start()
    return len(html)
