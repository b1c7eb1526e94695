"""What was asked before is answered at once, and never with less than the archive holds by then."""

import asyncio
import gzip
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event, update
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from tests.api.archives import Archive
from tests.api.conftest import MakeClient
from tests.support.waiting import wait_until
from webstrata.db.captures import snapshots
from webstrata.db.engine import Database
from webstrata.db.schema.tables import Source
from webstrata.db.sql.revision import Revision
from webstrata.http.response_cache import OK, CachedResponse, CacheStore, Freshness, Key, ResponseCache

FLU = "/api/search?q=influenza"


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """Note what the database is asked while the block runs."""
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_others: object) -> None:
        asked.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(database.engine, "before_cursor_execute", note)


def total(client: TestClient, path: str = FLU) -> int:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return int(answer.json()["total"])


def names(client: TestClient) -> list[str]:
    return [hit["sourceName"] for hit in client.get(FLU).json()["results"]]


def asked_nothing(client: TestClient, database: Database, path: str = FLU, **request: Any) -> bool:
    """Tell whether a request is answered without a question to the database, and as it was the time before."""
    before = client.get(path, **request)
    with statements(database) as asked:
        again = client.get(path, **request)
    assert (again.status_code, again.content) == (before.status_code, before.content)
    return not asked


def test_the_same_search_is_not_worked_out_twice(client: TestClient, archive: Archive) -> None:
    archive.snapshot()
    # Tried again: what other databases of the same server write makes an answer old as well.
    wait_until(lambda: asked_nothing(client, archive.database), "a search is answered again")
    assert total(client) == 1


def test_without_room_nothing_is_kept(make_client: MakeClient, archive: Archive) -> None:
    archive.snapshot()
    assert not asked_nothing(make_client(kept_answers_bytes=0), archive.database)


def test_whatever_changes_shows_in_the_next_search(client: TestClient, archive: Archive, database_url: str) -> None:
    elsewhere = Database(database_url)
    assert total(client) == 0
    first = archive.snapshot("https://health.example/flu")
    assert total(client) == 1
    others = Archive(elsewhere, archive.root, warcs=1, sources=archive.sources)
    others.snapshot("https://health.example/flu-2", text="Influenza again, and more of it.")
    assert total(client) == 2
    assert names(client) == ["Health", "Health"]
    with elsewhere.write() as session:
        session.execute(update(Source).values(name="Renamed"))
    assert names(client) == ["Renamed", "Renamed"]
    with elsewhere.write() as session:
        snapshots.delete_snapshots(session, [first])
        snapshots.refresh_pages(session, archive.sources["health"], ["https://health.example/flu"])
    assert total(client) == 1
    with archive.database.write() as session:
        session.execute(update(Source).values(code="test"))
    assert total(client) == 0
    elsewhere.dispose()


def test_a_cached_response_is_counted_like_the_first(make_client: MakeClient, archive: Archive) -> None:
    archive.snapshot()
    client = make_client(client=("203.0.113.5", 1), rate_limit_search=4)
    answers = [client.get(FLU) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200] * 4
    assert len({answer.headers["x-request-id"] for answer in answers}) == 4
    assert client.get(FLU).status_code == 429
    assert client.get("/api/usage").json()["totals"]["searchRequests"] == 4
    scraped = client.get("/metrics", headers={"X-Admin-Token": "s3cret"}).text
    assert 'webstrata_http_request_seconds_count{method="GET",route="/api/search",status="200"} 4.0' in scraped
    assert 'webstrata_search_seconds_count{door="api"} 4.0' in scraped


def test_a_question_that_makes_no_sense_is_refused_every_time_and_not_counted(client: TestClient) -> None:
    refused = [client.get("/api/search?page=0") for _ in range(2)]
    assert [answer.status_code for answer in refused] == [422, 422]
    assert refused[0].json() == refused[1].json()
    assert client.get("/api/usage").json()["totals"]["searchRequests"] == 0


def test_head_gzip_and_other_origins_get_what_they_got_the_first_time(client: TestClient, archive: Archive) -> None:
    for number in range(4):
        archive.snapshot(f"https://health.example/flu/{number}", text=f"Influenza {number}. " * 20)
    plain = {"Accept-Encoding": "identity"}
    for _ in range(2):
        whole = client.get(FLU, headers=plain)
        head = client.head(FLU, headers=plain)
        assert (head.content, head.headers["content-length"]) == (b"", str(len(whole.content)))
        with client.stream("GET", FLU, headers={"Accept-Encoding": "gzip"}) as packed:
            assert packed.headers["content-encoding"] == "gzip"
            assert gzip.decompress(b"".join(packed.iter_raw())) == whole.content
        from_elsewhere = client.get(FLU, headers={**plain, "Origin": "http://localhost:3000"})
        assert from_elsewhere.headers["access-control-allow-origin"] == "http://localhost:3000"
        assert "access-control-allow-origin" not in client.get(FLU, headers=plain).headers


SAID = (b"content-type", b"application/json")


def kept(size: int) -> CachedResponse:
    return CachedResponse(OK, (SAID,), b"x" * size, "/api/search")


def key(number: int) -> Key:
    return "/api/search", str(number).encode(), "http", "", "", False


def test_the_cache_returns_a_stored_response_until_the_archive_changes() -> None:
    shelf = CacheStore(1_000_000)
    shelf.now_at("one")
    shelf.put(key(1), kept(10), "one")
    shelf.now_at("one")
    assert shelf.get(key(1)) == kept(10)
    assert shelf.get(key(2)) is None
    shelf.now_at("two")
    assert shelf.get(key(1)) is None


