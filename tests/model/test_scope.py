import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import UsageError
from webstrata.model.crawl.scope import MAX_RULES, ScopeRules, canonical_domain
from webstrata.model.urls import MAX_URL_LENGTH, parse_url

names = st.from_regex(r"[a-z]{1,8}(\.[a-z]{2,6}){1,3}", fullmatch=True)
ports = st.integers(1, 65_535)
paths = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="?#%"), max_size=30)


@pytest.mark.parametrize(
    ("domain", "url", "admitted"),
    [
        ("example.org", "https://example.org/", True),
        ("example.org", "http://example.org:8080/a?b", True),
        ("example.org", "https://www.example.org/", True),
        ("www.example.org", "https://example.org/", True),
        ("example.org", "https://example.org./", True),
        ("example.org.", "https://example.org/", True),
        ("Example.ORG", "https://example.org/", True),
        ("münchen.example", "https://xn--mnchen-3ya.example/", True),
        ("example.org", "https://news.example.org/", False),
        ("example.org", "https://badexample.org/", False),
        ("example.org", "https://example.org.evil.example/", False),
        ("news.example.org", "https://example.org/", False),
        ("example.org:8080", "http://example.org:8080/", True),
        ("example.org:8080", "http://www.example.org:8080/", True),
        ("example.org:8080", "http://example.org/", False),
        ("example.org:80", "http://example.org/", True),
        ("example.org:80", "https://example.org/", False),
        ("example.org:443", "https://example.org/", True),
        ("*.example.org", "https://example.org/", True),
        ("*.example.org", "https://a.b.example.org:8443/", True),
        (".example.org", "https://www.example.org/", True),
        ("*.example.org", "https://badexample.org/", False),
        ("*.example.org:8443", "https://a.example.org:8443/", True),
        ("*.example.org:8443", "https://a.example.org/", False),
        ("*.www.org", "https://other.org/", False),
        ("www.org", "https://org/", False),
        ("127.0.0.1", "http://127.0.0.1:5000/", True),
        ("127.0.0.1:5000", "http://127.0.0.1:5001/", False),
        ("[::1]", "http://[::1]:5000/", True),
        ("[0::0:1]:5000", "http://[::1]:5000/", True),
        ("[::1]:5000", "http://[::1]/", False),
    ],
)
def test_a_domain_takes_in_its_host_and_states_which_ports_and_what_below_it(
    domain: str, url: str, admitted: bool
) -> None:
    assert ScopeRules((domain,)).admits(url) is admitted


@pytest.mark.parametrize(
    "domain",
    [
        "",
        " ",
        "*",
        "*.",
        ".",
        "https://example.org",
        "example.org/news",
        "me@example.org",
        "example.org:",
        "example.org:0",
        "example.org:99999",
        "example.org:http",
        "exa mple.org",
        "*.*.example.org",
        "news.*",
        "::1",
        "256.1.1.1",
        "[example.org]",
        "0..",
        "example..org",
    ],
)
def test_what_is_no_domain_is_refused_by_name(domain: str) -> None:
    with pytest.raises(UsageError, match="is not a domain"):
        ScopeRules(("example.org", domain))


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("/", "/anything?at=all", True),
        ("/news", "/news", True),
        ("/news", "/newsletter/1", True),
        ("/news", "/old/news", False),
        ("/news/", "/news", False),
        ("/news$", "/news", True),
        ("/news$", "/news/", False),
        ("/news$", "/news?page=2", False),
        ("*.pdf$", "/a/b.pdf", True),
        ("*.pdf$", "/a.pdf/b", False),
        ("*.pdf", "/a.pdf?download=1", True),
        ("/*/private/", "/a/b/private/c", True),
        ("/*/private/", "/private/", False),
        ("/*?*sort=", "/list?page=2&sort=up", True),
        ("/*?*sort=", "/list/sort=up", False),
        ("/a*b*c$", "/abcbc", True),
        ("/aba*aba$", "/aba", False),
        ("/aba*ba$", "/ababa", True),
        ("*", "/", True),
        ("*$", "/x", True),
        ("/a.c", "/abc", False),
        ("/caf\u00e9", "/caf%c3%a9", True),
        ("/caf%C3%A9", "/caf%c3%a9/x", True),
        ("/%7Eme", "/~me", True),
        ("/a b", "/a%20b", True),
        ("/News", "/news", False),
        ("/1%2A", "/1*", True),
        ("/1%2A", "/12", False),
        ("/us%24$", "/us$", True),
    ],
)
def test_a_path_pattern_means_what_robots_txt_means_by_it(pattern: str, path: str, fits: bool) -> None:
    url = parse_url(f"https://example.org{path}").href
    assert ScopeRules(("example.org",), allow_paths=(pattern,)).admits(url) is fits
    assert ScopeRules(("example.org",), deny_paths=(pattern,)).admits(url) is not fits


