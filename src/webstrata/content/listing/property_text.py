"""Facts of a property in the text of its page: the price by its label, and the address as it is written."""

import re
from collections.abc import Iterator

from webstrata.content.listing.candidates import Candidate
from webstrata.content.listing.money import MoneyHints, find_money, tidy_text
from webstrata.model.collections.listing import FieldSource, PostalAddress

_OF_PRICE = 0.5
_OF_ADDRESS = 0.5
_OF_PLACE = 0.35
"""An address without a street may be the agent's."""

_LINES = 120
_LONGEST_LINE = 160
_PRICE_LABEL = re.compile(
    r"(?:kaufpreis|(?:netto)?kaltmiete|miete|preis|asking price|guide price|purchase price|sale price|list price|price"
    r"|monthly rent|rent|loyer|prix(?: de vente)?|precio(?: de venta)?|alquiler|prezzo|canone|vraagprijs|koopprijs"
    r"|huurprijs|preço|aluguel|pris|hyra|leie|cena|czynsz|цена|стоимость)(?: ca\.)?\s*[:：]?",
    re.IGNORECASE,
)
_STREET = r"(?P<street>[^,;:|\d][^,;:|]{2,50} \d{1,4} ?[a-zA-Z]?(?:[-/]\d{1,4})?)"
_PLACE = r"(?P<locality>[^\W\d_][^,;|\d(]{1,40})"
_STATES = (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR "
    "PA RI SC SD TN TX UT VT VA WA WV WI WY DC"
)
_FORMS = (
    # 1250 Maple Ave, Springfield, IL 62704
    re.compile(
        rf"(?P<street>\d{{1,5}} [^,;|]{{3,50}}), ?(?P<locality>[^,;|\d]{{2,40}}), ?"
        rf"(?P<region>{'|'.join(_STATES.split())}),? (?P<postal_code>\d{{5}}(?:-\d{{4}})?)(?!\d)"
    ),
    # 14 King Street, London, SW1A 1AA
    re.compile(
        r"(?P<street>\d{1,4}[a-zA-Z]? [^,;|\d]{3,50}), ?(?P<locality>[^,;|\d]{2,40}),? "
        r"(?P<postal_code>[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})(?!\w)"
    ),
    # Lindenstraße 12, 10969 Berlin; 12 rue de la Paix, 75002 Paris
    re.compile(rf"(?:{_STREET}|(?P<street_first>\d{{1,4}},? [^,;|\d]{{4,50}})), ?(?P<postal_code>\d{{4,5}}) {_PLACE}"),
    # Keizersgracht 12, 1015 CN Amsterdam
    re.compile(rf"{_STREET}, ?(?P<postal_code>\d{{4}} ?[A-Z]{{2}}) {_PLACE}"),
)
_LONE_PLACE = re.compile(rf"(?P<postal_code>\d{{5}}) {_PLACE}")


def property_text_candidates(text: str, hints: MoneyHints) -> Iterator[Candidate]:
    """Yield the labelled price and the address that the first lines of a property's page show."""
    lines = [tidy_text(line) for line in text.split("\n")[:_LINES] if len(line) <= _LONGEST_LINE]
    yield from _price(lines, hints)
    yield from _address(lines)


def _price(lines: list[str], hints: MoneyHints) -> Iterator[Candidate]:
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        label = _PRICE_LABEL.match(line)
        if label is None:
            continue
        written = line[label.end() :].strip() or following
        span = next(find_money(written, hints), None)
        if span is None or written[: span.start].strip() or not span.money.amount:
            continue
        yield Candidate("price", span.money, FieldSource.PAGE, _OF_PRICE, "property-price", f"{line} {written}"[:200])
        if span.money.currency:
            yield Candidate("currency", span.money.currency, FieldSource.PAGE, _OF_PRICE, "property-price", written)
        return


def _address(lines: list[str]) -> Iterator[Candidate]:
    for form in _FORMS:
        for line in lines:
            if match := form.search(line):
                yield Candidate("address", _postal(match), FieldSource.PAGE, _OF_ADDRESS, "address-line", line)
                return
    for line in lines:
        if match := _LONE_PLACE.fullmatch(line):
            yield Candidate("address", _postal(match), FieldSource.PAGE, _OF_PLACE, "address-line", line)
            return


def _postal(match: re.Match[str]) -> PostalAddress:
    parts = match.groupdict()
    return PostalAddress(
        street=(parts.get("street") or parts.get("street_first") or "").strip(),
        postal_code=(parts.get("postal_code") or "").strip(),
        locality=(parts.get("locality") or "").strip(),
        region=(parts.get("region") or "").strip(),
    )
