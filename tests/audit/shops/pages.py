"""The pages that demo shops are built of, in three languages."""

from dataclasses import dataclass

PIXELS = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000080000000808020000004b6d29dc"
    "0000001249444154789c63f8cfc08015318e4af0ff0f00e0a03fc1f4ed4bd00000000049454e44ae426082"
)


@dataclass(frozen=True)
class Words:
    """What a shop says in its language."""

    language: str
    home: str
    add_to_cart: str
    products: str
    about: str
    price: str


ENGLISH = Words(
    "en", "Harbour Tea", "Add to cart", "Our teas", "We blend teas by hand in a small harbour town.", "$24.50"
)
GERMAN = Words(
    "de", "Hafentee", "In den Warenkorb", "Unsere Tees", "Wir mischen Tee von Hand in einer Hafenstadt.", "24,50 €"
)
FRENCH = Words(
    "fr", "Thé du port", "Ajouter au panier", "Nos thés", "Nous mélangeons nos thés à la main au port.", "24,50 €"
)

STYLE = """
body { font: 16px sans-serif; margin: 0 2rem; background: #fff; color: #222 }
.card { border: 1px solid #999; display: inline-block; padding: 1rem; margin: .5rem }
img { width: 200px; height: 200px; background: #7a9 }
.wall { position: fixed; inset: 0; background: rgba(0, 0, 0, .6); z-index: 9 }
.wall div { background: #fff; margin: 10rem auto; padding: 2rem; width: 24rem }
"""


def document(words: Words, title: str, body: str) -> bytes:
    """Return a whole page with header, navigation and footer."""
    return f"""<!doctype html><html lang="{words.language}"><head><meta charset="utf-8"><title>{title}</title>
<meta name="description" content="{words.about}"><style>{STYLE}</style></head><body>
<header><nav><a href="/">{words.home}</a> <a href="/teas">{words.products}</a> <a href="/cart">Cart</a></nav></header>
<main>{body}</main>
<footer><a href="/imprint">Imprint</a> {words.about}</footer></body></html>""".encode()


def home(words: Words, *products: str, extra: str = "") -> bytes:
    """Return a home page with cards of products."""
    cards = "".join(
        f'<div class="card product-card"><a href="{path}"><img src="/tea.png" alt="Tea"> Tea {number}</a>'
        f" <span class=price>{words.price}</span></div>"
        for number, path in enumerate(products, 1)
    )
    intro = f"<h1>{words.home}</h1><p>{words.about} {words.about}</p><a class=button href=/teas>{words.products}</a>"
    return document(words, words.home, f"{intro}{cards}<p>{words.about * 3}</p>{extra}")


def product(words: Words, name: str, extra: str = "") -> bytes:
    """Return the page of one product."""
    body = f"""<h1>{name}</h1><img src="/tea.png" alt="{name}" width="200" height="200">
<p class="price">{words.price}</p><form><button type="button">{words.add_to_cart}</button></form>
<p>{words.about} {words.about} {name}.</p>
<script type="application/ld+json">{{"@context": "https://schema.org", "@type": "Product", "name": "{name}",
"image": "/tea.png", "offers": {{"@type": "Offer", "price": "24.50", "priceCurrency": "EUR",
"availability": "https://schema.org/InStock"}}}}</script>{extra}"""
    return document(words, name, body)
