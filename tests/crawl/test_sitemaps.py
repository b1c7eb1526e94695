"""Sitemaps as they come: right ones, broken ones, and those made to hurt."""

import asyncio
import gzip
import threading
import tracemalloc
from collections.abc import Iterable

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from tests.crawl.runs import GUARD
from tests.support.fetched import fetched
from tests.support.web_server import Answer, WebServer, gzipped, redirect, serving
from webstrata.content.decode import decoded
from webstrata.crawl import sitemaps
from webstrata.crawl.sitemaps import (
    DEFAULT_LIMITS,
    Sitemap,
    SitemapLimits,
    parse_sitemap,
    sitemap_roots,
    sitemap_urls,
)
from webstrata.fetch.http import HttpFetcher
from webstrata.model.crawl.fetching import FetchResult

WHERE = "https://example.org/sitemap.xml"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
ENTITIES = "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)
BOMB = f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{ENTITIES}]>'


def urlset(*locs: str) -> bytes:
    entries = "".join(f"<url><loc>{loc}</loc></url>" for loc in locs)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}>{entries}</urlset>'.encode()


def index(*locs: str) -> bytes:
    entries = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
    return f"<sitemapindex {NAMESPACE}>{entries}</sitemapindex>".encode()


def xml(body: bytes) -> Answer:
    return Answer(body, headers=(("Content-Type", "application/xml"),))


def urls(sitemap: Sitemap) -> list[str]:
    return list(sitemap.urls)


def test_a_sitemap_names_pages_among_much_else() -> None:
    body = f"""\ufeff

    <?xml-stylesheet type="text/xsl" href="/main.xsl"?>
    <urlset {NAMESPACE} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
      <url><loc> https://example.org/a?x=1&amp;y=2 </loc><lastmod>2024-05-01</lastmod><priority>0.5</priority></url>
      <url><lastmod>2024-05-01T10:00:00+02:00</lastmod><loc><![CDATA[https://example.org/b?c&d]]></loc></url>
      <url><loc>https://example.org/ü</loc><lastmod>2024-05</lastmod>
        <image:image><image:loc>https://example.org/c.jpg</image:loc></image:image></url>
      <url><loc>https://example.org/d</loc><lastmod>yesterday</lastmod><image:loc>https://x.example/</image:loc></url>
      <url><changefreq>daily</changefreq></url>
    </urlset>""".encode()
    assert parse_sitemap(body, WHERE) == Sitemap(
        urls=(
            "https://example.org/a?x=1&y=2",
            "https://example.org/b?c&d",
            "https://example.org/%C3%BC",
            "https://example.org/d",
        )
    )


def test_an_index_names_sitemaps() -> None:
    sitemap = parse_sitemap(index("https://example.org/1.xml", "https://example.org/2.xml.gz"), WHERE)
    assert sitemap.children == ("https://example.org/1.xml", "https://example.org/2.xml.gz")
    assert (sitemap.urls, sitemap.problem) == ((), None)


@pytest.mark.parametrize(
    "body",
    [
        urlset("https://example.org/a").replace(b"<", b"<s:").replace(b"<s:/", b"</s:").replace(b"<s:?", b"<?"),
        urlset("https://example.org/a").replace(NAMESPACE.encode(), b""),
        urlset("https://example.org/a").decode().replace("UTF-8", "UTF-16").encode("utf-16"),
        urlset("https://example.org/a").replace(b"UTF-8", b"windows-1252"),
        gzip.compress(urlset("https://example.org/a")),
        gzip.compress(gzip.compress(urlset("https://example.org/a"))),
        gzip.compress(urlset("https://example.org/a")[:60]) + gzip.compress(urlset("https://example.org/a")[60:]),
        gzip.compress(urlset("https://example.org/a")) + b"\0\0\0\0",
        b"https://example.org/a",
        b"\xef\xbb\xbfhttps://example.org/a\r\n",
        b"\n\n  https://example.org/a  \n\n",
    ],
    ids=["prefix", "no namespace", "UTF-16", "charset", "gz", "twice", "members", "padding", "text", "mark", "blank"],
)
def test_a_sitemap_is_read_in_every_form_it_comes_in(body: bytes) -> None:
    sitemap = parse_sitemap(body, WHERE)
    assert (urls(sitemap), sitemap.problem) == (["https://example.org/a"], None)


