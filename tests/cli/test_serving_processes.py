"""`serve` with several processes: one port, one set of numbers, and one that dies is followed by another."""

import os
import re
import signal

import pytest

from tests.cli.test_running import SOON_SECONDS, answer, gone, serving
from tests.support.program import Program, Started, alive, children_of
from tests.support.waiting import wait_until

TWO = ("serve", "--no-worker", "--processes", "2")
COUNT = re.compile(r'^webstrata_search_seconds_count\{door="api"\} (\S+)$', re.MULTILINE)


@pytest.fixture(scope="session")
def database_kind() -> str:
    """Processes are the same over any database: one kind will do."""
    return "sqlite"


def processes_of(server: Started) -> set[int]:
    return set(filter(alive, children_of(server.process.pid)))


def searches_counted(port: int) -> float:
    found = COUNT.search(str(answer(port, "/metrics")))
    return float(found[1]) if found else 0.0


def test_several_processes_serve_as_one(program: Program) -> None:
    with serving(program, *TWO) as (server, port):
        wait_until(lambda: len(processes_of(server)) == 2, "both are there")
        for _ in range(8):
            assert answer(port, "/api/search?q=nothing") is not None
        assert {searches_counted(port) for _ in range(6)} == {8.0}
        first = processes_of(server)
        os.kill(min(first), signal.SIGKILL)
        wait_until(lambda: len(processes_of(server) - first) == 1, "another one follows")
        wait_until(lambda: answer(port, "/api/health") is not None, "it serves")
        assert searches_counted(port) == 8.0
        left = processes_of(server)
        server.signal(signal.SIGINT)
        assert server.ended(SOON_SECONDS) in (0, 130)
        assert not any(map(alive, left))
        assert server.output.endswith("Stopped.\n")
        assert "Traceback" not in server.output


def test_a_server_whose_processes_keep_dying_gives_up_and_says_so(program: Program) -> None:
    def killed_until_gone() -> bool:
        for pid in processes_of(server):
            os.kill(pid, signal.SIGKILL)
        return gone(server)

    with serving(program, "serve", "--no-worker") as (server, _):
        wait_until(killed_until_gone, "it gives up")
        assert server.ended(SOON_SECONDS) == 1
        assert "webstrata: the server gave up: its processes die as soon as they start" in server.output
