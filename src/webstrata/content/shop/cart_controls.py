"""The add-to-cart and buy controls of a page: buttons, inputs and links, by their labels and their names."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from webstrata.content.listing.price_words import plain_names
from webstrata.content.listing.scan import names_of, parents_of
from webstrata.content.listing.surroundings import is_hidden
from webstrata.content.shop.cart_words import BUY, CART, CARTS, REFUSED
from webstrata.content.shop.sites import is_same_site
from webstrata.content.tree import Document, Element

MAX_LABEL = 70
_LONGEST_TEXT = 8 * MAX_LABEL
"""The longest text of a control, including spaces."""

_MAX_CONTROLS = 3_000
_MAX_FOUND = 60
_MOST_WORDS = 14
_MAX_WORDS_BESIDE = 5
"""How many words a label may have besides `add to cart`, such as a colour or a number."""

CONTROL_TAGS = frozenset({"a", "button", "input"})
_OTHER_CONTROLS = ':not(a, button, input)[role="button" i]'
_BUTTON_TYPES = frozenset({"submit", "button", "image"})
_PART_OF_NAME = re.compile("[Cc]art|CART|[Bb]uy|BUY|[Bb]asket|[Bb]ag|[Tt]rolley")
_NAMED = re.compile(
    r"(?<![a-z])add-?(?:item-?)?to-?(?:shopping-?)?(?:cart|basket|bag|trolley)(?![a-z])|(?<![a-z])addtocart"
    r"|(?<![a-z])(?:btn|button)-?(?:add-?)?cart(?![a-z])|(?<![a-z])cart-?(?:btn|button|add)(?![a-z])"
    r"|(?<![a-z])buy-?(?:now|it-?now|btn|button)(?![a-z])|(?<![a-z])(?:btn|button)-?buy(?![a-z])"
)
"""Names that shop systems give to their own controls, whatever language the label is in."""

_FURTHER_NAMES = ("name", "data-testid", "data-test", "data-action", "data-button-action", "formaction")
_ADDING_FORM = re.compile(
    r"cart/(?:add|update_cart)|(?:basket|bag|warenkorb|panier|carrito|carrello)/add|add[-_/]?(?:item[-_/]?)?to[-_/]?"
    r"(?:cart|basket|bag)|addtocart",
    re.IGNORECASE,
)
"""Addresses of shop systems to which the add-to-cart form is sent."""

_FORM_HEIGHT = 8
_SCRIPTED = re.compile(r"^\s*(?:#|javascript:|$)", re.IGNORECASE)
_BUYING_ADDRESS = re.compile(
    r"^\s*(?:#|javascript:|$)|cart|basket|checkout|warenkorb|panier|carrito|carrello|buy|order"
)
_AMOUNT = re.compile(
    r"(?:[^\W\d_]{0,3}[$€£¥₽₹zł]*\s?)?\d[\d.,' ]*(?:\s?[$€£¥₽₹]|\s?(?:eur|usd|gbp|chf|kr|zł|kč|,-|.-))?"
)
_EDGES = " \t\n.,:;!?+|·•›»→>-–—_*&()[]"
_SPACES = re.compile(r"\s+")
_ANCESTORS = 12


@dataclass(frozen=True)
class CartControl:
    """A control that puts a product into a cart or buys it."""

    element: Element
    label: str


def cart_controls(tree: Document, elements: Sequence[Element], url: str) -> Iterator[CartControl]:
    """Yield the controls of a page that put a product into a cart; `elements` are all elements with CONTROL_TAGS.

    Links to other sites, such as an article's links to a shop, are not controls of this page.
    """
    return islice(_all_cart_controls(tree, elements, url), _MAX_FOUND)


def _all_cart_controls(tree: Document, elements: Sequence[Element], url: str) -> Iterator[CartControl]:
    for element in _promising_controls(tree, elements):
        label = control_label(element)
        if len(label) <= MAX_LABEL and _is_cart_control(element, label, url):
            yield CartControl(element, label)


def _promising_controls(tree: Document, elements: Sequence[Element]) -> Iterator[Element]:
    """Yield the controls that may be cart controls by a part of their name or label; most links are not."""
    controls = [element for element in elements if element.tag in CONTROL_TAGS and _is_button(element)]
    other_names: set[str | None] = {None}
    for one in controls[:_MAX_CONTROLS]:
        # Inlined for speed: a page has hundreds of links without such a word.
        words = one.text.casefold().split()
        if words and _FIRST_WORDS.isdisjoint(words) and words[0][0].isalnum() and "".join(words).isascii():
            if _may_be_named(one, other_names):
                yield one
        elif _may_be_labelled(one) or _may_be_named(one, other_names):
            yield one
    # These come last: the caller may need only the first control.
    others = tree.select(_OTHER_CONTROLS)[:_MAX_CONTROLS]
    yield from (one for one in others if _may_be_labelled(one) or _may_be_named(one, other_names))


def _is_button(element: Element) -> bool:
    return element.tag != "input" or (element.attr("type") or "").lower() in _BUTTON_TYPES


def _may_be_named(element: Element, other_names: set[str | None]) -> bool:
    """Return whether the name of a control may be that of a cart control; `other_names` is a cache of names that are
    not.

    The links of a menu share their names, so each name is searched once.
    """
    names = ("class", "id") if element.tag == "a" else ("class", "id", *_FURTHER_NAMES)
    for name in map(element.attr, names):
        if name not in other_names:
            if _PART_OF_NAME.search(name or ""):
                return True
            other_names.add(name)
    return _adds_to_cart(element)


def _adds_to_cart(element: Element) -> bool:
    """Return whether a control sends a form to an address that puts a product into the cart."""
    if element.tag == "a" or (element.attr("type") or "submit").lower() not in {"submit", "image"}:
        return False
    form = next((parent for parent in parents_of(element, _FORM_HEIGHT) if parent.tag == "form"), None)
    return form is not None and _ADDING_FORM.search((form.attr("action") or "")[:300]) is not None


def _may_be_labelled(element: Element) -> bool:
    """Return whether a control has a word that labels of cart controls begin with; most links of a page have none."""
    text = element.text
    if len(text) > _LONGEST_TEXT:
        return False
    words = text.casefold().split()
    if not words:
        text = control_label(element)
        words = text.casefold().split()
    if not words or len(words) > _MOST_WORDS:
        return False
    if not _FIRST_WORDS.isdisjoint(words) or (words[0][0] in _EDGES and words[0].lstrip(_EDGES) in _FIRST_WORDS):
        return True
    return not text.isascii() and _ANY_UNSPACED.search(text) is not None


def control_label(element: Element) -> str:
    """Return the label of a control: its text, else its accessible name."""
    text = "" if element.tag == "input" else element.text
    if len(text) > _LONGEST_TEXT:
        return text
    return " ".join(text.split()) or " ".join(_hidden_label(element).split())


def _hidden_label(element: Element) -> str:
    names = ("value", "aria-label", "title", "alt") if element.tag == "input" else ("aria-label", "title")
    stated = next((value for name in names if (value := element.attr(name))), "")
    if stated or element.tag == "input":
        return stated
    image = next(element.iter_elements("img"), None)
    return (image.attr("alt") or "") if image is not None else ""


def _is_cart_control(element: Element, label: str, url: str) -> bool:
    kind = label_kind(label)
    is_link = element.tag == "a"
    href = (element.attr("href") or "") if is_link else ""
    if kind == "refused" or (not kind and not _is_named(element, label)):
        return False
    if is_link and (_leaves_site(href, url) or (kind == "buy" and not _may_buy(element, href))):
        return False
    return not _is_out_of_sight(element)


def _is_named(element: Element, label: str) -> bool:
    """Return whether a control is named add-to-cart, and its label does not contradict that."""
    if not _NAMED.search(f"{names_of(element)} {_further_names(element)}") and not _adds_to_cart(element):
        return False
    if element.tag == "a" and not label and not _SCRIPTED.search(element.attr("href") or ""):
        return False
    return not is_refused(_plain(label))


def _further_names(element: Element) -> str:
    if element.tag == "a":
        return ""
    return plain_names(" ".join(element.attr(name) or "" for name in _FURTHER_NAMES)[:300])


def _leaves_site(href: str, url: str) -> bool:
    """Return whether a link leads to another site than the page's, if that is known."""
    address = href.strip()
    if not url or not address.lower().startswith(("http://", "https://", "//")):
        return False
    return not is_same_site(f"https:{address}" if address.startswith("//") else address, url)


