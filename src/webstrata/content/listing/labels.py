"""Labelled facts in the text of a page: `Brand: Viking`, `EAN 4054278533728`, `Art.-Nr. 0638`."""

import re
from collections.abc import Iterator
from itertools import compress, count, product
from operator import itemgetter, or_

from webstrata.content.blocks import ITEM, ROW
from webstrata.content.listing.candidates import Candidate
from webstrata.content.listing.identifiers import code_of, gtin_of
from webstrata.content.listing.lower_case import AnyCase
from webstrata.content.listing.scan import PageScan
from webstrata.model.collections.listing import FieldSource

_LABELS = {
    "brand": (
        r"brand(?: name)?|marke|marque|marca|merk|märke|merke|mærke|značka|znacka|marka|blagovna znamka|brend"
        r"|бренд|марка|торговая марка"
        r"|品牌|ブランド|브랜드|العلامة التجارية|الماركة|manufacturer|hersteller|fabricant|fabricante|produttore"
        r"|fabrikant|výrobce|výrobca|producent"
    ),
    "sku": (
        r"sku|asin|item (?:no|number|code|id|#)\.?|article (?:no|number)\.?|product (?:code|id|number|no)\.?"
        r"|ebay item number|catalog(?:ue)? number"
        r"|artikelnummer|artikel-?nr\.?|art\.-?nr\.?|best\.?-?nr\.?|bestell-?nr\.?|bestellnummer|produktnummer|référence|ref\.?"
        r"|réf\.?|referencia|referência"
        r"|código|codice(?: articolo| prodotto)?|cod\.?|artnr\.?|varenr\.?|varenummer|tuotenumero"
        r"|kód(?: produktu)?|kod produktu|katalógové číslo"
        r"|артикул|код товара|код товару|šifra|model|貨號|商品編號|商品番号|型番|品番"
    ),
    "gtin": (
        r"ean(?:[- ]?(?:13|code|8))?|gtin(?:[- ]?\d\d?)?|upc|isbn(?:[- ]?1[03])?|barcode|strichcode|code[- ]barres"
        r"|codice a barre|штрихкод"
    ),
    "mpn": (
        r"mpn|manufacturer part (?:no|number)\.?|mfr\.? ?(?:part)? ?(?:no|number|#)?\.?|item model number"
        r"|model number|model no\.?|part number"
        r"|hersteller(?:artikel)?-?nummer|hersteller-?nr\.?|modellnummer|numéro de modèle|référence fabricant"
        r"|part no\.?|numero modello"
        r"|numero modello articolo|número de modelo"
    ),
}
_LINE = AnyCase("|".join(rf"(?P<{field}>(?:{labels}))" for field, labels in reversed(_LABELS.items())))
_AFTER = re.compile(r"[\s\u200e\u200f]*(?:[:：#|=][\s\u200e\u200f]*)?(.*)", re.DOTALL)
_HAS_SIGN = re.compile(r"^[\s\u200e\u200f]*[:：#|=]")
_CODE = re.compile(r"[\w./#-]{2,40}")
_LONE_CODE = re.compile(r"(?=\S*\d)[\w./-]{4,30}")
"""A code that needs no colon before it: one word with a digit."""

_NUMBERED = re.compile(r"(?:[.#]|no|nr|number|nummer|sku|asin|code|артикул)$", re.IGNORECASE)
_LETTERS = re.compile(r"[A-Z]{4,20}")
_MAX_LINE = 90
_MAX_LINES = 4_000
_MAX_BRAND = 40
_FIRST_WORD = re.compile(r"(?:^|\|)(?:\(\?:)?([^|(\\?]{2,3})(?!\?)")
_first_two, _first_three = itemgetter(slice(2)), itemgetter(slice(3))
_STARTS = frozenset(
    "".join(letters)
    for labels in _LABELS.values()
    for start in _FIRST_WORD.findall(labels)
    for letters in product(*({letter.lower(), letter.upper()} for letter in start))
)
"""The first two or three letters of all labels: lines that begin differently are skipped."""

