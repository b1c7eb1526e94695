"""One pass over the tree of a page that finds its title, prices, buy buttons and stock notes."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, count, islice

from rapidfuzz import fuzz

from webstrata.content.listing.buy_words import is_buying, is_waiting
from webstrata.content.listing.marked_elements import marked_elements
from webstrata.content.listing.page_currencies import currency_search, find_nothing, shows_price
from webstrata.content.listing.price_words import PRICE_NAME, plain_names
from webstrata.content.listing.stock_words import is_out_label
from webstrata.content.tree import Document, Element, Text, is_html

MAX_MARKS = 150
"""The most elements of a kind that are read."""

_MAX_PRICED = 1_500
_MAX_NAMED = 5_000
"""The most elements that are read because they show an amount or are named a price: real pages have some hundreds."""

_MARKS_AFTER, _MARKS_BEFORE = 30, 12
"""How many prices after and before the title are read; pages with more are lists."""

MAX_PRICE_TEXT = 160
_LONGEST_SIGN = 6
_MAX_BUTTON = 80
_MAX_BUTTONS = 60
_MAX_HEADINGS = 60
_MAX_INSIDE = 60
"""The most nodes in an element that can be a note."""

_MAX_STOCK_TEXT = 180
_MAX_NAMES = 300
_MAX_ELEMENTS = 40_000

_NAMED_ELSEWHERE = ", ".join(
    f'[class*="{name}" i]' for name in ("preis", "prix", "preci", "prezzo", "prijs", "preco", "pris", "cena", "fiyat")
)
"""Words for a price in other languages: elements with these names are then searched by the currency in their text."""

_MAX_BRANDS = 20
_DIGIT = re.compile(r"\d")
_HEADINGS = ("h1", "h2", "h3")
_UNSEEN = frozenset({"script", "style", "noscript", "template", "option", "select", "textarea", "title", "svg", "math"})
_STATING = frozenset({"meta", "data", "input"})
"""Elements that state a price in an attribute."""

_LIKE_TITLE = 60
_OF_WHOLE = 0.1
"""The weight of the similarity of the whole texts: titles also contain the shop's name."""

_THOUSANDS = re.compile(r"\d\.\d{3}$")
_POINTS = frozenset({".", ","})
_CENTS = re.compile(r"\s*[.,]?\d\d(?!\d)[^\d.,]*$")
_ENDS_WITH_POINT = re.compile(r"\d[.,]\s*$")
_ENDS_WITH_DIGIT = re.compile(r"\d\s*$")
_CENTS_NAME = re.compile("cent|decimal|fraction|minor|penn|kop|(?<![a-z])dec(?![a-z])")


@dataclass(frozen=True)
class Mark:
    """An element of interest, its position among the page's elements, and its text."""

    element: Element
    place: int
    text: str


@dataclass(frozen=True)
class PageScan:
    """What one pass over a page found, each in the order of the page."""

    prices: tuple[Mark, ...]
    buttons: tuple[Mark, ...]
    """The buttons that put a product into a cart."""
    waiting: tuple[Mark, ...]
    """The buttons that offer a notification when the product is back, or that only say it cannot be bought."""
    stock: tuple[Mark, ...]
    title: Mark | None
    """The heading that names the product."""
    brands: tuple[str, ...] = ()
    """The texts of elements that are named a brand."""


