"""Recognises shop pages that show prices and are not product pages: carts, order pages, wish lists, searches, front
pages."""

import re
from urllib.parse import urlsplit

_SEGMENT = re.compile(
    r"(?:^|[/=])(?:cart|basket|bag|checkout|warenkorb|kasse|panier|carrito|cesta|carrello|winkelwagen|koszyk|kosik"
    r"|varukorg|sepet|corzina|wish-?list|favou?rites|merkzettel|wunschliste|account|my-?account|konto|orders"
    r"|order-(?:received|confirmation)|thank-?you|thanks|danke"
    r"|search|suche|recherche|buscar|busca|cerca|zoeken|catalogsearch)(?:\.\w+)?(?:[/&?]|$)"
)
"""Parts of addresses, such as `/cart/` and `?route=checkout/cart`."""

_UNKNOWN = ".invalid"
"""The top-level domain of pages whose address is not known."""

_LONGEST_ANCHOR = 3
"""The longest fragment that is an anchor; longer ones are routes of single-page applications."""

_FRONT = re.compile(r"/?(?:index\.\w{3,5})?$")
_TITLE = re.compile(
    r"(?:(?:my|your|the|mein|dein|ihr|mon|votre|mi|tu|il (?:mio|tuo)|mijn|je|min|din) )?(?:shopping |einkaufs)?"
    r"(?:cart|basket|bag|trolley|checkout|wish ?list|favou?rites|orders|order history|warenkorb|merkzettel|wunschliste"
    r"|bestellungen|panier|commandes|liste d'envies|favoris|carrito(?: de compra)?|cesta|pedidos|favoritos"
    r"|lista de deseos|carrello|ordini|lista dei desideri|preferiti|carrinho(?: de compras)?|sacola|winkelwagen"
    r"|winkelmandje|verlanglijst|bestellingen|koszyk|zamówienia|košík|kosár|varukorg|kundvagn|kurv|handlekurv"
    r"|ostoskori|корзина|кошик|избранное|sepetim|sepet|カート|ショッピングカート|购物车|購物車|장바구니)"
    r"(?: is empty| ist leer| est vide)?\W*(?:\(\d+\)|\d+ \w+)?"
    r"|(?:thank you|thanks) for your (?:order|purchase)\W*|(?:vielen )?dank für (?:ihre|deine) bestellung\W*"
    r"|merci pour votre commande\W*|gracias por (?:su|tu) (?:pedido|compra)\W*|grazie per (?:il tuo|l')\s?ordine\W*",
    re.IGNORECASE,
)
_LONGEST_TITLE = 60


def is_no_product_address(url: str) -> bool:
    """Return whether a URL is that of a cart, an order, a wish list, a search or a site's front page."""
    parts = urlsplit(url)
    if _SEGMENT.search(parts.path.lower()):
        return True
    if _FRONT.fullmatch(parts.path) and not parts.query and len(parts.fragment) <= _LONGEST_ANCHOR:
        return bool(parts.hostname) and not (parts.hostname or "").endswith(_UNKNOWN)
    return "route=" in parts.query and _SEGMENT.search(parts.query.lower()) is not None


def is_no_product_title(title: str) -> bool:
    """Return whether a heading is that of a cart, an order or a wish list."""
    return len(title) <= _LONGEST_TITLE and _TITLE.fullmatch(title.strip()) is not None
