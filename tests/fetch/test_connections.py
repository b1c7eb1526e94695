"""Connections: kept where they may be, replaced where they died, never too many."""

import asyncio
import gc
import socket
import ssl
import threading
import time
from collections.abc import Awaitable, Callable
from ipaddress import ip_network

import pytest
import uvloop

from tests.fetch.fetching import (
    ScriptedServer,
    answer,
    fetch,
    fetch_all,
    fetcher,
    read_request,
    reset,
    resolving,
    scripted,
    with_fetcher,
)
from tests.support.waiting import wait_until
from tests.support.web_server import Answer, WebServer, page, serving
from webstrata.errors import FetchError, TransientFetchError
from webstrata.fetch import connections
from webstrata.fetch.guard import NetworkGuard
from webstrata.model.crawl.fetching import FetchResult

Run = Callable[[Awaitable[list[FetchResult]]], list[FetchResult]]
LOOPS = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])


def patient(connection: socket.socket, _server: ScriptedServer) -> None:
    """Answer one request after the other."""
    while read_request(connection):
        connection.sendall(answer())


@LOOPS
def test_a_connection_serves_one_request_after_the_other(run: Run) -> None:
    with scripted(patient) as server:
        results = run(with_fetcher(fetcher(), *[server.url] * 5))
        assert [result.body for result in results] == [b"ok"] * 5
        assert server.connections == 1


@pytest.mark.parametrize("last", [answer(b"ok", b"Connection: close"), answer() + b"more than it said"])
def test_a_connection_that_may_not_be_used_again_is_not(last: bytes) -> None:
    def closing(connection: socket.socket, _server: ScriptedServer) -> None:
        while read_request(connection):
            connection.sendall(last)

    with scripted(closing) as server:
        assert [result.body for result in fetch_all(server.url, server.url)] == [b"ok", b"ok"]
        assert server.connections == 2


@LOOPS
@pytest.mark.parametrize("breaking", [False, True], ids=["closed", "reset"])
def test_an_idle_connection_that_died_unseen_is_replaced_once(run: Run, breaking: bool) -> None:
    def dies_at_the_second_request(connection: socket.socket, _server: ScriptedServer) -> None:
        read_request(connection)
        connection.sendall(answer())
        read_request(connection)
        if breaking:
            reset(connection)

    with scripted(dies_at_the_second_request) as server:
        results = run(with_fetcher(fetcher(), *[server.url] * 4))
        assert [result.body for result in results] == [b"ok"] * 4
        assert server.connections == 4


def test_a_fresh_connection_that_dies_is_not_replaced() -> None:
    def silent(connection: socket.socket, _server: ScriptedServer) -> None:
        read_request(connection)

    with scripted(silent) as server:
        with pytest.raises(TransientFetchError, match="closed the connection without a response") as raised:
            fetch(server.url)
        assert (raised.value.kind, server.connections) == ("disconnect", 1)


def test_an_idle_connection_that_dies_in_the_middle_of_a_response_is_not_replaced() -> None:
    def breaks_off(connection: socket.socket, _server: ScriptedServer) -> None:
        read_request(connection)
        connection.sendall(answer())
        read_request(connection)
        connection.sendall(answer()[:-1])

    with scripted(breaks_off) as server:
        with pytest.raises(TransientFetchError, match="in the middle of the body"):
            fetch_all(server.url, server.url)
        assert server.connections == 1


