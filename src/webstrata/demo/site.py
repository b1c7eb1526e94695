"""The demo site as it is served: every path with its response, the same bytes on every build."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from functools import cache
from hashlib import sha256
from pathlib import PurePosixPath
from types import MappingProxyType

from jinja2 import Environment, PackageLoader, StrictUndefined

from webstrata.demo.editions import LANGUAGES, PRODUCT_FOLDERS, Article, Product, SiteEdition, read_edition, read_frames
from webstrata.demo.pdf import text_pdf
from webstrata.demo.png import bar_chart
from webstrata.errors import UsageError

DEMO_PORT = 8089
DEMO_HOST = "127.0.0.1"
DEMO_ORIGIN = f"http://{DEMO_HOST}:{DEMO_PORT}"

EDITIONS = (1, 2)
CURRENCY = "CAD"
CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
HTML = "text/html; charset=utf-8"
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
FRENCH_TIGHT_SPACE = re.compile(r"(?<=«) | (?=[:;?!»%$])|(?<=\d) (?=\d{3}\b)")


@dataclass(frozen=True)
class DemoResponse:
    """What the server sends for one path."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True)
class _Document:
    content_type: str
    body: bytes
    lang: str | None = None
    listed: bool = False


def build_site(edition: int) -> Mapping[str, DemoResponse]:
    """Return the response of every path of the edition; what did not change is equal in both."""
    if edition not in EDITIONS:
        raise UsageError(f"the demo site has editions 1 and 2, not {edition}")
    contents = [read_edition(number) for number in range(1, edition + 1)]
    documents, changed = _newest(contents)
    documents["/sitemap.xml"] = _sitemap(documents, changed)
    changed["/sitemap.xml"] = contents[-1].published
    site = {path: _ok_response(document, changed[path]) for path, document in documents.items()}
    site |= {old: _redirect(new) for old, new in contents[-1].redirects.items()}
    return MappingProxyType(site)


def not_found() -> DemoResponse:
    """Return the page for an address that does not exist."""
    return DemoResponse(404, (("Content-Type", HTML),), _render("not_found.html").encode())


def _newest(contents: Sequence[SiteEdition]) -> tuple[dict[str, _Document], dict[str, datetime]]:
    """Return the last edition's documents, and when each of them last changed."""
    documents: dict[str, _Document] = {}
    changed: dict[str, datetime] = {}
    for content in contents:
        latest = dict(_documents(content))
        kept = {path for path, document in latest.items() if documents.get(path) == document}
        changed = {path: changed[path] if path in kept else content.published for path in latest}
        documents = latest
    return documents, changed


def _documents(edition: SiteEdition) -> Iterator[tuple[str, _Document]]:
    for page in edition.pages:
        yield page.path, _html(page, products=edition.products)
    for product in edition.products:
        for lang in LANGUAGES:
            page = _product_page(product, lang)
            yield page.path, _html(page, product=product, json_ld=_product_json_ld(product, lang))
    for path, text in edition.pdf_texts.items():
        yield path, _Document("application/pdf", text_pdf(text.splitlines()))
    for path, values in edition.chart_values.items():
        yield path, _Document("image/png", bar_chart(values))
    for path, data in edition.files.items():
        yield path, _Document(CONTENT_TYPES[PurePosixPath(path).suffix], data)


def _html(page: Article, **context: object) -> _Document:
    text = _render(
        page.template,
        page=page,
        frame=read_frames()["shop" if page.path.startswith("/shop/") else "agency", page.lang],
        **context,
    )
    if page.lang == "fr":
        text = FRENCH_TIGHT_SPACE.sub(NO_BREAK_SPACE, text)
    # The frame's curly quotes do not exist in ISO-8859-1: as references they survive any charset.
    body = text.encode(page.charset, errors="xmlcharrefreplace")
    return _Document(f"text/html; charset={page.charset}", body, page.lang, page.listed)


def _product_page(product: Product, lang: str) -> Article:
    text = product.texts[lang]
    other = next(candidate for candidate in LANGUAGES if candidate != lang)
    return Article(
        path=product.path(lang),
        lang=lang,
        title=text.name,
        description=text.summary,
        body=text.details,
        alternate=product.path(other),
        template="product.html",
    )


def _product_json_ld(product: Product, lang: str) -> dict[str, object]:
    text = product.texts[lang]
    return {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": text.name,
        "description": text.summary,
        "image": DEMO_ORIGIN + product.image,
        "sku": product.sku,
        "gtin13": product.gtin,
        "brand": {"@type": "Brand", "name": product.brand},
        "offers": {
            "@type": "Offer",
            "url": DEMO_ORIGIN + product.path(lang),
            "price": product.price,
            "priceCurrency": CURRENCY,
            "availability": f"https://schema.org/{product.availability}",
            "itemCondition": "https://schema.org/NewCondition",
        },
    }


def _sitemap(documents: Mapping[str, _Document], changed: Mapping[str, datetime]) -> _Document:
    listed = [(path, changed[path].date()) for path, document in sorted(documents.items()) if document.listed]
    return _Document("application/xml; charset=utf-8", _render("sitemap.xml", listed=listed).encode())


def _ok_response(document: _Document, changed: datetime) -> DemoResponse:
    headers = [
        ("Content-Type", document.content_type),
        ("ETag", f'"{sha256(document.body).hexdigest()[:32]}"'),
        ("Last-Modified", format_datetime(changed, usegmt=True)),
    ]
    if document.lang:
        headers.append(("Content-Language", document.lang))
    return DemoResponse(200, tuple(headers), document.body)


def _redirect(target: str) -> DemoResponse:
    body = _render("moved.html", target=target).encode()
    return DemoResponse(301, (("Location", target), ("Content-Type", HTML)), body)


def _price(amount: str, lang: str) -> str:
    return f"{amount.replace('.', ',')} $" if lang == "fr" else f"${amount}"


def _render(template: str, **context: object) -> str:
    return _templates().get_template(template).render(**context)


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["price"] = _price
    environment.globals |= {"origin": DEMO_ORIGIN, "product_folders": PRODUCT_FOLDERS}
    return environment
