import ada_url
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webstrata.errors import UsageError
from webstrata.model.urls import (
    MAX_URL_LENGTH,
    BaseUrl,
    bounded,
    host_of,
    join,
    origin_of,
    parse_url,
    resolve,
    surt,
    url_group,
    url_key,
    with_scheme,
)

NOT_WEB_ADDRESSES = [
    "",
    " ",
    "example.org",
    "//example.org/",
    "http://",
    "http://exa mple.org/",
    "http://ex\0ample.org/",
    "http://\ud800/",
    "http://example.org:99999/",
    "http://256.1.1.1/",
    "javascript:alert(1)",
    "data:text/html,hello",
    "file:///etc/passwd",
    "ftp://example.org/",
    "blob:https://example.org/1",
    "mailto:me@example.org",
]

hosts = st.from_regex(r"(www\.)?[a-z0-9-]{1,8}(\.[a-z]{1,6}){0,2}\.?", fullmatch=True) | st.ip_addresses(v=4).map(str)
addresses = st.builds(
    "{}://{}{}/{}{}".format,
    st.sampled_from(["http", "https"]),
    hosts,
    st.sampled_from(["", ":80", ":443", ":8080"]),
    st.text(max_size=40),
    st.text(max_size=10).map(lambda query: f"?{query}"),
)


def parsed(text: str) -> str | None:
    try:
        return parse_url(text).href
    except UsageError:
        return None


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("https://example.org", "https://example.org/"),
        ("  HTTP://Example.ORG:80/a/../b?q=1#part\n", "http://example.org/b?q=1"),
        ("https://user:secret@example.org/", "https://example.org/"),
        ("https://münchen.example/ü?ä", "https://xn--mnchen-3ya.example/%C3%BC?%C3%A4"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[::0:1]/", "http://[::1]/"),
        ("http://example.org/%7Euser", "http://example.org/%7Euser"),
    ],
)
def test_a_web_address_has_one_spelling(text: str, href: str) -> None:
    assert parse_url(text).href == href


@pytest.mark.parametrize("text", NOT_WEB_ADDRESSES)
def test_what_is_no_web_address_is_refused_with_an_example_of_one(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not a web address .* https://example"):
        parse_url(text)


def test_a_refusal_does_not_repeat_a_huge_address() -> None:
    with pytest.raises(UsageError) as caught:
        parse_url("data:" + "x" * 1_000_000)
    assert len(str(caught.value)) < 400


@given(st.text() | st.text(alphabet=st.characters(categories=["Cs", "Cc", "L"])) | addresses)
def test_no_text_breaks_the_parser(text: str) -> None:
    href = parsed(text)
    assert href is None or parse_url(href).href == href


@given(addresses)
def test_a_parsed_address_is_plain_ascii_without_credentials_and_fragment(text: str) -> None:
    href = parsed(text)
    if href is not None:
        assert href.isascii()
        assert "#" not in href
        assert "@" not in parse_url(href).hostname


@pytest.mark.parametrize(
    "url",
    [
        "http://www.example.org/a/",
        "https://example.org/a",
        "https://www.example.org/a?utm_source=x",
        "https://example.org/a/?q=1#part",
        "http://example.org:80/a",
        "https://example.org:443/a",
        "HTTPS://me:pw@EXAMPLE.org/a",
    ],
)
def test_spellings_of_one_page_share_a_group(url: str) -> None:
    assert url_group(url) == "https://example.org/a"


@pytest.mark.parametrize(
    ("url", "group"),
    [
        ("http://www.example.org/", "https://example.org/"),
        ("http://www.example.org:8080", "https://example.org:8080/"),
        ("http://example.org/A", "https://example.org/A"),
        ("http://www./x", "https://www./x"),
        ("http://[::1]/", "https://[::1]/"),
    ],
)
def test_what_distinguishes_pages_stays_in_the_group(url: str, group: str) -> None:
    assert url_group(url) == group


plain_addresses = st.from_regex(
    r"https?://(www\.)?([a-z0-9-]{1,4}\.|xn--[a-z0-9]{1,3}\.|0x1\.){0,2}[a-z0-9]{1,3}"
    r"/([A-Za-z0-9_.%+-]{0,3}/){0,3}[a-z.%2eE]{0,6}(\?[a-z=&]{0,6})?",
    fullmatch=True,
)


@given(plain_addresses, st.sampled_from([(), ("a", "id")]))
@example("https://xn--a.org/", ())
def test_a_plain_address_has_the_group_that_parsing_it_gives(url: str, parameters: tuple[str, ...]) -> None:
    # What stands behind a # makes no difference to the group, but such an address has to be parsed.
    assert grouped(url, parameters) == grouped(f"{url}#part", parameters)


def grouped(url: str, parameters: tuple[str, ...]) -> str | None:
    try:
        return url_group(url, parameters)
    except UsageError:
        return None


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("?id=1", "?id=1"),
        ("?utm_source=x&id=1&fbclid=y", "?id=1"),
        ("?lang=en&id=1", "?id=1&lang=en"),
        ("?id=2&id=1", "?id=2&id=1"),
        ("?ID=1", ""),
        ("?id", "?id="),
        ("?id=a%20b", "?id=a+b"),
        ("?id=a+b", "?id=a+b"),
        ("?i%64=1", "?id=1"),
        ("?id=%E9", "?id=%E9"),
        ("?id=%E8", "?id=%E8"),
        ("?x=1", ""),
        ("", ""),
    ],
)
def test_page_parameters_alone_stay_in_the_group_in_one_spelling(query: str, kept: str) -> None:
    group = url_group(f"http://www.example.org/a/{query}#part", ("id", "lang"))
    assert group == f"https://example.org/a{kept}"
    assert url_group(group, ("id", "lang")) == group
    assert url_group(group) == "https://example.org/a"


