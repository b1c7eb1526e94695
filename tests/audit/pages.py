"""Small shop pages in several languages, put together from parts."""

import json

PRODUCT = {"@context": "https://schema.org", "@type": "Product", "name": "Blue Mug"}
SCHEMA = f'<script type="application/ld+json">{json.dumps(PRODUCT)}</script>'
TITLE_IMAGE = '<h1>Blue Mug</h1><img src="/images/blue-mug-600.jpg" alt="A blue mug">'
PRICE = "<p>$12.00</p>"
CART = "<button>Add to cart</button>"
URL = "https://shop.example/products/blue-mug"


def page(*parts: str, language: str = "en", title: str = "Blue Mug | The Shop") -> str:
    return (
        f'<!doctype html><html lang="{language}"><head><title>{title}</title></head><body>'
        f'<header><img src="/logo.svg" alt="Logo"><nav><a href="/">Home</a><a href="/cart">Cart (0)</a></nav></header>'
        f"<main>{''.join(parts)}</main><footer>© The Shop</footer></body></html>"
    )


def card(number: int, control: str = "<button>Add to cart</button>") -> str:
    return (
        f'<div class="card card-{number}"><a href="/products/mug-{number}"><img src="/m{number}.jpg" alt="Mug">'
        f'<h3>Mug {number}</h3></a><span class="price">${number + 9}.50</span>{control}</div>'
    )


def category(cards: int = 12) -> str:
    return page("<h1>Mugs</h1>", '<div class="grid">', *map(card, range(cards)), "</div>", title="Mugs | The Shop")
