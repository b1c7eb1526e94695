import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.html import read_links
from webstrata.content.robots_meta import RobotsDirectives

US = "webstrata/1.0 (+https://example.org/about)"
NOTHING = RobotsDirectives()
NOFOLLOW = RobotsDirectives(nofollow=True)
NOARCHIVE = RobotsDirectives(noarchive=True)
NOINDEX = RobotsDirectives(noindex=True)
NONE = RobotsDirectives(nofollow=True, noindex=True)


def robots_directives(html: str | None, x_robots_tag: str | None, user_agent: str) -> RobotsDirectives:
    body = (html or "").encode("utf-8", "replace")
    read = read_links(
        body, "text/html; charset=utf-8", "https://a.example/", user_agent=user_agent, x_robots_tag=x_robots_tag
    )
    return read.directives


def of_page(*elements: str) -> RobotsDirectives:
    head = "".join(elements)
    return robots_directives(f"<!doctype html><html><head>{head}</head><body>nofollow</body></html>", None, US)


@pytest.mark.parametrize(
    ("element", "directives"),
    [
        ('<meta name="robots" content="nofollow">', NOFOLLOW),
        ('<META NAME="Robots" CONTENT="NoArchive"/>', NOARCHIVE),
        ("<meta content=noindex name=robots>", NOINDEX),
        ("<meta name='robots' content='noindex, nofollow'>", NONE),
        ('<meta name="robots" content="noindex nofollow">', NONE),
        ('<meta name="robots" content="none">', NONE),
        ('<meta name=" robots " content=" noindex , max-snippet:-1 ">', NOINDEX),
        ('<meta name="robots" content="max-snippet:-1, max-image-preview: none">', NOTHING),
        ('<meta name="robots" content="max-image-preview: none; noindex">', NOINDEX),
        ('<meta name="webstrata" content="noarchive">', NOARCHIVE),
        ('<meta name="Webstrata" content="nofollow">', NOFOLLOW),
        ('<meta name="robots" content="index, follow, max-image-preview:large">', NOTHING),
        ('<meta name="robots" content="all">', NOTHING),
        ('<meta name="robots" content="">', NOTHING),
        ('<meta name="robots">', NOTHING),
        ('<meta name="robots" content="noindexing, max-image-preview:none">', NOTHING),
        ('<meta name="googlebot" content="noindex"><title>robots</title>', NOTHING),
        ('<meta name="description" content="robots, none, noindex">', NOTHING),
        ('<!-- <meta name="robots" content="noindex"> -->', NOTHING),
        ("""<script>const a = '<meta name="robots" content="noindex">'</script>""", NOTHING),
        ('<title><meta name="robots" content="noindex"></title>', NOTHING),
        ('<style>p { display: none }</style><meta name="robots" content="noarchive">', NOARCHIVE),
    ],
)
def test_a_page_states_what_robots_must_not_do(element: str, directives: RobotsDirectives) -> None:
    assert of_page(element) == directives


def test_whatever_is_forbidden_anywhere_is_forbidden() -> None:
    page = '<meta name="robots" content="index, nofollow"><meta name="webstrata" content="follow, noarchive">'
    assert of_page(page) == RobotsDirectives(nofollow=True, noarchive=True)
    assert robots_directives(page, "noindex", US) == RobotsDirectives(nofollow=True, noarchive=True, noindex=True)


def test_the_body_of_a_page_is_not_listened_to() -> None:
    page = '<head><title>x</title></head><body><meta name="robots" content="noindex"></body>'
    assert robots_directives(page, None, US) == NOTHING


def test_a_page_without_tags_for_its_head_is_listened_to() -> None:
    assert robots_directives("<title>x</title><meta name=robots content=noindex><p>y", None, US) == NOINDEX


@pytest.mark.parametrize(
    ("header", "directives"),
    [
        ("nofollow", NOFOLLOW),
        ("NoArchive", NOARCHIVE),
        ("noindex, nofollow", NONE),
        ("none", NONE),
        ("all", NOTHING),
        ("", NOTHING),
        ("webstrata: noindex, nofollow", NONE),
        ("WebStrata : noarchive", NOARCHIVE),
        ("robots: noindex", NOINDEX),
        ("googlebot: noindex, nofollow", NOTHING),
        ("googlebot: noindex, webstrata: nofollow, noarchive", RobotsDirectives(nofollow=True, noarchive=True)),
        ("googlebot: noindex\nnofollow", NOFOLLOW),
        ("nofollow, googlebot: noindex", NOFOLLOW),
        ("max-snippet: 20, noindex", NOINDEX),
        ("max-image-preview: none", NOTHING),
        ("unavailable_after: 25 Jun 2010 15:00:00 GMT, noindex", NOINDEX),
        ("unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex", NOINDEX),
    ],
)
def test_a_header_states_what_robots_must_not_do(header: str, directives: RobotsDirectives) -> None:
    assert robots_directives(None, header, US) == directives


def test_the_name_we_listen_to_is_the_one_we_give() -> None:
    page = '<meta name="other-bot" content="nofollow">'
    assert robots_directives(page, "other-bot: noindex", "Other-Bot/2.0") == NONE
    assert robots_directives(page, "other-bot: noindex", US) == NOTHING
    assert robots_directives(page, "noindex", "") == NOINDEX


def test_what_is_missing_forbids_nothing() -> None:
    assert robots_directives(None, None, US) == NOTHING


@given(st.text(), st.text(), st.text())
def test_nothing_raises(html: str, header: str, user_agent: str) -> None:
    for page in (html, f'robots none <meta name="{html}" content="none">'):
        assert isinstance(robots_directives(page, header, user_agent).nofollow, bool)
