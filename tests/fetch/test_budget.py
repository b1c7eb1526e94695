"""How many bytes of bodies are in memory at once, and what happens to downloads beyond that."""

import asyncio
import socket
import threading
import tracemalloc
from collections.abc import Coroutine

import pytest
import uvloop

from tests.fetch.fetching import ScriptedServer, fetch, fetcher, read_request, scripted
from webstrata.errors import TransientFetchError
from webstrata.fetch.http import HttpFetcher

SIZE = 2_000_000
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
PIECE = b"x" * 50_000
A_READ = 262_144
"""What the event loop takes from a socket at a time."""


def large_body(connection: socket.socket, _server: ScriptedServer) -> None:
    while read_request(connection):
        connection.sendall(HEAD % SIZE)
        for _ in range(SIZE // len(PIECE)):
            connection.sendall(PIECE)


async def size_of_body(used: HttpFetcher, server: ScriptedServer) -> int:
    """Fetch a body and forget it, as the crawler does once it is written."""
    return len((await used.fetch(server.url)).body)


def peak_of(work: Coroutine[None, None, None]) -> int:
    """Return how much more memory there was in use at most while something ran."""
    tracemalloc.start()
    try:
        uvloop.run(work)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_downloads_together_stay_within_the_budget_and_one_body() -> None:
    downloads, budget = 12, 3 * SIZE

    async def scenario() -> None:
        async with fetcher(connections=downloads, max_body_bytes=SIZE, max_buffered_bytes=budget) as used:
            sizes = await asyncio.gather(*(size_of_body(used, server) for _ in range(2 * downloads)))
        assert sizes == [SIZE] * 2 * downloads

    with scripted(large_body) as server:
        peak = peak_of(scenario())
    # A buffer that grows is up to an eighth larger than what is in it; a read is there twice before a download pauses.
    assert peak < (budget + SIZE) * 9 / 8 + 2 * downloads * A_READ < downloads * SIZE


@pytest.mark.parametrize("budget", [1, SIZE // 2])
def test_a_budget_that_is_smaller_than_a_body_slows_down_but_ends(budget: int) -> None:
    async def scenario() -> list[int]:
        async with fetcher(max_body_bytes=SIZE, max_buffered_bytes=budget) as used:
            async with asyncio.timeout(60):
                return await asyncio.gather(*(size_of_body(used, server) for _ in range(8)))

    with scripted(large_body) as server:
        assert uvloop.run(scenario()) == [SIZE] * 8


class TwoParts:
    """A server that sends the beginning of a body, and more when it is told to; its end not always."""

    def __init__(self, *, sends_the_end: bool) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.pieces = SIZE // len(PIECE) - 1 if sends_the_end else SIZE // len(PIECE) - 2

    def __call__(self, connection: socket.socket, server: ScriptedServer) -> None:
        read_request(connection)
        connection.sendall(HEAD % SIZE + PIECE)
        self.begun.set()
        self.go_on.wait(30)
        for _ in range(self.pieces):
            connection.sendall(PIECE)
        server.stopped.wait(30)


async def body_after_a_pause(
    used: HttpFetcher, parts: TwoParts, paused_url: str, other_url: str, pause: float
) -> bytes:
    """Fetch a body that has to pause in the middle, because another one is in memory meanwhile."""
    async with used:
        fetching = asyncio.create_task(used.fetch(paused_url))
        await asyncio.to_thread(parts.begun.wait, 30)
        other = [await used.fetch(other_url)]
        parts.go_on.set()
        await asyncio.sleep(pause)
        assert not fetching.done()
        # It is a thread that writes bodies to the disk and forgets them.
        await asyncio.to_thread(other.clear)
        return (await fetching).body


@pytest.mark.parametrize("sends_the_end", [True, False])
def test_a_pause_of_ours_does_not_count_as_time_that_the_server_took(sends_the_end: bool) -> None:
    parts, timeout = TwoParts(sends_the_end=sends_the_end), 1.0
    used = fetcher(timeout=timeout, max_body_bytes=SIZE, max_buffered_bytes=60_000)
    with scripted(parts) as slow, scripted(large_body) as other:
        fetched = body_after_a_pause(used, parts, slow.url, other.url, pause=1.5 * timeout)
        if sends_the_end:
            assert len(uvloop.run(fetched)) == SIZE
        else:
            with pytest.raises(TransientFetchError, match="no response in time"):
                uvloop.run(fetched)


def test_a_body_that_failed_or_was_forgotten_leaves_room_for_the_next() -> None:
    def breaks_off_at_first(connection: socket.socket, server: ScriptedServer) -> None:
        if read_request(connection):
            connection.sendall(HEAD % len(PIECE) + (PIECE if server.connections > 3 else PIECE[:-1]))

    async def scenario() -> bytes:
        async with fetcher(max_buffered_bytes=10_000) as used:
            for _ in range(3):
                with pytest.raises(TransientFetchError, match="in the middle of the body"):
                    await used.fetch(server.url)
            return (await used.fetch(server.url)).body

    with scripted(breaks_off_at_first) as server:
        assert uvloop.run(scenario()) == PIECE


def test_small_chunks_without_end_are_out_of_time_like_everything_else() -> None:
    def endless(connection: socket.socket, _server: ScriptedServer) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            connection.sendall(b"1\r\nx\r\n" * 40_000)

    with scripted(endless) as server, pytest.raises(TransientFetchError, match="no response in time"):
        fetch(server.url, fetcher(timeout=0.5, max_body_bytes=10**9))
