"""What is read from product and property pages."""

from decimal import Decimal

import pytest

from tests.content.listing.pages import BUY, LD, PAGES, ShopPage, shop
from webstrata.content.extraction import read_page_listing
from webstrata.content.listing.identifiers import gtin_of
from webstrata.content.listing.money import MoneyHints, find_money, money_of, parse_stated_amount, tidy_text
from webstrata.content.reading import Body
from webstrata.model.collections.listing import Listing
from webstrata.model.collections.listing_json import listing_as_json, listing_from_json, stable_facts

PRODUCT = '{"@type":"Product","name":"Blue Kettle 1.7 l","offers":{"@type":"Offer","price":"%s","priceCurrency":"USD"}}'


def listing_of(html: str, url: str = "https://shop.example/p/kettle") -> Listing | None:
    return read_page_listing(Body(url, html.encode(), "text/html; charset=utf-8", None))


def found(html: str, url: str = "https://shop.example/p/kettle") -> Listing:
    listing = listing_of(html, url)
    assert listing is not None
    return listing


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
def test_a_page_is_read_as_a_buyer_reads_it(page: ShopPage) -> None:
    listing = listing_of(page.html, page.url)
    payload = listing.as_payload() if listing else None
    if page.expected is None or payload is None:
        assert payload is page.expected
        return
    assert {name: payload[name] for name in page.expected} == page.expected
    assert all(payload[name] is None for name in page.absent)


@pytest.mark.parametrize(
    ("text", "country", "expected"),
    [
        ("1.234,56 €", None, "1234.56 EUR"),
        ("$1,234.56", "us", "1234.56 USD"),
        ("$1,234.56", "au", "1234.56 AUD"),
        ("1 234,56 kr", "dk", "1234.56 DKK"),
        ("¥1,234", "cn", "1234 CNY"),
        ("Rs. 1,23,456", "in", "123456 INR"),
        ("12,– €", "de", "12 EUR"),
        ("35€99", "fr", "35.99 EUR"),
        ("KWD 1.250", "kw", "1.250 KWD"),
        ("R$ 1.759,99", "br", "1759.99 BRL"),
        ("٩٩ ر.س", "sa", "99 SAR"),
        ("12 990 руб.", "ru", "12990 RUB"),
        ("US $12.99", "cn", "12.99 USD"),
        ("Rp 1.250.000", "id", "1250000 IDR"),
        ("100,000원", "kr", "100000 KRW"),
        ("1\u202f299,00\u00a0zł", "pl", "1299.00 PLN"),
        ("à partir de 10 €", "fr", "10 EUR"),
    ],
)
def test_money_is_exact_in_the_formats_of_many_countries(text: str, country: str | None, expected: str) -> None:
    (span, *_) = find_money(tidy_text(text), MoneyHints(country))
    assert str(span.money) == expected


@pytest.mark.parametrize(
    "text", ["iPhone 12 Pro 5 GB", "20% off", "4.5 out of 5", "", "free", "EUR", "9" * 50 + " €", "SKU1234"]
)
def test_what_is_no_money_is_none(text: str) -> None:
    assert money_of(text, MoneyHints()) is None


@pytest.mark.parametrize(
    ("value", "currency", "expected"),
    [
        ("24.990", "CLP", "24990"),
        ("129.000", "EUR", "129.000"),
        ("119,01", "EUR", "119.01"),
        (19.5, "CHF", "19.5"),
        (0.1, "EUR", "0.1"),
        *((wrong, "EUR", None) for wrong in (float("nan"), float("inf"), 1e300, "1e400", "-5", "NaN", True, "")),
    ],
)
def test_an_amount_of_structured_data_has_a_point_for_decimals(
    value: object, currency: str, expected: str | None
) -> None:
    amount = parse_stated_amount(value, currency, MoneyHints())
    assert amount == (None if expected is None else Decimal(expected))


@pytest.mark.parametrize(
    ("text", "gtin"),
    [
        ("4006381333931", "4006381333931"),
        ("978-0-306-40615-7", "9780306406157"),
        ("0-306-40615-2", "9780306406157"),
        ("96385074", "96385074"),
        ("036000291452", "036000291452"),
        *((wrong, None) for wrong in ("4006381333932", "0000000000000", "12345", "abc", "٤٠٠٦٣٨١٣٣٣٩٣١")),
    ],
)
def test_a_gtin_has_a_correct_check_digit(text: str, gtin: str | None) -> None:
    assert gtin_of(text) == gtin


