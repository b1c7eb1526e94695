"""PDP validation: the rule's truth table, the signals in many formats and languages, lists and hostile pages."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.audit.pages import CART, PRICE, SCHEMA, TITLE_IMAGE, URL, card, category, page
from webstrata.audit.pdp_validation import evaluate_pdp_validation_signals, is_valid_pdp_page, validate_pdp_page
from webstrata.content.extraction import read_page_listing
from webstrata.content.reading import Body
from webstrata.content.shop.signals import ShopSignals
from webstrata.errors import UsageError
from webstrata.model.auditing.policy_version import CrawlPolicyVersion, crawl_policy_version

V1_1, V1_2 = CrawlPolicyVersion.V1_1, CrawlPolicyVersion.V1_2
ROWS = list(product((False, True), repeat=4))


@pytest.mark.parametrize(("price", "title_image", "cart", "schema"), ROWS)
def test_the_rule_holds_for_every_combination_of_signals(
    price: bool, title_image: bool, cart: bool, schema: bool
) -> None:
    parts = [TITLE_IMAGE * title_image, PRICE * price, CART * cart, SCHEMA * schema]
    verdict = validate_pdp_page(page(*parts), URL)
    found = verdict.as_payload()["signals"]
    assert (found["price"], found["title_image"], found["add_to_cart"], found["product_schema"]) == (
        price,
        title_image,
        cart,
        schema,
    )
    assert verdict.valid is (price and title_image and (cart or schema))
    assert is_valid_pdp_page(page(*parts), URL, V1_1) is (price and title_image)
    assert evaluate_pdp_validation_signals(verdict.signals, V1_2) == verdict


def test_the_verdict_carries_signals_score_and_reasons() -> None:
    complete = evaluate_pdp_validation_signals(
        ShopSignals("12 USD", "page", "Mug", "/mug.jpg", "Add to cart", "json-ld")
    )
    assert (complete.score, complete.valid) == (1.0, True)
    bare = evaluate_pdp_validation_signals(ShopSignals(price="12 USD"))
    assert bare.score == 0.3
    assert "no product title was found" in bare.reasons
    assert "neither an add-to-cart control nor a product schema was found" in bare.reasons
    assert set(bare.as_payload()) == {"valid", "policy", "signals", "score", "reasons"}
    with pytest.raises(UsageError, match=r"v9.*v1\.1, v1\.2"):
        crawl_policy_version("v9")


PRICES = ["$1,299.00", "1.299,00 €", "199 kr", "CHF 20.–", "USD 20", "£12.50", "1 299,00 zł", "¥1,980", "₹2,433"]


@pytest.mark.parametrize("written", PRICES)
def test_a_price_is_recognised_in_the_major_formats(written: str) -> None:
    assert is_valid_pdp_page(page(TITLE_IMAGE, f"<p>{written}</p>", CART), URL)


def test_an_element_named_price_needs_a_value() -> None:
    assert is_valid_pdp_page(page(TITLE_IMAGE, '<span class="product-price">12.00</span>', CART), URL)
    assert is_valid_pdp_page(page(TITLE_IMAGE, '<meta itemprop="price" content="12.00">', CART), URL)
    assert is_valid_pdp_page(page(TITLE_IMAGE, '<span class="price">on request</span>', CART), URL) is False


CONTROLS = [
    "<button>ADD TO BAG</button>",
    '<input type="submit" value="In den Warenkorb">',
    '<a class="btn" href="#">Ajouter au panier</a>',
    "<button>Añadir al carrito</button>",
    "<button>Aggiungi al carrello</button>",
    "<button>Adicionar ao carrinho</button>",
    "<button>In winkelwagen</button>",
    "<button>Lägg i varukorgen</button>",
    "<button>Læg i kurv</button>",
    "<button>Legg i handlekurv</button>",
    "<button>Lisää ostoskoriin</button>",
    "<button>Dodaj do koszyka</button>",
    "<button>Přidat do košíku</button>",
    "<button>カートに入れる</button>",
    "<button>加入购物车</button>",
    "<button>Добавить в корзину</button>",
    '<input type="image" src="/b.png" alt="Buy now">',
    '<div role="button">Jetzt kaufen</div>',
    '<button name="add" class="product-form__add-to-cart"><svg></svg></button>',
    "<button>Add to cart – $12.00</button>",
    "<button>+ Keranjang</button>",
    "<button>افزودن به سبد خرید</button>",
    "<button>कार्ट में जोड़ें</button>",
    "<button>Afegeix a la cistella</button>",
    '<button data-testid="add-to-cart">Add</button>',
    '<form action="/cart/add" method="post"><button>Ottaa</button></form>',
]


@pytest.mark.parametrize("control", CONTROLS)
def test_add_to_cart_controls_are_recognised_in_many_languages(control: str) -> None:
    assert is_valid_pdp_page(page(TITLE_IMAGE, PRICE, control), URL)


NO_CONTROLS = [
    "<button>Add to wishlist</button>",
    '<a href="/cart">View cart</a>',
    '<a href="/cart">Zum Warenkorb</a>',
    '<a class="btn" href="https://elsewhere.example/p">Buy now</a>',
    "<p>Add to cart</p>",
    "<button hidden>Add to cart</button>",
    '<button class="add-to-cart">Sold out</button>',
    "<button>Subscribe</button>",
    "<footer><a href='/buy'>Buy</a></footer>",
    "<button>Place order</button>",
    '<form action="/search"><button>Ottaa</button></form>',
    '<form action="/cart/add"><button>Sold out</button></form>',
]


@pytest.mark.parametrize("control", NO_CONTROLS)
def test_other_controls_are_not_taken_for_add_to_cart(control: str) -> None:
    assert not validate_pdp_page(page(TITLE_IMAGE, PRICE, control), URL).signals.add_to_cart


def script(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


SCHEMAS = [
    script({"@type": "Product", "name": "Blue Mug", "offers": {"price": "12", "priceCurrency": "USD"}}),
    script({"@graph": [{"@type": "WebPage"}, {"@type": ["Thing", "Product"], "name": "Blue Mug"}]}),
    script([{"@type": "https://schema.org/Product", "name": "Blue Mug"}]),
    '<div itemscope itemtype="https://schema.org/Product"><span itemprop="name">Blue Mug</span></div>',
    '<div vocab="https://schema.org/" typeof="Product"><span property="name">Blue Mug</span></div>',
]
NO_SCHEMAS = [
    '<script>var text = \'{"@type": "Product"}\';</script>',
    '<p>"@type": "Product" schema.org/Product</p>',
    script({"@type": "Review", "itemReviewed": {"@type": "Product", "name": "Blue Mug"}}),
    script({"@type": "NewsArticle", "name": "Product"}),
    script({"@type": "ItemList", "itemListElement": [{"@type": "Product", "name": f"Mug {n}"} for n in range(9)]}),
    '<script type="application/ld+json">{"@type": "Product", </script>',
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_product_schema_is_read_in_every_form(schema: str) -> None:
    assert is_valid_pdp_page(page(TITLE_IMAGE, PRICE, schema), URL)


@pytest.mark.parametrize("schema", NO_SCHEMAS)
def test_a_product_schema_is_never_a_substring_or_another_thing(schema: str) -> None:
    assert not validate_pdp_page(page(TITLE_IMAGE, PRICE, schema), URL).signals.product_schema


@pytest.mark.parametrize(
    "image",
    [
        '<img src="/icons/heart.svg" alt="">',
        '<img src="/p.gif" width="1" height="1">',
        '<img src="/cart.png" width=24 height=24>',
        '<img src="/logo.png">',
        "<img alt='no source'>",
        '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
    ],
)
def test_an_icon_is_no_product_image(image: str) -> None:
    assert not validate_pdp_page(page("<h1>Blue Mug</h1>", image, PRICE, CART), URL).signals.image


def test_an_image_that_is_loaded_later_counts() -> None:
    lazy = '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="/mug.jpg">'
    assert is_valid_pdp_page(page("<h1>Blue Mug</h1>", lazy, PRICE, CART), URL)


def test_a_list_of_products_is_refused_since_v1_2() -> None:
    assert validate_pdp_page(category(), URL).signals.product_list
    assert not is_valid_pdp_page(category(), URL)
    assert is_valid_pdp_page(category(), URL, V1_1)
    bare = page("<h1>Mugs</h1>", *(card(n).replace("<a ", "<b ").replace("</a>", "</b>") for n in range(6)))
    assert not is_valid_pdp_page(bare, URL)
    stated = script({"@type": "CollectionPage", "name": "Mugs"})
    assert not is_valid_pdp_page(page(TITLE_IMAGE, PRICE, CART, stated), URL)


@pytest.mark.parametrize("cards", [1, 2])
def test_a_list_with_few_products_is_a_list(cards: int) -> None:
    verdict = validate_pdp_page(category(cards), URL)
    assert verdict.signals.product_list
    assert not verdict.valid


def test_a_price_beside_a_brand_that_leads_elsewhere_is_the_products_own() -> None:
    brand = '<a href="/brands/acme"><img src="/acme.jpg"></a><h3 class="name"><a href="/brands/acme">Acme</a></h3>'
    assert is_valid_pdp_page(page(TITLE_IMAGE, f"<div>{brand}{PRICE}{CART}</div>"), URL)
    large = '<a href="/mug-large.jpg"><img src="/mug.jpg"><b class="title">Enlarge</b></a>'
    assert is_valid_pdp_page(page(TITLE_IMAGE, f"<div>{large}{PRICE}{CART}</div>"), URL)


PAGES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "no_product_pages.json").read_text(encoding="utf-8"))
"""Made-up pages that show prices, most of them of no single product; `has_listing` is null where both are right."""


@pytest.mark.parametrize("shown", PAGES, ids=lambda shown: shown["name"])
def test_carts_lists_articles_and_error_pages_are_no_product_pages(shown: dict[str, Any]) -> None:
    verdict = validate_pdp_page(shown["html"], shown["url"])
    assert verdict.valid is shown["valid"], verdict.reasons
    listing = read_page_listing(Body(shown["url"], shown["html"].encode(), "text/html; charset=utf-8", None))
    assert shown["has_listing"] in {None, listing is not None}


def described(*names: str) -> str:
    offer = {"@type": "Offer", "price": "9.00", "priceCurrency": "USD"}
    return script([{"@type": "Product", "name": name, "offers": offer} for name in names])


def test_several_products_that_a_page_describes_alike_are_no_schema_of_its_own() -> None:
    mugs = described("Mug one", "Mug two", "Mug three")
    listed = page("<h1>Mugs</h1>", '<img src="/mugs.jpg">', mugs, title="Mugs | The Shop")
    assert not validate_pdp_page(listed, "https://shop.example/mugs").signals.product_schema
    assert not is_valid_pdp_page(listed, "https://shop.example/mugs")
    two = page("<h1>Results</h1>", '<img src="/r.jpg">', described("Tea", "Pot"), title="Search")
    assert not is_valid_pdp_page(two, "https://shop.example/search")
    with_related = page(TITLE_IMAGE, described("Blue Mug", "Red Bowl", "Teapot"))
    assert validate_pdp_page(with_related, URL).signals.price == "9.00 USD"
    variants = page(TITLE_IMAGE, described("Blue Mug - S", "Blue Mug - M", "Blue Mug - L"))
    assert is_valid_pdp_page(variants, URL)


def test_related_products_do_not_make_a_product_page_a_list() -> None:
    related = f'<section class="related"><h2>Others bought</h2>{"".join(map(card, range(8)))}</section>'
    own = f'<div class="product">{TITLE_IMAGE}<span class="price">$48.00</span>{CART}</div>'
    verdict = validate_pdp_page(page(own, related), URL)
    assert verdict.valid
    assert (verdict.signals.price, verdict.signals.price_source) == ("48.00 USD", "page")
    without_own_control = page(own.replace(CART, ""), related)
    assert not is_valid_pdp_page(without_own_control, URL)


@pytest.mark.parametrize(
    "html",
    ["", "<", "\0" * 99, "<h1>" * 5_000, f"<div class=price>{'9' * 400}", "€" * 10_000, "<img src=" + "x" * 9_999],
)
def test_garbage_is_refused_without_an_error(html: str) -> None:
    assert not is_valid_pdp_page(html, URL)
    assert not is_valid_pdp_page(html.encode("utf-16", "replace"), "not a url")


def test_an_address_that_makes_no_sense_is_no_card() -> None:
    link = "<a href='http://[::'><img src='/a.jpg'><h3>Blue Mug</h3></a>"
    assert is_valid_pdp_page(page(TITLE_IMAGE, f"<div>{link}{PRICE}{CART}</div>"), URL)
