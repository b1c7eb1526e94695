"""A real Redis, started from the system's redis-server."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from tests.support.processes import running
from tools import system_packages


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Redis server for the whole run."""
    with redis_process(tmp_path_factory.mktemp("redis")) as (url, _):
        yield url


@contextmanager
def redis_process(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run a Redis of one's own, to be stopped and killed, and yield its address and process."""
    program = system_packages.find(system_packages.REDIS)
    assert program is not None, "redis-server is not installed; `make test` would have said so"
    port = _free_port()
    url = f"redis://127.0.0.1:{port}/0"
    with running(_command(program, port, folder), folder / "log", lambda: _answers(url)) as process:
        yield url, process


@pytest.fixture
def redis_url(redis_server: str) -> str:
    """The address of a Redis with nothing in it."""
    with Redis.from_url(redis_server) as client:
        client.flushall()
    return redis_server


def _command(program: Path, port: int, folder: Path) -> list[str | Path]:
    persistence = ["--save", "", "--appendonly", "no"]
    return [program, "--bind", "127.0.0.1", "--port", str(port), "--dir", folder, *persistence]


def _answers(url: str) -> bool:
    try:
        with Redis.from_url(url) as client:
            return bool(client.ping())
    except RedisConnectionError:
        return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
