"""What the HTTP fetcher brings back, from a server that does as it is told."""

import asyncio
import gzip
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable
from ipaddress import ip_network
from pathlib import Path

import pytest
import uvloop

from tests.fetch.fetching import fetch, fetcher, resolving, with_fetcher
from tests.support.web_server import Answer, WebServer, gzipped, page, redirect, serving
from webstrata.errors import BlockedAddressError, FetchError, TransientFetchError
from webstrata.fetch.guard import NetworkGuard
from webstrata.model.crawl.fetching import FetchResult

HELLO = page("Hello")


def test_status_headers_and_body_are_kept_as_they_came(web_server: WebServer) -> None:
    raw = (
        b"HTTP/1.1 203 Sort Of\r\nX-b: 2\r\nx-B:  two \r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n"
        b"X-Latin: \xe9t\xe9\r\nContent-Length: 5\r\n\r\nhello"
    )
    web_server.answers["/"] = Answer(raw=raw)
    result = fetch(web_server.url())
    assert (result.status, result.reason, result.http_version, result.body) == (203, "Sort Of", "1.1", b"hello")
    assert result.headers == (
        (b"X-b", b"2"),
        (b"x-B", b"two"),
        (b"Set-Cookie", b"a=1"),
        (b"Set-Cookie", b"b=2"),
        (b"X-Latin", b"\xe9t\xe9"),
        (b"Content-Length", b"5"),
    )
    assert result.truncated is None
    assert result.response_head + result.body == raw


def test_a_packed_body_is_not_unpacked(web_server: WebServer) -> None:
    web_server.answers["/"] = gzipped(HELLO)
    result = fetch(web_server.url())
    assert result.body == gzip.compress(HELLO.body, mtime=0)
    assert result.header("content-encoding") == "gzip"