@pytest.mark.parametrize("pattern", ["", "news/", "$", "?page", "https://example.org/", " /news", "/" * 2_049])
def test_what_is_no_path_pattern_is_refused(pattern: str) -> None:
    for kind in ("allow_paths", "deny_paths"):
        with pytest.raises(UsageError, match="path pattern"):
            ScopeRules.of(["https://example.org/"], **{kind: ["/", pattern]})


def test_deny_wins_over_allow() -> None:
    rules = ScopeRules(("example.org",), allow_paths=("/news/", "/about"), deny_paths=("/news/private/",))
    assert rules.admits("https://example.org/news/1")
    assert rules.why_not("https://example.org/news/private/1") == "its path is denied by /news/private/"
    assert rules.why_not("https://example.org/shop") == "its path is none of the allowed ones"
    assert rules.why_not("https://example.com/news/1") == "example.com is not one of the job's domains"
    assert rules.why_not("https://example.org/about") is None


def test_a_job_that_names_no_domain_stays_where_its_seeds_are() -> None:
    rules = ScopeRules.of(["https://www.example.org/start", "http://127.0.0.1:5000/"], deny_paths=["/private"])
    assert rules.admits("http://example.org/other")
    assert rules.admits("https://example.org/")
    assert rules.admits("http://127.0.0.1:5000/x")
    assert not rules.admits("http://example.org:8080/")
    assert not rules.admits("http://127.0.0.1/")
    assert not rules.admits("https://shop.example.org/")
    assert not rules.admits("https://example.org/private")


def test_domains_that_are_named_replace_those_of_the_seeds() -> None:
    rules = ScopeRules.of(["https://example.org/"], ["example.com"])
    assert rules.admits("https://example.com/")
    assert not rules.admits("https://example.org/")


def test_a_job_without_any_domain_is_refused() -> None:
    with pytest.raises(UsageError, match="needs a domain"):
        ScopeRules.of([])


def test_rules_are_bounded_in_number() -> None:
    with pytest.raises(UsageError, match="more than 1000"):
        ScopeRules(("example.org",), deny_paths=("/x",) * (MAX_RULES + 1))


def test_rules_that_say_the_same_are_the_same() -> None:
    assert ScopeRules.of(["https://example.org/a"]) == ScopeRules.of(["http://www.example.org/b"])
    assert hash(ScopeRules(("example.org",))) == hash(ScopeRules(("example.org",)))


def test_the_worst_pattern_on_the_longest_path_comes_to_an_end() -> None:
    worst = "/" + "*a" * (MAX_URL_LENGTH // 2 - 1) + "b"
    rules = ScopeRules(("example.org",), deny_paths=(worst,) * 10)
    assert rules.admits("https://example.org/" + "a" * (MAX_URL_LENGTH - 20))


@given(names, ports, paths)
def test_a_host_is_admitted_on_every_port_and_path_and_no_other_host_is(name: str, port: int, path: str) -> None:
    href = parse_url(f"http://{name}:{port}/{path}").href
    assert ScopeRules((name,)).admits(href)
    assert ScopeRules((f"{name}:{port}",)).admits(href)
    assert ScopeRules((f"*.{name}",)).admits(href.replace("://", "://sub.", 1))
    assert not ScopeRules((f"x{name}",)).admits(href)
    assert not ScopeRules((name,)).admits(href.replace("://", "://x", 1))
    assert not ScopeRules((f"{name}:{port % 65_535 + 1}",)).admits(href)


@given(paths, st.integers(0, 30))
def test_every_beginning_of_a_path_is_a_pattern_for_it(path: str, length: int) -> None:
    whole = parse_url(f"http://example.org/{path}").path
    beginning = whole[: length + 1]
    literal = beginning.replace("*", "%2A").replace("$", "%24")
    href = f"http://example.org{whole}"
    assert ScopeRules(("example.org",), deny_paths=(literal,)).admits(href) is False
    assert ScopeRules(("example.org",), deny_paths=(f"{literal}$",)).admits(href) is (beginning != whole)


def test_every_www_before_a_site_is_folded_away() -> None:
    assert canonical_domain("www.www.example.org") == canonical_domain("example.org") == "example.org"
    assert canonical_domain("www.www.org") == canonical_domain("www.org") == "www.org"


@given(st.text(max_size=60))
def test_any_text_is_a_domain_with_one_spelling_or_refused(text: str) -> None:
    try:
        spelling = canonical_domain(text)
    except UsageError:
        return
    assert canonical_domain(spelling) == spelling
