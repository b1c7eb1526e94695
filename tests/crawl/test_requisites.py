"""What a page needs to be shown is captured with it, from other hosts too, and leads nowhere."""

from collections import Counter
from itertools import pairwise

import pytest

from tests.crawl.runs import Archive, answering_conditions, assert_sound, next_job
from tests.support.web_server import Answer, WebServer, page, redirect, robots
from webstrata.content.html import PageLinks
from webstrata.content.reader.page_requests import ReadLinks
from webstrata.crawl.link_readers import LinkReaders
from webstrata.crawl.tally import CrawlProgress
from webstrata.model.crawl.scope import ScopeRules
from webstrata.model.crawl.tasks import TaskType

CSS = (("Content-Type", "text/css"),)
IMAGE = (("Content-Type", "image/png"),)


def image(name: str) -> Answer:
    return Answer(f"\x89PNG {name}".encode("latin-1"), headers=IMAGE)


@pytest.fixture
def site(web_server: WebServer) -> WebServer:
    """A site on 127.0.0.1 whose styles and fonts are on localhost, of which robots.txt forbids a part."""
    cdn = web_server.origin.replace("127.0.0.1", "localhost")
    home = f"""<!doctype html><title>Home</title><link rel=stylesheet href={cdn}/main.css><link rel=icon href=/icon>
        <script src=/app.js></script><img src=/a.png srcset='/a.png 1x, {cdn}/b.png 2x'><img src=/gone.png>
        <img src={cdn}/forbidden/c.png><img src=/moved.png><a href=/next>next</a><a href={cdn}/other>other</a>"""
    web_server.answers |= {
        "/": Answer(home.encode()),
        "/next": page("Next"),
        "/robots.txt": robots("User-agent: *", "Disallow: /forbidden/"),
        "/main.css": Answer(b"@import 'more.css'; body{background:url(a%20b.png)}", headers=CSS),
        "/more.css": Answer(b"@font-face{src:url(/font.woff2)}", headers=CSS),
        "/app.js": Answer(b"location='/elsewhere'", headers=(("Content-Type", "text/javascript"),)),
        "/moved.png": redirect(f"{cdn}/there.png"),
    } | {path: image(path) for path in ("/icon", "/a.png", "/b.png", "/a%20b.png", "/font.woff2", "/there.png")}
    return web_server


def test_a_page_is_captured_with_all_that_it_shows_and_links_in_that_lead_nowhere(
    archive: Archive, site: WebServer
) -> None:
    seen: list[CrawlProgress] = []
    end = archive.crawl(site.url(), max_pages=2, progress=seen.append)
    cdn = site.origin.replace("127.0.0.1", "localhost")
    own = {site.url(path): 200 for path in ("/", "/next", "/icon", "/app.js", "/a.png")}
    other = {
        cdn + path: 200 for path in ("/main.css", "/more.css", "/font.woff2", "/a%20b.png", "/b.png", "/there.png")
    }
    assert archive.statuses() == own | other | {site.url("/gone.png"): 404, site.url("/moved.png"): 302}
    tasks = archive.tasks()
    assert "robots.txt" in (tasks[f"{cdn}/forbidden/c.png"].last_error or "")
    assert {url for url, task in tasks.items() if task.task_type == TaskType.PAGE} == {site.url(), site.url("/next")}
    assert site.paths().count("/robots.txt") == 2, "each host is asked once"
    assert (end.limit, end.counts.finished, end.counts.error) == (None, 13, 1)
    assert (seen[-1].report.responses, seen[-1].report.requisites) == (13, 11)
    assert_sound(archive)


@pytest.mark.parametrize(
    ("scope", "captured"),
    [
        ({"allowed_domains": ("127.0.0.1",)}, {"/icon", "/app.js", "/a.png", "/moved.png"}),
        ({"deny_paths": ("*.png", "*.css")}, {"/icon", "/app.js"}),
        ({"allow_paths": ("/$", "/none/"), "deny_paths": ("/*.png", "/more", "/app")}, {"/icon", "/main.css"}),
    ],
)
def test_the_scope_of_a_job_wins(
    archive: Archive, site: WebServer, scope: dict[str, tuple[str, ...]], captured: set[str]
) -> None:
    site.answers["/gone.png"] = site.answers["/forbidden/c.png"] = robots()
    archive.crawl(site.url(), rules=ScopeRules.of([site.url()], **scope), max_depth=0)
    asked = set(site.pages()) - {"/", "/gone.png"}
    assert asked == captured


