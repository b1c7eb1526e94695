"""The main part of a page: the article without menus, teasers, comments and footers.

Each paragraph has a value: sentences increase it, links and short fragments decrease it. The element with the highest
sum of its paragraphs' values is the main part; each level between a paragraph and the element reduces the value a
little, so that the smallest element with the whole text wins.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from webstrata.content.tree import Document, Element, Node, Text

MAX_PARAGRAPHS = 20_000
_KEPT_PER_LEVEL = 0.96
_KEPT_PER_ARTICLE = 0.6
"""Lower than for other levels: a page with several article elements has one main article, and teasers of others."""

_LITTLE = 250
"""If the main text is shorter, the page is read again and the names of elements are ignored."""

_SENTENCE = 40
_LINKED = 0.5
"""A line with at least this share of its characters in links counts as a link."""

_COST_OF_LINKED_HEADING = 100
_COST_OF_SCRAP = 10
_MOST_COST = 80
_BLOCKS = frozenset(
    {
        *("address", "article", "blockquote", "body", "center", "dd", "details", "dialog", "div", "dl", "dt"),
        *("fieldset",),
        *("figure", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "li", "main", "ol", "p", "pre", "section"),
        *("summary", "table", "tbody", "tr", "ul"),
    }
)
_LEFT_OUT = frozenset(
    {
        *("aside", "audio", "button", "canvas", "datalist", "dialog", "figcaption", "footer", "form", "iframe"),
        *("input",),
        *("label", "nav", "noscript", "object", "script", "select", "style", "svg", "template", "textarea", "title"),
        *("video", "time"),
    }
)
_LEFT_OUT_ROLES = frozenset({"navigation", "complementary", "contentinfo", "search", "banner", "dialog", "alertdialog"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_WHOLE = frozenset({"li", "tr", "blockquote", "pre", "dd", "dt"})
"""Blocks whose lines are content however short they are."""

_OTHER = re.compile(
    r"(?<![a-z])(?:ad|ads|advert|advertisement|adsense|banner|share|sharing|social|sns|comment|comments|respond"
    r"|disqus|related"
    r"|recommended|recommendations|recirc|newsletter|subscribe|subscription|signup|promo|promotion|sponsor"
    r"|sponsored|sidebar|cookie|cookies|consent"
    r"|gdpr|breadcrumb|breadcrumbs|byline|dateline|timestamp|author|authors|bio|tags|tag-list|taglist|keywords|nav"
    r"|navbar|menu|footer|popup|modal"
    r"|overlay|outbrain|taboola|widget|widgets|toolbar|pagination|pager|teaser|teasers|trending|popular|most-read"
    r"|more-stories|read-more"
    r"|readmore|also-read|caption|credit|credits|copyright|paywall|login|print-only|screen-reader-text|sr-only"
    r"|visually-hidden|skip|rating"
    r"|sharedaddy|jp-relatedposts|addtoany|follow|print|meta|postmeta|entry-meta|metadata|post-info|postinfo"
    r"|kicker|carousel|gallery-nav"
    r"|slideshow|yarpp|wp-caption-text|navigation|hidden|posted-on|reading-time|shariff|donate|poll|quiz)(?![a-z])"
)
"""Names of elements that are not part of an article."""

_MAIN = re.compile(
    r"(?<![a-z])(?:article|body|content|main|story|post|entry|text|page|wrapper|container"
    r"|blog)(?![a-z])"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MARKS = re.compile(r"[^a-z0-9]+")
_ENDS = (".", "!", "?", "…", ":", ";", "”", '"', "»", "。", "！", "？", "」", "؟", "।", ")")


@dataclass(frozen=True)
class _Paragraph:
    """A line of a page, with the facts that decide whether it is part of the main text."""

    text: str
    tag: str
    linked: int
    """The number of its characters in links."""

    @property
    def is_link(self) -> bool:
        size = len(self.text)
        return self.linked > _LINKED * size and size - self.linked < 2 * _SENTENCE

    @property
    def value(self) -> float:
        """Return the value of the line for the main text, in characters."""
        size = len(self.text)
        if self.tag in _HEADINGS:
            return -_COST_OF_LINKED_HEADING if self.is_link else 0
        if self.is_link:
            return -min(size, _MOST_COST)
        if size < _SENTENCE and not self.text.endswith(_ENDS):
            return 0 if self.tag in _WHOLE else -_COST_OF_SCRAP
        return (size if self.text.isascii() else _weight(self.text)) - 2 * self.linked

    @property
    def is_kept(self) -> bool:
        """Return whether a line inside the main part belongs to the main text."""
        if self.is_link:
            return False
        is_sentence = len(self.text) >= _SENTENCE or self.text.endswith(_ENDS)
        return is_sentence or self.tag in _WHOLE or self.tag in _HEADINGS


@dataclass
class _Frame:
    """An open element: its first paragraph, and the value of its paragraphs so far."""

    tag: str
    start: int
    value: float = 0.0


@dataclass
class _Reader:
    """Reads a page once; with `believes_names`, elements whose names are not those of an article are left out."""

    believes_names: bool
    paragraphs: list[_Paragraph] = field(default_factory=list)
    best: tuple[float, int, int] = (0.0, 0, 0)
    """The highest value of an element so far, and its first and last paragraphs."""
    _pieces: list[str] = field(default_factory=list)
    _linked: int = 0
    _links: int = 0

    def read(self, body: Element) -> list[_Paragraph]:
        """Return the paragraphs of the main part."""
        frames = [_Frame("body", 0)]
        stack: list[tuple[Iterator[Node], str]] = [(iter(body), "body")]
        while stack:
            nodes, tag = stack[-1]
            node = next(nodes, None)
            if node is None:
                stack.pop()
                self._leave(tag, frames)
            elif type(node) is Text:
                self._add(node.data)
            elif type(node) is Element and self._enter(node, frames):
                stack.append((iter(node), node.tag))
            if len(self.paragraphs) > MAX_PARAGRAPHS:
                break
        _, start, end = self.best
        return self.paragraphs[start:end]

    def _add(self, text: str) -> None:
        self._pieces.append(text)
        if self._links:
            self._linked += len(" ".join(text.split()))

    def _enter(self, element: Element, frames: list[_Frame]) -> bool:
        """Begin an element; return whether to go into it."""
        tag = element.tag
        if tag == "br":
            self._end_line(frames[-1])
            return False
        if tag in _LEFT_OUT or self._is_other(element, tag):
            self._pieces.append(" ")
            return False
        if tag == "a":
            self._links += 1
        elif tag in {"td", "th"}:
            self._pieces.append(" ")
        elif tag in _BLOCKS:
            self._end_line(frames[-1])
            frames.append(_Frame(tag, len(self.paragraphs)))
        return True

    def _leave(self, tag: str, frames: list[_Frame]) -> None:
        """End an element, and add its value to that of the element around it."""
        if tag == "a":
            self._links -= 1
        if tag not in _BLOCKS:
            return
        frame = frames[-1]
        self._end_line(frame)
        self.best = max(self.best, (frame.value, frame.start, len(self.paragraphs)), key=lambda one: one[0])
        frames.pop()
        if frames:
            frames[-1].value += frame.value * (_KEPT_PER_ARTICLE if frame.tag == "article" else _KEPT_PER_LEVEL)

    def _end_line(self, frame: _Frame) -> None:
        text = " ".join("".join(self._pieces).split())
        if text:
            paragraph = _Paragraph(text, frame.tag, self._linked)
            self.paragraphs.append(paragraph)
            frame.value += paragraph.value
        self._pieces.clear()
        self._linked = 0

    def _is_other(self, element: Element, tag: str) -> bool:
        role = element.attr("role")
        if role and role.lower() in _LEFT_OUT_ROLES:
            return True
        if element.attr("hidden") is not None or "display:none" in (element.attr("style") or "").replace(" ", ""):
            return True
        if not self.believes_names or tag in {"body", "main", "article", "a", "p", "b", "i", "em", "strong"}:
            return False
        return _is_other_name(element.attr("id") or "", element.attr("class") or "")


def main_content(tree: Document, title: str = "") -> str:
    """Return the main text of a page, one paragraph per line, without its headline; empty when it has no sentences."""
    body = next((node for node in tree.root or () if isinstance(node, Element) and node.tag == "body"), None)
    if body is None:
        return ""
    found = _text(_Reader(believes_names=True).read(body), title)
    if len(found) >= _LITTLE:
        return found
    return max(found, _text(_Reader(believes_names=False).read(body), title), key=len)


def _text(paragraphs: list[_Paragraph], title: str) -> str:
    kept = [one for one in paragraphs if one.is_kept]
    while kept and kept[-1].tag in _HEADINGS:
        kept.pop()
    headline = title.casefold()
    if kept and kept[0].tag == "h1":
        kept = kept[1:]
    lines = [one.text for one in kept if not (one.tag in _HEADINGS and one.text.casefold() in headline)]
    return "\n".join(lines)


def _weight(text: str) -> int:
    """Return the length of a text; a Chinese, Japanese or Korean character counts as three letters."""
    return sum(3 if "\u3000" <= letter <= "\ud7ff" or "\uf900" <= letter <= "\ufaff" else 1 for letter in text)


@lru_cache(maxsize=4_096)
def _is_other_name(identifier: str, classes: str) -> bool:
    """Return whether an element's id and classes show that it is not part of an article."""
    for names in (identifier[:200], classes[:300]):
        plain = _MARKS.sub("-", _CAMEL.sub("-", names).lower())
        if plain and _OTHER.search(plain) and not _MAIN.search(plain):
            return True
    return False
