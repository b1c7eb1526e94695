"""Hostile pages, read in a process with limits: each costs only itself."""

import gzip
import os
import signal
from collections.abc import Iterator
from contextlib import suppress

import pytest

from webstrata.content.kinds import PageKind
from webstrata.content.reader import child_process
from webstrata.content.reader.page_reader import PageReader
from webstrata.content.reader.page_requests import MAX_PAGE_BYTES, SMALL_PAGE, ReadLinks, ReadPage
from webstrata.content.reading import Body
from webstrata.errors import UnreadablePageError

URL = "https://a.example/"
UTF8 = "text/html; charset=utf-8"

HOSTILE = {
    "deep": "<div>" * 100_000 + "deep",
    "deep and closed": "<div>" * 100_000 + "deep" + "</div>" * 100_000,
    "deep lists": "<ul><li>" * 100_000 + "deep",
    "deep tables": "<table><tr><td>" * 30_000 + "deep",
    "deep formatting": "<b><i>" * 50_000 + "deep",
    "deep strangers": "<x-y>" * 100_000 + "<div></div>" * 100_000,
    "many attributes": "<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">text",
    "attributes with brackets": "<p " + "".join(f"a{n}='<>'" for n in range(100_000)) + ">text",
    "attributes with slashes": "<p " + "/".join(f"a{n}" for n in range(100_000)) + ">text",
    "attributes behind a quoted end": "<p x='>' " + " ".join(f"a{n}" for n in range(100_000)) + ">text",
    "attributes of many bodies": "".join(f"<body a{n}>" for n in range(80_000)) + "text",
    "formatting that is made again": "".join(f"<b x={n}><p>" for n in range(20_000)),
    "text fostered out of tables": "<table>x<b>" * 100_000,
    "stray end tags": "<div><b></div>" + "<span>" * 495 + "</i>" * 40_000,
    "deep microdata": "<div itemscope itemprop=a>" * 20_000,
    "deep JSON": f"<script type=application/ld+json>{'[' * 100_000}</script>",
    "huge attribute": f"<p title='{'x' * 5_000_000}'>text",
    "unclosed comment": "<!--" + "x" * 2_000_000,
    "empty comments": "<!-->" * 200_000 + "text",
    "unclosed script": "<script>" + "<div>" * 200_000,
    "unclosed quotes": "<a href='" * 200_000,
    "brackets": "<" * 1_000_000,
    "nuls": "<title>a\0b</title><p>c\0d</p>",
    "bad references": "<title>&#xD800;</title><p>&#0;&#x110000;&#xDFFF;",
    "control characters": "".join(map(chr, range(32))) * 100,
    "right to left": "\u202e\u2066<p>\u200f",
}

TAKE_LONG = frozenset({"attributes of many bodies", "formatting that is made again", "text fostered out of tables"})


def read_page(html: str) -> ReadPage:
    return ReadPage(PageKind.HTML, Body(URL, html.encode(), UTF8, None))


def read_links(content: bytes, content_type: str | None = UTF8, encoding: str | None = None) -> ReadLinks:
    return ReadLinks(URL, content, content_type, encoding, None, "tester/1")


ORDINARY = "<title>Flu</title><p>" + "word " * 10_000 + "<a href=/next>next</a>"


@pytest.fixture(scope="module")
def reader() -> Iterator[PageReader]:
    pages = PageReader()
    yield pages
    pages.close()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] if name in TAKE_LONG else []) for name in HOSTILE]
)
def test_a_hostile_page_is_read_or_refused_with_a_reason_and_the_next_page_is_read(
    reader: PageReader, name: str
) -> None:
    assert len(ORDINARY) > SMALL_PAGE
    with suppress(UnreadablePageError):
        page = reader.page(read_page(HOSTILE[name]))
        (page.title + page.text).encode()
        assert page.language is None
    with suppress(UnreadablePageError):
        reader.links(read_links(HOSTILE[name].encode()))
    assert reader.page(read_page(ORDINARY)).title == "Flu"


@pytest.mark.parametrize(
    "name", ["attributes of many bodies", pytest.param("formatting that is made again", marks=pytest.mark.soak)]
)
def test_a_page_that_asks_for_gigabytes_is_refused(reader: PageReader, name: str) -> None:
    with pytest.raises(UnreadablePageError, match="takes more than 1500 MB of memory"):
        reader.page(read_page(HOSTILE[name] * 4))


def test_a_page_that_takes_too_long_is_refused_at_once_and_the_next_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = PageReader(max_seconds=0.05)
    with pytest.raises(UnreadablePageError, match=r"took longer than 0.05 seconds"):
        reader.page(read_page("<p>word</p>" * 500_000))
    monkeypatch.setattr(reader, "_max_seconds", 60.0)
    assert reader.page(read_page(ORDINARY)).title == "Flu"
    reader.close()


def test_a_process_that_dies_between_two_pages_costs_no_page() -> None:
    reader = PageReader()
    assert reader.page(read_page(ORDINARY)).title == "Flu"
    assert reader._process is not None
    os.kill(reader._process.pid, signal.SIGKILL)
    assert reader.page(read_page(ORDINARY)).title == "Flu"
    reader.close()


def test_a_small_page_is_read_without_a_process() -> None:
    reader = PageReader()
    assert reader.page(read_page("<title>x")).title == "x"
    assert [link.url for link in reader.links(read_links(b"<a href=b>")).links] == [URL + "b"]
    assert reader._process is None


def test_a_closed_reader_reads_no_more() -> None:
    reader = PageReader()
    reader.kill()
    with pytest.raises(UnreadablePageError, match="ended"):
        reader.page(read_page(ORDINARY))


def test_a_packed_page_is_unpacked_only_so_far(reader: PageReader) -> None:
    start = b"<a href=first>" + b" " * SMALL_PAGE
    bomb = gzip.compress(start + b" " * (3 * MAX_PAGE_BYTES) + b"<a href=behind>", 1)
    request = read_links(bomb, encoding="gzip").simplified()
    assert not request.is_small
    assert [link.url for link in reader.links(request).links] == [URL + "first"]


@pytest.mark.parametrize(
    ("content", "content_type", "links"),
    [
        (b"<!doctype html><a href=a>", "application/octet-stream", 1),
        (b"<!doctype html><a href=a>", None, 1),
        (b"<html><a href=a>", "application/vnd.wap.xhtml+xml", 1),
        (b"<html><a href=a>", "text/plain", 1),
        (b"<a href=a>", "text/plain", 0),
        (b"<a href=a>", "application/json", 0),
        (b"%PDF-1.4 <a href=a>", "application/pdf", 0),
        (b"\x89PNG<a href=a>", "image/png", 0),
    ],
)
@pytest.mark.parametrize("encoding", [None, "gzip"])
def test_links_are_read_of_whatever_is_a_page(
    content: bytes, content_type: str | None, links: int, encoding: str | None
) -> None:
    sent = gzip.compress(content) if encoding else content
    request = read_links(sent, content_type, encoding).simplified()
    assert request.is_small
    assert len(request.read().links) == links


def test_the_limits_are_those_that_are_documented() -> None:
    assert (child_process.MAX_MEMORY, child_process.MAX_CPU_SECONDS) == (1_500_000_000, 20.0)
