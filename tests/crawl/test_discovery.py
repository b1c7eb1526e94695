"""What a crawl follows: sitemaps, scope rules, traps, and what pages wish."""

from dataclasses import replace

import pytest

from tests.crawl.runs import Archive
from tests.support.web_server import Answer, WebServer, page, robots
from webstrata.model.crawl.scope import ScopeRules

XML = (("Content-Type", "application/xml"),)


def sitemap(*urls: str) -> Answer:
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    body = f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
    return Answer(body.encode(), headers=XML)


@pytest.fixture
def listed(web_server: WebServer) -> WebServer:
    """A site with a page that only its sitemap knows."""
    web_server.answers |= {
        "/robots.txt": robots(f"Sitemap: {web_server.url('/map.xml')}"),
        "/map.xml": sitemap(web_server.url("/hidden"), "https://elsewhere.example/"),
        "/": page("Home"),
        "/hidden": page("Hidden", "/deeper"),
        "/deeper": page("Deeper"),
    }
    return web_server


def test_pages_that_only_a_sitemap_lists_are_fetched_and_followed(archive: Archive, listed: WebServer) -> None:
    archive.crawl(listed.url())
    assert set(archive.statuses()) == {listed.url(path) for path in ("/", "/hidden", "/deeper")}


def test_sitemaps_are_left_alone_when_configured_so(archive: Archive, listed: WebServer) -> None:
    archive.crawl(listed.url(), use_sitemaps=False)
    assert "/map.xml" not in listed.paths()
    assert set(archive.statuses()) == {listed.url()}


def test_a_broken_sitemap_costs_nothing_else(archive: Archive, listed: WebServer) -> None:
    listed.answers["/map.xml"] = Answer(b"<urlset><url><loc>", headers=XML)
    end = archive.crawl(listed.url())
    assert (end.counts.finished, end.counts.error) == (1, 0)


def test_scope_rules_decide_what_is_followed_and_deny_wins(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {
        "/": page("Home", "/news/1", "/news/private/2", "/shop/3"),
        "/news/1": page("News"),
        "/news/private/2": page("Private"),
        "/shop/3": page("Shop"),
    }
    seeds = (web_server.url(),)
    crawl = archive.crawl_of(*seeds, rules=ScopeRules.of(seeds, (), ("/news/",), ("/news/private/",)))
    archive.run(crawl)
    assert set(archive.statuses()) == {web_server.url("/"), web_server.url("/news/1")}


def test_a_path_that_repeats_itself_for_ever_is_left(archive: Archive, web_server: WebServer) -> None:
    web_server.otherwise = page("Trap", "next/")
    web_server.answers["/"] = page("Home", "/a/")
    end = archive.crawl(web_server.url(), max_pages=200, max_depth=100)
    assert end.counts.finished < 20


def test_a_session_in_a_link_does_not_make_another_page_of_it(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {
        "/": page("Home", "/a;jsessionid=1A2B3C4D5E6F", "/a;jsessionid=9A8B7C6D5E4F"),
        "/a": page("A"),
    }
    archive.crawl(web_server.url())
    assert sorted(archive.statuses()) == [web_server.url("/"), web_server.url("/a")]


@pytest.mark.parametrize("by_header", [True, False])
def test_nofollow_is_obeyed_when_configured_so(archive: Archive, web_server: WebServer, by_header: bool) -> None:
    home = page("Home", "/next")
    if by_header:
        home = replace(home, headers=(*home.headers, ("X-Robots-Tag", "nofollow")))
    else:
        home = replace(home, body=home.body.replace(b"<body>", b'<meta name="robots" content="nofollow"><body>'))
    web_server.answers |= {"/": home, "/next": page("Next")}
    archive.crawl(web_server.url(), respect_nofollow=True)
    assert set(archive.statuses()) == {web_server.url()}
    archive.crawl(web_server.url("/"))
    assert set(archive.statuses()) == {web_server.url()}, "a finished page is not visited again"


def test_nofollow_is_not_obeyed_unless_configured_so(archive: Archive, web_server: WebServer) -> None:
    home = page("Home", "/next")
    web_server.answers |= {
        "/": replace(home, headers=(*home.headers, ("X-Robots-Tag", "nofollow"))),
        "/next": page("Next"),
    }
    archive.crawl(web_server.url())
    assert web_server.url("/next") in archive.statuses()


def test_a_single_link_that_states_nofollow_is_not_followed_when_configured_so(
    archive: Archive, web_server: WebServer
) -> None:
    links = b'<a href="/one">1</a> <a rel="sponsored NOFOLLOW" href="/two">2</a>'
    web_server.answers |= {"/": Answer(b"<title>Home</title>" + links), "/one": page("One"), "/two": page("Two")}
    archive.crawl(web_server.url(), respect_nofollow=True)
    assert set(archive.statuses()) == {web_server.url("/"), web_server.url("/one")}


def test_a_single_link_that_states_nofollow_is_followed_unless_configured_so(
    archive: Archive, web_server: WebServer
) -> None:
    web_server.answers |= {"/": Answer(b'<title>Home</title><a rel="nofollow" href="/two">2</a>'), "/two": page("Two")}
    archive.crawl(web_server.url())
    assert web_server.url("/two") in archive.statuses()


def test_noarchive_keeps_a_page_out_of_the_archive_but_not_its_links(archive: Archive, web_server: WebServer) -> None:
    home = page("Home", "/next")
    web_server.answers |= {
        "/": replace(home, headers=(*home.headers, ("X-Robots-Tag", "noarchive"))),
        "/next": page("Next"),
    }
    archive.crawl(web_server.url(), respect_noarchive=True)
    assert set(archive.statuses()) == {web_server.url("/next")}
    assert "noarchive" in (archive.tasks()[web_server.url()].last_error or "")
