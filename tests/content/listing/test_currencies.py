import pytest

from webstrata.content.extraction import read_page_listing
from webstrata.content.listing.currencies import SIGNS
from webstrata.content.reading import Body

PAGE = "<title>Blue lamp</title><h1>Blue lamp</h1><div><p>120 {}</p><button>Add to cart</button></div>"


@pytest.mark.parametrize("sign", SIGNS)
def test_a_price_in_any_currency_is_read_from_the_text_of_a_page(sign: str) -> None:
    page = Body("https://shop.example/p/lamp", PAGE.format(sign).encode(), "text/html; charset=utf-8", None)
    listing = read_page_listing(page)
    assert listing is not None
    payload = listing.as_payload()
    assert payload["price"] == "120"
    assert payload["currency"]