def _may_buy(link: Element, href: str) -> bool:
    """Return whether a link with the label `Buy` is a control and not part of a menu."""
    names = names_of(link)
    return "btn" in names or "button" in names or "buy" in names or bool(_BUYING_ADDRESS.search(href.lower()))


def _is_out_of_sight(element: Element) -> bool:
    """Return whether a control is hidden, or in a part of the page such as a footer where shops have no cart
    controls."""
    current: object = element
    for _ in range(_ANCESTORS):
        if not isinstance(current, Element):
            return False
        if current.tag in {"nav", "footer", "noscript"} or is_hidden(current):
            return True
        current = current.parent
    return False


@lru_cache(maxsize=8_192)
def label_kind(label: str) -> str:
    """Return `cart` or `buy` for the label of such a control, `refused` for a similar label of another control, else an
    empty string."""
    text = _plain(label)
    if not text:
        return ""
    is_cart = any(_is_within(phrase, text) for phrase in _phrases_in(text, _CART_INDEX))
    is_cart = is_cart or (text in CARTS and label.lstrip().startswith("+"))
    is_buy = not is_cart and _plain(_AMOUNT.sub(" ", text)) in _BUY_LABELS
    if not is_cart and not is_buy:
        return ""
    if is_refused(text):
        return "refused"
    return "cart" if is_cart else "buy"


