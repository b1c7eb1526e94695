"""The API on a real socket."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server

from tests.api.archives import Archive
from tests.api.conftest import make_settings
from tests.support.waiting import wait_until
from webstrata.api.server import create_api
from webstrata.app import App
from webstrata.http.live import Viewers
from webstrata.logs import SERVER_LOGGING

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Served:
    """A server under way, and who watches jobs through it."""

    port: int
    viewers: Viewers


@contextmanager
def served(
    archive: Archive,
    *,
    host: str = HOST,
    token: str | None = None,
    env: str = "development",
    http1: HTTP1Settings | None = None,
    **settings: Any,
) -> Iterator[Served]:
    """Serve an archive while the block runs, in open development unless told otherwise."""
    api = create_api(App(make_settings(token, env=env, **settings), archive.database, archive.root))
    with socket.create_server((host, 0)) as probe:
        free = int(probe.getsockname()[1])
    running: list[tuple[asyncio.AbstractEventLoop, Server]] = []

    async def serve() -> None:
        server = Server(
            api,
            address=host,
            port=free,
            interface=Interfaces.ASGI,
            http=HTTPModes.http1,
            http1_settings=http1,
            log_dictconfig=SERVER_LOGGING,
        )
        running.append((asyncio.get_running_loop(), server))
        await server.serve()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        wait_until(lambda: _listens(host, free), "the server listens")
        yield Served(free, api.state.viewers)
    finally:
        for loop, server in running:
            loop.call_soon_threadsafe(server.stop)
        thread.join()


def _listens(host: str, port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0