_STORE = re.compile(
    r"^(?:visit the (.+) store|(?:brand|by|von|marke|marca|marque|par|di|de|merk|besuchen sie den"
    r"|visita lo store di|visiter la boutique)"
    r"[:\s]+(.+?)(?:[ -]store)?)$",
    re.IGNORECASE,
)
_MAX_LONE_BRAND = 25
_OF_LONE_BRAND = 0.35
"""Confidence in the only element that is named a brand, even if the product's name does not contain it."""

_NO_BRANDS = frozenset({"brand", "brands", "marke", "marken", "marca", "marcas", "marque", "marques", "merk", "merken"})
_CONFIDENCE = {"brand": 0.5, "sku": 0.45, "gtin": 0.75, "mpn": 0.5}


def label_candidates(text: str, blocks: str) -> Iterator[Candidate]:
    """Yield the first labelled value of each field: label and value are in one line or in two."""
    open_fields = set(_LABELS)
    lines = text.split("\n", _MAX_LINES)[:_MAX_LINES]
    # Pages have thousands of lines, and few begin like a label: these are found without a Python loop.
    begins = map(or_, *(map(_STARTS.__contains__, map(first, lines)) for first in (_first_three, _first_two)))
    for place in compress(count(), begins):
        line = lines[place]
        if len(line) > _MAX_LINE or (match := _LINE.apply(line, re.Pattern.match)) is None:
            continue
        field = str(match.lastgroup)
        if field not in open_fields:
            continue
        rest = line[match.end() :]
        following = lines[place + 1] if place + 1 < len(lines) else ""
        raw = _raw(match[0], rest, following, blocks[place : place + 1].lower())
        value = _value(field, raw)
        if value is not None:
            open_fields.discard(field)
            yield Candidate(field, value, FieldSource.PAGE, _CONFIDENCE[field], "label", line[:_MAX_LINE])


def brand_candidates(scan: PageScan, title: str) -> Iterator[Candidate]:
    """Yield the brands in elements that are named a brand, if the product's name contains them."""
    named = f"{scan.title.text if scan.title else ''} {title}".casefold()
    for shown in scan.brands:
        brand = _STORE.sub(r"\1\2", shown).strip()
        if 1 < len(brand) <= _MAX_BRAND and re.search(rf"(?<!\w){re.escape(brand.casefold())}(?!\w)", named):
            yield Candidate("brand", brand, FieldSource.PAGE, _CONFIDENCE["brand"], "brand-element", shown)
            return
    alone = {_STORE.sub(r"\1\2", shown).strip() for shown in scan.brands}
    brand = alone.pop() if len(alone) == 1 else ""
    is_sentence = brand.endswith((".", ":", "?", "!"))
    if 1 < len(brand) <= _MAX_LONE_BRAND and not is_sentence and brand.lower() not in _NO_BRANDS:
        yield Candidate("brand", brand, FieldSource.PAGE, _OF_LONE_BRAND, "brand-element", brand)


def _raw(label: str, rest: str, following: str, kind: str) -> str:
    """Return the text of a label's value: after its colon, in the next cell of a row, or in the next line."""
    found = _AFTER.match(rest)
    value = found[1].strip() if found else ""
    if not value:
        is_followed = kind == ITEM or _HAS_SIGN.match(rest) or (not rest.strip() and _LONE_CODE.fullmatch(following))
        return following.strip() if is_followed else ""
    if _HAS_SIGN.match(rest) or (kind == ROW and rest[:1].isspace()):
        return value
    return value if rest[:1].isspace() and _LONE_CODE.fullmatch(value) and _NUMBERED.search(label) else ""


def _value(field: str, raw: str) -> str | None:
    if field == "gtin":
        return gtin_of(raw.rstrip(".,;"))
    if field == "brand":
        return raw if 0 < len(raw) <= _MAX_BRAND and not raw.endswith((".", ":", "?", "!")) else None
    code = raw.split(" ", maxsplit=1)[0] if raw else ""
    if not _CODE.fullmatch(code) or not (any(map(str.isdigit, code)) or _LETTERS.fullmatch(raw)):
        return None
    return code_of(code)