def is_refused(text: str) -> bool:
    """Return whether a plain label is that of a wish list, of the cart itself, or of a sold-out product."""
    return any(_has_words(word, text) for word in REFUSED)


def _plain(label: str) -> str:
    return _SPACES.sub(" ", label.casefold().replace("’", "'")).strip(_EDGES)


def _phrases_in(text: str, index: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield the phrases whose first word is in a text."""
    for word in dict.fromkeys(text.split()):
        yield from index.get(word.strip(_EDGES), ())
    if not text.isascii():
        yield from (phrase for phrase in _UNSPACED if phrase in text)


def _is_within(phrase: str, text: str) -> bool:
    if not _has_words(phrase, text):
        return False
    return phrase in _UNSPACED or len(text.replace(phrase, " ", 1).split()) <= _MAX_WORDS_BESIDE


def _has_words(phrase: str, text: str) -> bool:
    """Return whether a text has a phrase as whole words; in scripts without spaces, anywhere."""
    at = text.find(phrase)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(phrase) : at + len(phrase) + 1]
        if not (before.isalnum() or after.isalnum()) or _is_unspaced(phrase):
            return True
        at = text.find(phrase, at + 1)
    return False


def _is_unspaced(phrase: str) -> bool:
    """Return whether a phrase is in a script that puts no space between words: Thai, Japanese, Chinese."""
    return any("\u0e00" <= letter <= "\u0e7f" or "\u3040" <= letter <= "\u9fff" for letter in phrase)


def _by_first_word(phrases: Iterable[str]) -> dict[str, tuple[str, ...]]:
    index: dict[str, list[str]] = {}
    for phrase in phrases:
        index.setdefault(phrase.split()[0].strip(_EDGES), []).append(phrase)
    return {word: tuple(found) for word, found in index.items()}


_ALL_CART = tuple(dict.fromkeys(phrase.casefold() for phrases in CART.values() for phrase in phrases))
_UNSPACED = frozenset(phrase for phrase in _ALL_CART if _is_unspaced(phrase))
_CART_INDEX = _by_first_word(phrase for phrase in _ALL_CART if phrase not in _UNSPACED)
_BUY_LABELS = frozenset(phrase.casefold() for phrases in BUY.values() for phrase in phrases)
_UNSPACED_BUY = frozenset(label for label in _BUY_LABELS if _is_unspaced(label))
_ANY_UNSPACED = re.compile("|".join(map(re.escape, sorted(_UNSPACED | _UNSPACED_BUY))))
_FIRST_WORDS = frozenset({*CARTS, *_CART_INDEX, *(label.split()[0] for label in _BUY_LABELS)})