@given(addresses)
def test_a_group_is_bounded_and_is_its_own_group(text: str) -> None:
    href = parsed(text)
    if href is None or "://www.www." in href:
        return
    group = url_group(href)
    assert len(group) <= MAX_URL_LENGTH
    assert url_group(group) == group


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://www.example.org/a?q=1", "org,example)/a?q=1"),
        ("http://example.org", "org,example)/"),
        ("https://news.example.co.uk:8443/", "uk,co,example,news:8443)/"),
        ("http://127.0.0.1:8000/", "127.0.0.1:8000)/"),
        ("http://[2001:db8::1]/", "[2001:db8::1])/"),
        ("http://host.zone1/", "zone1,host)/"),
        ("http://www./", ",www)/"),
    ],
)
def test_a_capture_key_reverses_names_and_leaves_addresses(url: str, key: str) -> None:
    assert surt(url) == key


@given(addresses)
def test_a_capture_key_is_bounded_and_the_same_for_http_and_https(text: str) -> None:
    href = parsed(text)
    if href is None or parse_url(href).port:
        return
    key = surt(href)
    assert len(key) <= MAX_URL_LENGTH
    other = "https" if parse_url(href).scheme == "http" else "http"
    assert surt(other + href[href.index("://") :]) == key


def test_overlong_addresses_keep_a_group_and_a_key_of_their_own() -> None:
    one, other = (f"https://example.org/{'x' * 5_000}{end}" for end in "ab")
    for rule in (url_group, surt):
        assert len(rule(one)) == len(rule(other)) == MAX_URL_LENGTH
        assert rule(one) != rule(other)
    assert bounded("https://example.org/") == "https://example.org/"


def test_a_url_key_is_short_and_distinguishes_urls() -> None:
    keys = {url_key(f"https://example.org/{number}") for number in range(1_000)}
    assert {len(key) for key in keys} == {32}
    assert len(keys) == 1_000


