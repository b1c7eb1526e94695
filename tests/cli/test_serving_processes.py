"""`serve` with several processes: one port, one set of numbers, and one that dies is followed by another."""

import os
import re
import signal
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import replace

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


def test_a_rate_limit_holds_for_all_processes_together(program: Program) -> None:
    few = replace(program, settings={**program.settings, "WEBSTRATA_RATE_LIMIT_LOGINS": "2"})
    with serving(few, "serve", "--no-worker", "--processes", "3") as (server, port):
        wait_until(lambda: len(processes_of(server)) == 3, "all are there")
        # Each request has a connection of its own, so that the kernel spreads them over the processes.
        answers = Counter(log_in(port, client) for client in ("203.0.113.5", "203.0.113.6") for _ in range(20))
    # One of each client's may be given back meanwhile; with limits of their own, the processes would refuse 28 at most.
    assert answers[429] >= 34, answers
    assert "rates.table.lost" not in server.output


def log_in(port: int, client: str) -> int:
    """Return the status of an attempt to log in, made through a proxy on this machine."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/login", b"", {"X-Forwarded-For": client})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return int(response.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code


def test_a_server_whose_processes_keep_dying_gives_up_and_reports_it(program: Program) -> None:
    def killed_until_gone() -> bool:
        for pid in processes_of(server):
            os.kill(pid, signal.SIGKILL)
        return gone(server)

    with serving(program, "serve", "--no-worker") as (server, _):
        wait_until(killed_until_gone, "it gives up")
        assert server.ended(SOON_SECONDS) == 1
        assert "webstrata: the server stopped: its processes end as soon as they start" in server.output
