"""The knobs that bound a crawl, each with what it changes."""

import threading
import time
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from tests.crawl.runs import Archive, assert_sound
from tests.support.web_server import (
    Answer,
    Request,
    Script,
    WebServer,
    linked_site,
    most_at_once,
    page,
    robots,
    slowly,
)
from webstrata.db.queue import frontier
from webstrata.model.crawl.tasks import TaskStatus

PATIENCE_SECONDS = 20


def test_a_crawl_ends_when_its_time_is_over_and_states_what_is_left(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {f"/{n}": slowly(0.05) for n in range(200)}
    web_server.answers["/"] = page("Home", *(f"/{n}" for n in range(200)))
    end = archive.crawl(web_server.url(), max_seconds=0.5, concurrency=2)
    assert (end.stopped, end.limit) == (False, "time limit")
    assert 0 < end.counts.finished < 200
    assert end.counts.pending + end.counts.finished == 201
    assert end.counts.in_progress == 0
    assert_sound(archive)


def test_a_crawl_that_has_time_enough_is_not_cut_short(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= linked_site(3)
    end = archive.crawl(web_server.url(), max_seconds=600)
    assert (end.limit, end.counts.finished) == (None, 7)


def test_a_crawl_ends_when_it_has_received_enough(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {f"/{n}": Answer(f"{n:05}".encode() * 2_000) for n in range(20)}
    web_server.answers["/"] = page("Home", *(f"/{n}" for n in range(20)))
    end = archive.crawl(web_server.url(), max_bytes=50_000, concurrency=1)
    assert end.limit == "byte limit"
    received = sum(len(record.block) for record in archive.responses())
    # What was under way when the limit was reached is still kept.
    assert 50_000 <= received <= 50_000 + 2 * 10_500
    again = archive.crawl(web_server.url(), max_bytes=50_000)
    assert (again.limit, again.counts.finished) == ("byte limit", end.counts.finished)
    assert archive.crawl(web_server.url(), max_bytes=10_000_000).counts.finished == 21


def once_together(server: WebServer, count: int) -> Script:
    """Answer when so many requests have been under way at once, and leave a moment for one too many."""
    together = threading.Event()

    def answering(request: Request) -> Answer:
        if sum(other.ended is None for other in list(server.requests)) >= count:
            together.set()
        together.wait(PATIENCE_SECONDS)
        time.sleep(0.03)
        return page(request.path)

    return answering


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_more_requests_are_under_way_than_configured(
    archive: Archive, web_server: WebServer, concurrency: int
) -> None:
    web_server.answers |= dict.fromkeys((f"/{n}" for n in range(12)), once_together(web_server, concurrency))
    web_server.answers["/"] = page("Home", *(f"/{n}" for n in range(12)))
    archive.crawl(web_server.url(), concurrency=concurrency)
    assert most_at_once(web_server.requests) == concurrency


def test_a_host_gets_no_more_requests_at_once_than_configured_however_many_connections_there_are(
    archive: Archive, web_server: WebServer
) -> None:
    web_server.answers |= dict.fromkeys((f"/{n}" for n in range(12)), once_together(web_server, 2))
    web_server.answers["/"] = page("Home", *(f"/{n}" for n in range(12)))
    archive.crawl(web_server.url(), concurrency=8, per_host_concurrency=2)
    assert most_at_once(web_server.requests) == 2
    assert len(archive.urls(TaskStatus.FINISHED)) == 13


def test_jitter_lengthens_the_rests_of_a_host(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {f"/{n}": page(str(n)) for n in range(8)}
    web_server.answers["/"] = page("Home", *(f"/{n}" for n in range(8)))
    archive.crawl(web_server.url(), per_host_delay=0.1, jitter=1.0)
    log = sorted(web_server.requests, key=lambda request: request.started)
    rests = [later.started - (earlier.ended or earlier.started) for earlier, later in pairwise(log)]
    assert min(rests) >= 0.1
    assert max(rests) - min(rests) > 0.02, "nine rests of the same length are not spread"


def test_an_explicit_delay_holds_on_loopback_too(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= linked_site(2)
    archive.crawl(web_server.url(), per_host_delay=0.1, jitter=0)
    log = sorted(web_server.requests, key=lambda request: request.started)
    assert len(log) == 6
    for earlier, later in pairwise(log):
        assert earlier.ended is not None
        assert later.started - earlier.ended >= 0.1


def test_robots_txt_is_not_even_requested_when_it_is_not_to_be_obeyed(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {"/": page("Home"), "/robots.txt": robots("User-agent: *", "Disallow: /")}
    assert archive.crawl(web_server.url()).counts.error == 1
    assert web_server.paths() == ["/robots.txt"]
    with archive.database.write() as session:
        frontier.revive(session, archive.job_id, datetime.now(UTC))
    assert archive.crawl(web_server.url(), respect_robots=False).counts.finished == 1
    assert web_server.paths() == ["/robots.txt", "/"]


def test_a_page_that_takes_longer_than_it_may_is_given_up(archive: Archive, web_server: WebServer) -> None:
    held = threading.Event()
    web_server.answers |= {"/": page("Home", "/slow"), "/slow": Answer(b"late", waits_for=held)}
    end = archive.crawl(web_server.url(), fetch_timeout=0.3)
    held.set()
    assert (end.counts.finished, end.counts.error) == (1, 1)
    assert end.first_error == f"{web_server.url('/slow')}: no response in time"
