"""PDP discovery: chooses which links of a shop's page are tried as product pages, in order."""

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import parse_qsl

from webstrata.content.shop.links import LinkRegion, ShopLink
from webstrata.content.shop.sites import is_same_site
from webstrata.model.urls import parse_url

MAX_CANDIDATES = 20
MAX_CATEGORIES = 3

_PRODUCT_PATHS = re.compile(
    r"/products?/[^/]+|/products?[-_.][^/]+|/p/[^/]+|/items?/[^/]+|/items?[-_.][^/]+|/collections/[^/]+/products/[^/]+"
    r"|/itm/[^/]+|/dp/[^/]+|/pd/[^/]+|/sku/[^/]+|/produkte?/[^/]+|/produits?/[^/]+|/productos?/[^/]+|/prodott[oi]/[^/]+"
    r"|/produtos?/[^/]+|/artikel/[^/]+|/articles?/\d|/tuote/[^/]+|/produkty?/[^/]+|[-/]p-?\d{3,}(?:\.html?)?/?$"
    r"|/product_info\.php|/product\.(?:php|aspx?|html?)",
    re.IGNORECASE,
)
"""Paths of single products; `/products` and `/products/` alone are lists."""

_CATEGORY_PATHS = re.compile(
    r"/collections?(?:/|$)|/categor(?:y|ies)(?:/|$)|/c/|/shop(?:/|$)|/products?/?$|/kategori(?:e|en|a)?/|/categori[ae]s?/"
    r"|/catalog(?:ue|o)?(?:/|$)|/department|/browse/|/sale(?:/|$)|/new(?:-arrivals|-in)?(?:/|$)|/sortiment|/rayon|/store/",
    re.IGNORECASE,
)
_EXCLUDED = re.compile(
    r"/(?:carts?|basket|bag|checkout|accounts?|my-?account|login|log-in|logout|signin|sign-in|signup|sign-up"
    r"|register|registration|password|wish-?list|favou?rites|compare|orders?|returns?|privacy|terms|imprint|impressum"
    r"|agb|datenschutz|contact|kontakt|about|careers|jobs|faq|help|support|newsletter|stores?-?locator|gift-?cards?"
    r"|warenkorb|kasse|konto|mein-konto|anmelden|merkzettel|wunschliste|panier|commande|compte|mon-compte|connexion"
    r"|carrito|cesta|cuenta|mi-cuenta|iniciar-sesion|carrello|cassa|accedi|carrinho|conta|winkelwagen|winkelmand"
    r"|inloggen|afrekenen|varukorg|kundvagn|kassa|mina-sidor|kurv|handlekurv|ostoskori|koszyk|kosik|blog|news"
    r"|add-to-cart|addtocart|wp-login|wp-admin)(?:\.[a-z]{2,5})?(?:/|$)|[?&](?:add-to-cart|add_to_cart|addtocart)=",
    re.IGNORECASE,
)
"""Folders of addresses that belong to carts, accounts, checkouts, logins and pages about the shop itself."""

_FILES = re.compile(r"\.(?:jpe?g|png|gif|webp|svg|pdf|zip|mp4|xml|json|css|js|docx?|xlsx?)$", re.IGNORECASE)

_NOT_OF_PAGE = re.compile(
    r"utm_\w+|gclid|gclsrc|gbraid|wbraid|dclid|fbclid|msclkid|yclid|ttclid|twclid|igshid|mc_[ce]id|srsltid|_pos|_sid|_ss|_fid|_v|_ga|_gl|_hs\w+|pk_\w+"
    r"|mtm_\w+|hsa_\w+|trk\w*|track\w*|ref|ref_\w*|referrer|source|src|from|pos|position|rank|variant|icid|intcid",
    re.IGNORECASE,
)
"""Query parameters that only mark the position of a link or select a variant of the same product."""


def pdp_candidates(
    links: Sequence[ShopLink], url: str, most: int = MAX_CANDIDATES, *, click_targets: Iterable[str] = ()
) -> list[str]:
    """Return the addresses to try as product pages: first links of product cards, then `click_targets` (addresses named
    by cards without links), then links with a product's path.

    Each group is in the order of the page, without duplicates, other sites, carts, accounts, checkouts and logins.
    """
    allowed = list(_allowed(links, url))
    clicked = [ShopLink(target, "", LinkRegion.CONTENT, is_card=True) for target in click_targets]
    cards = (link.url for link in (*allowed, *_allowed(clicked, url)) if link.is_card)
    paths = (link.url for link in allowed if _PRODUCT_PATHS.search(parse_url(link.url).path))
    return _first((*cards, *paths), most)


def category_pages(links: Sequence[ShopLink], url: str, most: int = MAX_CATEGORIES) -> list[str]:
    """Return the pages to search for products when no candidate is valid: category paths first, then the main menu."""
    allowed = [link for link in _allowed(links, url) if not _PRODUCT_PATHS.search(parse_url(link.url).path)]
    paths = (link.url for link in allowed if _CATEGORY_PATHS.search(parse_url(link.url).path))
    menu = (link.url for link in allowed if link.region is LinkRegion.NAVIGATION and link.text)
    return _first((*paths, *menu), most)


def _allowed(links: Iterable[ShopLink], url: str) -> Iterator[ShopLink]:
    """Yield the links that lead to other pages of the same site which may show products."""
    here = _key(url)
    for link in links:
        parts = parse_url(link.url)
        is_other_page = _key(link.url) != here and parts.path.strip("/")
        # Only folders are checked: a product itself may be called `bag` or `help`.
        place = _PRODUCT_PATHS.sub("/", parts.path) + parts.query
        is_excluded = _EXCLUDED.search(place) or _FILES.search(parts.path)
        if is_other_page and not is_excluded and is_same_site(link.url, url):
            yield link


def _first(addresses: Iterable[str], most: int) -> list[str]:
    """Return the first addresses without duplicates; fragments are ignored."""
    found: dict[str, str] = {}
    for address in addresses:
        found.setdefault(_key(address), parse_url(address).href)
        if len(found) == most:
            break
    return list(found.values())


def _key(url: str) -> str:
    """Return the key of a page: the same for all links to it."""
    parts = parse_url(url)
    pairs = parse_qsl(parts.query[1:], keep_blank_values=True, errors="surrogateescape")
    kept = sorted(pair for pair in pairs if not _NOT_OF_PAGE.fullmatch(pair[0]))
    return f"{parts.hostname.removeprefix('www.')}:{parts.port}{parts.path.rstrip('/')}{kept or ''}"
