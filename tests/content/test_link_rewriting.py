"""Addresses in pages and style sheets are rewritten, and nothing hostile stops it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from turbohtml import parse

from webstrata.content.rewriting.css_rewriting import rewrite_css
from webstrata.content.rewriting.link_rewriting import Loading, rewrite_page, rewrite_srcset

PAGE = "https://example.org/dir/page"
FRAGMENTS = (
    *("<a href=", "<style>", "</style>", "<svg>", "<base href=/sub/>", "<meta http-equiv=refresh content='0;url=x'>"),
    *(
        '"x"',
        "'",
        "http://away.example/",
        "//away.example/x",
        '"',
        ">",
        "<",
        "</",
        "<!--",
        "-->",
        "url(",
        ")",
        "@import ",
        "\\",
        "/*",
        "*/",
        "&quot;",
        "\x00",
    ),
    *("<img srcset='a 1x, b'>", "<p style='a:url(b)'>", "<iframe srcdoc='<a href=y>'>", "<script>", "</script>", "é"),
)


def marked(url: str, loading: Loading) -> str:
    return f"/{loading}/{url}"


@pytest.mark.parametrize(
    ("html", "rewritten"),
    [
        ("<a href=x?a=1&amp;b=2#c>", '<a href="/link/https://example.org/dir/x?a=1&amp;b=2#c">'),
        ("<base href=/sub/><a href=x>", '<a href="/link/https://example.org/sub/x">'),
        (
            "<a href=#top><a href='javascript:x'><a href=mailto:me>",
            "<a href=#top><a href='javascript:x'><a href=mailto:me>",
        ),
        (
            "<video poster=p src=v>",
            '<video poster="/image/https://example.org/dir/p" src="/other/https://example.org/dir/v">',
        ),
        ("<link rel=icon href=//b.example/i>", '<link rel="icon" href="/image/https://b.example/i">'),
        (
            "<meta http-equiv=Refresh content='3; URL=\"n\"'>",
            '<meta http-equiv="Refresh" content="3; URL=/link/https://example.org/dir/n">',
        ),
        (
            "<style>a{b:url(c)}/* url(d) */</style>",
            '<style>a{b:url("/image/https://example.org/dir/c")}/* url(d) */</style>',
        ),
        ("<p>url(x) &amp; <b CLASS=y>", "<p>url(x) &amp; <b CLASS=y>"),
    ],
)
def test_addresses_are_rewritten_and_all_else_stays(html: str, rewritten: str) -> None:
    assert rewrite_page(html, PAGE, marked) == rewritten


def test_a_list_of_images_is_read_as_browsers_do() -> None:
    rewritten = rewrite_srcset(" a 1x,b.png 2x , data:x,y 3x,c,", lambda url: f"/{url}")
    assert rewritten == "/a 1x, /b.png 2x, /data:x,y 3x, /c"


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join))
def test_whatever_a_page_holds_no_link_leads_away(html: str) -> None:
    for link in parse(rewrite_page(html, PAGE, marked)).select("a[href], area[href]"):
        assert not (link.attr("href") or "").startswith(("http", "//"))


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "unit", ["url(", 'url("', '"', "@import ", "/*", "\\", " ", ",", "a (", "<style>url(", "<a href='"]
)
def test_hostile_markup_is_read_in_linear_time(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert rewrite_css(text, lambda written, is_sheet: None) == text
    rewrite_srcset(text, lambda url: None)
    rewrite_page(text, PAGE, marked)