def test_an_empty_sitemap_is_in_order() -> None:
    assert parse_sitemap(urlset(), WHERE) == parse_sitemap(b"", WHERE) == Sitemap()


@pytest.mark.parametrize(
    "loc",
    ["/b", "b.html", "//example.org/b", "ftp://example.org/b", "javascript:1", "", "https://x.org/" + "y" * 2_048],
)
def test_what_is_no_whole_web_address_is_left_out_and_reported(loc: str) -> None:
    sitemap = parse_sitemap(urlset("https://example.org/a", loc or " ", "https://example.org/c"), WHERE)
    assert urls(sitemap) == ["https://example.org/a", "https://example.org/c"]
    assert sitemap.problem == f"{WHERE}: 1 entries are not web addresses"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<!DOCTYPE html><title>Not found</title>", "document type"),
        (b"<!doctype html><title>Not found</title>", "not well-formed XML"),
        (b"<html><body>Not found</body></html>", "it is no sitemap but <html>"),
        (b"<rss><channel/></rss>", "it is no sitemap but <rss>"),
        (b"Not found", "neither XML nor a list of URLs"),
        (b"\x1f\x8b\x08\x00broken packing", "compression is damaged"),
        (f"{BOMB}<urlset><url><loc>&j;</loc></url></urlset>".encode(), "document type"),
        (b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset>&e;</urlset>', "document type"),
        (b'<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd"><urlset/>', "document type"),
        (b"<urlset>" + b"<a>" * 100_000, "too many in each other"),
        (b"<urlset " + b" ".join(b"a%d='1'" % n for n in range(50_000)) + b"/>", "tags or comments is too long"),
        (b'<?xml version="1.0" encoding="shift_jis"?><urlset/>', "encoding"),
        (b'<?xml version="1.0" encoding="no-such"?><urlset/>', "encoding"),
    ],
    ids=[
        "HTML",
        "html",
        "xhtml",
        "feed",
        "words",
        "gz",
        "bomb",
        "file",
        "dtd",
        "nesting",
        "attributes",
        "multi-byte",
        "charset",
    ],
)
def test_what_is_no_sitemap_gives_nothing_and_gives_the_reason(body: bytes, reason: str) -> None:
    sitemap = parse_sitemap(body, WHERE)
    assert (sitemap.urls, sitemap.children) == ((), ())
    assert str(sitemap.problem).startswith(f"{WHERE}: ")
    assert reason in str(sitemap.problem)


@pytest.mark.parametrize(
    "broken",
    [b"<url><loc>https://example.org/x", b"<url><loc>https://example.org/?a&b</loc></url>", b"</oops>", b"\xff"],
)
def test_what_comes_before_a_damage_is_kept(broken: bytes) -> None:
    whole = urlset("https://example.org/a", "https://example.org/b")
    sitemap = parse_sitemap(whole.replace(b"</urlset>", broken), WHERE)
    assert urls(sitemap) == ["https://example.org/a", "https://example.org/b"]
    assert "not well-formed XML" in str(sitemap.problem)


