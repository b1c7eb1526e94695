"""Pages in the style of many shop systems, price formats of many countries, stock notes in many languages."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.content.listing.pages import LD
from webstrata.content.extraction import read_page_listing
from webstrata.content.reading import Body

_FILES = ("shops.json", "more_shops.json")
SHOPS: list[dict[str, Any]] = [
    shop for name in _FILES for shop in json.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))
]
"""Made-up pages with the address of each, what is to be read, and the fields that must not be found."""

FORMATS = [
    ("1.299,00 €", "x.example.de", "de", "1299.00 EUR"),
    ("1 299,00 €", "x.example.fr", "fr", "1299.00 EUR"),
    ("1 299,00 €", "x.example.fr", "fr", "1299.00 EUR"),
    ("CHF 1'299.-", "x.example.ch", "de", "1299 CHF"),
    ("CHF 1’299.–", "x.example.ch", "de", "1299 CHF"),
    ("Fr. 49.90", "x.example.ch", "de", "49.90 CHF"),
    ("¥12,800", "x.example.jp", "ja", "12800 JPY"),
    ("¥12,800", "x.example.com", "ja", "12800 JPY"),
    ("12,800円（税込）", "x.example.jp", "ja", "12800 JPY"),
    ("￥199.00", "x.example.cn", "zh", "199.00 CNY"),
    ("R$ 1.299,90", "x.example.com.br", "pt", "1299.90 BRL"),
    ("₹1,29,900", "x.example.in", "en", "129900 INR"),
    ("₹1,29,900.00", "x.example.com", "en", "129900.00 INR"),
    ("kr 1 299:-", "x.example.se", "sv", "1299 SEK"),
    ("1 299:-", "x.example.se", "sv", "1299 SEK"),
    ("1299:-", "x.example.se", "sv", "1299 SEK"),
    ("kr 1.299,-", "x.example.no", "nb", "1299 NOK"),
    ("1.299,00 kr.", "x.example.dk", "da", "1299.00 DKK"),
    ("1 299 Kč", "x.example.cz", "cs", "1299 CZK"),
    ("12 990 Ft", "x.example.hu", "hu", "12990 HUF"),
    ("1 299,99 zł", "x.example.pl", "pl", "1299.99 PLN"),
    ("1.299,99 lei", "x.example.ro", "ro", "1299.99 RON"),
    ("1.299,00 TL", "x.example.com.tr", "tr", "1299.00 TRY"),
    ("₺1.299,00", "x.example.com.tr", "tr", "1299.00 TRY"),
    ("12 990 ₽", "x.example.ru", "ru", "12990 RUB"),
    ("1 299 грн", "x.example.ua", "uk", "1299 UAH"),
    ("₩129,000", "x.example.kr", "ko", "129000 KRW"),
    ("Rp1.299.000", "x.example.co.id", "id", "1299000 IDR"),
    ("RM 1,299.00", "x.example.my", "en", "1299.00 MYR"),
    ("S$1,299.00", "x.example.sg", "en", "1299.00 SGD"),
    ("HK$1,299", "x.example.hk", "en", "1299 HKD"),
    ("NT$1,299", "x.example.tw", "zh", "1299 TWD"),
    ("A$1,299.00", "x.example.com", "en", "1299.00 AUD"),
    ("$1,299.00 CAD", "x.example.com", "en", "1299.00 CAD"),
    ("C$1,299.00", "x.example.com", "en", "1299.00 CAD"),
    ("$1.299,00", "x.example.com.ar", "es", "1299.00 ARS"),
    ("$1,299.00 MXN", "x.example.com", "es", "1299.00 MXN"),
    ("$ 1.299.900", "x.example.com.co", "es", "1299900 COP"),
    ("S/ 1,299.00", "x.example.pe", "es", "1299.00 PEN"),
    ("R 1 299.00", "x.example.co.za", "en", "1299.00 ZAR"),
    ("R1,299.00", "x.example.co.za", "en", "1299.00 ZAR"),
    ("AED 1,299.00", "x.example.ae", "en", "1299.00 AED"),
    ("1,299.00 ر.س", "x.example.sa", "ar", "1299.00 SAR"),
    ("₪1,299.00", "x.example.co.il", "he", "1299.00 ILS"),
    ("1.299.000 ₫", "x.example.vn", "vi", "1299000 VND"),
    ("1.299.000đ", "x.example.vn", "vi", "1299000 VND"),
    ("฿1,299", "x.example.co.th", "th", "1299 THB"),
    ("₱1,299.00", "x.example.ph", "en", "1299.00 PHP"),
    ("1299 EUR", "x.example.com", "en", "1299 EUR"),
    ("EUR 1.299,00", "x.example.com", "de", "1299.00 EUR"),
    ("€1.299", "x.example.nl", "nl", "1299 EUR"),
    ("€ 49,-", "x.example.nl", "nl", "49 EUR"),
    ("49,– €", "x.example.de", "de", "49 EUR"),
    ("€49.00", "x.example.ie", "en", "49.00 EUR"),
    ("£12", "x.example.co.uk", "en", "12 GBP"),
    ("99p", "x.example.co.uk", "en", "0.99 GBP"),
    ("from £12.50", "x.example.co.uk", "en", "12.50 GBP"),
    ("ab 12,50 €", "x.example.de", "de", "12.50 EUR"),
    ("Now $12.99, was $19.99", "x.example.com", "en", "12.99 USD"),
    ("Was $19.99 Now $12.99", "x.example.com", "en", "12.99 USD"),
    ("$12.99 / lb", "x.example.com", "en", "12.99 USD"),
    ("$12.99 /each", "x.example.com", "en", "12.99 USD"),
    ("£24.99 inc VAT £20.83 ex VAT", "x.example.co.uk", "en", "24.99 GBP"),
    ("£20.83 ex VAT £24.99 inc VAT", "x.example.co.uk", "en", "24.99 GBP"),
    ("29,95 € inkl. 19% MwSt. zzgl. 4,95 € Versand", "x.example.de", "de", "29.95 EUR"),
    ("599 €<sup>99</sup>", "x.example.fr", "fr", "599.99 EUR"),
    ("599<sup>€99</sup>", "x.example.fr", "fr", "599.99 EUR"),
    ("<span>12</span><sup>.99</sup> $", "x.example.com", "en", "12.99 USD"),
    ("$<span class=int>12</span>.<span class=dec>99</span>", "x.example.com", "en", "12.99 USD"),
    ("<span class=euros>12</span>,<span class=cents>99</span> €", "x.example.de", "de", "12.99 EUR"),
    (
        "<span class=price__int>1.299</span><span class=price__dec>99</span><span>€</span>",
        "x.example.es",
        "es",
        "1299.99 EUR",
    ),
    ("12x R$ 108,33 sem juros ou R$ 1.299,90 à vista", "x.example.com.br", "pt", "1299.90 BRL"),
    ("R$ 1.299,90 em até 12x de R$ 108,33", "x.example.com.br", "pt", "1299.90 BRL"),
    ("de R$ 1.599,00 por R$ 1.299,90", "x.example.com.br", "pt", "1299.90 BRL"),
    ("$0.99", "x.example.com", "en", "0.99 USD"),
    ("$ .99", "x.example.com", "en", "0.99 USD"),
    ("1.250 KD", "x.example.com.kw", "en", "1.250 KWD"),
    ("KES 1,299", "x.example.co.ke", "en", "1299 KES"),
    ("KSh 1,299", "x.example.co.ke", "en", "1299 KES"),
    ("₦129,900", "x.example.com.ng", "en", "129900 NGN"),
    ("12.99 лв.", "x.example.bg", "bg", "12.99 BGN"),
    ("1.299,00 RSD", "x.example.rs", "sr", "1299.00 RSD"),
    ("1 299 kr", "x.example.is", "is", "1299 ISK"),
    ("€ 1.299,95", "x.example.be", "nl", "1299.95 EUR"),
    ("USD 1,299.00", "x.example.de", "en", "1299.00 USD"),
]
"""What a price element shows, the host and the language of its page, and the price."""

NOTES = [
    ("In stock", "en", "Add to cart", "InStock"),
    ("Only 2 left!", "en", "Add to cart", "InStock"),
    ("Low stock", "en", "Add to cart", "InStock"),
    ("Usually dispatched within 2 days", "en", "Add to cart", "InStock"),
    ("Out of stock", "en", "", "OutOfStock"),
    ("SOLD OUT", "en", "", "OutOfStock"),
    ("Temporarily out of stock", "en", "", "OutOfStock"),
    ("Currently unavailable", "en", "", "OutOfStock"),
    ("This product is no longer available", "en", "", "Discontinued"),
    ("Discontinued", "en", "", "Discontinued"),
    ("Pre-order now. Ships 12 March", "en", "Pre-order", "PreOrder"),
    ("Available for backorder", "en", "Add to cart", "BackOrder"),
    ("On backorder", "en", "Add to cart", "BackOrder"),
    ("Available in store only", "en", "", "InStock"),
    ("In-store only", "en", "", "InStock"),
    ("Not available online. In store only", "en", "", "OutOfStock"),
    ("Nicht auf Lager", "de", "", "OutOfStock"),
    ("Derzeit nicht verfügbar", "de", "", "OutOfStock"),
    ("Vorbestellbar ab 12.3.", "de", "Jetzt vorbestellen", "PreOrder"),
    ("Sofort lieferbar", "de", "In den Warenkorb", "InStock"),
    ("Nur noch 3 Stück auf Lager", "de", "In den Warenkorb", "InStock"),
    ("Artikel ist nicht mehr lieferbar", "de", "", "Discontinued"),
    ("Épuisé", "fr", "", "OutOfStock"),
    ("Rupture de stock", "fr", "", "OutOfStock"),
    ("En stock, expédié sous 24h", "fr", "Ajouter au panier", "InStock"),
    ("Agotado", "es", "", "OutOfStock"),
    ("Disponible", "es", "Añadir al carrito", "InStock"),
    ("Últimas unidades", "es", "Añadir a la cesta", "InStock"),
    ("Esaurito", "it", "", "OutOfStock"),
    ("Non disponibile", "it", "", "OutOfStock"),
    ("Disponibilità immediata", "it", "Aggiungi al carrello", "InStock"),
    ("Uitverkocht", "nl", "", "OutOfStock"),
    ("Op voorraad", "nl", "In winkelwagen", "InStock"),
    ("Esgotado", "pt", "", "OutOfStock"),
    ("Produto indisponível", "pt", "", "OutOfStock"),
    ("Em estoque", "pt", "Comprar", "InStock"),
    ("Slut i lager", "sv", "", "OutOfStock"),
    ("I lager", "sv", "Köp", "InStock"),
    ("Utsolgt", "nb", "", "OutOfStock"),
    ("Udsolgt", "da", "", "OutOfStock"),
    ("På lager", "da", "Læg i kurv", "InStock"),
    ("Loppu varastosta", "fi", "", "OutOfStock"),
    ("Wyprzedane", "pl", "", "OutOfStock"),
    ("Produkt niedostępny", "pl", "", "OutOfStock"),
    ("Dostępny", "pl", "Do koszyka", "InStock"),
    ("Vyprodáno", "cs", "", "OutOfStock"),
    ("Skladem > 5 ks", "cs", "Do košíku", "InStock"),
    ("Нет в наличии", "ru", "", "OutOfStock"),
    ("В наличии", "ru", "В корзину", "InStock"),
    ("Tükendi", "tr", "", "OutOfStock"),
    ("在庫切れ", "ja", "", "OutOfStock"),
    ("在庫あり", "ja", "カートに入れる", "InStock"),
    ("售罄", "zh", "", "OutOfStock"),
    ("품절", "ko", "", "OutOfStock"),
    ("Hết hàng", "vi", "", "OutOfStock"),
    ("Elfogyott", "hu", "", "OutOfStock"),
    ("Stoc epuizat", "ro", "", "OutOfStock"),
    ("Εξαντλημένο", "el", "", "OutOfStock"),
    ("نفدت الكمية", "ar", "", "OutOfStock"),
    ("Hurry! Only 3 left in stock", "en", "Add to cart", "InStock"),
    ("Ships within 24 hours", "en", "", "InStock"),
    ("Ready for pickup today at Leeds", "en", "Add to cart", "InStock"),
    ("Not available for home delivery", "en", "", "OutOfStock"),
    ("Sold out in Leeds store. Available online.", "en", "Add to cart", "InStock"),
    ("Back in stock soon", "en", "", "OutOfStock"),
    ("Sorry, this item is sold out. Enter your email to be notified.", "en", "Notify me", "OutOfStock"),
    ("Join the waitlist", "en", "Join the waitlist", "OutOfStock"),
    ("This item has been discontinued by the manufacturer", "en", "", "Discontinued"),
    ("Release date: 24 March 2027. Pre-order now", "en", "Pre-order", "PreOrder"),
    ("Special order item: ships in 3-4 weeks", "en", "Add to cart", "InStock"),
    ("Limited edition of 200", "en", "Add to cart", "InStock"),
    ("This product isn't available right now", "en", "", "OutOfStock"),
    ("Bald wieder verfügbar", "de", "", "OutOfStock"),
    ("Dieser Artikel ist leider ausverkauft", "de", "", "OutOfStock"),
    ("Lieferzeit: 2-3 Werktage", "de", "In den Warenkorb", "InStock"),
    ("Keine Lieferung möglich", "de", "", "OutOfStock"),
    ("Bientôt disponible", "fr", "", "OutOfStock"),
    ("Stock épuisé", "fr", "", "OutOfStock"),
    ("Ce produit n'est plus en stock", "fr", "", "OutOfStock"),
    ("En stock - Livré chez vous en 48h", "fr", "Ajouter au panier", "InStock"),
    ("No hay existencias", "es", "", "OutOfStock"),
    ("Próximamente", "es", "", "OutOfStock"),
    ("¡Solo quedan 2!", "es", "Añadir a la cesta", "InStock"),
    ("Prodotto non più disponibile", "it", "", "Discontinued"),
    ("In arrivo", "it", "", "OutOfStock"),
    ("Avise-me quando chegar", "pt", "Avise-me quando chegar", "OutOfStock"),
    ("Tijdelijk uitverkocht", "nl", "", "OutOfStock"),
    ("Dit product is niet meer leverbaar", "nl", "", "Discontinued"),
    ("Brak towaru", "pl", "", "OutOfStock"),
    ("Produkt chwilowo niedostępny", "pl", "", "OutOfStock"),
    ("Momentálně nedostupné", "cs", "", "OutOfStock"),
    ("Под заказ", "ru", "Купить", "BackOrder"),
    ("Нет в продаже", "ru", "", "OutOfStock"),
    ("Ожидается поступление", "ru", "", "OutOfStock"),
    ("Tillfälligt slut", "sv", "", "OutOfStock"),
    ("Ikke på nettlager", "nb", "", "OutOfStock"),
    ("Ikke på lager", "da", "", "OutOfStock"),
    ("Tuote on loppunut", "fi", "", "OutOfStock"),
    ("Gelince haber ver", "tr", "Gelince Haber Ver", "OutOfStock"),
    ("入荷待ち", "ja", "", "OutOfStock"),
    ("在庫なし", "ja", "", "OutOfStock"),
    ("残り3点", "ja", "カートに入れる", "InStock"),
    ("无货", "zh", "", "OutOfStock"),
    ("该商品已下架", "zh", "", "Discontinued"),
    ("補貨中", "zh-TW", "", "OutOfStock"),
    ("재고 없음", "ko", "", "OutOfStock"),
    ("غير متوفر حالياً", "ar", "", "OutOfStock"),
    ("ناموجود", "fa", "", "OutOfStock"),
    ("موجود در انبار", "fa", "افزودن به سبد خرید", "InStock"),
    ("स्टॉक में नहीं है", "hi", "", "OutOfStock"),
    ("Μη διαθέσιμο", "el", "", "OutOfStock"),
    ("Jelenleg nem kapható", "hu", "", "OutOfStock"),
    ("Stoc limitat", "ro", "Adaugă în coș", "InStock"),
    ("Изчерпано количество", "bg", "", "OutOfStock"),
    ("สินค้าหมด", "th", "", "OutOfStock"),
    ("Stok habis", "id", "", "OutOfStock"),
    ("Tạm hết hàng", "vi", "", "OutOfStock"),
]
"""A note, its language, the label of the page's button if there is one, and the availability."""

