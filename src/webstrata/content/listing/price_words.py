"""Words that show an amount is not the product's price, in the names of elements and in the text beside the amount.

Such an amount is an old price, a saving, an instalment, the price of another product or of the delivery.
"""

import re
from enum import StrEnum
from functools import lru_cache


class PriceRole(StrEnum):
    """The role of an amount on a product page that is not the price."""

    OLD = "old"
    """The price before a reduction, or the recommended retail price."""
    SAVING = "saving"
    UNIT = "unit"
    """For a kilogram, a litre, a piece."""
    INSTALMENT = "instalment"
    DELIVERY = "delivery"
    TAX = "tax"
    """Without tax, or the tax itself."""
    OTHER_PRODUCT = "other product"
    CART = "cart"
    USED = "used"
    """From other sellers, or second-hand."""
    FILTER = "filter"
    CONVERTED = "converted"
    """In another currency than that of the payment."""


_NAMES = {
    PriceRole.OLD: (
        r"(?<![a-z])(?:old|was|before|rrp|msrp|uvp|srp|prev|previous|ancien|anterior|antes|alter|strike|struck"
        r"|barre|deleted)(?![a-z])"
        r"|strik(?:e|ed|ing)?-?(?:through|out|price)|strike-?price|price-?(?:old|was|strike|regular|before|list|rrp|retail|msrp|uvp)"
        r"|(?:list|old|was|regular|original|origin|before|first|full|cross|crossed|normal|retail|suggested|recommended)"
        r"-?price"
        r"|non-sale|basis-?price|line-?through|crossed-?out|compare-?at|-prix-?barre|alt(?:er)?-?preis|streichpreis|precio-?(?:antes"
        r"|anterior|lista)"
    ),
    PriceRole.SAVING: (
        r"(?<![a-z])(?:save|saved|saving|savings|saves|off|rabatt|remise|descuento|desconto|sconto|ersparnis|korting"
        r"|cashback|coupon|voucher|points|bonus|reward|rewards|member|members|loyalty|clubcard)(?![a-z])|discount-?(?:amount|value|percent|badge|label)"
        r"|you-?save|price-?(?:saving|save|discount)"
    ),
    PriceRole.UNIT: (
        r"(?<!sellable-)unit-?price|price-?(?:per(?!-sellable)|unit|base)|per-?unit|grundpreis|base-?price|ppu|(?<![a-z])perunit(?![a-z])"
        r"|price-?by-?(?:weight|unit)"
    ),
    PriceRole.INSTALMENT: (
        r"instal+ment|financ|monthly|klarna|afterpay|affirm|parcela|(?<![a-z])(?:raten|emi|leasing|credit"
        r"|loan)(?![a-z])"
        r"|paypal-?(?:message|later)|clearpay|laybuy|zip-?pay"
    ),
    PriceRole.DELIVERY: (r"shipping|delivery|versand|livraison|envio|spedizione|postage|freight|lieferung|verzend"),
    PriceRole.TAX: (
        r"(?<![a-z])(?<!inc-)(?<!incl-)(?<!including-)(?<!with-)(?<!final-price-)(?:tax|vat|netto|excl|exvat|taxless"
        r"|ddv|iva|btw|tva|mwst)(?![a-z])(?!-(?:weee|inc))|ex-?vat|pretax|price-?net"
    ),
    PriceRole.OTHER_PRODUCT: (
        r"relat|recommend(?!ed-?price)|similar|carousel|slider|swiper|slick|(?<![a-z])owl(?![a-z])|cross-?sell|up-?sell"
        r"|also-?(?:bought|like|view)|bought|together|bundle|accessor|sponsor|suggest|recent|viewed|compar(?:e"
        r"|ison)(?!-?at)"
        r"|alternativ|p13n|product-?cards?(?![a-z])|product-?(?:list|grid|tile)|teaser|empfehl|zubehoer|warranty"
        r"|protection"
        r"|add-?ons?(?![a-z])|variant|swatch|gift-?card"
    ),
    PriceRole.CART: (
        r"mini-?(?:cart|basket|bag)|cart-?(?:total|summary|item|popup|modal|drawer|count)|nav-?cart|sub-?total"
        r"|checkout|shopping-?cart"
    ),
    PriceRole.USED: (
        r"(?<![a-z])(?:used|olp|refurb|refurbished|gebraucht|marketplace)(?![a-z])|other-?(?:seller|offer)|usedprice"
    ),
    PriceRole.CONVERTED: r"conv(?:bin|erted)?-?price|price-?conv|approx",
    PriceRole.FILTER: r"filter|facet|price-?(?:range|slider|from-to)|sort-?by|refine|breadcrumb|mega-?menu",
}
_IN_NAMES = {role: re.compile(pattern) for role, pattern in _NAMES.items()}

