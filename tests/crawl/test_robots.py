"""robots.txt, proven from the log of the server that has it."""

import pytest

from tests.crawl.runs import Archive, assert_sound
from tests.support.web_server import Answer, WebServer, gzipped, page, redirect, robots, serving
from webstrata.model.tasks import TaskStatus

SITE = {"/": page("Home", "/open", "/closed/a", "/closed/b"), "/open": page("Open"), "/closed/a": page("A")}


def test_what_is_disallowed_is_never_asked_for_and_says_why(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {**SITE, "/robots.txt": robots("User-agent: *", "Disallow: /closed/")}
    end = archive.crawl(web_server.url(), max_retries=3)
    assert web_server.paths() == ["/robots.txt", "/", "/open"]
    assert archive.urls(TaskStatus.ERROR) == {web_server.url("/closed/a"), web_server.url("/closed/b")}
    assert end.first_error == f"{web_server.url('/closed/a')}: robots.txt does not allow it"
    assert_sound(archive)


@pytest.mark.parametrize(
    ("lines", "may"),
    [
        (("User-agent: tester", "Disallow: /", "", "User-agent: *", "Allow: /"), False),
        (("User-agent: *", "Disallow: /", "", "User-agent: Tester", "Allow: /"), True),
        (("User-agent: someone-else", "Disallow: /"), True),
        (("\ufeffUser-agent: *", "Disallow: /"), False),
        (("User-agent: *", "Disallow: /", "Allow: /$"), True),
        (("User-agent: *", "Disallow:"), True),
        (("# nothing but words",), True),
        (("User-agent: *", f"# {'x' * 600_000}", "Disallow: /"), True),
    ],
    ids=["ours", "ours over all", "others", "byte order mark", "longest", "empty", "comment", "behind 500 KiB"],
)
def test_the_rules_for_us_are_found(
    sqlite_archive: Archive, web_server: WebServer, lines: tuple[str, ...], may: bool
) -> None:
    web_server.answers |= {"/": page("Home"), "/robots.txt": robots(*lines)}
    sqlite_archive.crawl(web_server.url())
    assert web_server.pages() == (["/"] if may else [])


def test_a_packed_robots_txt_is_read(sqlite_archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {"/": page("Home"), "/robots.txt": gzipped(robots("User-agent: *", "Disallow: /"))}
    sqlite_archive.crawl(web_server.url())
    assert web_server.pages() == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_without_a_robots_txt_everything_is_allowed(
    sqlite_archive: Archive, web_server: WebServer, status: int
) -> None:
    web_server.answers |= {**SITE, "/robots.txt": Answer(b"User-agent: *\nDisallow: /", status=status)}
    sqlite_archive.crawl(web_server.url())
    assert set(web_server.pages()) == {"/", "/open", "/closed/a", "/closed/b"}


@pytest.mark.parametrize(
    "answer", [Answer(status=503), Answer(status=500), Answer(status=429), Answer(raw=b"", closes=True)]
)
def test_a_robots_txt_that_cannot_be_had_forbids_everything_for_now(
    archive: Archive, web_server: WebServer, answer: Answer
) -> None:
    web_server.answers |= {**SITE, "/robots.txt": answer}
    end = archive.crawl(web_server.url(), max_retries=2)
    assert web_server.pages() == []
    assert (end.counts.finished, end.counts.error) == (0, 1)
    assert web_server.url("/robots.txt") in str(end.first_error)
    (task,) = archive.tasks().values()
    assert task.attempt_count == 2


def test_a_robots_txt_that_comes_back_opens_the_site(archive: Archive, web_server: WebServer) -> None:
    busy = Answer(status=503)
    web_server.answers |= {**SITE, "/robots.txt": (busy, robots("User-agent: *", "Disallow: /closed/"))}
    archive.crawl(web_server.url(), max_retries=2)
    assert web_server.paths() == ["/robots.txt", "/robots.txt", "/", "/open"]


def test_the_wait_that_robots_txt_asks_for_is_kept(archive: Archive, web_server: WebServer) -> None:
    busy = Answer(status=503, headers=(("Retry-After", "1"),))
    web_server.answers |= {"/": page("Home"), "/robots.txt": (busy, Answer(status=404))}
    archive.crawl(web_server.url(), max_retries=2)
    first, second, _ = (request.started for request in web_server.requests)
    assert second - first >= 0.95


def test_a_redirect_of_robots_txt_is_followed_even_to_another_host(archive: Archive, web_server: WebServer) -> None:
    with serving({"/rules": robots("User-agent: *", "Disallow: /closed/")}) as elsewhere:
        web_server.answers |= {**SITE, "/robots.txt": redirect("/r"), "/r": redirect(elsewhere.url("/rules"))}
        archive.crawl(web_server.url())
        assert elsewhere.paths() == ["/rules"]
    assert web_server.paths() == ["/robots.txt", "/r", "/", "/open"]


def test_five_redirects_of_robots_txt_are_followed_and_a_sixth_means_that_there_is_none(
    sqlite_archive: Archive, web_server: WebServer
) -> None:
    web_server.answers |= {f"/r{n}": redirect(f"/r{n + 1}") for n in range(1, 20)}
    web_server.answers |= {"/": page("Home"), "/robots.txt": redirect("/r1")}
    sqlite_archive.crawl(web_server.url())
    assert web_server.paths() == ["/robots.txt", "/r1", "/r2", "/r3", "/r4", "/r5", "/"]


def test_a_redirect_of_robots_txt_into_a_private_network_forbids_everything(
    sqlite_archive: Archive, web_server: WebServer
) -> None:
    web_server.answers |= {"/": page("Home"), "/robots.txt": redirect("http://169.254.169.254/latest/meta-data/")}
    end = sqlite_archive.crawl(web_server.url(), fetch_timeout=5)
    assert web_server.pages() == []
    assert "169.254.169.254 is not a public address" in str(end.first_error)


def test_robots_txt_is_asked_for_once_however_many_pages_there_are(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {"/": page("Home", *(f"/{n}" for n in range(20)))}
    archive.crawl(web_server.url(), concurrency=16)
    assert web_server.paths().count("/robots.txt") == 1


def test_robots_txt_is_not_asked_for_when_told_so(sqlite_archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {**SITE, "/robots.txt": robots("User-agent: *", "Disallow: /")}
    sqlite_archive.crawl(web_server.url(), respect_robots=False)
    assert set(web_server.paths()) == {"/", "/open", "/closed/a", "/closed/b"}
