"""One worker's crawl while others come, go and die elsewhere."""

import asyncio
import threading
from datetime import UTC, datetime, timedelta

import pytest
import uvloop
from sqlalchemy import update

from tests.crawl.runs import Archive, assert_sound
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer, page, robots
from webstrata.db.queue import frontier
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.model.crawl.tasks import Link, TaskStatus

PATIENCE_SECONDS = 20


def held_elsewhere(archive: Archive, url: str, expires_in: timedelta) -> None:
    """Let a worker of another machine have leased a URL; nobody here can tell whether it lives."""
    now = datetime.now(UTC)
    with archive.database.write() as session:
        frontier.add_links(session, archive.job_id, [Link(url)], 1, now)
        session.execute(
            update(CrawlTask)
            .where(CrawlTask.url == url)
            .values(
                status=TaskStatus.IN_PROGRESS,
                lease_owner="elsewhere:7:gone",
                lease_token="theirs",
                lease_expires_at=now + expires_in,
            )
        )


@pytest.mark.parametrize("knobs", [{"max_pages": 1}, {"max_bytes": 1}, {"max_seconds": 0.3}, {"max_pages": 2}])
def test_a_crawl_at_its_limit_does_not_wait_for_ever_for_a_worker_that_died_elsewhere(
    archive: Archive, web_server: WebServer, knobs: dict[str, object]
) -> None:
    web_server.answers |= {"/": page("Home"), "/x": page("X")}
    held_elsewhere(archive, web_server.url("/x"), timedelta(seconds=1))
    crawl = archive.crawl_of(web_server.url(), **knobs)

    async def run() -> None:
        await asyncio.wait_for(crawl.run(), PATIENCE_SECONDS)

    uvloop.run(run())
    assert archive.urls(TaskStatus.IN_PROGRESS) == set()
    assert_sound(archive)


def test_what_others_work_on_is_waited_for(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {"/": page("Home"), "/x": page("X")}
    held_elsewhere(archive, web_server.url("/x"), timedelta(seconds=1))
    end = archive.crawl(web_server.url())
    assert (end.counts.finished, end.counts.in_progress) == (2, 0)
    assert archive.tasks()[web_server.url("/x")].last_error is None


@pytest.fixture
def listed(web_server: WebServer) -> threading.Event:
    """A site one of whose pages only its sitemap names, which does not answer before this is set."""
    event = threading.Event()
    sitemap = f"{web_server.url('/hidden')}\n".encode()
    web_server.answers |= {
        "/robots.txt": robots(f"Sitemap: {web_server.url('/map.txt')}"),
        "/map.txt": Answer(sitemap, headers=(("Content-Type", "text/plain"),), waits_for=event),
        "/": page("Home"),
        "/hidden": page("Hidden"),
    }
    return event


def test_a_sitemap_that_a_stop_interrupted_is_read_by_the_next_run(
    archive: Archive, web_server: WebServer, listed: threading.Event
) -> None:
    crawl = archive.crawl_of(web_server.url())

    def is_being_read() -> bool:
        return "/map.txt" in web_server.paths() and bool(archive.captures())

    async def stop_while_it_is_read() -> None:
        crawling = asyncio.ensure_future(crawl.run())
        await asyncio.to_thread(wait_until, is_being_read, "the sitemap is being read")
        crawl.stop()
        await crawling

    uvloop.run(stop_while_it_is_read())
    listed.set()
    archive.crawl(web_server.url())
    assert set(archive.statuses()) == {web_server.url("/"), web_server.url("/hidden")}
    asked = len(web_server.requests)
    archive.crawl(web_server.url())
    assert len(web_server.requests) == asked, "a sitemap that was read is not read again"


def test_the_leader_reads_the_sitemaps_though_others_fetched_the_pages(
    archive: Archive, web_server: WebServer, listed: threading.Event
) -> None:
    listed.set()
    with archive.database.write() as session:
        frontier.add_links(session, archive.job_id, [Link(web_server.url())], 0, datetime.now(UTC))
        session.execute(update(CrawlTask).values(status=TaskStatus.FINISHED))
    archive.crawl(web_server.url())
    assert web_server.url("/hidden") in archive.statuses()