_BEFORE = {
    PriceRole.OLD: (
        r"\b(?:was|rrp|msrp|srp|list price|regular price|original price|instead of|before|old price|retail price"
        r"|uvp|statt|bisher|vorher"
        r"|ehemals|listenpreis|au lieu de|prix conseillé|prix public|ancien prix|prix barré|avant|antes|precio anterior"
        r"|precio normal|precio lista|pvp|pvpr|anziché|invece di|prezzo di listino|prima|listino|van|adviesprijs"
        r"|voorheen"
        r"|de|preço antigo|por apenas de|ord\.? ?pris|ordinarie pris|rek\.? ?pris|før|førpris|veil\.? ?pris"
        r"|norm\. ?pris"
        r"|původní cena|běžná cena|pôvodná cena|cena katalogowa|stara cena|zamiast|régi ár|eredeti ár|preț vechi|prp"
        r"|niedrigster (?:preis|gesamtpreis)|lowest price (?:in|of)|prix le plus bas|precio más bajo|prezzo più basso"
        r"|laagste prijs|lägsta pris(?:et)?|laveste pris|najniższa cena|nejnižší cena|cel mai mic preț"
        r"|старая цена|стара ціна|eski fiyat|redna cena|stara cijena)\b|原價|原价|定價|市價|建議售價|通常価格"
        r"|通常販売価格|参考価格|希望小売|定価|정가"
    ),
    PriceRole.SAVING: (
        r"\b(?:save|saving|you save|sie sparen|spare|sparen|ersparnis|économisez|économie|ahorra|ahorras|ahorro"
        r"|risparmi"
        r"|risparmia|bespaar|u bespaart|economize|economia|poupe|du sparer|spar|ušetříte|ušetríte|oszczędzasz|cashback"
        r"|discount|rabatt|remise|descuento|desconto|sconto|korting|экономия|скидка"
        r"|(?:clubcard|nectar|members?|membership|loyalty)(?: price)?)\b|現省|省下|節省"
        r"|折價券|折扣券|優惠券|优惠券|会員価格|會員價"
    ),
    PriceRole.UNIT: (
        r"\b(?:per (?:kg|100|unit|litre|liter|piece|lb|oz|item|each)|pro (?:kg|100|liter|stück|m)|grundpreis"
        r"|unit price|je \d+)\b|平均|每[罐組组包片箱盒瓶件個个份]"
    ),
    PriceRole.INSTALMENT: (
        r"(?:\b\d{1,2} ?(?:x|×|rate|raten|instalments?|payments?|mensualités|cuotas|parcelas|rat)\b(?: (?:of|de|di"
        r"|à|von|po))?"
        r"|\b(?:instal+ments? of|monthly|monatlich|monatl\.|mtl\.|mensuel"
        r"|ab monatlich|cuotas de|parcelas de|payments of"
        r"|per month))[^\d]{0,12}$"
    ),
    PriceRole.DELIVERY: (
        r"\b(?:shipping|delivery|postage|versand\w*|liefer(?:ung|kosten)|livraison|frais de port|envío"
        r"|gastos de envío|spedizione"
        r"|consegna|verzending|verzendkosten|bezorging|frete|entrega|frakt|fragt|levering|doprava|dostawa|wysyłka"
        r"|szállítás"
        r"|livrare|доставка|kargo|orders? over|orders above|spend|ab einem|bestellwert|minimum order)\b|運費|免運"
        r"|送料|배송|滿|满"
    ),
    PriceRole.TAX: (
        r"税抜|税別|未稅"
        r"|\b(?:exc?l?\.? ?(?:vat|tax|gst|btw|moms)|excluding (?:vat|tax)|without (?:vat|tax)|netto|ohne mwst"
        r"|hors taxes?|sin iva|senza iva"
        r"|excl\.? btw|bez dph|bez ddv|brez ddv|bez pdv|ekskl\.? (?:mva|moms)|exkl\.? moms|fără tva|без ндс"
        r"|без пдв|alv 0)\b"
    ),
    PriceRole.USED: (
        r"\b(?:used|new|gebraucht|neu|usato|nuovo|occasion|neuf|usado|nuevo)(?: (?:&|and|und|et"
        r"|y) \w+)? ?\(?\d* ?\)? (?:from|ab|à partir|da|desde)\b"
    ),
}
_AFTER = {
    PriceRole.UNIT: (
        r"^ ?(?:/|per|pro|par|al|por|je|each|a) ?(?:\d+ ?)?(?:kg|g|gr|100 ?g|l|ml|cl|lb|lbs|oz|m²|m2|m|stück|stk"
        r"|piece|pc|unit|unité|ud"
        r"|pz|st|szt|ks|kom|litre|liter|litro|kilo|100 ?ml|tab|capsule|wash|sheet|count|ounce)\b"
    ),
    PriceRole.INSTALMENT: (
        r"^ ?(?:/|per|pro|par|al|por|a|im|p\.?) ?(?:mo|month|monat|mois|mes|mese|maand|mês|måned|månad|kk|měsíc"
        r"|mies|hó|lună|месяц|мес)\b"
        r"|^ ?(?:finanz|monthly|mtl|mensuel|x ?\d{1,2}\b|× ?\d{1,2}\b|interest[- ]free)"
    ),
    PriceRole.TAX: (
        r"^ ?[(（]?(?:税抜|税別|未稅"
        r"|exc?l?\.? ?(?:vat|tax|gst|btw|moms)|excluding (?:vat|tax)|netto|ht\b|hors taxes?|sin iva"
        r"|\+ ?iva|\+ ?vat|\+ ?tax|bez dph"
        r"|brez ddv|bez ddv|zzgl\.? (?:der )?(?:mwst|ust)|\+ ?mwst|excl)"
    ),
    PriceRole.SAVING: (
        r"^ ?(?:off\b|sparen|gespart|rabatt|discount|saved|korting|de (?:remise|réduction)|de descuento|di sconto"
        r"|de desconto)"
    ),
    PriceRole.DELIVERY: (
        r"^ ?(?:shipping|delivery|versand|de livraison|de frais|de envío|di spedizione|p&p|postage|frete)"
    ),
}
_OTHERWISE = re.compile(r"\b(?:ou|or|oder|o|oppure)(?: [^\W\d]{1,3}[$€£]?)? ?$", re.IGNORECASE)
_IN_PARTS = re.compile(r" ?(?:em|en|in) (?:até )?\d{1,2} ?x", re.IGNORECASE)
"""Words of a payment in several parts, each of which is less than the price."""

