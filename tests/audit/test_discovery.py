"""PDP discovery: which links of a page are tried, in which order, and which never."""

import pytest

from tests.audit.pages import card, page
from webstrata.audit.discovery import MAX_CANDIDATES, category_pages, pdp_candidates
from webstrata.content.shop.links import ShopLink, shop_links
from webstrata.content.shop.sites import is_same_site
from webstrata.content.tree import parse_html

HOME = "https://www.shop.co.uk/"


def links(*parts: str) -> list[ShopLink]:
    return shop_links(parse_html(page(*parts)), HOME)


def linked(*addresses: str) -> list[ShopLink]:
    return links(*(f'<a href="{address}">A link</a>' for address in addresses))


def test_product_cards_come_first_then_product_paths_in_the_order_of_the_page() -> None:
    found = links(
        '<a href="/products/teapot#reviews">Teapot</a>',
        '<div class="grid">',
        *(card(number) for number in (3, 1, 2)),
        "</div>",
        '<a href="/p/4711">Kettle</a><a href="/products/teapot">Teapot</a>',
        '<a href="/collections/all/products/cup">Cup</a>',
    )
    paths = [address.removeprefix("https://www.shop.co.uk") for address in pdp_candidates(found, HOME)]
    expected = ["/products/mug-3", "/products/mug-1", "/products/mug-2", "/products/teapot", "/p/4711"]
    assert paths == [*expected, "/collections/all/products/cup"]


def test_other_pages_of_a_shop_are_never_candidates() -> None:
    found = linked(
        *("/cart", "/account/item/5", "/checkout/item/1", "/de/warenkorb/", "/login.php", "/products", "/products/"),
        *("#top", "/", "mailto:a@shop.co.uk", "/item/manual.pdf", "/x?add-to-cart=5", "javascript:void(0)"),
    )
    assert pdp_candidates(found, HOME) == []
    assert pdp_candidates(linked("/products/leather-bag", "/products/bag", "/item-order-book"), HOME) == [
        "https://www.shop.co.uk/products/leather-bag",
        "https://www.shop.co.uk/products/bag",
        "https://www.shop.co.uk/item-order-book",
    ]


@pytest.mark.parametrize(
    ("address", "other", "is_same"),
    [
        ("https://m.shop.co.uk/", HOME, True),
        ("http://shop.co.uk:8080/", HOME, True),
        ("https://other.co.uk/", HOME, False),
        ("https://one.myshopify.com/", "https://two.myshopify.com/", False),
        ("http://127.0.0.1:8001/", "http://127.0.0.1:8002/", False),
        ("http://127.0.0.1:8001/a", "http://127.0.0.1:8001/b", True),
        ("not a url", HOME, False),
    ],
)
def test_a_site_is_what_the_public_suffix_list_leaves_of_a_host(address: str, other: str, is_same: bool) -> None:
    assert is_same_site(address, other) is is_same


def test_no_more_candidates_are_tried_than_the_limit() -> None:
    found = linked(*(f"/p/{number}" for number in range(50)), "https://elsewhere.example/p/1")
    assert len(pdp_candidates(found, HOME)) == MAX_CANDIDATES
    assert pdp_candidates(linked("https://elsewhere.example/p/1"), HOME) == []


def test_category_pages_are_the_fallback() -> None:
    found = links('<nav><a href="/hats">Hats</a><a href="/cart">Cart</a></nav><a href="/collections/mugs">Mugs</a>')
    assert category_pages(found, HOME) == ["https://www.shop.co.uk/collections/mugs", "https://www.shop.co.uk/hats"]


def test_a_product_is_tried_once_whatever_its_links_tell_of_their_places() -> None:
    tracked = [f"/products/mug?utm_source=home&pos={number}#top" for number in range(30)]
    found = pdp_candidates(linked(*tracked, "/products/mug?variant=5", "/product.php?id=1", "/product.php?id=2"), HOME)
    assert [address.partition("co.uk")[2] for address in found] == [
        "/products/mug?utm_source=home&pos=0",
        "/product.php?id=1",
        "/product.php?id=2",
    ]


def test_cards_that_are_no_links_are_tried_after_those_that_are() -> None:
    targets = ["https://www.shop.co.uk/w/cup", "https://www.shop.co.uk/cart", "https://elsewhere.example/w/cup"]
    found = pdp_candidates(links(card(1), '<a href="/p/7">Pot</a>'), HOME, click_targets=targets)
    assert [address.partition("co.uk")[2] for address in found] == ["/products/mug-1", "/w/cup", "/p/7"]
