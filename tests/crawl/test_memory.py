"""The memory of a crawler, measured from outside: large bodies cost what the settings say."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fetch.fetching import Script, ScriptedServer, answer, read_request, scripted
from webstrata.model.crawl.crawl_config import CrawlConfig

BODIES = 16
MEGABYTE = 1_000_000
BLOCK = os.urandom(MEGABYTE)
"""Noise: what is written is as large as what came."""

HTML = b"Content-Type: text/html"


def site_of(megabytes: int) -> Script:
    """Return a site whose front page leads to large files, each another one."""

    def serve(connection: socket.socket, _server: ScriptedServer) -> None:
        while request := read_request(connection):
            name = request.split(b" ", 2)[1][1:]
            if not name.isdigit():
                connection.sendall(answer(b"".join(b'<a href="/%d">x</a>' % n for n in range(1, BODIES + 1)), HTML))
                continue
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (megabytes * MEGABYTE))
            for _ in range(megabytes):
                connection.sendall(name.ljust(10) + BLOCK[10:])

    return serve


@pytest.mark.parametrize(
    ("megabytes", "buffered", "most"),
    [
        (8, 16 * MEGABYTE, 50 * MEGABYTE),
        pytest.param(100, CrawlConfig.max_buffered_bytes, 450 * MEGABYTE, marks=pytest.mark.soak),
    ],
)
def test_many_large_bodies_at_once_take_no_more_memory_than_the_settings_say(
    megabytes: int, buffered: int, most: int, tmp_path: Path
) -> None:
    with scripted(site_of(megabytes)) as server:
        program = [sys.executable, "-m", "tests.crawl.memory_program", str(tmp_path), server.url]
        limits = [str(megabytes * MEGABYTE), str(buffered)]
        said = subprocess.run([*program, *limits], check=True, capture_output=True, text=True, timeout=900)
    finished, taken = map(int, said.stdout.split())
    assert finished == BODIES + 1
    assert sum(file.stat().st_size for file in tmp_path.rglob("*.warc.gz")) > BODIES * megabytes * MEGABYTE
    assert taken < most