_BEFORE_AMOUNT = {role: re.compile(pattern, re.IGNORECASE) for role, pattern in _BEFORE.items()}
_AFTER_AMOUNT = {role: re.compile(pattern, re.IGNORECASE) for role, pattern in _AFTER.items()}

PRICE_NAME = re.compile(
    r"(?<![a-z])(?:price|prices|preis|prix|precio|prezzo|prijs|preco|pris|cena|cenas|hind|fiyat|harga|kaina|cijena"
    r"|ar|amount|value)(?![a-z])"
    r"|price|preis"
)
CURRENT_NAME = re.compile(
    r"(?<![a-z])(?:current|now|sale|special|final|our|buying|main|actual|today|offer|promo|new|selling|deal"
    r"|best)(?![a-z])"
    r"|ourprice|saleprice|dealprice|finalprice|buybox|product-?price|price-?(?:large|big|main|current|now|new"
    r"|final|sale)"
)
TAX_INCLUDED = re.compile(
    r"税込|含稅|\b(?:inkl|incl|including|inc|ttc|iva incl\w*|tax included|vat included|s dph|z vat|brutto)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"(?<![a-z])(?:with|has|without|no)-(?:list|old|was|regular|original|strike|special|sale|discount)(?:ed)?-?(?:price)?"
)
"""Names of a price that mention another price beside it, such as `with-list-price`."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MARKS = re.compile(r"[^a-z0-9]+")


@lru_cache(maxsize=8_192)
def plain_names(names: str) -> str:
    """Return the names of an element in lower case, their words separated by hyphens: `price-old` of `priceOld`."""
    return _MARKS.sub("-", _CAMEL.sub("-", names).lower())


@lru_cache(maxsize=8_192)
def roles_of_names(names: str) -> frozenset[PriceRole]:
    """Return the roles that plain names of an element give to the amounts in it."""
    if not names:
        return frozenset()
    own = _BESIDE.sub("", names)
    return frozenset(role for role, pattern in _IN_NAMES.items() if pattern.search(own))


@lru_cache(maxsize=2_048)
def roles_of_context(before: str, after: str) -> frozenset[PriceRole]:
    """Return the roles that the text just before and just after an amount gives to it."""
    if not before.strip() and not after.strip():
        return frozenset()
    found = {role for role, pattern in _BEFORE_AMOUNT.items() if pattern.search(before)}
    if _OTHERWISE.search(before) and _IN_PARTS.match(after):
        found.add(PriceRole.INSTALMENT)
    return frozenset(found | {role for role, pattern in _AFTER_AMOUNT.items() if pattern.search(after)})
