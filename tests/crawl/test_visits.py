"""The visits of a worker: as many as there are connections, and no more than memory can hold."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

import pytest

from tests.crawl.runs import CONFIG, Archive, assert_sound
from tests.support.web_server import Answer, WebServer, linked_site, robots
from webstrata.crawl import visit_pool
from webstrata.crawl.outcome import FoundLinks, Outcome
from webstrata.crawl.scope import CrawlScope
from webstrata.crawl.visit import Obeyed, UrlVisitor
from webstrata.crawl.visit_pool import Visits
from webstrata.errors import StorageError
from webstrata.model.captures import EarlierCapture
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.crawl.scope import ScopeRules
from webstrata.model.crawl.tasks import Task, TaskStatus, TaskType
from webstrata.model.crawl.traps import TrapGuard

CONNECTIONS = 4
BODY = b"x" * (visit_pool.MOST_WAITING_BYTES // 10)
SEED = "http://site.example/"


@dataclass
class Web:
    """Answers everything with the same large body, and remembers how much it was asked at once."""

    asked: list[str] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    at_once: int = 0
    most_at_once: int = 0

    async def fetch(self, url: str, _conditions: Mapping[str, str]) -> FetchResult:
        self.asked.append(url)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        return FetchResult(url, datetime.now(UTC), b"", 200, "OK", "1.1", (), BODY)

    def visits(self) -> Visits:
        scope = CrawlScope(ScopeRules.of((SEED,)), 5, TrapGuard(date(2026, 1, 1)))
        obeyed = Obeyed(nofollow=False, noarchive=False)
        visitor = UrlVisitor(self.fetch, None, scope, CONFIG.retry_policy, _no_links, _no_links, obeyed)
        return Visits(visitor, CONNECTIONS, self.news, lambda: None)


async def _no_links(_page: FetchResult | EarlierCapture, _earlier: EarlierCapture | None = None) -> FoundLinks:
    return FoundLinks()


def tasks(count: int) -> list[Task]:
    return [Task(n, f"{SEED}{n}", 0, TaskType.PAGE, 0, "token") for n in range(count)]


def moved(target: str) -> Answer:
    return Answer(b"It is elsewhere.", status=301, headers=(("Location", target),))


async def until_quiet(web: Web, visiting: Visits) -> None:
    while visiting.any_under_way:
        await web.news.wait()
        web.news.clear()


def test_what_a_slow_disk_has_not_taken_bounds_what_is_fetched() -> None:
    async def scenario() -> None:
        web = Web()
        visiting = web.visits()
        visiting.begin(tasks(50))
        await until_quiet(web, visiting)
        assert 10 <= visiting.came_back < 10 + CONNECTIONS
        assert len(web.asked) == visiting.came_back
        assert web.most_at_once == CONNECTIONS
        settled: list[Outcome] = []
        while taken := visiting.take():
            assert len(taken) < 10 + CONNECTIONS
            settled += taken
            await until_quiet(web, visiting)
        assert [outcome.task.url for outcome in settled] == [task.url for task in tasks(50)]
        assert {outcome.task.status for outcome in settled} == {TaskStatus.FINISHED}

    asyncio.run(scenario())


def test_what_has_not_begun_is_left_and_what_came_back_is_kept_when_visits_are_cancelled() -> None:
    async def scenario() -> None:
        visiting = Web().visits()
        visiting.begin(tasks(20))
        await asyncio.sleep(0)
        await visiting.cancel()
        assert visiting.held == []
        assert visiting.came_back < 20

    asyncio.run(scenario())


def test_trouble_of_ours_in_a_visit_is_no_outcome_but_raised() -> None:
    class Full(Web):
        async def fetch(self, url: str, _conditions: Mapping[str, str]) -> FetchResult:
            raise StorageError("the disk is full")

    async def scenario() -> None:
        web = Full()
        visiting = web.visits()
        visiting.begin(tasks(2))
        await until_quiet(web, visiting)
        assert visiting.came_back == 0
        with pytest.raises(StorageError, match="the disk is full"):
            visiting.raise_trouble()

    asyncio.run(scenario())


def test_a_crawl_that_may_keep_hardly_anything_in_memory_still_fetches_everything_once(
    archive: Archive, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visit_pool, "MOST_WAITING_BYTES", 1)
    web_server.answers |= linked_site(10)
    # What has a body and leads on must be out of memory before the next can come.
    web_server.answers["/robots.txt"] = moved("/rules")
    web_server.answers["/rules"] = robots("User-agent: *", "Disallow:", f"Sitemap: {web_server.url('/sitemap.xml')}")
    web_server.answers["/sitemap.xml"] = moved("/list.txt")
    web_server.answers["/list.txt"] = Answer(web_server.url("/page/0").encode())
    end = archive.crawl(web_server.url(), max_buffered_bytes=1)
    assert end.counts.finished == 21
    assert sorted(web_server.pages()) == sorted([*linked_site(10), "/rules", "/sitemap.xml", "/list.txt"])
    assert_sound(archive)
