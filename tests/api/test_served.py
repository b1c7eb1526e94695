"""What only a real server on a real socket shows."""

import json
import socket
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest

from tests.api.archives import Archive
from tests.api.serving import HOST, served
from webstrata.http.limits.request_limits import MAX_BODY_BYTES


@pytest.fixture
def port(archive: Archive) -> Iterator[int]:
    """The port on which the archive is served, without an admin token."""
    with served(archive) as server:
        yield server.port


@pytest.fixture
def connection(port: int) -> Iterator[HTTPConnection]:
    opened = HTTPConnection(HOST, port, timeout=30)
    yield opened
    opened.close()


def test_head_and_get_agree_over_one_connection(connection: HTTPConnection, archive: Archive) -> None:
    snapshot_id = archive.snapshot()
    for path in (f"/api/snapshots/raw/{snapshot_id}", "/api/stats", "/api/nowhere"):
        connection.request("GET", path)
        got = connection.getresponse()
        body = got.read()
        connection.request("HEAD", path)
        head = connection.getresponse()
        assert head.read() == b""
        assert (head.status, head.headers["content-length"]) == (got.status, str(len(body)))
        assert head.headers["content-type"] == got.headers["content-type"]


def test_an_endless_chunked_body_is_refused_before_it_ends(port: int) -> None:
    with socket.create_connection((HOST, port), timeout=30) as client:
        client.sendall(b"POST /api/stats HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        for _ in range(MAX_BODY_BYTES // 0x10000 + 1):
            client.sendall(piece)
        answer = client.recv(65536)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b'{"detail":"Request body too large"}' in answer


def test_a_chunked_body_within_the_limit_goes_through(connection: HTTPConnection) -> None:
    connection.request("POST", "/api/stats", body=iter([b"x" * 1000] * 10), encode_chunked=True)
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())) == (405, {"detail": "Method Not Allowed"})


def test_a_body_declared_too_large_is_refused_before_it_is_sent(connection: HTTPConnection) -> None:
    connection.putrequest("POST", "/api/stats")
    connection.putheader("Content-Length", str(MAX_BODY_BYTES + 1))
    connection.endheaders()
    assert connection.getresponse().status == 413


def test_what_a_browser_has_already_is_not_sent_again(connection: HTTPConnection, archive: Archive) -> None:
    path = f"/api/snapshots/raw/{archive.snapshot()}"
    connection.request("GET", path)
    first = connection.getresponse()
    first.read()
    connection.request("GET", path, headers={"If-None-Match": first.headers["etag"]})
    again = connection.getresponse()
    assert (again.status, again.read()) == (304, b"")


def test_open_development_mode_serves_this_machine_but_no_proxy_on_it(connection: HTTPConnection) -> None:
    statuses = []
    for headers in ({}, {"X-Forwarded-For": "127.0.0.1"}, {"Host": "evil.example"}):
        connection.request("GET", "/api/admin/jobs", headers=headers)
        answer = connection.getresponse()
        answer.read()
        statuses.append(answer.status)
    assert statuses == [200, 403, 403]