def test_chunks_are_put_together_and_their_header_is_kept(web_server: WebServer) -> None:
    chunks = b"5\r\nhello\r\n7;note=x\r\n, world\r\n0\r\nTrailer: x\r\n\r\n"
    web_server.answers["/"] = Answer(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    result = fetch(web_server.url())
    assert (result.body, result.header("transfer-encoding")) == (b"hello, world", "chunked")


def test_chunks_that_break_off_are_a_reason_to_try_again(web_server: WebServer) -> None:
    raw = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhello"
    web_server.answers["/"] = Answer(raw=raw, closes=True)
    with pytest.raises(TransientFetchError):
        fetch(web_server.url())


def test_without_a_length_the_body_ends_with_the_connection(web_server: WebServer) -> None:
    web_server.answers["/"] = Answer(raw=b"HTTP/1.0 200 OK\r\n\r\nuntil the end", closes=True)
    result = fetch(web_server.url())
    assert (result.body, result.http_version) == (b"until the end", "1.0")


def test_a_body_shorter_than_announced_is_a_reason_to_try_again(web_server: WebServer) -> None:
    web_server.answers["/"] = Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", closes=True)
    with pytest.raises(TransientFetchError, match=web_server.url()):
        fetch(web_server.url())


def test_a_response_without_body_is_a_response(web_server: WebServer) -> None:
    web_server.answers["/"] = Answer(raw=b"HTTP/1.1 204 No Content\r\n\r\n")
    result = fetch(web_server.url())
    assert (result.status, result.body) == (204, b"")


@pytest.mark.parametrize(("size", "truncated"), [(1000, None), (1001, "length"), (500_000, "length")])
def test_a_body_is_cut_at_the_limit_and_marked(web_server: WebServer, size: int, truncated: str | None) -> None:
    web_server.answers["/"] = Answer(b"x" * size)
    result = fetch(web_server.url(), fetcher(max_body_bytes=1000))
    assert (len(result.body), result.truncated) == (1000, truncated)
    assert result.header("content-length") == str(size)


def test_after_a_cut_body_the_next_fetch_gets_its_own_response(web_server: WebServer) -> None:
    web_server.answers |= {"/big": Answer(b"x" * 3_000_000), "/": HELLO}
    cut, whole = uvloop.run(with_fetcher(fetcher(max_body_bytes=10_000), web_server.url("/big"), web_server.url()))
    assert (cut.truncated, whole.body) == ("length", HELLO.body)


def test_no_response_in_time_is_a_reason_to_try_again(web_server: WebServer) -> None:
    never = threading.Event()
    web_server.answers["/"] = Answer(waits_for=never)
    with pytest.raises(TransientFetchError, match="no response in time"):
        fetch(web_server.url(), fetcher(timeout=0.2))
    never.set()
    assert web_server.paths() == ["/"]


def test_a_refused_connection_is_a_reason_to_try_again_and_said_so() -> None:
    with serving() as gone:
        pass
    with pytest.raises(TransientFetchError, match=f"{gone.url()}: connection refused"):
        fetch(gone.url())


def test_a_connection_closed_without_a_response_is_a_reason_to_try_again(web_server: WebServer) -> None:
    web_server.answers["/"] = Answer(raw=b"", closes=True)
    with pytest.raises(TransientFetchError):
        fetch(web_server.url())


@pytest.mark.parametrize(
    "raw",
    [
        b"SSH-2.0-OpenSSH_9.2p1\r\n\r\n",
        b"\x00\xff\xfe\x15\x03\x01garbage\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
    ],
)
def test_what_is_not_http_is_an_error_in_one_line(web_server: WebServer, raw: bytes) -> None:
    web_server.answers["/"] = Answer(raw=raw, closes=True)
    with pytest.raises(FetchError, match=web_server.url()) as raised:
        fetch(web_server.url())
    message = str(raised.value)
    assert message.isprintable()
    assert len(message) < 400


@pytest.mark.parametrize(
    "headers",
    [b"X-Long: " + b"x" * 200_000 + b"\r\n", b"".join(b"X-%d: %s\r\n" % (n, b"x" * 1000) for n in range(5000))],
    ids=["one", "many"],
)
def test_headers_without_end_are_an_error(web_server: WebServer, headers: bytes) -> None:
    web_server.answers["/"] = Answer(raw=b"HTTP/1.1 200 OK\r\n" + headers + b"Content-Length: 0\r\n\r\n", closes=True)
    with pytest.raises(FetchError, match=web_server.url()) as raised:
        fetch(web_server.url())
    assert len(str(raised.value)) < 400


def test_long_headers_that_sites_really_send_are_read(web_server: WebServer) -> None:
    policy = "default-src " + "https://cdn.example " * 1500
    web_server.answers["/"] = Answer(b"ok", headers=(("Content-Security-Policy", policy),))
    assert fetch(web_server.url()).header("content-security-policy") == policy.strip()


def test_a_certificate_that_no_one_vouches_for_is_an_error() -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(Path(__file__).with_name("self-signed.pem"))
    with serving({"/": HELLO}, tls=tls) as server:
        with pytest.raises(FetchError, match="certificate is not valid") as raised:
            fetch(server.url())
        assert not raised.value.transient
        assert server.requests == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_brought_back_and_not_followed(web_server: WebServer, status: int) -> None:
    web_server.answers |= {"/": redirect("/next", status), "/next": HELLO}
    result = fetch(web_server.url())
    assert (result.status, result.redirect_target) == (status, "/next")
    assert web_server.paths() == ["/"]


def test_what_the_server_asks_us_to_wait_is_kept(web_server: WebServer) -> None:
    web_server.answers["/"] = Answer(status=503, headers=(("Retry-After", "120"),))
    result = fetch(web_server.url())
    assert (result.transient, result.header("retry-after")) == (True, "120")


@pytest.mark.parametrize("path", ["/", "/a%20b/%C3%A9?x=1&y=%2F", "/a?b?c|d[e]", "//double//", "/;p=1?q", "/a?"])
def test_the_kept_request_is_what_the_server_received(web_server: WebServer, path: str) -> None:
    web_server.answers[path] = HELLO
    result = fetch(web_server.url(path))
    assert result.status == 200
    assert result.request_head == web_server.requests[0].head


def test_a_request_names_the_crawler_and_its_host_and_nothing_secret(web_server: WebServer) -> None:
    web_server.answers["/"] = HELLO
    url = web_server.url().replace("http://", "http://somebody:secret@")
    result = fetch(url)
    (request,) = web_server.requests
    assert request.header("host") == f"127.0.0.1:{web_server.port}"
    assert request.header("user-agent") == "tester/1 (ünï)".encode().decode("latin-1")
    assert request.header("accept-encoding") == "gzip, deflate, br"
    assert request.header("authorization") is None
    assert b"secret" not in request.head
    assert result.url == web_server.url()


def test_conditions_are_sent_as_the_server_once_wrote_them_and_add_no_line(web_server: WebServer) -> None:
    async def conditional() -> FetchResult:
        conditions = {"If-None-Match": '"caf\xe9"\r\nX-Injected: yes', "If-Modified-Since": "yesterday\0"}
        async with fetcher() as used:
            return await used.fetch(web_server.url(), conditions)

    web_server.answers["/"] = HELLO
    result = uvloop.run(conditional())
    (request,) = web_server.requests
    assert request.head == result.request_head
    assert b'\r\nIf-None-Match: "caf\xe9"  X-Injected: yes\r\nIf-Modified-Since: yesterday \r\n' in request.head
    assert request.header("x-injected") is None


def test_cookies_are_not_kept(web_server: WebServer) -> None:
    web_server.answers["/"] = Answer(b"ok", headers=(("Set-Cookie", "id=1; Path=/"),))
    uvloop.run(with_fetcher(fetcher(), web_server.url(), web_server.url()))
    assert [request.header("cookie") for request in web_server.requests] == [None, None]


def test_a_proxy_of_the_environment_is_not_used(web_server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    web_server.answers["/"] = HELLO
    assert fetch(web_server.url()).status == 200


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9"])
@pytest.mark.parametrize("size", [0, 5, 400_000])
def test_the_address_that_answered_is_known_however_small_the_response(
    host: str, size: int, run: Callable[[Awaitable[list[FetchResult]]], list[FetchResult]]
) -> None:
    with serving({"/": Answer(b"x" * size)}, host=host) as server:
        # The second answer comes over a connection that was kept.
        results = run(with_fetcher(fetcher(), server.url(), server.url()))
    assert [result.ip_address for result in results] == [host, host]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "①②⑦.0.0.1", "[::ffff:127.0.0.1]", "[::1]"]
)
def test_a_private_address_is_refused_in_whatever_spelling_without_a_connection(
    web_server: WebServer, host: str
) -> None:
    url = f"http://{host}:{web_server.port}/"
    with pytest.raises(BlockedAddressError, match="is not a public address"):
        fetch(url, fetcher(NetworkGuard()))
    assert web_server.requests == []