def test_requisites_can_be_left_out(archive: Archive, site: WebServer) -> None:
    archive.crawl(site.url(), capture_requisites=False)
    assert set(archive.statuses()) == {site.url(), site.url("/next")}


def test_a_limit_of_requisites_does_not_end_the_pages(archive: Archive, site: WebServer) -> None:
    end = archive.crawl(site.url(), max_requisites=2, concurrency=1)
    assert end.limit == "requisite limit"
    assert site.url("/next") in archive.statuses()
    assert len(archive.statuses()) == 4
    more = archive.crawl(site.url(), max_requisites=100)
    assert (more.limit, more.counts.pending) == (None, 0)
    assert_sound(archive)


def test_a_page_shows_no_more_than_the_limit_of_a_page(archive: Archive, site: WebServer) -> None:
    archive.crawl(site.url(), max_page_requisites=2, max_depth=0)
    shown = [task for task in archive.tasks().values() if task.task_type == TaskType.MEDIA]
    # Two of the page, two of its first style sheet, one of the sheet that this one imports.
    assert sorted(task.depth for task in shown) == [1, 1, 2, 2, 3]


def test_style_sheets_that_import_each_other_for_ever_come_to_an_end(archive: Archive, web_server: WebServer) -> None:
    web_server.answers["/"] = Answer(b"<link rel=stylesheet href=/css/0>")
    web_server.otherwise = lambda request: Answer(f"@import '{request.path}0';".encode(), headers=CSS)
    web_server.answers["/robots.txt"] = robots()
    end = archive.crawl(web_server.url())
    assert (end.counts.finished, end.limit) == (9, None)


def test_what_one_page_shows_and_another_links_to_is_a_page(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {
        "/": page("Home", "/a", "/b"),
        "/a": Answer(b"<title>A</title><a href=/c>c</a>"),
        "/b": Answer(b"<title>B</title><a href=/odd>odd</a><img src=/odd>"),
        "/c": Answer(b"<title>C</title><img src=/d><a href=/d>d</a>"),
        "/odd": page("Odd", "/e"),
        "/d": page("D", "/f"),
    }
    archive.crawl(web_server.url(), concurrency=1)
    assert {"/e", "/f"} <= set(web_server.pages())


def test_other_hosts_get_their_rest(archive: Archive, site: WebServer) -> None:
    archive.crawl(site.url(), per_host_delay=0.05, jitter=0, max_depth=0)
    hosts: dict[str, list[tuple[float, float]]] = {}
    for request in site.requests:
        hosts.setdefault(request.header("host") or "", []).append((request.started, request.ended or request.started))
    assert len(hosts) == 2
    for log in hosts.values():
        log.sort()
        assert all(later[0] - earlier[1] >= 0.05 for earlier, later in pairwise(log))


def test_what_unchanged_pages_and_style_sheets_need_is_known_without_reading_them(
    archive: Archive, site: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [(path, answer) for path, answer in site.answers.items() if isinstance(answer, Answer)]
    site.answers |= {path: answering_conditions(answer) for path, answer in answers if answer.status == 200}
    archive.crawl(site.url())
    later, read, really_read = next_job(archive), [], LinkReaders._read

    async def watched(readers: LinkReaders, request: ReadLinks) -> PageLinks:
        read.append(request.url)
        return await really_read(readers, request)

    monkeypatch.setattr(LinkReaders, "_read", watched)
    later.crawl(site.url())
    assert read == [site.url("/gone.png")]
    assert later.statuses().keys() == archive.statuses().keys()
    assert Counter(later.statuses().values()) == {304: 11, 302: 1, 404: 1}