def scan_page(
    tree: Document,
    titles: Sequence[str],
    text: str,
    *,
    language: str | None = None,
    needs_text: bool = True,
    needs_sign: bool = False,
    may_be_ad: bool = True,
) -> PageScan | None:
    """Return the marks of a page.

    `titles` are the page's other titles in lower case, `text` is its visible text. With `needs_text`, amounts are also
    searched in elements that are not named a price; otherwise only if no element is. With `needs_sign`, the result is
    None when the page has neither an element that is named a price nor a buy button, nor, if it `may_be_ad`, a line
    with a price after its title.
    """
    marked = marked_elements(tree)
    named, buttons, stock = marked.prices, marked.buttons, marked.stock
    if (
        needs_sign
        and not named
        and not _may_sell(tree, buttons, language)
        and not (may_be_ad and shows_price(text, titles))
    ):
        return None
    search = currency_search(text, language)
    priced = dict.fromkeys(named)
    if not named or needs_text:
        priced |= dict.fromkeys(_priced_by_text(tree, search))
    requested: dict[Element, int] = dict.fromkeys((*priced, *buttons, *stock), -1)
    headings = _fill_places(tree, requested)
    title = _title(headings, titles)
    pushed = list(_pushed(buttons, requested, title))
    waiting = tuple(mark for mark in pushed if is_waiting(mark.text) or is_out_label(mark.text))
    return PageScan(
        prices=tuple(_nearest(_price_marks(priced, requested), title)),
        buttons=tuple(mark for mark in pushed if mark not in waiting and is_buying(mark.text, names_of(mark.element))),
        waiting=waiting,
        stock=tuple(_stock_marks(stock, requested)),
        title=title,
        brands=tuple(text for element in marked.brands[:_MAX_BRANDS] if (text := shown_text(element))),
    )


def scan_offer(tree: Document, titles: Sequence[str], *, language: str | None = None) -> PageScan:
    """Return the prices, buy buttons and title of a page, without its stock notes and brands.

    Currencies are searched in the page's short texts, so that its whole text need not be read before.
    """
    texts = _short_texts(tree)
    search = currency_search("\n".join(node.data for node in texts), language)
    marked = marked_elements(tree)
    buttons = marked.buttons
    priced = dict.fromkeys(marked.prices) | dict.fromkeys(_around_money(texts, search))
    requested: dict[Element, int] = dict.fromkeys((*priced, *buttons), -1)
    title = _title(_fill_places(tree, requested), titles)
    pushed = tuple(_pushed(buttons, requested, title))
    return PageScan(
        prices=tuple(_nearest(_price_marks(priced, requested), title)),
        buttons=tuple(mark for mark in pushed if is_buying(mark.text, names_of(mark.element))),
        waiting=(),
        stock=(),
        title=title,
    )


def _short_texts(tree: Document) -> list[Text]:
    """Return the pieces of text that may be a price or a part of one: short, with a digit or only a currency sign."""
    nodes = () if tree.root is None else tree.root.descendants
    has_digit = _DIGIT.search
    # One expression without a function call for each node: a page has thousands, mostly white space.
    return [
        node
        for node in nodes
        if type(node) is Text
        and not (data := node.data).isspace()
        and len(data) <= MAX_PRICE_TEXT
        and (len(data) <= _LONGEST_SIGN or has_digit(data))
    ]


def _may_sell(tree: Document, buttons: Sequence[Element], language: str | None) -> bool:
    """Return whether a page has a button to buy, or a price's name in another language than English."""
    texts = ((element.attr("value") or element.text, element) for element in buttons[:_MAX_BUTTONS])
    if any(is_buying(" ".join(text.split()), names_of(one)) for text, one in texts if 0 < len(text) <= _MAX_BUTTON):
        return True
    return language != "en" and bool(tree.select(_NAMED_ELSEWHERE))


def _fill_places(tree: Document, requested: dict[Element, int]) -> list[tuple[Element, int]]:
    """Fill in the positions of elements in the order of the page; return the headings with their positions."""
    headings = dict.fromkeys(islice(tree.iter_elements(_HEADINGS), MAX_MARKS), -1)
    elements = list(islice(tree.iter_elements(), _MAX_ELEMENTS + 2))
    # Without a Python loop, as a page has thousands of elements.
    are_requested = list(map((requested.keys() | headings.keys()).__contains__, elements))
    for element, place in zip(compress(elements, are_requested), compress(count(), are_requested), strict=True):
        if element in requested:
            requested[element] = place
        if element in headings:
            headings[element] = place
    return [(element, place) for element, place in headings.items() if place >= 0]