def test_a_name_that_leads_to_a_private_address_is_refused(
    web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolving("127.0.0.1"))
    url = f"http://innocent.example:{web_server.port}/"
    with pytest.raises(BlockedAddressError, match=f"{url}: 127.0.0.1 is not a public address"):
        asyncio.run(with_fetcher(fetcher(NetworkGuard()), url))
    assert web_server.requests == []


def test_of_a_name_with_several_addresses_only_an_allowed_one_is_asked(
    web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    web_server.answers["/"] = HELLO
    monkeypatch.setattr(socket, "getaddrinfo", resolving("10.0.0.1", "127.0.0.1"))
    guard = NetworkGuard((ip_network("127.0.0.1/32"),))
    (result,) = asyncio.run(with_fetcher(fetcher(guard), f"http://innocent.example:{web_server.port}/"))
    assert result.ip_address == "127.0.0.1"


def test_a_name_is_resolved_once_and_the_connection_goes_to_what_was_checked(
    web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    lookups: list[str] = []

    def rebinding(host: str, port: int, *rest: object, **more: object) -> list[object]:
        lookups.append(host)
        return resolving("127.0.0.1" if len(lookups) == 1 else "127.0.0.2")(host, port)

    web_server.answers["/"] = HELLO
    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    guard = NetworkGuard((ip_network("127.0.0.1/32"),))
    (result,) = asyncio.run(with_fetcher(fetcher(guard), f"http://innocent.example:{web_server.port}/"))
    assert (result.ip_address, lookups) == ("127.0.0.1", ["innocent.example"])


def test_a_name_that_does_not_resolve_is_a_reason_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(TransientFetchError, match=r"http://nowhere\.example/: the host's name does not resolve"):
        asyncio.run(with_fetcher(fetcher(), "http://nowhere.example/"))


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "a..b"])
def test_a_name_that_cannot_be_one_is_an_error(host: str) -> None:
    with pytest.raises(FetchError):
        fetch(f"http://{host}/")