TERMS = {
    "https://schema.org/InStoreOnly": "InStock",
    "https://schema.org/PreSale": "PreOrder",
    "BackOrder": "BackOrder",
    "https://schema.org/LimitedAvailability": "LimitedAvailability",
    "https://schema.org/SoldOut": "OutOfStock",
    "https://schema.org/Reserved": "OutOfStock",
    "https://schema.org/MadeToOrder": "InStock",
    "schema:InStock": "InStock",
    "Out Of Stock": "OutOfStock",
    "in_stock": "InStock",
    "https://schema.org/InStock ": "InStock",
}


def payload_of(html: str, url: str) -> dict[str, object] | None:
    listing = read_page_listing(Body(url, html.encode(), "text/html; charset=utf-8", None))
    return listing.as_payload() if listing else None


def comparable(field: str, value: object) -> object:
    """Return a value as it is compared: 34 and 34.00 are the same price."""
    return Decimal(value) if field.lower().endswith("price") and isinstance(value, str) else value


@pytest.mark.parametrize("shop", SHOPS, ids=lambda shop: shop["name"])
def test_a_page_of_a_shop_system_is_read(shop: dict[str, Any]) -> None:
    found, expected = payload_of(shop["html"], shop["url"]), shop["expected"]
    if expected is None or found is None:
        assert found is expected
        return
    assert {name: comparable(name, found[name]) for name in expected} == {
        name: comparable(name, value) for name, value in expected.items()
    }
    assert [name for name in shop["absent"] if found[name] is not None] == []


