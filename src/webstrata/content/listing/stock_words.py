"""Words for the availability of a product on its page, in many languages.

The groups are tried in order, and the first match decides: `not in stock` contains `in stock`.
"""

import re
from functools import lru_cache

from webstrata.content.listing.literals import LiteralSet
from webstrata.model.collections.listing import Availability

_DISCONTINUED = (
    *("discontinued", "no longer available", "no longer sold", "nicht mehr lieferbar", "nicht mehr verfügbar"),
    *("nicht mehr erhältlich", "plus disponible", "n'est plus commercialisé", "descatalogado", "ya no está disponible"),
    *("non più disponibile", "fuori produzione", "niet meer leverbaar", "uit assortiment", "fora de linha"),
    *("descontinuado",),
    *("utgått", "udgået", "ukončen prodej", "wycofany", "снят с производства", "снят с продажи", "販売終了"),
    *("販売を終了", "生産終了", "絶版", "已下架", "단종"),
)
_PREORDER = (
    *("pre-order", "preorder", "pre order", "available for preorder", "vorbestell", "précommande", "pré-commande"),
    *("reserva anticipada", "preventa", "preordine", "prenotazione", "pré-venda", "pre-venda", "forudbestil"),
    *("forhåndsbestill", "förbeställ", "předobjedn", "przedsprzedaż", "предзаказ", "予約受付", "예약판매"),
    *("coming soon",),
)
_BACKORDER = (
    "backorder",
    "back-order",
    "back order",
    "sur commande",
    "auf bestellung",
    "na zamówienie",
    "på bestilling",
    "под заказ",
    "під замовлення",
    "お取り寄せ",
)
_OUT = (
    *("out of stock", "out-of-stock", "sold out", "soldout", "currently unavailable", "temporarily unavailable"),
    *(
        "not in stock",
        "no stock",
        "not available",
        "unavailable",
        "item is unavailable",
        "this item has sold",
        "listing has ended",
        "auction ended",
    ),
    *("back in stock soon", "when back in stock", "when it's back", "isn't available", "no longer in stock"),
    *("expected in stock", "awaiting stock", "waitlist", "out of print"),
    *("bald wieder", "keine lieferung", "nicht bestellbar", "nicht mehr vorrätig", "zur zeit nicht", "im moment nicht"),
    *("bientôt disponible", "plus en stock", "pas en stock", "pas disponible", "hors stock", "prochainement"),
    *("no hay existencias", "no hay stock", "próximamente", "no está disponible", "sin disponibilidad"),
    *("in arrivo", "prossimamente", "presto disponibile", "disponibile a breve", "non ordinabile"),
    *("em breve", "binnenkort", "brak towaru", "brak na stanie", "chwilowy brak", "wkrótce"),
    *("není na skladě", "nie je na sklade", "tillfälligt slut", "slut på lager", "ikke på nettlager", "tomt på lager"),
    *("midlertidig", "ei saatavilla", "нет в продаже", "нет на складе", "ожидается", "немає на складі", "очікується"),
    *("nem kapható", "nem elérhető", "nincs készleten", "nu este disponibil", "fără stoc", "stokta bulunmuyor"),
    *("temin edilemiyor", "ناموجود", "غير متاح", "غير متوفرة", "חסר במלאי", "स्टॉक में नहीं"),
    *("उपलब्ध नहीं", "入荷待ち", "入荷未定", "在庫なし", "在庫無し", "再入荷", "無貨", "无货", "暂时缺货", "补货中"),
    *("재고 없음", "재고없음", "매진", "입고 예정"),
    *("nicht verfügbar", "nicht lieferbar", "nicht auf lager", "nicht vorrätig", "ausverkauft", "vergriffen"),
    *("derzeit nicht", "nicht erhältlich", "momentan nicht"),
    *("rupture de stock", "en rupture", "épuisé", "indisponible", "non disponible", "actuellement indisponible"),
    *("agotado", "sin stock", "no disponible", "fuera de stock", "sin existencias", "sin unidades"),
    *("esaurito", "non disponibile", "attualmente non", "terminato", "non è disponibile"),
    *("uitverkocht", "niet op voorraad", "niet beschikbaar", "niet leverbaar", "tijdelijk niet"),
    *("esgotado", "indisponível", "fora de estoque", "sem estoque", "sem stock", "não disponível"),
    *("slutsåld", "slut i lager", "ej i lager", "inte i lager", "utsolgt", "ikke på lager", "udsolgt"),
    *("ikke tilgjengelig",),
    *("loppuunmyyty", "loppu varastosta", "loppunut", "ei varastossa", "tilapäisesti loppu", "uppselt"),
    *("niedostępny", "brak w magazynie", "chwilowo niedostępn", "wyprzedan", "vyprodáno", "není skladem", "nedostupn"),
    *("vypredané", "nie je skladom", "elfogyott", "nincs raktáron", "nem rendelhető", "stoc epuizat", "indisponibil"),
    *("нет в наличии", "распродан", "закончился", "немає в наявності", "недоступн", "изчерпан", "няма в наличност"),
    *("tükendi", "stokta yok", "rasprodano", "ni na zalogi", "nema na stanju", "nije dostupno", "išparduota"),
    *("nav noliktavā",),
    *("εξαντλημέν",),
    *("εξαντλήθηκε", "μη διαθέσιμο", "在庫切れ", "品切れ", "売り切れ", "完売", "缺貨", "售完", "已售完", "補貨中"),
    *("缺货", "售罄", "已售罄", "품절", "일시품절"),
    *("نفدت الكمية",),
    *("نفذت الكمية", "غير متوفر", "نفد من المخزون", "אזל מהמלאי", "לא זמין", "สินค้าหมด", "hết hàng", "stok habis"),
)
_IN = (
    *("in stock", "in-stock", "instock", "available now", "available to order", "available for delivery"),
    *("ready to ship",),
    *("ships within", "ships in", "usually dispatched", "usually ships", "get it by", "left in stock"),
    *("available from",),
    *("available online", "item available", "more than 10 available", "available immediately"),
    *("auf lager", "sofort lieferbar", "lieferbar", "vorrätig", "sofort verfügbar", "verfügbar", "versandfertig"),
    *("en stock", "disponible", "expédié sous", "livraison sous", "en existencia", "hay existencias", "entrega en"),
    *("disponibile", "disponibilità immediata", "in magazzino", "pronta consegna"),
    *("op voorraad", "direct leverbaar", "leverbaar", "morgen in huis", "beschikbaar"),
    *("em estoque", "em stock", "disponível", "pronta entrega", "i lager", "på lager", "finns i lager", "varastossa"),
    *("til á lager", "dostępny", "w magazynie", "na stanie", "wysyłka w", "skladem", "na skladě", "skladom"),
    *("na sklade",),
    *("raktáron", "készleten", "în stoc", "in stoc", "disponibil", "в наличии", "есть в наличии", "в наявності"),
    *("є в наявності",),
    *("на склад", "в наличност", "stokta", "na zalogi", "dobavljivo", "na stanju", "dostupno", "yra sandėlyje"),
    *("turime",),
    *("ir noliktavā", "pieejams", "laos olemas", "saadaval", "διαθέσιμο", "σε απόθεμα", "在庫あり", "即日発送", "有貨"),
    *("現貨", "有货", "现货"),
    *("재고 있음", "متوفر", "موجود", "במלאי", "स्टॉक में", "มีสินค้า", "còn hàng", "stok tersedia"),
)
_OUT_HERE = (
    *("not available online", "unavailable online", "not sold online", "sold out online", "out of stock online"),
    *("online nicht verfügbar", "nicht online verfügbar", "online ausverkauft", "online nicht lieferbar"),
    *("indisponible en ligne", "no disponible online", "non disponibile online", "niet online verkrijgbaar"),
    *("listing was ended", "listing has ended", "listing ended", "auction ended", "angebot wurde beendet"),
    *("sold out in all stores",),
)
"""Phrases that decide even if the line also mentions other shops or the reason."""

