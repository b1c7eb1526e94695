"""Turns at a host: one request at a time, and a rest after it."""

import asyncio
import time
from dataclasses import dataclass
from itertools import pairwise

import pytest

from webstrata.coordination.permits import HostPermits

DELAY = 0.05


@dataclass(frozen=True)
class Turn:
    host: str
    started: float
    ended: float


async def take_turn(permits: HostPermits, host: str, work: float = 0.0) -> Turn:
    async with permits.turn(host):
        started = time.monotonic()
        await asyncio.sleep(work)
        return Turn(host, started, time.monotonic())


def take_turns(permits: HostPermits, *hosts: str, work: float = 0.0) -> list[Turn]:
    """Ask for all turns at once and return them in the order in which they began."""

    async def all_at_once() -> list[Turn]:
        return await asyncio.gather(*(take_turn(permits, host, work) for host in hosts))

    return sorted(asyncio.run(all_at_once()), key=lambda turn: turn.started)


def gaps(turns: list[Turn]) -> list[float]:
    return [later.started - earlier.ended for earlier, later in pairwise(turns)]


def test_a_host_rests_between_the_end_of_a_request_and_the_start_of_the_next() -> None:
    turns = take_turns(HostPermits(DELAY), *["example.org"] * 4, work=0.02)
    assert min(gaps(turns)) >= DELAY


def test_another_host_does_not_wait() -> None:
    turns = take_turns(HostPermits(60), "example.org", "example.com", "example.org:8080", work=DELAY)
    assert max(turn.started for turn in turns) < min(turn.ended for turn in turns)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8089", "127.3.2.1", "localhost", "localhost:8000", "[::1]", "[::1]:8000"]
)
def test_loopback_needs_no_rest(host: str) -> None:
    permits = HostPermits(60)
    turns = take_turns(permits, host, host, host, work=DELAY)
    assert max(turn.started for turn in turns) < min(turn.ended for turn in turns)
    assert permits.resting() == {}


@pytest.mark.parametrize("host", ["localhost.example", "127.example", "10.0.0.1", "[fd00::1]:80", "[::2]"])
def test_what_only_looks_like_loopback_rests(host: str) -> None:
    assert HostPermits(1.5).delay_of(host) == 1.5


def test_without_a_delay_nothing_waits() -> None:
    turns = take_turns(HostPermits(0), "example.org", "example.org", work=DELAY)
    assert max(turn.started for turn in turns) < min(turn.ended for turn in turns)


def test_a_host_rests_after_a_request_that_failed() -> None:
    permits = HostPermits(DELAY)

    async def fail_then_ask() -> tuple[float, Turn]:
        with pytest.raises(ConnectionError):
            async with permits.turn("example.org"):
                raise ConnectionError
        return time.monotonic(), await take_turn(permits, "example.org")

    failed_at, turn = asyncio.run(fail_then_ask())
    assert turn.started - failed_at >= DELAY - 0.005


def test_a_turn_that_is_given_up_while_it_waits_does_not_block_the_host() -> None:
    permits = HostPermits(DELAY)

    async def give_up_then_ask() -> Turn:
        await take_turn(permits, "example.org")
        waiting = asyncio.create_task(take_turn(permits, "example.org"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return await take_turn(permits, "example.org")

    assert asyncio.run(give_up_then_ask()).ended


def test_the_resting_hosts_are_those_whose_turn_it_is_not_yet() -> None:
    now = 100.0
    permits = HostPermits(10, clock=lambda: now)

    async def look_while_busy() -> dict[str, float]:
        async with permits.turn("busy.example"):
            return permits.resting()

    assert asyncio.run(look_while_busy()) == {"busy.example": 0.0}
    assert permits.resting() == {"busy.example": 10.0}
    now = 107.0
    assert permits.resting() == {"busy.example": 3.0}
    now = 110.0
    assert permits.resting() == {}
