"""Fetching through an HTTP proxy."""

import asyncio
import base64
import gzip
import socket
import ssl
from ipaddress import ip_network
from pathlib import Path

import pytest

from tests.fetch.fetching import (
    fetch,
    fetch_all,
    fetcher,
    resolving,
    with_fetcher,
)
from tests.fetch.proxying import AUTHORIZED, CREDENTIALS, PASSWORD, proxying
from tests.support.fetched import write_warc
from tests.support.web_server import Answer, WebServer, page, serving
from webstrata.errors import BlockedAddressError, FetchError, TransientFetchError, UsageError
from webstrata.fetch.guard import NetworkGuard
from webstrata.fetch.proxy import Proxy


def test_a_plain_request_goes_through_the_proxy_and_its_password_no_further(web_server: WebServer) -> None:
    web_server.answers |= {"/": page("Home"), "/next?q=1": page("Next")}
    with proxying() as proxy:
        urls = [web_server.url(), web_server.url("/next?q=1")]
        results = fetch_all(*urls, used=fetcher(proxy=proxy.url()))
    assert [(result.url, result.status) for result in results] == [(url, 200) for url in urls]
    assert [head.split(b"\r\n")[0] for head in proxy.heads] == [f"GET {url} HTTP/1.1".encode() for url in urls]
    assert [result.request_head for result in results] == [request.head for request in web_server.requests]
    assert [result.ip_address for result in results] == [None, None]


def test_the_password_is_in_no_warc(web_server: WebServer, tmp_path: Path) -> None:
    web_server.answers["/"] = page("Home")
    with proxying() as proxy:
        result = fetch(web_server.url(), fetcher(proxy=proxy.url()))
    write_warc(tmp_path / "one.warc.gz", [result])
    written = gzip.decompress((tmp_path / "one.warc.gz").read_bytes()).lower()
    assert b"get / http/1.1" in written
    for secret in (CREDENTIALS, PASSWORD, "proxy-authorization"):
        assert secret.lower().encode() not in written


def test_an_encrypted_request_goes_through_a_tunnel_that_is_kept(tls: ssl.SSLContext) -> None:
    body = bytes(range(256)) * 1_000
    with serving({"/": Answer(body)}, tls=tls) as server, proxying() as proxy:
        results = fetch_all(server.url(), server.url(), used=fetcher(proxy=proxy.url()))
        assert [(result.body, result.ip_address) for result in results] == [(body, None)] * 2
        target = f"127.0.0.1:{server.port}"
        assert proxy.heads == [f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n".encode() + AUTHORIZED + b"\r\n"]
        assert all(b"roxy" not in request.head for request in server.requests)


def test_a_certificate_is_checked_through_a_tunnel_too(tls: ssl.SSLContext) -> None:
    with serving({"/": page("secret")}, host="127.0.0.1", tls=tls) as server, proxying() as proxy:
        url = server.url().replace("127.0.0.1", "127.0.0.2")
        with pytest.raises(FetchError, match="certificate is not valid"):
            fetch(url, fetcher(proxy=proxy.url()))
        assert server.requests == []


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_wants_another_password_is_an_error_that_does_not_tell_it(
    web_server: WebServer, scheme: str
) -> None:
    with proxying() as proxy, pytest.raises(FetchError, match="the proxy answered 407") as raised:
        fetch(web_server.url().replace("http", scheme), fetcher(proxy=proxy.url("wrong")))
    assert (raised.value.transient, raised.value.kind) == (False, "proxy")
    assert "wrong" not in str(raised.value)
    assert web_server.requests == []


def test_a_site_that_the_proxy_cannot_reach_is_a_reason_to_try_again() -> None:
    with serving() as gone:
        pass
    with proxying() as proxy, pytest.raises(TransientFetchError, match="the proxy answered 502") as raised:
        fetch(gone.url().replace("http", "https"), fetcher(proxy=proxy.url()))
    assert raised.value.kind == "proxy"


def test_a_proxy_that_is_not_there_is_a_reason_to_try_again_and_keeps_its_secret(web_server: WebServer) -> None:
    with serving() as gone:
        pass
    with pytest.raises(TransientFetchError, match="connection refused") as raised:
        fetch(web_server.url(), fetcher(proxy=f"http://me:geheim@127.0.0.1:{gone.port}"))
    assert raised.value.kind == "connect"
    assert "geheim" not in str(raised.value)


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("host", ["127.0.0.1", "[::ffff:10.0.0.1]", "localhost"])
def test_the_network_guard_checks_before_the_proxy_is_used(host: str, scheme: str) -> None:
    with proxying() as proxy:
        with pytest.raises(BlockedAddressError, match="is not a public address"):
            fetch(f"{scheme}://{host}:8000/", fetcher(NetworkGuard(), proxy=proxy.url()))
        assert proxy.heads == []


def test_one_private_address_of_a_name_is_enough_as_the_proxy_may_choose_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with proxying() as proxy:
        monkeypatch.setattr(socket, "getaddrinfo", resolving("127.0.0.1", "10.0.0.1"))
        guard = NetworkGuard((ip_network("127.0.0.0/8"),))
        with pytest.raises(BlockedAddressError, match=r"10\.0\.0\.1 is not a public address"):
            asyncio.run(with_fetcher(fetcher(guard, proxy=proxy.url()), "http://innocent.example/"))
        assert proxy.heads == []


def test_a_name_that_only_the_proxy_knows_is_left_to_it(web_server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(host: str, port: int, *_: object, **__: object) -> list[object]:
        if host != "127.0.0.1":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return resolving(host)(host, port)

    web_server.answers["/"] = page("Home")
    url = f"http://known-to-the-proxy.example:{web_server.port}/"
    with proxying() as proxy:
        monkeypatch.setattr(socket, "getaddrinfo", unknown)
        (result,) = asyncio.run(with_fetcher(fetcher(NetworkGuard(), proxy=proxy.url()), url))
    assert (result.url, result.status) == (url, 200)


@pytest.mark.parametrize(
    "url", ["", "proxy:3128", "https://proxy:3128", "socks5://proxy", "http://:3128", "http://p:x"]
)
def test_what_is_no_proxy_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(UsageError, match="must look like http://host:port"):
        Proxy.of(url.replace("//", "//me:geheim@"))


def test_a_proxy_shows_no_secret() -> None:
    proxy = Proxy.of("http://me:geheim@proxy")
    assert (proxy.host, proxy.port) == ("proxy", 80)
    assert proxy.authorization == b"Proxy-Authorization: Basic " + base64.b64encode(b"me:geheim") + b"\r\n"
    assert "Basic" not in repr(proxy)
    assert Proxy.of("http://[::1]:3128") == Proxy("::1", 3128, b"")