@pytest.mark.parametrize(
    ("url", "host", "origin"),
    [
        ("https://example.org/a", "example.org", "https://example.org"),
        ("http://example.org:80/", "example.org", "http://example.org"),
        ("http://Example.org:8080/", "example.org:8080", "http://example.org:8080"),
        ("http://[::1]:8080/", "[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_host_and_origin_name_a_port_only_when_it_is_another(url: str, host: str, origin: str) -> None:
    href = parse_url(url).href
    assert (host_of(href), origin_of(href)) == (host, origin)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("example.org", "https://example.org"),
        (" example.org/a ", "https://example.org/a"),
        ("localhost:8080", "https://localhost:8080"),
        ("http://example.org", "http://example.org"),
        ("HTTPS://example.org", "HTTPS://example.org"),
        ("mailto:me@example.org", "mailto:me@example.org"),
        ("nonsense", "nonsense"),
        ("...", "..."),
        ("", ""),
    ],
)
def test_an_address_without_a_scheme_is_read_as_a_person_means_it(typed: str, meant: str) -> None:
    assert with_scheme(typed) == meant


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("b", "https://example.org/a/b"),
        ("../b?q#part", "https://example.org/b?q"),
        ("/", "https://example.org/"),
        ("//other.example/x", "https://other.example/x"),
        ("?page=2", "https://example.org/a/?page=2"),
        ("", "https://example.org/a/"),
        ("#part", "https://example.org/a/"),
        (" http://other.example ", "http://other.example/"),
        ("javascript:void(0)", None),
        ("mailto:me@example.org", None),
        ("http://", None),
        ("data:image/png;base64," + "A" * 100_000, None),
        ("x" * (MAX_URL_LENGTH + 1), None),
        ("\ud800", None),
    ],
)
def test_a_link_leads_where_a_browser_would_go_or_nowhere(reference: str, target: str | None) -> None:
    assert join("https://example.org/a/", reference) == target


HOSTILE = "abZ09/.?#:\\@&=%+,;~_- \t\n[]{}|^`'\"<>!$*()\0é\u3002\u2025\ud800"
PIECES = (
    *("a", "index.html", "..", ".", "%2e", ".%2E", "%2F", "/", "//", "?", "#", "://", "h", "q=1&b", "\t"),
    *("https:", "http:", "HTTPS://", "https://h", "http://h:8080", "https://h:8080/", "javascript:"),
    *("xn--", "xn--a", "@", ":80", "0x7f.1"),
)
references = (
    st.text(alphabet=HOSTILE, max_size=20)
    | st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
    | plain_addresses
)
bases = st.from_regex(
    r"https?://(h|1\.2|xn--)(:8080|:80)?/([a-z.~_-]{0,3}/){0,3}[a-z.]{0,4}(\?[a-z/?=]{0,6})?", fullmatch=True
)


def joined_by_the_standard(base: str, reference: str) -> str | None:
    try:
        href = parse_url(ada_url.join_url(base, reference)).href
    except (ValueError, UsageError):
        return None
    return href if len(href) <= MAX_URL_LENGTH else None


@given(bases, references)
def test_joining_is_what_the_url_standard_says(base: str, reference: str) -> None:
    assert join(base, reference) == joined_by_the_standard(base, reference)


@given(bases.map(parsed).filter(bool), references)
def test_a_reference_depends_on_no_more_than_its_part_of_the_base(base: str, reference: str) -> None:
    assert resolve(BaseUrl.of(base).part_for(reference), reference) == joined_by_the_standard(base, reference)


@pytest.mark.parametrize(
    "reference", ["https:?q", "https:", "https:x", "h\nttps:?q", "_x", "~x", "-x", "?q", "", "#", "x:y"]
)
def test_what_refers_to_the_page_itself_is_joined_to_all_of_it(reference: str) -> None:
    for base in ("https://h/a/b?c=/", "https://h/a/", "https://h/a/?c=d/e"):
        assert resolve(BaseUrl.of(base).part_for(reference), reference) == joined_by_the_standard(base, reference)


def test_a_reference_that_becomes_too_long_leads_nowhere() -> None:
    base = BaseUrl.of(f"https://h/{'a' * 1_000}/")
    for length, fits in ((MAX_URL_LENGTH - len(base.href), True), (MAX_URL_LENGTH - len(base.href) + 1, False)):
        reference = "b" * length
        assert (resolve(base.part_for(reference), reference) is not None) is fits


@given(addresses)
def test_host_and_origin_of_a_parsed_address_are_its_parts(text: str) -> None:
    href = parsed(text)
    if href is not None:
        parts = parse_url(href)
        assert host_of(href) == (f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname)
        assert origin_of(href) == f"{parts.scheme}://{host_of(href)}"


@given(st.text(), st.text())
def test_joining_never_raises(base: str, reference: str) -> None:
    for start in (base, "https://example.org/"):
        target = join(start, reference)
        assert target is None or parse_url(target).href == target