@pytest.mark.parametrize(("text", "host", "language", "expected"), FORMATS)
def test_a_price_is_read_in_the_format_of_its_country(text: str, host: str, language: str, expected: str) -> None:
    found = payload_of(
        f'<html lang="{language}"><title>Steel Thing</title><main><h1>Steel Thing</h1><div class="price">{text}'
        '</div><button class="add-to-cart">Add to cart</button></main></html>',
        f"https://{host}/p",
    )
    assert found is not None
    assert f"{found['price']} {found['currency']}" == expected


@pytest.mark.parametrize("name", ["availability-msg", "zq"])
@pytest.mark.parametrize(("note", "language", "label", "expected"), NOTES)
def test_a_stock_note_is_understood_in_its_language(
    note: str, language: str, label: str, expected: str, name: str
) -> None:
    button = f'<button class="add-to-cart">{label}</button>' if label else ""
    found = payload_of(
        f'<html lang="{language}"><title>Blue Kettle</title><main><h1>Blue Kettle</h1><div class=price>$39.90</div>'
        f'<div class="{name}">{note}</div>{button}</main></html>',
        "https://shop.example.com/p/1",
    )
    assert found is not None
    assert (found["price"], found["availability"]) == ("39.90", expected)


@pytest.mark.parametrize("term", TERMS)
def test_a_stated_availability_is_one_of_the_terms(term: str) -> None:
    product = {"@type": "Product", "name": "Kettle", "offers": {"@type": "Offer", "price": 1, "availability": term}}
    found = payload_of(f"<title>Kettle</title>{LD.format(json.dumps(product))}", "https://shop.example.com/p/1")
    assert found is not None
    assert found["availability"] == TERMS[term]