def test_a_packed_sitemap_that_is_cut_short_gives_what_is_there() -> None:
    packed = gzip.compress(urlset(*(f"https://example.org/{n * 7919}" for n in range(1_000))))
    sitemap = parse_sitemap(packed[: len(packed) // 2], WHERE)
    assert 100 < len(sitemap.urls) < 1_000
    assert "not well-formed XML" in str(sitemap.problem)


def test_a_packed_sitemap_that_is_damaged_gives_what_comes_before() -> None:
    packed = bytearray(gzip.compress(urlset(*(f"https://example.org/{n * 7919}" for n in range(20_000)))))
    packed[-8:] = b"\xff" * 8
    sitemap = parse_sitemap(bytes(packed), WHERE)
    assert len(sitemap.urls) > 1_000
    assert "not well-formed XML" in str(sitemap.problem)


def test_a_packed_sitemap_of_a_million_empty_members_is_given_up() -> None:
    assert "compression is damaged" in str(parse_sitemap(gzip.compress(b"") * 1_000_000, WHERE).problem)


@pytest.mark.parametrize("pack", [lambda body: body, gzip.compress])
def test_a_sitemap_is_read_up_to_its_limits(pack: object) -> None:
    assert callable(pack)
    limits = SitemapLimits(max_bytes=1_000, max_urls=5)
    many = pack(urlset(*(f"https://example.org/{n}" for n in range(6))))
    assert len(parse_sitemap(many, WHERE, limits).urls) == 5
    assert "more than 5 URLs" in str(parse_sitemap(many, WHERE, limits).problem)
    large = pack(urlset("https://example.org/a") + b" " * 1_000)
    assert urls(parse_sitemap(large, WHERE, limits)) == ["https://example.org/a"]
    assert "larger than 1000 bytes" in str(parse_sitemap(large, WHERE, limits).problem)
    lines = pack(b"https://example.org/a\n" * 6)
    assert "more than 5 URLs" in str(parse_sitemap(lines, WHERE, limits).problem)
    crowded = pack(b"<urlset>" + b"<u/>" * 301)
    assert "too many elements" in str(parse_sitemap(crowded, WHERE, SitemapLimits(max_urls=5)).problem)


def test_what_unpacks_to_more_than_the_limit_is_not_unpacked_whole() -> None:
    bomb = gzip.compress(gzip.compress(b"https://example.org/a\n" * 2_000_000))
    tracemalloc.start()
    try:
        sitemap = parse_sitemap(bomb, WHERE, SitemapLimits(max_bytes=1_000_000, max_urls=10))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(sitemap.urls) == 10
    assert peak < 5_000_000


@given(st.binary() | st.text().map(str.encode) | st.binary().map(lambda body: b"<urlset><url><loc>" + body))
def test_no_bytes_raise(body: bytes) -> None:
    for form in (body, gzip.compress(body), b"\x1f\x8b" + body):
        sitemap = parse_sitemap(form, WHERE)
        assert all(url.startswith("http") for url in sitemap.urls)


@pytest.mark.parametrize(
    ("announced", "roots"),
    [
        ((), ("https://example.org/sitemap.xml",)),
        (
            ("https://cdn.example/a.xml", "/b.xml", "https://cdn.example/a.xml"),
            ("https://cdn.example/a.xml", "https://example.org/b.xml"),
        ),
        (("mailto:me", " "), ("https://example.org/sitemap.xml",)),
    ],
)
def test_sitemaps_begin_where_robots_txt_states_or_at_the_usual_place(
    announced: tuple[str, ...], roots: tuple[str, ...]
) -> None:
    assert sitemap_roots("https://example.org", announced) == roots


def walked(roots: Iterable[str], limits: SitemapLimits = DEFAULT_LIMITS) -> tuple[list[str], list[str]]:
    """Return the addresses that sitemaps of a test's server lead to, and the reasons for what was skipped."""

    async def walk() -> list[str]:
        async with HttpFetcher(
            GUARD, user_agent="t", timeout=10, max_body_bytes=10**7, connections=2, max_buffered_bytes=10**8
        ) as fetcher:
            return [url async for url in sitemap_urls(fetcher.fetch, roots, limits)]

    with capture_logs() as logs:
        found = asyncio.run(walk())
    assert {entry["event"] for entry in logs} <= {"crawl.sitemap.skipped"}
    return found, [entry["reason"] for entry in logs]


def test_an_index_is_walked_to_its_pages(web_server: WebServer) -> None:
    pages = [web_server.url(f"/page/{n}") for n in range(6)]
    web_server.answers |= {
        "/sitemap.xml": redirect("/sitemap_index.xml", 301),
        "/sitemap_index.xml": xml(index(web_server.url("/1.xml"), web_server.url("/2.xml.gz"), web_server.url("/3"))),
        "/1.xml": gzipped(xml(urlset(*pages[:2]))),
        "/2.xml.gz": Answer(gzip.compress(urlset(*pages[2:4])), headers=(("Content-Type", "application/gzip"),)),
        "/3": xml(index(web_server.url("/4.txt"), web_server.url("/1.xml"))),
        "/4.txt": Answer("\n".join(pages[4:]).encode(), headers=(("Content-Type", "text/plain"),)),
    }
    assert walked([web_server.url("/sitemap.xml")]) == (pages, [])
    assert web_server.paths() == ["/sitemap.xml", "/sitemap_index.xml", "/1.xml", "/2.xml.gz", "/3", "/4.txt"]


def test_unpacking_a_sitemap_does_not_hold_up_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    def noting_where(body: bytes, encoding: str | None, most: int) -> bytes:
        places.append(threading.current_thread())
        return decoded(body, encoding, most)

    async def fetch(url: str) -> FetchResult:
        return fetched(url, brotli.compress(urlset(f"{url}/a")), headers=[(b"Content-Encoding", b"br")])

    async def read() -> list[str]:
        return [url async for url in sitemap_urls(fetch, [WHERE])]

    places: list[threading.Thread] = []
    monkeypatch.setattr(sitemaps, "decoded", noting_where)
    assert asyncio.run(read()) == [f"{WHERE}/a"]
    assert len(places) == 1
    assert places != [threading.main_thread()]


def test_a_broken_sitemap_costs_only_itself(web_server: WebServer) -> None:
    good = web_server.url("/good")
    web_server.answers |= {
        "/html": Answer(b"<!DOCTYPE html><title>Oops</title>"),
        "/busy": Answer(status=503),
        "/loop": redirect("/loop"),
        "/away": redirect("http://169.254.169.254/latest/meta-data/"),
        "/nowhere": redirect("mailto:me@example.org"),
        "/silent": Answer(raw=b"", closes=True),
        "/good.xml": xml(urlset(good)),
    }
    broken = ["/html", "/busy", "/loop", "/away", "/nowhere", "/silent", "/missing"]
    found, reasons = walked([web_server.url(path) for path in (*broken, "/good.xml")])
    assert found == [good]
    wanted = ["document type", "503", "more than 5 redirects", "not a public address", "302", "/silent: ", "404 Not"]
    assert len(reasons) == len(wanted)
    assert [part for part, reason in zip(wanted, reasons, strict=True) if part not in reason] == []


def test_sitemaps_that_lead_to_each_other_are_read_once(web_server: WebServer) -> None:
    both = index(web_server.url("/a"), web_server.url("/b"), web_server.url("/a"))
    web_server.answers |= {"/a": xml(both), "/b": xml(both)}
    assert walked([web_server.url("/a"), web_server.url("/a")]) == ([], [])
    assert web_server.paths() == ["/a", "/b"]


def test_sitemaps_are_followed_only_so_far_and_so_many(web_server: WebServer) -> None:
    web_server.answers |= {f"/{n}": xml(index(web_server.url(f"/{n + 1}"))) for n in range(9)}
    _, reasons = walked([web_server.url("/0")])
    assert web_server.paths() == ["/0", "/1", "/2"]
    assert reasons == ["1 of the sitemaps it leads to are too many or too far from the first"]
    web_server.requests.clear()
    web_server.answers["/0"] = xml(index(*(web_server.url(f"/x{n}") for n in range(50))))
    _, reasons = walked([web_server.url("/0")], SitemapLimits(max_sitemaps=4))
    assert web_server.paths() == ["/0", "/x0", "/x1", "/x2"]
    assert "47 of the sitemaps it leads to" in reasons[0]


def test_a_sitemap_does_not_send_us_to_the_sitemaps_of_strangers(web_server: WebServer) -> None:
    with serving() as stranger:
        web_server.answers["/sitemap.xml"] = xml(index(stranger.url("/theirs.xml"), web_server.url("/ours.xml")))
        web_server.answers["/ours.xml"] = xml(urlset(stranger.url("/page")))
        found, reasons = walked([web_server.url("/sitemap.xml")])
        assert stranger.paths() == []
        assert found == [stranger.url("/page")]
    assert reasons == ["1 of the sitemaps it leads to are on other sites"]


def test_reading_can_end_early(web_server: WebServer) -> None:
    web_server.answers |= {
        "/sitemap.xml": xml(index(web_server.url("/1.xml"), web_server.url("/2.xml"))),
        "/1.xml": xml(urlset(web_server.url("/a"), web_server.url("/b"))),
    }

    async def first() -> str:
        async with HttpFetcher(
            GUARD, user_agent="t", timeout=10, max_body_bytes=10**7, connections=2, max_buffered_bytes=10**8
        ) as fetcher:
            return await anext(sitemap_urls(fetcher.fetch, [web_server.url("/sitemap.xml")]))

    assert asyncio.run(first()) == web_server.url("/a")
    assert web_server.paths() == ["/sitemap.xml", "/1.xml"]
