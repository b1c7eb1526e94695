"""A crawl of a small site, from its seeds to its end."""

import asyncio
import os
import threading
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
import uvloop
from sqlalchemy import select, update

from tests.crawl.runs import Archive, assert_sound, make_unreadable
from tests.support.waiting import wait_until
from tests.support.warcs import records
from tests.support.web_server import Answer, WebServer, gzipped, linked_site, page, redirect, robots, serving
from webstrata.content.links import MAX_REFERENCES
from webstrata.crawl.engine import CrawlEnd
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.model.crawl.tasks import TaskStatus

PENDING, FINISHED, ERROR = TaskStatus.PENDING, TaskStatus.FINISHED, TaskStatus.ERROR


def test_every_page_and_picture_is_fetched_once_and_recorded_once(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= linked_site(30)
    end = archive.crawl(web_server.url())
    assert Counter(web_server.paths()) == Counter(["/robots.txt", *linked_site(30)])
    assert (end.counts.finished, end.counts.pending, end.counts.error) == (61, 0, 0)
    assert (end.stopped, end.limit, end.first_error) == (False, None, None)
    assert {record.url for record in archive.responses()} == {web_server.url(path) for path in linked_site(30)}
    assert_sound(archive)


def test_a_second_run_of_a_finished_job_fetches_nothing(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= linked_site(3)
    archive.crawl(web_server.url())
    fetched = len(web_server.requests)
    assert archive.crawl(web_server.url()).counts.finished == 7
    assert len(web_server.requests) == fetched
    assert_sound(archive)


def test_request_and_response_are_stored_as_a_pair_as_they_were_on_the_wire(
    archive: Archive, web_server: WebServer
) -> None:
    web_server.answers["/"] = gzipped(page("Packed"))
    archive.crawl(web_server.url())
    info, response, request = archive.records()
    assert info.kind == "warcinfo"
    assert b"isPartOf: site\r\n" in info.block
    assert request.headers["WARC-Concurrent-To"] == response.headers["WARC-Record-ID"]
    assert request.block == web_server.requests[-1].head
    assert response.block == gzipped(page("Packed")).wire()
    assert response.headers["WARC-IP-Address"] == "127.0.0.1"
    assert response.headers["WARC-Date"] == request.headers["WARC-Date"]
    assert {info.headers["WARC-Record-ID"]} == {r.headers["WARC-Warcinfo-ID"] for r in (request, response)}


def test_links_to_other_hosts_are_not_followed_but_www_is_the_same_site(
    archive: Archive, web_server: WebServer
) -> None:
    with serving({"/": page("Elsewhere")}) as elsewhere:
        port = web_server.port
        web_server.answers["/"] = page(
            "Home", "/in", elsewhere.url(), f"http://www.127.0.0.1.example:{port}/", "mailto:a@b.c", "javascript:x()"
        )
        web_server.answers["/in"] = page("In", f"http://127.0.0.1:{port}/deeper#part", "//127.0.0.1/otherport")
        archive.crawl(web_server.url())
        assert elsewhere.requests == []
    assert {u.removeprefix(web_server.origin) for u in archive.tasks()} == {"/", "/in", "/deeper"}


@pytest.mark.parametrize(("depth", "expected"), [(0, {"/"}), (1, {"/", "/1"}), (2, {"/", "/1", "/2"})])
def test_links_are_followed_as_far_as_configured(
    archive: Archive, web_server: WebServer, depth: int, expected: set[str]
) -> None:
    web_server.answers |= {"/": page("0", "/1"), "/1": page("1", "/2"), "/2": page("2", "/3"), "/3": page("3")}
    archive.crawl(web_server.url(), max_depth=depth)
    assert set(web_server.pages()) == expected


def without_images(server: WebServer) -> list[str]:
    """Return the pages that were asked for: requisites have a limit of their own."""
    return [path for path in server.pages() if not path.startswith("/image/")]


@pytest.mark.parametrize("limit", [1, 5, 20])
def test_no_more_pages_are_fetched_than_allowed_however_slow_the_disk_is(
    archive: Archive, web_server: WebServer, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    really_sync = os.fdatasync

    def slow_sync(descriptor: int) -> None:
        time.sleep(0.05)
        really_sync(descriptor)

    monkeypatch.setattr(os, "fdatasync", slow_sync)
    web_server.answers |= linked_site(30)
    end = archive.crawl(web_server.url(), max_pages=limit)
    assert len(without_images(web_server)) == limit
    assert (end.counts.finished, end.limit) == (len(web_server.pages()), "page limit")
    assert end.counts.pending > 0
    assert_sound(archive)


def test_the_limit_counts_what_an_earlier_run_fetched(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= linked_site(10)
    archive.crawl(web_server.url(), max_pages=4)
    archive.crawl(web_server.url(), max_pages=6)
    assert len(without_images(web_server)) == 6
    assert_sound(archive)


def test_pages_that_fail_do_not_count_as_fetched(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {"/": page("Home", "/bad", "/good", "/better"), "/bad": Answer(status=500)}
    web_server.answers |= {"/good": page("Good"), "/better": page("Better")}
    end = archive.crawl(web_server.url(), max_pages=3)
    assert (end.counts.finished, end.counts.error) == (3, 1)


def test_a_missing_page_is_a_result_and_not_requested_again(archive: Archive, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home", "/gone", "/secret")
    web_server.answers["/secret"] = Answer(b"no", status=403)
    end = archive.crawl(web_server.url(), max_retries=5)
    assert Counter(web_server.pages()) == {"/": 1, "/gone": 1, "/secret": 1}
    assert archive.statuses() == {
        web_server.url("/"): 200,
        web_server.url("/gone"): 404,
        web_server.url("/secret"): 403,
    }
    assert end.counts.error == 0


def statuses(archive: Archive, web_server: WebServer) -> dict[str, int | None]:
    return {url.removeprefix(web_server.origin): status for url, status in archive.statuses().items()}


def test_a_redirect_is_recorded_and_its_target_followed_in_scope_only(archive: Archive, web_server: WebServer) -> None:
    with serving({"/": page("Elsewhere")}) as elsewhere:
        web_server.answers |= {"/": page("Home", "/old", "/out", "/nowhere", "/loop"), "/old": redirect("new?x=1", 301)}
        web_server.answers |= {"/new?x=1": page("New", "/deeper"), "/out": redirect(elsewhere.url())}
        web_server.answers |= {"/nowhere": redirect("mailto:a@b.c"), "/loop": redirect("/loop")}
        archive.crawl(web_server.url())
        assert elsewhere.requests == []
    got = statuses(archive, web_server)
    assert got == {"/": 200, "/old": 301, "/out": 302, "/nowhere": 302, "/loop": 302, "/new?x=1": 200, "/deeper": 404}
    assert_sound(archive)


def test_links_are_read_from_packed_pages_and_not_from_what_is_no_page(archive: Archive, web_server: WebServer) -> None:
    web_server.answers["/"] = gzipped(page("Packed", "/text"))
    web_server.answers["/text"] = Answer(b'<a href="/hidden">', headers=(("Content-Type", "text/plain"),))
    archive.crawl(web_server.url())
    assert web_server.pages() == ["/", "/text"]


@pytest.mark.parametrize(("retries", "requests"), [(0, 1), (1, 1), (2, 2), (3, 3)])
@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_server_in_trouble_is_asked_as_often_as_configured(
    archive: Archive, web_server: WebServer, retries: int, requests: int, status: int
) -> None:
    web_server.answers["/"] = Answer(b"busy", status=status)
    end = archive.crawl(web_server.url(), max_retries=retries)
    assert len(web_server.pages()) == requests
    (task,) = archive.tasks().values()
    assert (task.status, task.attempt_count) == (ERROR, requests)
    assert end.first_error == task.last_error
    assert f"{web_server.url()}: the server answered {status}" in str(task.last_error)
    assert archive.captures() == []
    assert_sound(archive)


def test_a_server_that_recovers_gives_its_page(archive: Archive, web_server: WebServer) -> None:
    web_server.answers["/"] = (Answer(status=503), Answer(status=503), page("Back"))
    end = archive.crawl(web_server.url(), max_retries=3)
    (task,) = archive.tasks().values()
    assert (end.counts.finished, task.attempt_count, task.last_error) == (1, 3, None)
    assert archive.statuses() == {web_server.url(): 200}


def test_the_next_attempt_waits_in_the_database_longer_each_time(archive: Archive, web_server: WebServer) -> None:
    web_server.answers["/"] = Answer(status=503)
    archive.crawl(web_server.url(), max_retries=3, backoff_min=0.2, backoff_max=10)
    first, second, third = (request.started for request in web_server.requests if request.path == "/")
    assert second - first >= 0.2
    assert third - second >= 0.4


@pytest.mark.parametrize("in_words", [False, True], ids=["seconds", "date"])
def test_the_server_states_how_long_to_wait(archive: Archive, web_server: WebServer, in_words: bool) -> None:
    when = datetime.now(UTC) + timedelta(hours=1)
    value = f"{when:%a, %d %b %Y %H:%M:%S} GMT" if in_words else "3600"
    web_server.answers["/"] = Answer(status=503, headers=(("Retry-After", value),))
    run_until(archive, web_server, lambda: any(task.attempt_count for task in archive.tasks().values()), max_retries=2)
    (task,) = archive.tasks().values()
    assert (task.status, task.attempt_count) == (PENDING, 1)
    assert abs((task.next_run_at - when).total_seconds()) < 10
    assert len(web_server.pages()) == 1


def test_a_retry_that_a_stop_cut_off_is_due_when_it_was(archive: Archive, web_server: WebServer) -> None:
    web_server.answers["/"] = (Answer(status=503, headers=(("Retry-After", "1"),)), page("Back"))
    run_until(archive, web_server, lambda: any(task.attempt_count for task in archive.tasks().values()), max_retries=2)
    archive.crawl(web_server.url(), max_retries=2)
    first, second = (request.started for request in web_server.requests if request.path == "/")
    assert second - first >= 0.95


def run_until(archive: Archive, web_server: WebServer, reached: object, **knobs: object) -> CrawlEnd:
    """Run a crawl and stop it when something has happened."""
    assert callable(reached)

    async def stopped_run() -> CrawlEnd:
        crawl = archive.crawl_of(web_server.url(), **knobs)
        running = asyncio.create_task(crawl.run())
        await asyncio.to_thread(wait_until, reached, "the crawl has come so far")
        crawl.stop()
        return await running

    return uvloop.run(stopped_run())


def test_one_who_leaves_when_nothing_is_left_to_do_stops_nothing(archive: Archive, web_server: WebServer) -> None:
    """A worker may be killed just when its crawl is over: the job is then whole, and nobody has to resume it."""
    assert archive.crawl(web_server.url()).counts.pending == 0
    crawl = archive.crawl_of(web_server.url())
    crawl.leave()
    end = archive.run(crawl)
    assert (end.left, end.stopped, end.counts.pending) == (False, False, 0)


def test_a_stop_gives_back_what_is_under_way_and_a_second_run_ends_what_it_began(
    archive: Archive, web_server: WebServer
) -> None:
    never = threading.Event()
    web_server.answers |= linked_site(5)
    slow = web_server.answers["/page/3"]
    web_server.answers["/page/3"] = Answer(waits_for=never)
    began = time.monotonic()
    end = run_until(archive, web_server, lambda: "/page/3" in web_server.paths() and len(archive.captures()) >= 5)
    assert time.monotonic() - began < 10
    assert end.stopped
    assert archive.urls(TaskStatus.IN_PROGRESS) == set()
    assert {task.lease_token for task in archive.tasks().values()} == {None}
    assert archive.tasks()[web_server.url("/page/3")].attempt_count == 0
    assert_sound(archive)
    never.set()
    web_server.answers["/page/3"] = slow
    archive.crawl(web_server.url())
    assert archive.urls(FINISHED) == {web_server.url(path) for path in linked_site(5)}
    assert max(count for path, count in Counter(web_server.pages()).items() if path != "/page/3") <= 2
    assert_sound(archive)


def test_a_stop_while_robots_txt_is_awaited_is_quick_and_quiet(
    archive: Archive, web_server: WebServer, caplog: pytest.LogCaptureFixture
) -> None:
    never = threading.Event()
    web_server.answers["/robots.txt"] = Answer(waits_for=never)
    end = run_until(archive, web_server, lambda: bool(web_server.requests))
    never.set()
    assert end.stopped
    assert archive.urls(PENDING) == {web_server.url()}
    assert [record.getMessage() for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []


def test_a_page_that_we_cannot_read_is_captured_without_its_links_and_with_the_reason(
    archive: Archive, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_unreadable(monkeypatch, "/page/1")
    web_server.answers |= linked_site(4)
    end = archive.crawl(web_server.url())
    assert (end.counts.pending, end.counts.error) == (0, 0)
    with archive.database.read() as session:
        reason = session.scalar(select(CrawlTask.last_error).where(CrawlTask.url == web_server.url("/page/1")))
    assert reason == f"{web_server.url('/page/1')}: its links were not read: a page from hell"
    assert web_server.url("/page/1") in {capture.url for capture in archive.captures()}
    assert_sound(archive)


def test_a_page_with_too_many_links_is_followed_up_to_the_limit_and_its_task_notes_it(
    archive: Archive, web_server: WebServer
) -> None:
    elsewhere = [f"//elsewhere.example/{number}" for number in range(MAX_REFERENCES - 1)]
    web_server.answers |= {"/": page("All", "/first", *elsewhere, "/last"), "/first": page("First")}
    archive.crawl(web_server.url(), max_body_bytes=10_000_000)
    tasks = archive.tasks()
    assert set(tasks) == {web_server.url(), web_server.url("/first")}
    with archive.database.read() as session:
        noted = session.scalars(select(CrawlTask.last_error).order_by(CrawlTask.id)).all()
    assert noted == [f"{web_server.url()}: it has more than 100,000 links; the others were not read", None]
    assert_sound(archive)


@pytest.mark.parametrize("value", ["9" * 6000, "-1", "soon", "Mon, 99 Foo 99999 99:99:99 GMT", "²"])
def test_a_senseless_wish_to_wait_is_no_reason_to_fall_over(
    archive: Archive, web_server: WebServer, value: str
) -> None:
    web_server.answers["/"] = Answer(
        raw=f"HTTP/1.1 503 Busy\r\nRetry-After: {value}\r\nContent-Length: 0\r\n\r\n".encode()
    )
    end = archive.crawl(web_server.url(), max_retries=1)
    assert (end.counts.error, end.counts.pending) == (1, 0)
    assert "503 Busy" in str(end.first_error)


def test_a_response_that_is_no_http_is_an_error_that_both_databases_can_keep(
    archive: Archive, web_server: WebServer
) -> None:
    web_server.answers["/"] = Answer(raw=b"\x00\xff\xfe\xed\xa0\x80 garbage\r\n\r\n", closes=True)
    web_server.answers["/robots.txt"] = Answer(raw=b"HTTP/1.1 404 \xff\x00No\r\nContent-Length: 0\r\n\r\n")
    end = archive.crawl(web_server.url())
    assert end.counts.error == 1


def test_files_are_followed_by_new_ones_when_they_are_full(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= linked_site(20)
    archive.crawl(web_server.url(), warc_max_bytes=1000, concurrency=1)
    files = archive.warc_files()
    assert len(files) > 1
    assert {records(archive.path(file))[0].kind for file in files} == {"warcinfo"}
    assert_sound(archive)


def test_leases_are_renewed_while_the_work_lasts(archive: Archive, web_server: WebServer) -> None:
    held = threading.Event()
    web_server.answers["/"] = Answer(page("Slow").body, waits_for=held)

    async def watched_run() -> CrawlEnd:
        running = asyncio.create_task(archive.crawl_of(web_server.url(), lease_seconds=0.6).run())
        await asyncio.to_thread(wait_until, lambda: "/" in web_server.paths(), "the page was asked for")
        (task,) = archive.tasks().values()
        first = task.lease_expires_at
        assert first is not None
        await asyncio.to_thread(wait_until, lambda: expiry(archive) > first + timedelta(seconds=0.6), "the lease grew")
        held.set()
        return await running

    end = uvloop.run(watched_run())
    assert end.counts.finished == 1
    assert web_server.pages() == ["/"]
    assert_sound(archive)


def expiry(archive: Archive) -> datetime:
    (task,) = archive.tasks().values()
    assert task.lease_expires_at is not None
    return task.lease_expires_at


def test_a_polite_crawl_rests_between_all_requests_to_a_host(
    archive: Archive, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webstrata.coordination.permits._is_loopback", lambda host: False)
    web_server.answers |= {"/robots.txt": redirect("/r.txt"), "/r.txt": robots("User-agent: *", "Allow: /")}
    web_server.answers |= {
        "/": page("Home", "/a", "/b"),
        "/a": Answer(status=500),
        "/b": redirect("/c"),
        "/c": page("C"),
    }
    archive.crawl(web_server.url(), per_host_delay=0.15, max_retries=2)
    assert Counter(web_server.paths()) == {"/robots.txt": 1, "/r.txt": 1, "/": 1, "/a": 2, "/b": 1, "/c": 1}
    assert min(rests(web_server)) >= 0.14


def rests(web_server: WebServer) -> list[float]:
    asked = sorted(web_server.requests, key=lambda request: request.started)
    return [later.started - (earlier.ended or 0) for earlier, later in pairwise(asked)]


def test_a_page_taken_back_after_its_lease_expired_still_leads_to_its_links(
    archive: Archive, web_server: WebServer
) -> None:
    held = threading.Event()
    home = page("Home", "/next")
    web_server.answers |= {"/": (replace(home, waits_for=held), home), "/next": page("Next")}

    async def robbed_run() -> CrawlEnd:
        running = asyncio.create_task(archive.crawl_of(web_server.url()).run())
        await asyncio.to_thread(wait_until, lambda: "/" in web_server.paths(), "the page was asked for")
        with archive.database.write() as session:
            session.execute(update(CrawlTask).values(lease_expires_at=datetime.now(UTC) - timedelta(seconds=1)))
        await asyncio.to_thread(wait_until, lambda: web_server.pages().count("/") == 2, "it was asked for again")
        held.set()
        return await running

    end = uvloop.run(robbed_run())
    assert end.counts.finished == 2
    assert archive.tasks()[web_server.url()].reclaim_count == 1
    assert_sound(archive)