def _priced_by_text(tree: Document, search: Callable[[str], object]) -> list[Element]:
    """Return the elements whose text shows money, in the order of the page."""
    return [] if search is find_nothing else _around_money(_short_texts(tree), search)


def _around_money(texts: Sequence[Text], search: Callable[[str], object]) -> list[Element]:
    """Return the elements around those pieces of text that show money."""
    if search is find_nothing:
        return []
    showing = (node for node in texts if search(node.data))
    around = (_priced_around(node) for node in islice(showing, _MAX_NAMED))
    return list(islice((element for element in around if element is not None), _MAX_PRICED))


def names_of(element: Element) -> str:
    """Return an element's id, classes and item property as plain names."""
    identifier, classes, item = element.attr("id"), element.attr("class"), element.attr("itemprop")
    if not (identifier or classes or item):
        return ""
    return plain_names(f"{identifier or ''} {classes or ''} {item or ''}"[:_MAX_NAMES])


def parents_of(element: Element, most: int) -> Iterator[Element]:
    """Yield the elements around an element, the nearest first."""
    parent = element.parent
    while isinstance(parent, Element) and most > 0:
        yield parent
        parent, most = parent.parent, most - 1


def _priced_around(text: Text) -> Element | None:
    """Return the element that contains an amount together with the currency in a text."""
    element = text.parent
    for _ in range(3):
        if not isinstance(element, Element) or element.tag in _UNSEEN:
            return None
        whole = _text_up_to(element, MAX_PRICE_TEXT * 2)
        if whole is None:
            return None
        if _DIGIT.search(whole) and element.tag != "sup":
            return _with_whole_amount(element, whole)
        element = element.parent
    return None


def _with_whole_amount(element: Element, text: str) -> Element:
    """Return an element, or the one around it if the element only shows the cents: `129,<b>99 zł</b>`."""
    parent = element.parent
    if not _CENTS.match(text) or not isinstance(parent, Element):
        return element
    around = _text_up_to(parent, MAX_PRICE_TEXT)
    begins = text.lstrip()[0] in _POINTS or _CENTS_NAME.search(names_of(element))
    end = _ENDS_WITH_DIGIT if begins else _ENDS_WITH_POINT
    return parent if around is not None and end.search(around.partition(text)[0]) else element


def _nearest(marks: Iterator[Mark], title: Mark | None) -> Iterator[Mark]:
    """Yield the first marks after the title, and the last ones before it."""
    before: deque[Mark] = deque(maxlen=_MARKS_BEFORE)
    count = 0
    for mark in marks:
        if title is not None and mark.place < title.place:
            before.append(mark)
            continue
        yield from before
        before.clear()
        yield mark
        count += 1
        if count == _MARKS_AFTER * (1 if title else 2):
            return
    yield from before


def _price_marks(priced: Iterable[Element], places: dict[Element, int]) -> Iterator[Mark]:
    inside = sorted((element for element in priced if places[element] >= 0), key=places.__getitem__)
    for element in inside[:_MAX_NAMED]:
        if element.tag in _UNSEEN or not is_html(element):
            continue
        text = price_text(element)
        if 0 < len(text) <= MAX_PRICE_TEXT and _DIGIT.search(text):
            yield Mark(element, places[element], text)


def price_text(element: Element) -> str:
    """Return the text of an element that shows a price; cents in an element of their own get a decimal point."""
    if (stated := _stated_price(element)) is not None:
        return stated[:MAX_PRICE_TEXT]
    whole = _text_up_to(element, 4 * MAX_PRICE_TEXT)
    if whole is None:
        return ""
    if _is_plain(element) and element.tag not in _UNSEEN:
        return " ".join(whole.split())
    pieces = ""
    for node in element.descendants:
        if type(node) is not Text:
            continue
        parent = node.parent
        if isinstance(parent, Element) and parent.tag not in _UNSEEN:
            joint = _joint(pieces, node.data, parent)
            pieces = (pieces.rstrip() if joint in _POINTS else pieces) + joint + node.data
    return " ".join(pieces.split())