def test_sources_that_agree_raise_the_confidence_and_others_lower_it() -> None:
    shown = "<h1>Blue Kettle 1.7 l</h1><span class=price>$%s</span>" + BUY
    alone = found(shop("<h1>Blue Kettle 1.7 l</h1>", LD.format(PRODUCT % "30"))).price
    agreed = found(shop(shown % "30", LD.format(PRODUCT % "30"))).price
    contradicted = found(shop(shown % "25", LD.format(PRODUCT % "30"))).price
    assert alone is not None
    assert agreed is not None
    assert contradicted is not None
    assert contradicted.confidence < alone.confidence < agreed.confidence
    assert [source.value for source in agreed.sources] == ["json-ld", "page"]


def test_traces_show_what_was_read_for_each_field_and_what_was_chosen() -> None:
    listing = found(shop(f"<h1>Blue Kettle 1.7 l</h1><span class=price>$25</span>{BUY}", LD.format(PRODUCT % "30")))
    prices = {trace.strategy: trace for trace in listing.traces if trace.field == "price"}
    stated, shown = prices["json-ld:offers.price"], prices["page:price-element"]
    assert (stated.raw, stated.value, stated.is_fallback, stated.is_chosen) == ("30", "30 USD", False, True)
    assert (shown.raw, shown.is_fallback, shown.is_chosen) == ("$25", True, False)
    assert listing.place == "main > span.price"


def test_a_listing_survives_json_and_its_facts_do_not_depend_on_confidence() -> None:
    page = PAGES["a property in structured data"]
    listing = found(page.html, page.url)
    assert listing_from_json(listing_as_json(listing)) == listing
    shown = shop(f"<h1>Blue Kettle 1.7 l</h1><span class=price>$30</span>{BUY}", LD.format(PRODUCT % "30"))
    moved = shop(f"<h1>Blue Kettle 1.7 l</h1><div><b class=price>$30</b></div>{BUY}", LD.format(PRODUCT % "30.00"))
    assert stable_facts(found(shown)) | {"price": 0} == stable_facts(found(moved)) | {"price": 0}


@pytest.mark.parametrize(
    "html",
    [
        shop("<h1>x</h1>", LD.format('{"@type":"Product","offers":' * 2_000)),
        shop(
            "<h1>x</h1>",
            LD.format('{"@type":"Product","name":[[[[1]]]],"offers":[[],{},{"price":{"a":NaN}},7,null,true]}'),
        ),
        shop(
            "<h1>x</h1>", LD.format('{"@type":"Product","offers":{"price":1e999,"priceCurrency":' + "9" * 5_000 + "}}")
        ),
        shop(
            "<h1>x</h1>",
            LD.format('{"@graph":[' + '{"@type":"Product","@id":"#a","isRelatedTo":{"@id":"#a"}},' * 3_000 + "{}]}"),
        ),
        shop('<div class="price">' * 3_000 + "$1" + "</div>" * 3_000),
        shop("".join(f'<span class="price">${n}</span>' for n in range(20_000))),
        shop('<b class="price">$' + "1" * 200_000 + "</b>" + "<h1>" + "x " * 100_000 + "</h1>"),
        shop(f'<h1>x</h1><span class="price">$5</span><button class="{"add-to-cart " * 20_000}">buy</button>'),
        "<h1>\0\ud83d</h1>".replace("\ud83d", "\ufffd") + "<i class=price>€" + "\u0660" * 500,
    ],
)
def test_a_hostile_page_costs_no_more_than_its_listing(html: str) -> None:
    listing = listing_of(html)
    assert listing is None or len(listing.traces) <= 100


@pytest.mark.timeout(120)
@pytest.mark.parametrize("unit", ['<b class="price">$1', "<b>$", '<b class="price">', '<b class="stock">in stock '])
def test_thousands_of_prices_inside_each_other_are_read_in_linear_time(unit: str) -> None:
    listing = listing_of(shop("<h1>Kettle</h1>" + unit * (600_000 // len(unit)) + "<button>Add to cart</button>"))
    assert listing is None or len(listing.traces) <= 100
