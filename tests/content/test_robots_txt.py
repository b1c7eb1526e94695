"""robots.txt by RFC 9309, section by section."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.robots_txt import MAX_BYTES, RobotsTxt, product_token
from webstrata.model.urls import parse_url

US = "Webstrata/1.0 (+https://example.org/bot; crawler)"


def allows(robots: str | bytes, path: str, user_agent: str = US) -> bool:
    content = robots.encode() if isinstance(robots, str) else robots
    return RobotsTxt.parse(content, user_agent).allows(parse_url(f"https://site.example{path}").href)


def said(*rules: str) -> str:
    return "\n".join(("User-agent: *", *rules))


@pytest.mark.parametrize("mark", [b"\xef", b"\xef\xbb", b"\xbb\xbf", b"\xbf", b"\xef\xbb\xbf\xef\xbb\xbf"])
def test_what_is_left_of_a_byte_order_mark_loses_no_group(mark: bytes) -> None:
    robots = said("Disallow: /private").encode()
    assert not allows(mark + robots, "/private")
    assert not allows(b"User-agent: other\nDisallow: /\n" + mark + robots, "/private")


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        (US, "webstrata"),
        ("webstrata", "webstrata"),
        ("My-Bot_2.0/1.0 libwww", "my-bot_2.0"),
        ("Mozilla/5.0 (compatible; FooBot/2.1; +https://foo.example)", "foobot"),
        ("(nameless)", ""),
    ],
)
def test_a_crawler_is_called_by_its_product_token(user_agent: str, token: str) -> None:
    assert product_token(user_agent) == token


@pytest.mark.parametrize(
    ("robots", "may"),
    [
        ("User-agent: webstrata\nDisallow: /", False),
        ("USER-AGENT: WebStrata\nDISALLOW: /", False),
        ("user-agent : webstrata \n disallow\t:\t/ ", False),
        ("User-agent: webstrata/0.1\nDisallow: /", False),
        ("User-agent: webstrata # that is you\nDisallow: / # all", False),
        ("User-agent: web\nDisallow: /", True),
        ("User-agent: strata\nDisallow: /", True),
        ("User-agent: webstrata-images\nDisallow: /", True),
        ("User-agent: bot\nDisallow: /", True),
        ("User-agent: example.org\nDisallow: /", True),
        ("User-agent: crawler\nDisallow: /", True),
        ("User-agent:\nDisallow: /", True),
        ("User-agent: *\nDisallow: /", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: webstrata\nAllow: /", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: webstrata", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: webstrata\nDisallow:", True),
        ("User-agent: web\nAllow: /\n\nUser-agent: *\nDisallow: /", False),
        ("Disallow: /", True),
        ("Disallow: /\nUser-agent: *", True),
    ],
)
def test_the_group_that_names_us_is_ours_and_else_that_for_everyone(robots: str, may: bool) -> None:
    assert allows(robots, "/") is may


def test_a_nameless_crawler_obeys_the_rules_for_everyone() -> None:
    assert not allows("User-agent:\nAllow: /\nUser-agent: *\nDisallow: /", "/", "(nameless)")


def test_groups_that_name_the_same_crawler_are_one() -> None:
    robots = "User-agent: webstrata\nDisallow: /a\n\nUser-agent: b\nDisallow: /b\n\nUser-agent: Webstrata\nDisallow: /c"
    assert [allows(robots, path) for path in ("/a", "/b", "/c")] == [False, True, False]
    everyone = "User-agent: *\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: *\nDisallow: /c"
    assert [allows(everyone, path) for path in ("/a", "/b", "/c")] == [False, True, False]


@pytest.mark.parametrize(
    "between", ["", "\n\n", "# a word", "Sitemap: https://site.example/map", "Noindex: /", "Clean-param: a", "nonsense"]
)
def test_consecutive_user_agents_share_their_rules_whatever_is_between_them(between: str) -> None:
    robots = f"User-agent: webstrata\n{between}\nUser-agent: other\n{between}\nDisallow: /"
    assert not allows(robots, "/")


def test_a_name_after_a_rule_begins_another_group() -> None:
    assert allows("User-agent: webstrata\nDisallow: /a\nUser-agent: other\nDisallow: /b", "/b")
    assert allows("User-agent: webstrata\nDisallow:\nUser-agent: other\nDisallow: /b", "/b")
    assert allows("User-agent: webstrata\nCrawl-delay: 9\nUser-agent: other\nDisallow: /b", "/b")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\r\n"])
def test_lines_end_in_each_of_the_standards_ways(end: str) -> None:
    robots = end.join(("User-agent: *", "Disallow: /a", "", "Disallow: /b"))
    assert [allows(robots, path) for path in ("/a", "/b", "/c")] == [False, False, True]


@pytest.mark.parametrize("other", ["\u2028", "\x85", "\x0b", "\x0c", "\x1e"])
def test_nothing_else_ends_a_line(other: str) -> None:
    assert allows(said(f"Disallow: /a{other}b"), "/a")
    assert allows(said(f"Disallow: /a{other}Disallow: /b"), "/b")


@pytest.mark.parametrize(
    "robots",
    [
        b"\xef\xbb\xbfUser-agent: *\nDisallow: /x",
        b"User-agent: *\n\xff\xfe\x00 rubbish\nDisallow: /x",
        b"User-agent: *\n# na\xefve\nDisallow: /x",
        b"User-agent: *\nDisallow /x",
        b"Useragent: *\nDissallow: /x",
    ],
    ids=["byte order mark", "rubbish", "another charset", "no colon", "misspelt"],
)
def test_a_file_that_is_not_quite_right_is_still_read(robots: bytes) -> None:
    assert not allows(robots, "/x")
    assert allows(robots, "/y")


@pytest.mark.parametrize(
    ("rules", "path", "may"),
    [
        (("Disallow: /fish",), "/fish", False),
        (("Disallow: /fish",), "/fish.html", False),
        (("Disallow: /fish",), "/fish/salmon?x=1", False),
        (("Disallow: /fish",), "/Fish", True),
        (("Disallow: /fish",), "/catfish", True),
        (("Disallow: /fish/",), "/fish", True),
        (("Disallow: /*.php",), "/folder/index.php?p=1", False),
        (("Disallow: /*.php",), "/index.PHP", True),
        (("Disallow: /*.php$",), "/index.php", False),
        (("Disallow: /*.php$",), "/index.php?p=1", True),
        (("Disallow: /*.php$",), "/index.php/", True),
        (("Disallow: /fish*.php",), "/fishheads/catfish.php", False),
        (("Disallow: /a*b*c$",), "/a-b-b-c", False),
        (("Disallow: /a*b*c$",), "/a-c-b", True),
        (("Disallow: *secret",), "/a/secret", False),
        (("Disallow: /a$b",), "/a$b", False),
        (("Disallow: /a$",), "/a$b", True),
        (("Disallow: /", "Allow: /$"), "/", True),
        (("Disallow: /", "Allow: /$"), "/a", False),
        (("Disallow: /", "Allow: /index.html"), "/", False),
        (("Allow: /p", "Disallow: /"), "/page", True),
        (("Disallow: /folder", "Allow: /folder"), "/folder/page", True),
        (("Allow: /folder", "Disallow: /folder"), "/folder/page", True),
        (("Allow: /page", "Disallow: /*.htm"), "/page.htm", False),
        (("Allow: /page", "Disallow: /*.ph"), "/page.php5", True),
        (("Disallow: /example/", "Allow: /example/page/"), "/example/page/1", True),
        (("Disallow: /example/", "Allow: /example/page/"), "/example/other", False),
        (("Disallow: fish",), "/fish", True),
        (("Disallow: /robots.txt", "Disallow: /"), "/robots.txt", True),
        (("Disallow: /robots.txt",), "/robots.txt.bak", False),
    ],
)
def test_the_longest_rule_that_fits_decides(rules: tuple[str, ...], path: str, may: bool) -> None:
    assert allows(said(*rules), path) is may
    assert allows(said(*reversed(rules)), path) is may


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/foo/bar/\u30c4", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%e3%83%84", "/foo/bar/\u30c4"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/foo/bar/baz", "/foo/bar/%62%61%7a"),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"),
        ("/path/foo-%24", "/path/foo-$"),
        ("/a b", "/a%20b"),
        ("/*/print", "/page?to=%2Fprint"),
    ],
)
def test_one_address_is_the_same_however_it_is_escaped(rule: str, path: str) -> None:
    assert not allows(said(f"Disallow: {rule}"), path)


@pytest.mark.parametrize(
    ("rule", "path"),
    [("/a%2Fb", "/a/b"), ("/a/b", "/a%2Fb"), ("/a?b", "/a%3Fb"), ("/a%252Fb", "/a%2Fb"), ("/a%2A", "/abc")],
)
def test_what_is_escaped_for_its_meaning_is_not_the_same(rule: str, path: str) -> None:
    assert allows(said(f"Disallow: {rule}"), path)


def test_a_path_in_another_charset_is_compared_octet_by_octet() -> None:
    assert not allows(b"User-agent: *\nDisallow: /caf\xe9", "/caf%E9/x")
    assert allows(b"User-agent: *\nDisallow: /caf\xe9", "/caf%C3%A9/x")


def test_bytes_after_the_limit_are_not_read_and_neither_is_half_a_line() -> None:
    start = said("Disallow: /a", "Disallow: /private")
    filled = start[: -len("private")]
    robots = start.replace("Disallow: /a", "Disallow: /a\n#" + "x" * (MAX_BYTES - len(filled) - 2))
    assert len(robots) == MAX_BYTES + len("private")
    assert [allows(robots, path) for path in ("/a", "/b", "/private")] == [False, True, True]


def test_the_last_line_of_a_file_that_was_cut_is_not_read() -> None:
    cut = RobotsTxt.parse(said("Disallow: /a", "Disallow: /").encode(), US, is_cut=True)
    assert cut.allows("https://site.example/b")
    assert not cut.allows("https://site.example/a")


@pytest.mark.parametrize(
    ("lines", "delay"),
    [
        (("Crawl-delay: 10",), 10),
        (("crawl-delay:2.5",), 2.5),
        (("Crawl-delay: 10 seconds",), 10),
        (("Crawl-delay: 1", "Disallow: /", "Crawl-delay: 3"), 3),
        (("Crawl-delay: 1e300",), 1e300),
        *(((f"Crawl-delay: {odd}",), 0) for odd in ("-5", "nan", "inf", "-inf", "1e999", "soon", "", "0", "0x10")),
    ],
)
def test_a_delay_is_a_number_or_nothing(lines: tuple[str, ...], delay: float) -> None:
    assert RobotsTxt.parse(said(*lines).encode(), US).crawl_delay == delay


def test_only_the_crawl_delay_for_our_user_agent_counts() -> None:
    robots = (
        b"User-agent: other\nCrawl-delay: 9\n\nUser-agent: webstrata\nCrawl-delay: 4\n\nUser-agent: *\nCrawl-delay: 7"
    )
    assert RobotsTxt.parse(robots, US).crawl_delay == 4
    assert RobotsTxt.parse(robots, "third/1").crawl_delay == 7
    assert RobotsTxt.parse(robots, "other").crawl_delay == 9


def test_sitemaps_are_for_everyone_wherever_they_stand() -> None:
    robots = b"Sitemap: https://a.example/1\nUser-agent: x\nsitemap:/2\nDisallow: /\nSITEMAP: /caf\xe9\nSitemap:"
    assert RobotsTxt.parse(robots, US).sitemaps == ("https://a.example/1", "/2", "/caf\ufffd")


def test_thousands_of_rules_are_no_burden() -> None:
    robots = said(*(f"Disallow: /{number}/" for number in range(20_000)), "Allow: /777/open")
    rules = RobotsTxt.parse(robots.encode(), US)
    assert [rules.allows(f"https://site.example/{path}") for path in ("777/a", "777/open", "20000/")] == [0, 1, 1]


@given(st.binary(max_size=300), st.text(alphabet="/ab?%*$2F", max_size=12))
def test_any_file_states_something_about_any_url(content: bytes, path: str) -> None:
    rules = RobotsTxt.parse(b"User-agent: *\nDisallow: /" + content, US)
    assert rules.allows(parse_url(f"https://site.example/{path}").href) in (True, False)
    assert 0 <= rules.crawl_delay < float("inf")


@given(st.lists(st.text(alphabet="/ab*$", min_size=1, max_size=6), max_size=8), st.text(alphabet="/ab", max_size=8))
def test_the_verdict_is_that_of_trying_every_rule(paths: list[str], path: str) -> None:
    lines = [f"{'Allow' if number % 2 else 'Disallow'}: /{each}" for number, each in enumerate(paths)]
    rules = RobotsTxt.parse(said(*lines).encode(), US)
    fitting = [(rule.length, rule.allows) for rule in rules.rules if rule.pattern.fits(f"/{path}")]
    assert rules.allows(f"https://site.example/{path}") is max(fitting, default=(0, True))[1]
