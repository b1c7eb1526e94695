"""The demo site's pages: complete, linked, the same on every build, and different where they should be."""

import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree

import pytest

from webstrata.demo.site import DEMO_ORIGIN, DemoResponse, build_site
from webstrata.errors import UsageError

Site = Mapping[str, DemoResponse]

DEAD_LINKS = {1: {"/en/archive/2009-pandemic-plan"}, 2: {"/en/archive/2009-pandemic-plan", "/en/news/flu-clinics"}}
UNLINKED = {"/robots.txt", "/sitemap.xml"}
PRIVATE = "/private/staff-rota"
REMOVED = {"/en/news/flu-clinics"}
ADDED = {"/en/news/thermometer-recall"}
EDITED = {
    "/documents/fever-dose-card.pdf",
    "/en/",
    "/en/contact",
    "/en/data/respiratory-report",
    "/en/guidance/fever-in-children",
    "/en/news/",
    "/en/news/measles-cluster",
    "/en/topics/extreme-heat",
    "/fr/",
    "/fr/conseils/fievre-chez-l-enfant",
    "/fr/nous-joindre",
    "/fr/nouvelles/",
    "/fr/nouvelles/foyer-de-rougeole",
    "/fr/sujets/chaleur-extreme",
    "/images/respiratory-cases.png",
    "/shop/en/products/",
    "/shop/en/products/digital-thermometer",
    "/shop/en/products/n95-respirators",
    "/shop/en/products/pulse-oximeter",
    "/shop/fr/produits/",
    "/shop/fr/produits/masques-n95",
    "/shop/fr/produits/oxymetre-de-pouls",
    "/shop/fr/produits/thermometre-numerique",
    "/sitemap.xml",
}
VOID_TAGS = {"meta", "link", "img", "br", "hr"}


