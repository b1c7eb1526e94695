from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from turbohtml import Element, parse

from webstrata.model.archive import SnapshotView
from webstrata.replay.banner import BANNER_ID, MAX_SHOWN, banner_html, with_banner

SNAPSHOT = SnapshotView(
    id=42,
    url="https://health.example/flu?a=1&b=2",
    normalized_url_group="https://health.example/flu",
    title="Flu season",
    snippet=None,
    language="en",
    captured_at=datetime(2024, 5, 1, 12, 30, 5, tzinfo=UTC),
    mime_type="text/html",
    status_code=200,
    content_hash=None,
    source_code="health",
    source_name="Health",
    job_id=1,
    job_name="health-20240501",
)
BANNER = banner_html(SNAPSHOT).encode()


def place(html: bytes, charset: str | None = "utf-8") -> bytes:
    """Return the page with the banner's place marked, so that a test reads like the page."""
    return with_banner(html, charset, SNAPSHOT).replace(BANNER, b"[*]")


def only(html: str, selector: str) -> Element:
    (found,) = parse(html).select(selector)
    return found


def first_of_body(html: bytes) -> str | None:
    body = parse(html.decode("latin-1")).select_one("body")
    assert body is not None
    child = next((node for node in body if isinstance(node, Element)), None)
    return child.attr("id") if child is not None else None


@pytest.mark.parametrize(
    "marked",
    [
        b"<html><head><title>x</title></head><body>[*]<p>y</p></body></html>",
        b"<BODY CLASS='a'>[*]x",
        b"<body\n data-x=\"a>b\" onload='if (a>b) {}' checked>[*]x",
        b"<body a=b>[*]c>d",
        b'<body class = "a" / id=b/>[*]x',
        b"<!-- <body> --><body>[*]",
        b"<!--><body>[*]-->",
        b"<!---><body>[*]-->",
        b"<!--!> <body> --><body>[*]",
        b"<!-- a --!><body>[*]",
        b"<!DOCTYPE html><?xml version='1.0'?><body>[*]",
        b"<title><body></title><body>[*]",
        b"<title><body></titles></title ><body>[*]",
        b"<style>a::after{content:'<body>'}</style><body>[*]",
        b"<script>document.write('<body>')</script><body>[*]",
        b"<script><!-- <script> '</script>' <body> --></script><body>[*]",
        b"<script><!-- </script><body>[*] -->",
        b"<script><!-- <script> --> </script><body>[*]",
        b"<script><!--><script></script><body>[*]",
        b"<template><body><p>x</template><body>[*]",
        b"<template><template></template><body></template><body>[*]",
        b"<meta content='<body>'><link rel=x><base href=/><body>[*]",
        b"<noscript><link rel=x></noscript><body>[*]",
        b"<noframes><body></noframes><body>[*]",
        b"</p></div><body>[*]",
        b"</><body>[*]",
        b"</ body><body>[*]",
        b"\xef\xbb\xbf<!doctype html>\n<body>[*]",
        b"<bodyguard>x</bodyguard>".replace(b"<body", b"[*]<body", 1),
    ],
)
def test_the_banner_comes_right_after_the_first_real_body_tag(marked: bytes) -> None:
    page = marked.replace(b"[*]", b"")
    assert place(page) == marked
    assert first_of_body(with_banner(page, "utf-8", SNAPSHOT)) == BANNER_ID


@pytest.mark.parametrize(
    "marked",
    [
        b"[*]",
        b"[*]Just text",
        b"[*]< body>",
        b"[*]<h1>No body tag</h1>",
        b"<!doctype html><title>x</title>\n[*]<p>y",
        b"<html><head></head>[*]<div hidden><body>",
        b"<head>[*]<noscript><div style='display:none'></noscript></head><body>",
        b"[*]<frameset cols='50%,50%'></frameset>",
        b"<title>x</title>[*]</body>",
        b"[*]<title>never closed <body>",
        b"[*]<!-- never closed <body>",
        b"[*]<script>never closed <body>",
        b"[*]<template>never closed <body>",
        b"[*]<body class='never closed",
        b"\xef\xbb\xbf[*]text",
    ],
)
def test_without_a_body_tag_the_banner_comes_where_the_body_begins(marked: bytes) -> None:
    page = marked.replace(b"[*]", b"")
    assert place(page) == marked
    assert first_of_body(with_banner(page, "utf-8", SNAPSHOT)) == BANNER_ID


FRAGMENTS = (
    *("<html>", "<head>", "</head>", "<body>", "<body class='a>b'>", '<body x="</body>', "</body>", "</html>"),
    *('">', "'>", ">", "<", "</", "=", "/", '"', "<!--", "-->", "--!>", "<!", "<?", "<!doctype html>"),
    *("<title>", "</title>", "<script>", "</script>", "<style>", "</style>", "<noframes>", "</noframes>"),
    *("<template>", "</template>", "<noscript>", "</noscript>", "<meta a=b>", "<link>"),
    *("<p>", "</p>", "</br>", "<svg>", "</svg>", "text", " ", "\n", "\x00", "é"),
)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_a_browsers_parser_agrees_where_the_body_begins(page: str) -> None:
    assert first_of_body(with_banner(page.encode("latin-1"), "latin-1", SNAPSHOT)) == BANNER_ID


