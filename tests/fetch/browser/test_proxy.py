"""The proxy of a page survives what no browser would send."""

import asyncio
import gc
import socket

import pytest
import uvloop

from tests.fetch.fetching import ON_LOOPBACK
from tests.support.web_server import Answer, WebServer
from webstrata.fetch.browser.options import BrowserOptions, PageOptions
from webstrata.fetch.browser.proxy import PageProxy
from webstrata.fetch.browser.upstream import Upstream

HOSTILE = (
    b"",
    b"\x00" * 1_000,
    b"\x16\x03\x01" + b"\xff" * 500,
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET http://x:99999/ HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET http://user:secret@169.254.169.254/ HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 200_000 + b"\r\n\r\n",
    b"POST http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n" + b"x" * 100,
    b"POST http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz",
    b"CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n" * 500,
    b"CONNECT x HTTP/1.1\r\nHost: x\r\n\r\n\x16\x03\x01" + b"\xff" * 200,
    b"CONNECT :::: HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n" + b"x" * 5_000,
)


@pytest.mark.parametrize("loop", [asyncio.run, uvloop.run])
def test_hostile_input_ends_its_own_connection_only(loop: object, web_server: WebServer) -> None:
    web_server.answers["/"] = Answer(b"still here")
    troubles: list[object] = []

    async def attack() -> bytes:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: troubles.append(context))
        upstream = Upstream(BrowserOptions(ON_LOOPBACK))
        async with PageProxy(upstream, PageOptions(request_timeout=2)) as proxy:
            port = int(proxy.address.rpartition(":")[2])
            idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
            idle[0].send(b"GET http://slow.example/ HT")
            for data in HOSTILE:
                await asyncio.wait_for(_send(port, data), 10)
            request = f"GET {web_server.url()} HTTP/1.1\r\nHost: {web_server.origin[7:]}\r\n\r\n"
            response = await asyncio.wait_for(_send(port, request.encode()), 10)
        for one in idle:
            one.close()
        upstream.close()
        gc.collect()
        return response

    assert callable(loop)
    assert loop(attack()).endswith(b"still here")
    assert troubles == []


async def _send(port: int, data: bytes) -> bytes:
    """Send bytes, close our side of the connection, and return what comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        writer.write_eof()
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()