class ParsedPage(HTMLParser):
    """The facts of one page that the tests ask about."""

    def __init__(self, path: str, response: DemoResponse) -> None:
        super().__init__()
        self.path = path
        self.links: set[str] = set()
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open_tags: list[str] = []
        self.json_ld: list[str] = []
        self.text = response.body.decode(charset_of(response))
        self.feed(self.text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        self.links |= {urljoin(self.path, value) for name, value in attrs if name in ("href", "src") and value}
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in VOID_TAGS:
            self.open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open_tags.pop() == tag, f"{self.path}: </{tag}> closes another tag"

    def handle_data(self, data: str) -> None:
        if self.open_tags[-1:] == ["script"]:
            self.json_ld.append(data)

    def attribute(self, tag: str, wanted: str, **having: str) -> str | None:
        """Return an attribute of the first such tag that has the given other attributes."""
        matches = (found for name, found in self.tags if name == tag and having.items() <= found.items())
        return next(matches, {}).get(wanted)

    def alternates(self) -> dict[str, str]:
        """Return the address of each language, as the head of the page declares it."""
        return {
            str(found["hreflang"]): str(found["href"])
            for tag, found in self.tags
            if tag == "link" and found.get("rel") == "alternate"
        }


def charset_of(response: DemoResponse) -> str:
    return dict(response.headers)["Content-Type"].partition("charset=")[2]


def pages_of(site: Site) -> dict[str, ParsedPage]:
    return {
        path: ParsedPage(path, response)
        for path, response in site.items()
        if response.status == 200 and dict(response.headers)["Content-Type"].startswith("text/html")
    }


def internal(links: set[str]) -> set[str]:
    return {urlsplit(link).path for link in links if not urlsplit(link).netloc or link.startswith(DEMO_ORIGIN)}


@pytest.fixture(params=[1, 2])
def edition(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def site(edition: int) -> Site:
    return build_site(edition)


@pytest.fixture
def pages(site: Site) -> dict[str, ParsedPage]:
    return pages_of(site)


@pytest.mark.parametrize("number", [0, 3, -1])
def test_an_edition_that_does_not_exist_is_refused_by_its_number(number: int) -> None:
    with pytest.raises(UsageError, match=str(number)):
        build_site(number)


def test_each_edition_has_45_pages_in_two_languages(pages: dict[str, ParsedPage]) -> None:
    languages = [page.attribute("html", "lang") for page in pages.values()]
    assert (len(pages), languages.count("en"), languages.count("fr")) == (45, 24, 21)


def test_building_an_edition_twice_gives_the_same_bytes(edition: int) -> None:
    assert build_site(edition) == build_site(edition)


def test_the_editions_differ_only_where_they_should() -> None:
    first, second = build_site(1), build_site(2)
    assert first.keys() - second.keys() == REMOVED
    assert second.keys() - first.keys() == ADDED
    assert {path for path in first.keys() & second.keys() if first[path] != second[path]} == EDITED
    assert all(first[path].body != second[path].body for path in EDITED)


def test_last_modified_is_the_date_of_the_edition_that_changed_the_page() -> None:
    dates = {path: dict(response.headers).get("Last-Modified") for path, response in build_site(2).items()}
    changed = {path for path, date in dates.items() if date == "Mon, 10 Mar 2025 09:00:00 GMT"}
    assert changed == EDITED | ADDED
    assert {dates[path] for path in dates.keys() - changed} == {"Mon, 03 Feb 2025 09:00:00 GMT", None}


def test_every_internal_link_leads_somewhere_but_for_the_deliberate_dead_ones(
    edition: int, site: Site, pages: dict[str, ParsedPage]
) -> None:
    linked = set().union(*(internal(page.links) for page in pages.values()))
    assert linked - site.keys() == DEAD_LINKS[edition]


def test_every_fragment_names_an_element_of_its_page(pages: dict[str, ParsedPage]) -> None:
    for page in pages.values():
        fragments = {urlsplit(link).fragment for link in page.links if urlsplit(link).path in ("", page.path)}
        assert fragments - {""} <= set(page.ids)


def test_everything_is_reachable_from_the_home_page(site: Site, pages: dict[str, ParsedPage]) -> None:
    seen, waiting = set[str](), {"/"}
    while waiting:
        seen |= waiting
        found = set().union(*(internal(pages[path].links) for path in waiting if path in pages))
        waiting = (found & site.keys()) - seen
    assert site.keys() - seen == UNLINKED


def test_every_tag_is_closed_and_no_id_is_used_twice(pages: dict[str, ParsedPage]) -> None:
    for page in pages.values():
        assert page.open_tags == []
        assert len(page.ids) == len(set(page.ids))


def test_every_page_has_its_own_title_a_description_and_a_canonical_address(pages: dict[str, ParsedPage]) -> None:
    titles = [re.findall("<title>(.+)</title>", page.text) for page in pages.values()]
    assert len({title for [title] in titles}) == len(pages)
    for page in pages.values():
        assert page.attribute("meta", "content", name="description")
        assert page.attribute("link", "href", rel="canonical") == DEMO_ORIGIN + page.path


def test_translations_point_at_each_other(pages: dict[str, ParsedPage]) -> None:
    declared = {path: page.alternates() for path, page in pages.items() if page.alternates()}
    assert len(declared) >= 40
    for path, alternates in declared.items():
        assert alternates[str(pages[path].attribute("html", "lang"))] == DEMO_ORIGIN + path
        for address in alternates.values():
            assert declared[address.removeprefix(DEMO_ORIGIN)] == alternates


def test_articles_have_something_to_read(pages: dict[str, ParsedPage]) -> None:
    articles = [path for path in pages if re.fullmatch("/(en|fr)/[a-z]+/.+", path)]
    assert len(articles) == 19
    for path in articles:
        assert len(re.sub("<[^>]+>", " ", pages[path].text).split()) > 250


def test_eight_products_are_described_in_both_languages_as_json_ld(pages: dict[str, ParsedPage]) -> None:
    products = [json.loads("".join(page.json_ld)) for page in pages.values() if page.json_ld]
    assert len(products) == 16
    assert len({product["sku"] for product in products}) == 8
    for product in products:
        assert product["@type"] == "Product"
        assert product["brand"]["name"]
        assert product["offers"]["@type"] == "Offer"
        assert product["offers"]["priceCurrency"] == "CAD"
        assert product["offers"]["availability"].startswith("https://schema.org/")
        assert float(product["offers"]["price"]) > 0
        assert gtin_is_valid(product["gtin13"])


def gtin_is_valid(gtin: str) -> bool:
    weighted = (int(digit) * (3 if position % 2 else 1) for position, digit in enumerate(gtin))
    return len(gtin) == 13 and sum(weighted) % 10 == 0


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("/shop/en/products/pulse-oximeter", ("39.95", "InStock"), ("44.95", "InStock")),
        ("/shop/fr/produits/oxymetre-de-pouls", ("39.95", "InStock"), ("44.95", "InStock")),
        ("/shop/en/products/n95-respirators", ("27.50", "InStock"), ("27.50", "OutOfStock")),
        ("/shop/fr/produits/thermometre-numerique", ("24.90", "InStock"), ("24.90", "Discontinued")),
    ],
)
def test_prices_and_stock_change_between_the_editions(
    path: str, before: tuple[str, str], after: tuple[str, str]
) -> None:
    offers = [json.loads("".join(ParsedPage(path, build_site(number)[path]).json_ld))["offers"] for number in (1, 2)]
    assert [(offer["price"], offer["availability"].rpartition("/")[2]) for offer in offers] == [before, after]