def test_a_response_that_was_begun_before_a_change_is_not_cached() -> None:
    shelf = CacheStore(1_000_000)
    shelf.now_at("one")
    shelf.now_at("two")
    shelf.put(key(1), kept(10), "one")
    assert shelf.get(key(1)) is None


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 40_000)), max_size=60), st.integers(0, 100_000))
def test_a_cache_never_exceeds_its_limit(puts: list[tuple[int, int]], most: int) -> None:
    shelf = CacheStore(most)
    shelf.now_at("one")
    for number, size in puts:
        shelf.put(key(number), kept(size), "one")
        held = [answer for other in range(21) if (answer := shelf.get(key(other)))]
        assert sum(len(answer.body) for answer in held) <= most
        assert len(shelf) == len(held)


class Told(Revision):
    """A revision that says what it is told to say, when it may."""

    def __init__(self, *, instant: bool = True) -> None:
        self.word: str | None = "one"
        self.asked = 0
        self.may_answer = threading.Event()
        self.may_answer.set()
        self._instant = instant

    @property
    def is_instant(self) -> bool:
        return self._instant

    def now(self) -> str | None:
        self.asked += 1
        word = self.word
        assert self.may_answer.wait(30)
        return word


class Slow:
    """An application that answers when it may, or fails."""

    def __init__(self) -> None:
        self.asked = 0
        self.fails = False
        self.may_answer = asyncio.Event()

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        self.asked += 1
        number = self.asked
        await self.may_answer.wait()
        if self.fails:
            raise OSError("no disk")
        await send({"type": "http.response.start", "status": 200, "headers": [SAID]})
        await send({"type": "http.response.body", "body": b"%d" % number})


class Asking:
    """Somebody who asks an application that keeps answers, and what they got."""

    def __init__(self, keeping: ResponseCache) -> None:
        self.got = b""
        self.task = asyncio.create_task(keeping(_scope(), _receive, self._send))

    async def _send(self, message: Message) -> None:
        self.got += message.get("body", b"")


def _scope() -> Scope:
    return {
        "type": "http",
        "method": "GET",
        "path": "/api/search",
        "query_string": b"q=a",
        "scheme": "http",
        "headers": [],
    }


async def _receive() -> Message:
    return {"type": "http.request"}


def keeping(app: Slow, revision: Told, reused: list[str]) -> ResponseCache:
    return ResponseCache(app, ("/api/search",), revision, 1_000_000, reused.append)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - what is waited for happens in another thread
            await asyncio.sleep(0)


def test_equal_requests_at_the_same_time_share_one_computation() -> None:
    async def scenario() -> None:
        app, reused = Slow(), list[str]()
        kept_by = keeping(app, Told(), reused)
        asking = [Asking(kept_by) for _ in range(3)]
        await until(lambda: app.asked == 1)
        app.may_answer.set()
        await asyncio.gather(*(one.task for one in asking))
        assert [one.got for one in asking] == [b"1"] * 3
        assert (app.asked, reused) == (1, ["/api/search"] * 2)

    asyncio.run(scenario())


def test_a_request_after_a_change_does_not_share_a_computation_from_before_it() -> None:
    async def scenario() -> None:
        app, revision = Slow(), Told()
        kept_by = keeping(app, revision, [])
        first = Asking(kept_by)
        await until(lambda: app.asked == 1)
        revision.word = "two"
        second = Asking(kept_by)
        await until(lambda: app.asked == 2)
        app.may_answer.set()
        await asyncio.gather(first.task, second.task)
        third = Asking(kept_by)
        await third.task
        assert (first.got, second.got, third.got) == (b"1", b"2", b"2")

    asyncio.run(scenario())


def test_a_client_that_disconnects_does_not_cancel_the_response_of_others() -> None:
    async def scenario() -> None:
        app = Slow()
        kept_by = keeping(app, Told(), [])
        leaving, staying = Asking(kept_by), Asking(kept_by)
        await until(lambda: app.asked == 1)
        leaving.task.cancel()
        app.may_answer.set()
        await staying.task
        assert (leaving.got, staying.got, app.asked) == (b"", b"1", 1)

    asyncio.run(scenario())


def test_a_failure_reaches_all_waiting_clients_and_is_not_cached() -> None:
    async def scenario() -> None:
        app = Slow()
        kept_by = keeping(app, Told(), [])
        app.fails = True
        app.may_answer.set()
        waiting = [Asking(kept_by), Asking(kept_by)]
        failures = await asyncio.gather(*(one.task for one in waiting), return_exceptions=True)
        assert [str(failure) for failure in failures] == ["no disk"] * 2
        app.fails = False
        again = Asking(kept_by)
        await again.task
        assert again.got == b"2"

    asyncio.run(scenario())


def test_while_the_database_does_not_respond_nothing_is_cached() -> None:
    async def scenario() -> None:
        app, revision = Slow(), Told()
        kept_by = keeping(app, revision, [])
        app.may_answer.set()
        revision.word = None
        for expected in (b"1", b"2"):
            asking = Asking(kept_by)
            await asking.task
            assert asking.got == expected

    asyncio.run(scenario())


def test_waiting_clients_share_one_query_of_the_revision_and_later_ones_query_again() -> None:
    async def scenario() -> None:
        revision = Told(instant=False)
        freshness = Freshness(revision)
        revision.may_answer.clear()
        first = asyncio.create_task(freshness.now())
        await until(lambda: revision.asked == 1)
        revision.word = "two"
        later = [asyncio.create_task(freshness.now()) for _ in range(5)]
        await asyncio.sleep(0)
        revision.may_answer.set()
        assert await first == "one"
        assert await asyncio.gather(*later) == ["two"] * 5
        assert revision.asked == 2

    asyncio.run(scenario())
