"""The availability that a page shows: notes near the title, buy buttons, and offers of a back-in-stock notification."""

import re
from collections.abc import Iterator

from webstrata.content.listing.candidates import Candidate
from webstrata.content.listing.price_words import PriceRole, roles_of_names
from webstrata.content.listing.scan import Mark, PageScan, names_of, parents_of
from webstrata.content.listing.stock_words import availability_by, phrases_in, worded_availability
from webstrata.content.listing.surroundings import is_hidden
from webstrata.content.tree import Element
from webstrata.model.collections.listing import Availability, FieldSource

_OF_NOTE = 0.7
_OF_CONFIRMED = 0.93
"""Confidence of a note that a disabled button confirms: above structured data, which shops forget to update."""

_OF_UNSOLD = 0.8
"""Confidence of a note on a page without a buy button: above the meta elements for social networks."""

_OF_LINE = 0.5
_OF_BUTTON = 0.45
_OF_DISABLED = 0.4
_OF_WAITING = 0.55
_OF_CONTRADICTED = 0.35
_NEAR = 600
"""The distance from the title, in elements, within which a note is about the page's product."""

_CHOICE = re.compile(
    r"\W*(?:please )?(?:(?:select|choose|pick) (?:a |an |your |the |one |size|colou?r|option|variant)"
    r"|(?:bitte )?(?:größe|variante|farbe|option) (?:aus)?wählen|(?:bitte )?wählen sie|wähle |choisi|sélectionne"
    r"|seleccion|elige|elegir|selezion|scegli|selecione|escolha|kies |selecteer|välj |vælg |velg |valitse |wybierz"
    r"|zvolte|vyberte|válassz|alege|selecteaz|выберите|оберіть|изберете|seçiniz|beden seç|επιλέξτε|サイズを選|選択して"
    r"|请选择|請選擇|옵션을 선택)",
    re.IGNORECASE,
)
_LINES_AFTER = 60
_LINES_BEFORE = 5
_MAX_LINE = 120
_OUT = frozenset({Availability.OUT_OF_STOCK, Availability.DISCONTINUED})


def stock_candidates(scan: PageScan, text: str, price_place: int | None) -> Iterator[Candidate]:
    """Yield what a page shows about the availability of its product."""
    button = next((mark for mark in scan.buttons if _is_own(mark, scan)), None)
    can_buy = button is not None and not _is_disabled(button.element)
    is_awaited = button is None and any(_is_own(mark, scan) for mark in scan.waiting)
    note = _note(scan, price_place)
    if note is not None:
        is_gone = note[1] in _OUT and not can_buy
        unbought = _OF_CONFIRMED if button is not None or is_awaited else _OF_UNSOLD
        confidence = unbought if is_gone else _believed(_OF_NOTE, note[1], can_buy)
        yield _candidate(note[1], confidence, "stock-note", note[0].text)
    elif (line := _line(scan, text)) is not None:
        yield _candidate(line[1], _believed(_OF_LINE, line[1], can_buy), "stock-words", line[0])
    if button is not None and (can_buy or not _asks_for_choice(scan, text)):
        state = Availability.IN_STOCK if can_buy else Availability.OUT_OF_STOCK
        yield _candidate(state, _OF_BUTTON if can_buy else _OF_DISABLED, "buy-button", button.text)
    elif is_awaited:
        yield _candidate(Availability.OUT_OF_STOCK, _OF_WAITING, "message-button", scan.waiting[0].text)


def _asks_for_choice(scan: PageScan, text: str) -> bool:
    """Return whether a page asks for a size or a colour first: until then its button is disabled."""
    return any(_CHOICE.match(line) for line in _zone(scan, text) if len(line) <= _MAX_LINE)


def _believed(confidence: float, state: Availability, can_buy: bool) -> float:
    """Return the confidence of a note; lower if it contradicts the buy button, as style sheets often hide such
    notes."""
    return min(confidence, _OF_CONTRADICTED) if can_buy and state in _OUT else confidence


def _candidate(state: Availability, confidence: float, strategy: str, raw: str) -> Candidate:
    return Candidate("availability", state, FieldSource.PAGE, confidence, strategy, raw)


def _note(scan: PageScan, price_place: int | None) -> tuple[Mark, Availability] | None:
    """Return the note about availability that is nearest to the price, else to the title."""
    anchor = scan.title.place if scan.title else price_place
    near: list[tuple[int, Mark, Availability]] = []
    for mark in scan.stock:
        state = worded_availability(mark.text)
        if state is None or _is_elsewhere(mark.element):
            continue
        distance = 0 if anchor is None else abs(mark.place - anchor)
        if distance <= _NEAR:
            near.append((distance, mark, state))
    best = min(near, key=lambda one: one[0], default=None)
    return None if best is None else best[1:]


def _is_elsewhere(element: Element) -> bool:
    """Return whether a note belongs to another product or to one of many variants."""
    for one in (element, *parents_of(element, 8)):
        if (one.tag in {"nav", "footer", "aside", "li", "option"} and one is not element) or is_hidden(one):
            return True
        if roles_of_names(names_of(one)) & {PriceRole.OTHER_PRODUCT, PriceRole.CART, PriceRole.FILTER}:
            return True
    return False


def _is_own(mark: Mark, scan: PageScan) -> bool:
    if scan.title is not None and abs(mark.place - scan.title.place) > 2 * _NEAR:
        return False
    return not _is_elsewhere(mark.element)


def _line(scan: PageScan, text: str) -> tuple[str, Availability] | None:
    """Return the first short line after the title that states an availability."""
    zone = _zone(scan, text)
    phrases = phrases_in("\n".join(zone).casefold())
    short = (line for line in zone if len(line) <= _MAX_LINE) if phrases else ()
    stated = ((line, state) for line in short if (state := availability_by(line, phrases)))
    return next(stated, None)


def _zone(scan: PageScan, text: str) -> list[str]:
    """Return the lines around the title."""
    lines = text.split("\n")
    start = lines.index(scan.title.text) if scan.title is not None and scan.title.text in lines else 0
    return lines[max(0, start - _LINES_BEFORE) : start + _LINES_AFTER]


def _is_disabled(element: Element) -> bool:
    if element.attr("disabled") is not None or (element.attr("aria-disabled") or "").lower() == "true":
        return True
    return "disabled" in names_of(element).split("-")