def _stated_price(element: Element) -> str | None:
    """Return the price in the attributes of an element that shows no text."""
    if element.tag in _STATING:
        return element.attr("content") or element.attr("data-price") or element.attr("value")
    price = element.attr("data-price")
    if not price or any(piece.strip() for piece in element.strings):
        return None
    return f"{price} {element.attr('data-currency') or ''}".strip()


def _text_up_to(element: Element, most: int) -> str | None:
    """Return the text of an element; None when it is longer than a limit, as hostile pages may nest thousands of long
    elements."""
    if _is_plain(element):
        whole = element.text
        return whole if len(whole) <= most else None
    pieces: list[str] = []
    for piece in element.strings:
        most -= len(piece)
        if most < 0:
            return None
        pieces.append(piece)
    return "".join(pieces)


def _is_plain(element: Element) -> bool:
    """Return whether an element holds a text and nothing else."""
    return len(element) == 1 and type(element[0]) is Text


def _joint(before: str, text: str, parent: Element) -> str:
    """Return the separator between two pieces of a price: a point before cents, a space between other numbers."""
    left, right = before.rstrip(), text.strip()
    if not left or not right or not left[-1].isdecimal() or not right[0].isdecimal():
        return ""
    is_small = parent.tag in {"sup", "small"} or _CENTS_NAME.search(names_of(parent))
    if len(right.rstrip("€$£ ")) != 2 or not is_small:
        return " "
    return "," if _THOUSANDS.search(left) else "."


def _pushed(buttons: Sequence[Element], places: dict[Element, int], title: Mark | None) -> Iterator[Mark]:
    """Yield the buttons with a short label, those after the title first."""
    start = title.place if title else 0
    inside = [element for element in buttons if places[element] >= 0]
    inside.sort(key=lambda element: (places[element] < start, places[element]))
    for element in inside[:_MAX_BUTTONS]:
        text = element.attr("value") or element.text or element.attr("aria-label") or element.attr("title") or ""
        if len(text) <= 10 * _MAX_BUTTON:
            label = " ".join(text.split())
            if len(label) <= _MAX_BUTTON:
                yield Mark(element, places[element], label)


def _stock_marks(elements: Sequence[Element], places: dict[Element, int]) -> Iterator[Mark]:
    for element in elements[:MAX_MARKS]:
        if places[element] < 0 or element.tag in {"script", "style", "input", "form"}:
            continue
        stated = element.attr("content") or element.attr("href") if element.tag in {"meta", "link"} else None
        shown = stated or shown_text(element)
        if 0 < len(shown) <= _MAX_STOCK_TEXT:
            yield Mark(element, places[element], shown)


def shown_text(element: Element) -> str:
    """Return the text of a small element without its scripts; empty when it is not small."""
    pieces: list[str] = []
    for number, node in enumerate(element.descendants):
        if number > _MAX_INSIDE:
            return ""
        if type(node) is Text and isinstance(parent := node.parent, Element) and parent.tag not in _UNSEEN:
            pieces.append(node.data)
    return " ".join(" ".join(pieces).split())


def _title(headings: Sequence[tuple[Element, int]], titles: Sequence[str]) -> Mark | None:
    """Return the heading that is most similar to the page's titles; an h1 counts more than an h2."""
    best: tuple[float, Mark] | None = None
    for element, place in headings[:_MAX_HEADINGS]:
        text = " ".join(element.text.split())
        if not 0 < len(text) <= 400:
            continue
        folded = text.casefold()
        likeness = max((fuzz.token_set_ratio(folded, title) for title in titles), default=_LIKE_TITLE)
        if likeness < _LIKE_TITLE:
            continue
        whole = max((fuzz.ratio(folded, title) for title in titles), default=0)
        score = likeness - 20 * _HEADINGS.index(element.tag) + _OF_WHOLE * whole
        if best is None or score > best[0]:
            best = score, Mark(element, place, text)
    return best[1] if best else None


def is_price_named(names: str) -> bool:
    """Return whether an element's plain names call it a price."""
    return bool(PRICE_NAME.search(names))