_NOT_PRODUCT = (
    *("image", "bild", "immagine", "photo", "foto", "imagen", "imagem", "picture", "video", "delivery is not"),
    *("cookie",),
    *("javascript", "in store", "in-store", "click & collect", "click and collect", "collection", "filiale"),
    *("en magasin",),
    *("coupon", "gift wrap", "service", "review", "shipping to", "rating"),
)
"""Words of lines that are not about whether the product can be bought here."""

_GROUPS = (
    (Availability.DISCONTINUED, _DISCONTINUED),
    (Availability.OUT_OF_STOCK, _OUT),
    (Availability.PREORDER, _PREORDER),
    (Availability.BACKORDER, _BACKORDER),
    (Availability.IN_STOCK, _IN),
)


_NONE_LEFT = re.compile(
    r"(?<![\d.,])0 ?(?:items? |units? |pcs?\.? |x )?(?:in stock|available|left|auf lager|verfügbar|en stock|disponib"
    r"|op voorraad|i lager|på lager|skladem|в наличии)"
)

_GONE = frozenset({Availability.OUT_OF_STOCK, Availability.DISCONTINUED})
_BESIDE_LABEL = 12
"""The most characters that a button's label may have besides the phrase, as in `Currently sold out`."""

Phrases = tuple[tuple[Availability, str], ...]
"""Phrases with the availability that they mean, the deciding ones first."""

_PHRASES: Phrases = tuple((state, phrase) for state, phrases in _GROUPS for phrase in phrases)
_DECIDING: Phrases = tuple((Availability.OUT_OF_STOCK, phrase) for phrase in _OUT_HERE)
_LITERALS = LiteralSet(phrase for _, phrase in (*_DECIDING, *_PHRASES))


@lru_cache(maxsize=4_096)
def worded_availability(text: str) -> Availability | None:
    """Return the availability that a short text states; None without a statement, or for one about something else."""
    return availability_by(text, _PHRASES)


def availability_by(text: str, phrases: Phrases) -> Availability | None:
    """Return the availability that a short text states, using only some phrases."""
    lowered = " ".join(text.split()).casefold().replace("’", "'")
    if any(phrase in lowered for phrase in _OUT_HERE) or _NONE_LEFT.search(lowered):
        return Availability.OUT_OF_STOCK
    state = next((state for state, phrase in phrases if phrase in lowered), None)
    return None if state is None or any(word in lowered for word in _NOT_PRODUCT) else state


@lru_cache(maxsize=4_096)
def is_out_label(text: str) -> bool:
    """Return whether the label of a button only states that a product cannot be bought, such as `Sold out`."""
    label = " ".join(text.split()).casefold()
    found = next((phrase for state, phrase in _PHRASES if state in _GONE and phrase in label), "")
    return bool(found) and len(label) <= len(found) + _BESIDE_LABEL


def phrases_in(text: str) -> Phrases:
    """Return the phrases that a text of any length, in lower case, contains."""
    found = _LITERALS.found_in(text)
    return tuple(pair for pair in (*_DECIDING, *_PHRASES) if pair[1] in found) if found else ()