@pytest.mark.parametrize("farewell", [b"", b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"])
def test_an_idle_connection_that_the_server_closes_is_let_go(farewell: bytes) -> None:
    closed = threading.Event()

    def closes_when_idle(connection: socket.socket, server: ScriptedServer) -> None:
        while read_request(connection):
            connection.sendall(answer())
            if server.connections == 1:
                connection.sendall(farewell)
                break
        connection.close()
        closed.set()

    async def twice(url: str) -> list[FetchResult]:
        async with fetcher() as used:
            first = await used.fetch(url)
            await asyncio.to_thread(closed.wait, 30)
            return [first, await used.fetch(url)]

    with scripted(closes_when_idle) as server:
        assert [(r.status, r.body) for r in uvloop.run(twice(server.url))] == [(200, b"ok")] * 2
        assert server.connections == 2


def test_a_connection_that_was_idle_for_long_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_MAX_IDLE_SECONDS", -1)
    with scripted(patient) as server:
        fetch_all(server.url, server.url)
        assert server.connections == 2


def test_no_more_connections_are_open_than_were_allowed() -> None:
    lock, most, now = threading.Lock(), [0], [0]

    def counting(connection: socket.socket, _server: ScriptedServer) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        patient(connection, _server)
        with lock:
            now[0] -= 1

    async def at_once(*urls: str) -> list[FetchResult]:
        async with fetcher(connections=3) as used:
            return await asyncio.gather(*(used.fetch(url) for url in urls))

    with scripted(counting) as server:
        results = uvloop.run(at_once(*[server.url] * 30))
        assert len(results) == 30
        assert most[0] == server.connections == 3


def test_idle_connections_make_room_for_those_to_other_hosts() -> None:
    with serving({"/": page("one")}) as one, serving({"/": page("two")}) as two, serving({"/": page("three")}) as three:
        urls = [server.url() for server in (one, two, three)] * 3
        results = fetch_all(*urls, used=fetcher(connections=1))
        assert [result.url for result in results] == urls


@LOOPS
def test_nothing_stays_open_after_a_fetcher(run: Run) -> None:
    left = threading.Event()

    def until_left(connection: socket.socket, _server: ScriptedServer) -> None:
        patient(connection, _server)
        left.set()

    with scripted(until_left) as server:
        run(with_fetcher(fetcher(), server.url))
        assert left.wait(30)
    gc.collect()


def test_one_who_gives_up_leaves_no_half_response_to_the_next(web_server: WebServer) -> None:
    go_on = threading.Event()
    web_server.answers |= {"/slow": Answer(b"slow", waits_for=go_on), "/": Answer(b"fast")}

    async def give_up_once() -> FetchResult:
        async with fetcher(connections=1) as used:
            slow = asyncio.create_task(used.fetch(web_server.url("/slow")))
            await asyncio.to_thread(wait_until, lambda: bool(web_server.requests), "the request arrives")
            slow.cancel()
            await asyncio.wait([slow])
            go_on.set()
            return await used.fetch(web_server.url())

    assert uvloop.run(give_up_once()).body == b"fast"


def test_addresses_are_tried_in_turn_until_one_answers(web_server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    web_server.answers["/"] = page("here")
    monkeypatch.setattr(socket, "getaddrinfo", resolving("::1", "127.0.0.2", "127.0.0.1"))
    (result,) = asyncio.run(with_fetcher(fetcher(), f"http://innocent.example:{web_server.port}/"))
    assert result.ip_address == "127.0.0.1"


def test_when_no_address_responds_the_last_reason_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as gone:
        pass
    monkeypatch.setattr(socket, "getaddrinfo", resolving("127.0.0.2", "127.0.0.1"))
    with pytest.raises(TransientFetchError, match="connection refused") as raised:
        asyncio.run(with_fetcher(fetcher(), f"http://innocent.example:{gone.port}/"))
    assert raised.value.kind == "connect"


def test_a_name_is_looked_up_once_for_all_who_ask(web_server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    web_server.answers["/"] = page("here")
    lookups: list[str] = []

    def counting(host: str, port: int, *_: object, **__: object) -> list[object]:
        lookups.append(host)
        return resolving("127.0.0.1")(host, port)

    async def at_once() -> list[FetchResult]:
        async with fetcher() as used:
            url = f"http://innocent.example:{web_server.port}/"
            return await asyncio.gather(*(used.fetch(url) for _ in range(4)))

    monkeypatch.setattr(socket, "getaddrinfo", counting)
    assert len(asyncio.run(at_once())) == 4
    assert lookups == ["innocent.example"]


def test_a_lookup_that_failed_is_tried_again(web_server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    web_server.answers["/"] = page("here")
    lookups: list[str] = []

    def at_the_second_try(host: str, port: int, *_: object, **__: object) -> list[object]:
        lookups.append(host)
        if len(lookups) == 1:
            raise socket.gaierror(socket.EAI_AGAIN, "try again")
        return resolving("127.0.0.1")(host, port)

    async def twice() -> FetchResult:
        url = f"http://innocent.example:{web_server.port}/"
        async with fetcher() as used:
            with pytest.raises(TransientFetchError, match="does not resolve") as raised:
                await used.fetch(url)
            assert raised.value.kind == "dns"
            return await used.fetch(url)

    monkeypatch.setattr(socket, "getaddrinfo", at_the_second_try)
    assert asyncio.run(twice()).status == 200


def test_over_ipv6_as_well() -> None:
    with serving({"/": page("six")}, host="::1") as server:
        result = fetch(server.url())
        assert (result.status, result.ip_address) == (200, "::1")
        assert server.requests[0].header("host") == f"[::1]:{server.port}"


@LOOPS
def test_over_tls_a_connection_is_kept_and_states_whom_it_wants(
    run: Run, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str | None] = []
    tls.sni_callback = lambda _socket, name, _context: names.append(name)
    monkeypatch.setattr(socket, "getaddrinfo", resolving("127.0.0.1"))
    body = bytes(range(256)) * 2_000
    with serving({"/": Answer(body)}, tls=tls) as server:
        url = server.url().replace("127.0.0.1", "site.example" if run is asyncio.run else "localhost")
        results = run(with_fetcher(fetcher(), url, url, url))
    assert [(result.body, result.ip_address) for result in results] == [(body, "127.0.0.1")] * 3
    assert names == ["site.example" if run is asyncio.run else "localhost"]


def test_a_certificate_must_be_for_the_host(tls: ssl.SSLContext) -> None:
    with serving({"/": page("secret")}, host="127.0.0.2", tls=tls) as server:
        with pytest.raises(FetchError, match=r"certificate is not valid.*mismatch") as raised:
            fetch(server.url())
        assert (raised.value.transient, raised.value.kind) == (False, "tls")
        assert server.requests == []


@LOOPS
def test_a_server_that_speaks_no_tls_is_a_reason_to_try_again(run: Run) -> None:
    def plain(connection: socket.socket, _server: ScriptedServer) -> None:
        connection.recv(1)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        read_request(connection)

    with scripted(plain) as server, pytest.raises(TransientFetchError, match="no encrypted connection") as raised:
        run(with_fetcher(fetcher(), server.url.replace("http:", "https:")))
    assert raised.value.kind == "tls"


@LOOPS
@pytest.mark.parametrize("politely", [True, False], ids=["with a farewell", "without"])
def test_over_tls_too_a_body_may_end_with_the_connection(run: Run, politely: bool, tls: ssl.SSLContext) -> None:
    def until_close(connection: socket.socket, _server: ScriptedServer) -> None:
        with tls.wrap_socket(connection, server_side=True) as encrypted:
            read_request(encrypted)
            encrypted.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + b"until the end" * 10_000)
            if politely:
                encrypted.unwrap()

    with scripted(until_close) as server:
        (result,) = run(with_fetcher(fetcher(), server.url.replace("http:", "https:")))
    assert result.body == b"until the end" * 10_000


@LOOPS
def test_a_server_that_speaks_first_is_no_web_server(run: Run) -> None:
    def talkative(connection: socket.socket, _server: ScriptedServer) -> None:
        connection.sendall(b"220 mail.example ESMTP ready\r\n")
        read_request(connection)

    with scripted(talkative) as server, pytest.raises(FetchError, match="it begins with '220 mail") as raised:
        run(with_fetcher(fetcher(), server.url))
    assert (raised.value.transient, raised.value.kind) == (False, "protocol")


def test_a_literal_address_is_checked_before_anybody_connects() -> None:
    with scripted(patient) as server:
        with pytest.raises(FetchError) as raised:
            fetch(server.url, fetcher(NetworkGuard((ip_network("10.0.0.0/8"),))))
        assert (raised.value.kind, server.connections) == ("blocked", 0)


def test_the_time_is_for_the_whole_request() -> None:
    def dripping(connection: socket.socket, server: ScriptedServer) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while not server.stopped.wait(0.02):
            connection.sendall(b"x")

    with scripted(dripping) as server:
        began = time.monotonic()
        with pytest.raises(TransientFetchError, match="no response in time") as raised:
            fetch(server.url, fetcher(timeout=0.3))
        assert (raised.value.kind, time.monotonic() - began >= 0.3) == ("timeout", True)


def test_waiting_for_a_free_connection_is_part_of_the_time() -> None:
    def silent(connection: socket.socket, server: ScriptedServer) -> None:
        server.stopped.wait(30)

    async def two(url: str) -> list[FetchResult | BaseException]:
        async with fetcher(timeout=0.3, connections=1) as used:
            return list(await asyncio.gather(used.fetch(url), used.fetch(url), return_exceptions=True))

    with scripted(silent) as server:
        failures = uvloop.run(two(server.url))
    assert [getattr(failure, "kind", None) for failure in failures] == ["timeout", "timeout"]