def test_a_price_is_shown_in_the_manner_of_its_language() -> None:
    site = build_site(1)
    assert "$39.95" in site["/shop/en/products/pulse-oximeter"].body.decode()
    assert "39,95\N{NO-BREAK SPACE}$" in site["/shop/fr/produits/oxymetre-de-pouls"].body.decode()


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("/en/guidance/fever-in-children", "<strong>75 mg/kg</strong>", "<strong>60 mg/kg</strong>"),
        ("/fr/conseils/fievre-chez-l-enfant", "<strong>75 mg/kg</strong>", "<strong>60 mg/kg</strong>"),
        ("/en/news/measles-cluster", "Saturday 8 February 2025", "Saturday 15 March 2025"),
        ("/fr/nouvelles/foyer-de-rougeole", "samedi 8 février 2025", "samedi 15 mars 2025"),
        ("/en/contact", "(782) 555-0142", "(782) 555-0187"),
        ("/fr/nous-joindre", "555-0142", "555-0187"),
        ("/en/topics/extreme-heat", "<h2>Free cooling centres</h2>", None),
        ("/fr/sujets/chaleur-extreme", "<h2>Haltes fraîcheur gratuites</h2>", None),
        ("/shop/en/products/digital-thermometer", None, '<div class="banner notification" role="alert">'),
        ("/shop/fr/produits/thermometre-numerique", None, '<div class="banner notification" role="alert">'),
        ("/en/", None, '<div class="banner notification" role="alert">'),
        ("/fr/", None, '<div class="banner notification" role="alert">'),
    ],
)
def test_the_second_edition_states_something_else_that_matters(
    path: str, before: str | None, after: str | None
) -> None:
    first, second = (build_site(number)[path].body.decode() for number in (1, 2))
    for wording, has_it, has_it_not in ((before, first, second), (after, second, first)):
        assert wording is None or (wording in has_it and wording not in has_it_not)


def test_the_sitemap_lists_every_page_but_the_private_one(site: Site, pages: dict[str, ParsedPage]) -> None:
    root = ElementTree.fromstring(site["/sitemap.xml"].body)
    listed = [element.text or "" for element in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert len(listed) == len(set(listed))
    assert {address.removeprefix(DEMO_ORIGIN) for address in listed} == pages.keys() - {PRIVATE}


def test_robots_txt_names_the_sitemap_and_closes_a_page_that_exists_and_is_linked(
    site: Site, pages: dict[str, ParsedPage]
) -> None:
    robots = site["/robots.txt"].body.decode().splitlines()
    assert f"Sitemap: {DEMO_ORIGIN}/sitemap.xml" in robots
    assert "Disallow: /private/" in robots
    assert site[PRIVATE].status == 200
    assert PRIVATE in pages["/en/contact"].links


def test_a_linked_old_address_redirects_for_good(site: Site, pages: dict[str, ParsedPage]) -> None:
    moved = site["/en/measles"]
    assert (moved.status, dict(moved.headers)["Location"]) == (301, "/en/topics/measles")
    assert "/en/measles" in pages["/en/news/measles-cluster"].links


def test_the_archive_page_is_latin_1_and_reports_it(site: Site) -> None:
    response = site["/fr/archives/grippe-de-1957"]
    assert dict(response.headers)["Content-Type"] == "text/html; charset=iso-8859-1"
    text = response.body.decode("iso-8859-1")
    assert '<meta charset="iso-8859-1">' in text
    assert "Thérèse Bélanger" in text
    with pytest.raises(UnicodeDecodeError):
        response.body.decode("utf-8")


def test_no_french_line_breaks_before_punctuation_or_inside_a_number(pages: dict[str, ParsedPage]) -> None:
    for page in pages.values():
        if page.attribute("html", "lang") == "fr":
            assert not re.search(r" [:;?!»%$]|« |\d \d{3}\b", page.text)