@given(st.binary(max_size=200), st.sampled_from([None, "utf-8", "utf-16", "utf-16be", "shift_jis", "nonsense", ""]))
def test_the_archived_bytes_stay_as_they_were(page: bytes, charset: str | None) -> None:
    shown = with_banner(page, charset, SNAPSHOT)
    pieces = [piece for banner in banner_in_all_forms() if len(piece := shown.split(banner)) == 2]
    assert any(before + after == page for before, after in pieces)


def banner_in_all_forms() -> list[bytes]:
    return [banner_html(SNAPSHOT).encode(codec) for codec in ("ascii", "utf-16-le", "utf-16-be")]


@pytest.mark.parametrize(
    ("codec", "charset", "bom"),
    [
        ("utf-16-le", "UTF-16LE", b""),
        ("utf-16-be", "utf-16be", b""),
        ("utf-16-le", "utf-16", b""),
        ("utf-16-le", None, b"\xff\xfe"),
        ("utf-16-be", "utf-8", b"\xfe\xff"),
    ],
)
def test_a_utf_16_page_gets_a_utf_16_banner(codec: str, charset: str | None, bom: bytes) -> None:
    page = "<!doctype html><title>Grippe à Québec 💉</title><body>日本"
    shown = with_banner(bom + page.encode(codec), charset, SNAPSHOT)
    assert shown.startswith(bom)
    assert shown[len(bom) :].decode(codec) == page.replace("<body>", "<body>" + banner_html(SNAPSHOT))


@pytest.mark.parametrize("charset", ["shift_jis", "windows-1252", "gb18030", "euc-kr", "koi8-r", "iso-2022-jp"])
def test_the_banner_reads_the_same_in_every_charset(charset: str) -> None:
    title = replace(SNAPSHOT, title="Santé 日本 💉")
    page = "<body>x".encode(charset)
    text = only(with_banner(page, charset, title).decode(charset), f"#{BANNER_ID}").text
    assert "Santé 日本 💉" in text


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_strangers_wrote_is_only_ever_text(title: str, url: str) -> None:
    hostile = replace(SNAPSHOT, title=f'"><script>alert(1)</script>{title}', url=f"javascript:'\"><img src=x>{url}")
    banner = banner_html(hostile)
    assert banner.isascii()
    tree = parse(banner)
    assert [node.tag for node in tree.select(f"#{BANNER_ID} *")] == ["strong", "bdi", "span", "time", "bdi", "a"]
    assert [node.attr("href") for node in tree.select("[href]")] == ["/snapshot/42"]


def test_the_banner_states_what_when_and_whence_and_links_back() -> None:
    text = only(banner_html(SNAPSHOT), f"#{BANNER_ID}").text
    assert "Flu season" in text
    assert "https://health.example/flu?a=1&b=2" in text
    assert "2024-05-01 12:30:05 UTC" in text
    link = only(banner_html(SNAPSHOT), "a")
    assert (link.attr("href"), link.attr("target")) == ("/snapshot/42", "_top")


def test_the_capture_time_is_shown_in_utc() -> None:
    montreal = replace(SNAPSHOT, captured_at=datetime(2024, 5, 1, 8, 30, 5, tzinfo=timezone(timedelta(hours=-4))))
    assert "2024-05-01 12:30:05 UTC" in banner_html(montreal)


def test_a_page_without_a_title_and_one_with_an_endless_title_have_a_short_banner() -> None:
    assert "Untitled page" in banner_html(replace(SNAPSHOT, title=None))
    endless = banner_html(replace(SNAPSHOT, title="x" * 100_000, url="https://a/" + "y" * 100_000))
    assert "x" * MAX_SHOWN in endless
    assert len(endless) < 10_000


def test_every_element_of_the_banner_protects_its_own_style() -> None:
    for node in parse(banner_html(SNAPSHOT)).select(f"#{BANNER_ID}, #{BANNER_ID} *"):
        declarations = (node.attr("style") or "").split(";")
        assert all(declaration.endswith("!important") for declaration in declarations)


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "unit",
    [
        *(b"<", b"</", b"=", b"<!--", b"<!-- -->", b"<!---!>", b"<body ", b"<a b='"),
        *(b"<script>", b"<title>", b"<template>x", b"<noscript>", b"<noscript><template>"),
    ],
)
@pytest.mark.parametrize("opening", [b"", b"<template>", b"<body a", b"<script><!--", b"<title>"])
def test_a_hostile_page_of_a_megabyte_is_shown_too(opening: bytes, unit: bytes) -> None:
    page = opening + unit * (1_000_000 // len(unit))
    assert len(with_banner(page, None, SNAPSHOT)) == len(page) + len(BANNER)


def test_a_page_of_nothing_but_titles_gets_its_banner_after_as_many_as_are_read() -> None:
    html = b"<title>t</title>" * 200_000
    assert place(html).index(b"[*]") < len(html) // 4
