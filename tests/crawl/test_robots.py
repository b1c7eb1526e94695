"""robots.txt, proven from the log of the server that has it."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from tests.crawl.runs import GUARD, Archive, assert_sound
from tests.support.web_server import Answer, WebServer, gzipped, page, redirect, robots, serving
from webstrata.crawl.robots import RobotsRules
from webstrata.errors import FetchError, TransientFetchError
from webstrata.fetch.http import HttpFetcher
from webstrata.model.crawl.tasks import TaskStatus

SITE = {"/": page("Home", "/open", "/closed/a", "/closed/b"), "/open": page("Open"), "/closed/a": page("A")}


def test_what_is_disallowed_is_never_requested_and_gives_the_reason(archive: Archive, web_server: WebServer) -> None:
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
def test_the_rules_for_us_are_found(archive: Archive, web_server: WebServer, lines: tuple[str, ...], may: bool) -> None:
    web_server.answers |= {"/": page("Home"), "/robots.txt": robots(*lines)}
    archive.crawl(web_server.url())
    assert web_server.pages() == (["/"] if may else [])


def test_a_packed_robots_txt_is_read(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {"/": page("Home"), "/robots.txt": gzipped(robots("User-agent: *", "Disallow: /"))}
    archive.crawl(web_server.url())
    assert web_server.pages() == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_without_a_robots_txt_everything_is_allowed(archive: Archive, web_server: WebServer, status: int) -> None:
    web_server.answers |= {**SITE, "/robots.txt": Answer(b"User-agent: *\nDisallow: /", status=status)}
    archive.crawl(web_server.url())
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
    archive: Archive, web_server: WebServer
) -> None:
    web_server.answers |= {f"/r{n}": redirect(f"/r{n + 1}") for n in range(1, 20)}
    web_server.answers |= {"/": page("Home"), "/robots.txt": redirect("/r1")}
    archive.crawl(web_server.url())
    assert web_server.paths() == ["/robots.txt", "/r1", "/r2", "/r3", "/r4", "/r5", "/"]


def test_a_redirect_of_robots_txt_into_a_private_network_forbids_everything(
    archive: Archive, web_server: WebServer
) -> None:
    web_server.answers |= {"/": page("Home"), "/robots.txt": redirect("http://169.254.169.254/latest/meta-data/")}
    end = archive.crawl(web_server.url(), fetch_timeout=5)
    assert web_server.pages() == []
    assert "169.254.169.254 is not a public address" in str(end.first_error)


def test_robots_txt_is_requested_once_however_many_pages_there_are(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {"/": page("Home", *(f"/{n}" for n in range(20)))}
    archive.crawl(web_server.url(), concurrency=16)
    assert web_server.paths().count("/robots.txt") == 1


def test_robots_txt_is_not_requested_when_configured_so(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {**SITE, "/robots.txt": robots("User-agent: *", "Disallow: /")}
    archive.crawl(web_server.url(), respect_robots=False)
    assert set(web_server.paths()) == {"/", "/open", "/closed/a", "/closed/b"}


class Reader:
    """Reads robots.txt over HTTP, without a crawl, at any hour of a clock."""

    def __init__(self, max_crawl_delay: float = 60.0) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.delays: list[tuple[str, float]] = []
        self._max_crawl_delay = max_crawl_delay

    def run(self, steps: Callable[[RobotsRules], Awaitable[None]]) -> None:
        asyncio.run(self._run(steps))

    async def _run(self, steps: Callable[[RobotsRules], Awaitable[None]]) -> None:
        fetcher = HttpFetcher(
            GUARD, user_agent="tester/1", timeout=10, max_body_bytes=1_000_000, connections=4, max_buffered_bytes=10**8
        )
        async with fetcher:
            told = lambda host, delay: self.delays.append((host, delay))  # noqa: E731
            await steps(RobotsRules(fetcher.fetch, "tester/1", told, self._max_crawl_delay, clock=lambda: self.now))


def test_robots_txt_is_obeyed_for_a_day_and_then_requested_again(web_server: WebServer) -> None:
    web_server.answers["/robots.txt"] = (robots("User-agent: *", "Disallow: /"), Answer(status=404))
    reader = Reader()

    async def steps(rules: RobotsRules) -> None:
        assert not await rules.allows(web_server.url("/a"))
        reader.now += timedelta(hours=23, minutes=59)
        assert not await rules.allows(web_server.url("/a"))
        reader.now += timedelta(minutes=1)
        assert await rules.allows(web_server.url("/a"))

    reader.run(steps)
    assert web_server.paths() == ["/robots.txt"] * 2


def test_a_robots_txt_that_cannot_be_had_is_requested_ever_more_rarely(web_server: WebServer) -> None:
    web_server.answers["/robots.txt"] = Answer(status=503)
    reader = Reader()
    waits: list[float] = []

    async def steps(rules: RobotsRules) -> None:
        for _ in range(10):
            with pytest.raises(TransientFetchError, match="503") as refused:
                await rules.allows(web_server.url("/a"))
            waits.append(refused.value.retry_after.total_seconds())
            with pytest.raises(TransientFetchError, match="503"):
                await rules.allows(web_server.url("/b"))
            reader.now += refused.value.retry_after
        web_server.answers["/robots.txt"] = (robots("User-agent: *"), Answer(status=503))
        assert await rules.allows(web_server.url("/a"))
        reader.now += timedelta(hours=24)
        with pytest.raises(TransientFetchError) as refused:
            await rules.allows(web_server.url("/a"))
        waits.append(refused.value.retry_after.total_seconds())

    reader.run(steps)
    assert waits == [0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60, 0.5]
    assert len(web_server.paths()) == 12


def test_a_robots_txt_that_asks_for_patience_is_not_requested_sooner(web_server: WebServer) -> None:
    web_server.answers["/robots.txt"] = Answer(status=503, headers=(("Retry-After", "3600"),))
    reader = Reader()

    async def steps(rules: RobotsRules) -> None:
        for minutes in (60, 20):
            with pytest.raises(TransientFetchError) as refused:
                await rules.allows(web_server.url("/a"))
            assert refused.value.retry_after == timedelta(minutes=minutes)
            assert await rules.sitemaps(web_server.url()) == ()
            reader.now += timedelta(minutes=40)
        with pytest.raises(FetchError):
            await rules.allows(web_server.url("/a"))

    reader.run(steps)
    assert len(web_server.paths()) == 2


@pytest.mark.parametrize(
    ("line", "delay"),
    [
        ("Crawl-delay: 2.5", 2.5),
        ("Crawl-delay: 60", 60),
        ("Crawl-delay: 86400", 60),
        ("Crawl-delay: 1e300", 60),
        *((f"Crawl-delay: {odd}", None) for odd in ("0", "-5", "nan", "inf", "soon", "", "9" * 400)),
        ("Disallow: /x", None),
    ],
)
def test_a_hosts_wish_for_a_delay_is_passed_on_up_to_the_longest(
    web_server: WebServer, line: str, delay: float | None
) -> None:
    web_server.answers["/robots.txt"] = robots("User-agent: *", line)
    reader = Reader(max_crawl_delay=60)

    async def steps(rules: RobotsRules) -> None:
        assert await rules.allows(web_server.url("/a"))
        assert await rules.allows(web_server.url("/b"))

    reader.run(steps)
    host = web_server.url().removeprefix("http://").rstrip("/")
    assert reader.delays == ([] if delay is None else [(host, delay)])


def test_a_crawl_delay_counts_for_the_requested_host_whichever_host_responds(web_server: WebServer) -> None:
    with serving({"/rules": robots("User-agent: tester", "Crawl-delay: 3")}) as elsewhere:
        web_server.answers["/robots.txt"] = redirect(elsewhere.url("/rules"))
        reader = Reader()

        async def steps(rules: RobotsRules) -> None:
            await rules.allows(web_server.url("/a"))

        reader.run(steps)
    assert reader.delays == [(web_server.url().removeprefix("http://").rstrip("/"), 3)]


@pytest.mark.parametrize(("crawl_delay", "knobs"), [("0.2", {}), ("30", {"max_crawl_delay": 0.2})])
def test_a_crawl_rests_as_long_as_robots_txt_asks_for(
    archive: Archive, web_server: WebServer, crawl_delay: str, knobs: dict[str, object]
) -> None:
    web_server.answers |= {**SITE, "/robots.txt": robots("User-agent: *", f"Crawl-delay: {crawl_delay}")}
    archive.crawl(web_server.url(), **knobs)
    assert len(web_server.pages()) == 4
    asked = sorted(web_server.requests, key=lambda request: request.started)
    rests = [later.started - (earlier.ended or 0) for earlier, later in pairwise(asked)]
    assert min(rests) >= 0.19


def test_a_crawl_delay_is_ignored_when_configured_so(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {**SITE, "/robots.txt": robots("User-agent: *", "Crawl-delay: 3600")}
    archive.crawl(web_server.url(), max_crawl_delay=0)
    assert len(web_server.pages()) == 4
