"""The demo's content files, read as editions: pages, products and loose files.

An edition is a folder of `content/`. A later one contains only what it changes: a file with the same name replaces the
earlier one, a new name is added, and `removed` in its `edition.toml` lists deletions.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

SITES = ("agency", "shop")
LANGUAGES = ("en", "fr")
PRODUCT_FOLDERS = {"en": "/shop/en/products/", "fr": "/shop/fr/produits/"}


@dataclass(frozen=True)
class Article:
    """One article: its front matter, and its body as HTML."""

    path: str
    lang: str
    title: str
    description: str
    body: str = ""
    alternate: str | None = None
    updated: str | None = None
    template: str = "article.html"
    charset: str = "utf-8"
    listed: bool = True


@dataclass(frozen=True)
class Frame:
    """The words around every page of one site in one language."""

    name: str
    home: str
    menu: Mapping[str, str]
    menu_label: str
    skip: str
    other_language: str
    updated_label: str
    footer: str


@dataclass(frozen=True)
class ProductText:
    """The texts of a product in the shop in one language; `details` and `notice` are HTML."""

    slug: str
    name: str
    summary: str
    details: str
    specs: Mapping[str, str]
    notice: str = ""


@dataclass(frozen=True)
class Product:
    """One product of the shop, with a text for each language."""

    sku: str
    gtin: str
    brand: str
    price: str
    availability: str
    image: str
    texts: Mapping[str, ProductText]

    def path(self, lang: str) -> str:
        """Return where the shop shows the product in this language."""
        return PRODUCT_FOLDERS[lang] + self.texts[lang].slug


@dataclass(frozen=True)
class SiteEdition:
    """Everything the site is made from at one moment."""

    published: datetime
    pages: tuple[Article, ...]
    products: tuple[Product, ...]
    redirects: Mapping[str, str]
    pdf_texts: Mapping[str, str]
    chart_values: Mapping[str, tuple[int, ...]]
    files: Mapping[str, bytes]


def read_edition(number: int) -> SiteEdition:
    """Return the edition: the first one, overlaid by each later one up to this number."""
    tree: dict[str, bytes] = {}
    for step in range(1, number + 1):
        tree |= dict(_walk(_content() / f"edition{step}"))
        for name in _toml(tree["edition.toml"]).get("removed", []):
            del tree[name]
    return SiteEdition(
        published=_toml(tree["edition.toml"])["published"],
        pages=tuple(_page(name, data) for name, data in _under(tree, "pages/")),
        products=tuple(_product(data) for _, data in _under(tree, "products/")),
        redirects=_toml(tree["redirects.toml"]),
        pdf_texts={_address(name, ".txt", ".pdf"): data.decode() for name, data in _under(tree, "pdf/")},
        chart_values={
            _address(name, ".toml", ".png"): tuple(_toml(data)["values"]) for name, data in _under(tree, "charts/")
        },
        files={f"/{name}": data for name, data in _under(tree, "files/")},
    )


@cache
def read_frames() -> Mapping[tuple[str, str], Frame]:
    """Return the frames of the agency and the shop, by site and language."""
    sites = _toml((_content() / "frames.toml").read_bytes())
    return {(site, lang): Frame(**sites[site][lang]) for site in SITES for lang in LANGUAGES}


def _content() -> Traversable:
    return files(__package__) / "content"


def _walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry.read_bytes()


def _under(tree: Mapping[str, bytes], folder: str) -> list[tuple[str, bytes]]:
    """List the files of a folder, in one order on every machine."""
    return sorted((name.removeprefix(folder), data) for name, data in tree.items() if name.startswith(folder))


def _address(name: str, source_suffix: str, served_suffix: str) -> str:
    return f"/{name.removesuffix(source_suffix)}{served_suffix}"


def _page(name: str, data: bytes) -> Article:
    _, header, body = data.decode().split("+++\n", 2)
    return Article(path="/" + name.removesuffix(".html").removesuffix("index"), body=body, **tomllib.loads(header))


def _product(data: bytes) -> Product:
    fields = _toml(data)
    texts = {lang: ProductText(**fields.pop(lang)) for lang in LANGUAGES}
    return Product(texts=texts, **fields)


def _toml(data: bytes) -> dict[str, Any]:
    return tomllib.loads(data.decode())
