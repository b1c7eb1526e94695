"""Which source an address belongs to."""

import pytest

from webstrata.model.jobs.source_scope import SourceScope, address_keys, owning_source, source_beginning_at

SITE = SourceScope.of("site", ["https://example.org/"], {})
NEWS = SourceScope.of("news", ["https://example.org/news/"], {})
HC = SourceScope.of(
    "hc", ["https://www.canada.ca/en/health-canada.html"], {"allow_paths": ["/en/health-canada", "/fr/"]}
)
PHAC = SourceScope.of("phac", ["https://www.canada.ca/en/public-health.html"], {"allow_paths": ["/en/public-health"]})


def owner(url: str, *sources: SourceScope) -> str | None:
    found = owning_source([url], sources)
    return found.code if found else None


@pytest.mark.parametrize(
    "spelling",
    [
        "https://example.org",
        "http://example.org/",
        "https://www.example.org/",
        "http://www.example.org:80",
        "https://EXAMPLE.org:443/#top",
        "https://example.org./",
    ],
)
def test_every_spelling_of_a_sources_address_is_its_address(spelling: str) -> None:
    assert owner(spelling, SITE) == "site"
    assert SITE.begins_at([spelling])
    assert address_keys([spelling]) == address_keys(SITE.addresses)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/about", "site"),
        ("http://www.example.org/news/today?x=1", "site"),
        ("https://example.org:8443/", None),
        ("https://shop.example.org/", None),
        ("https://example.com/", None),
    ],
)
def test_an_address_belongs_to_the_source_whose_jobs_would_follow_it(url: str, expected: str | None) -> None:
    assert owner(url, SITE) == expected


def test_a_sources_own_rules_decide_what_it_follows() -> None:
    rules = {"allowed_domains": ["*.example.org"], "deny_paths": ["/private/"]}
    wide = SourceScope.of("wide", ["https://example.org/start/"], rules)
    assert owner("https://shop.example.org/x", wide) == "wide"
    assert owner("https://example.org/private/x", wide) is None
    assert owner("https://www.canada.ca/en/public-health.html", HC) is None
    assert owner("https://canada.ca/fr/sante", HC, PHAC) == "hc"
    slashed = SourceScope.of("slashed", ["https://example.org/news/"], {"allow_paths": ["/news/"]})
    assert owner("https://example.org/news", slashed) == "slashed", "where a source begins is in its scope"


@pytest.mark.parametrize("sources", [(SITE, NEWS), (NEWS, SITE)])
def test_of_several_sources_the_one_with_the_longest_path_prefix_owns_an_address(
    sources: tuple[SourceScope, ...],
) -> None:
    assert owner("https://example.org/news/2026/", *sources) == "news"
    assert owner("https://example.org/news", *sources) == "news"
    assert owner("https://example.org/newsletter", *sources) == "site"
    assert owner("https://example.org/", *sources) == "site"


def test_a_file_stands_for_the_folder_of_its_name_and_an_index_for_its_own() -> None:
    pages = [SourceScope.of(code, [f"https://example.org{path}"], {}) for code, path in PATHS.items()]
    assert owner("https://example.org/en/public-health/services.html", *pages) == "phac"
    assert owner("https://example.org/en/health-canada/x", *pages) == "hc"
    assert owner("https://example.org/shop/cart", *pages) == "shop"


PATHS = {"hc": "/en/health-canada.html", "phac": "/en/public-health.html", "shop": "/shop/index.php"}


def test_an_allowed_path_is_as_specific_as_an_address() -> None:
    by_rule = SourceScope.of("rule", ["https://example.org/"], {"allow_paths": ["/news/sport/", "*.pdf$"]})
    assert owner("https://example.org/news/sport/x", NEWS, by_rule) == "rule"
    assert owner("https://example.org/news/a.pdf", by_rule, NEWS) == "news"


def test_of_equals_the_first_owns_an_address_and_all_addresses_must_have_one_owner() -> None:
    assert owner("https://example.org/", SourceScope.of("twin", SITE.addresses, {}), SITE) == "twin"
    assert owning_source(["https://example.org/", "https://example.com/"], [SITE]) is None
    assert owning_source([], [SITE]) is None


def test_a_source_without_a_web_address_owns_none() -> None:
    for addresses in ([], ["mailto:a@b"], ["nonsense"]):
        nowhere = SourceScope.of("nowhere", addresses, {})
        assert owner("https://example.org/", nowhere) is None
        assert not nowhere.shares_domain(SITE)


def test_where_a_source_begins_is_recognised_by_all_the_addresses_that_are_given() -> None:
    both = SourceScope.of("both", ["https://example.org/en/", "https://example.org/fr/"], {})
    assert source_beginning_at(["http://example.org/fr"], [SITE, both]) == both
    assert source_beginning_at(["https://example.org/fr", "https://example.org/de"], [SITE, both]) is None
    assert source_beginning_at(["https://example.org/en/?page=2"], [both]) is None
    assert source_beginning_at([], [both]) is None


def test_sources_on_one_domain_share_it_whatever_their_paths() -> None:
    assert HC.shares_domain(PHAC)
    assert NEWS.shares_domain(SITE)
    assert not HC.shares_domain(SITE)
    wide = SourceScope.of("wide", ["https://example.net/"], {"allowed_domains": ["*.example.org", "example.net"]})
    assert wide.shares_domain(SITE)
    assert SITE.shares_domain(wide)
