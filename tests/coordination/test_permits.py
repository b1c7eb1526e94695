"""Turns at a host, as one process takes them: waited for, held, given back with a rest."""

import asyncio
import time
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from math import inf, nan
from threading import Event

import pytest
from structlog.testing import capture_logs

from tests.support.waiting import wait_until
from webstrata.coordination.permits import DatabasePermits, HostPermits, Permit, PermitStore, Politeness
from webstrata.coordination.redis_permits import RedisPermits
from webstrata.db.engine import Database
from webstrata.errors import CoordinationUnavailableError

DELAY = 0.08
HOLD = timedelta(hours=1)
HOST = "example.org"
LOOPBACK = "127.0.0.1:8000"


@pytest.fixture
def store(database: Database) -> DatabasePermits:
    return DatabasePermits(database)


@dataclass
class Watched:
    """A store whose calls are noted, and can be held up or fail."""

    store: PermitStore
    rests: list[timedelta] = field(default_factory=list)
    asked: int = 0
    answers: Event = field(default_factory=Event)
    lost: bool = False

    def __post_init__(self) -> None:
        self.answers.set()

    def take(self, host: str, owner: str, *, slots: int, hold: timedelta) -> Permit | timedelta:
        self.asked += 1
        answer = self.store.take(host, owner, slots=slots, hold=hold)
        assert self.answers.wait(30)
        return answer

    def give_back(self, permit: Permit, rest: timedelta) -> None:
        if self.lost:
            raise CoordinationUnavailableError("gone")
        self.rests.append(rest)
        self.store.give_back(permit, rest)

    def resting(self, slots: int) -> dict[str, float]:
        self.asked += 1
        return self.store.resting(slots)

    def forget_owner(self, owner: str, rest: timedelta) -> None:
        self.store.forget_owner(owner, rest)


@dataclass(frozen=True)
class Turn:
    host: str
    started: float
    ended: float


def permits_of(
    store: PermitStore, delay: float | None = DELAY, concurrency: int | None = None, jitter: float = 0.0
) -> HostPermits:
    return HostPermits(store, "me", Politeness(delay, concurrency, jitter), HOLD)


async def take_turn(permits: HostPermits, host: str, work: float = 0.0) -> Turn:
    async with permits.permit(host):
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


def assert_most_at_once(permits: HostPermits, host: str, most: int) -> None:
    """Make sure that as many turns are held at once, by letting each wait for the others, and never more."""
    inside = 0

    async def meet(all_there: asyncio.Barrier) -> None:
        nonlocal inside
        async with permits.permit(host):
            inside += 1
            assert inside <= most
            await all_there.wait()
            inside -= 1

    async def all_at_once() -> None:
        all_there = asyncio.Barrier(most)
        async with asyncio.timeout(30):
            await asyncio.gather(*(meet(all_there) for _ in range(3 * most)))

    asyncio.run(all_at_once())


def resting(permits: HostPermits) -> dict[str, float]:
    return asyncio.run(permits.resting())


def test_a_host_rests_between_the_end_of_a_request_and_the_start_of_the_next(store: DatabasePermits) -> None:
    turns = take_turns(permits_of(store), *[HOST] * 4, work=0.02)
    assert min(gaps(turns)) >= DELAY


def test_processes_share_the_permits_of_a_host(store: DatabasePermits) -> None:
    here, there = (HostPermits(store, owner, Politeness(DELAY, None, 0), HOLD) for owner in ("here", "there"))

    async def both() -> list[Turn]:
        return await asyncio.gather(*(take_turn(permits, HOST, 0.02) for permits in (here, there) * 3))

    assert min(gaps(sorted(asyncio.run(both()), key=lambda turn: turn.started))) >= DELAY


def test_another_host_does_not_wait(store: DatabasePermits) -> None:
    turns = take_turns(permits_of(store, delay=60), HOST, "example.com", "example.org:8080")
    assert {turn.host for turn in turns} == {HOST, "example.com", "example.org:8080"}


def test_a_host_gets_as_many_requests_at_once_as_configured(store: DatabasePermits) -> None:
    assert_most_at_once(permits_of(store, 0, concurrency=3), HOST, 3)


def test_waiters_of_one_process_get_permits_in_order_without_asking_the_store(store: DatabasePermits) -> None:
    watched = Watched(store)
    order: list[int] = []

    async def wait(permits: HostPermits, number: int) -> None:
        async with permits.permit(HOST):
            order.append(number)

    async def all_at_once() -> None:
        permits = permits_of(watched, delay=0)
        await asyncio.gather(*(wait(permits, number) for number in range(20)))

    asyncio.run(all_at_once())
    assert order == list(range(20))
    assert watched.asked == 20


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8089", "127.3.2.1", "localhost", "localhost:8000", "[::1]", "[::1]:8000"]
)
@pytest.mark.parametrize("delay", [None, 0])
def test_loopback_costs_nothing_unless_configured_so(store: DatabasePermits, host: str, delay: float | None) -> None:
    watched = Watched(store)
    permits = permits_of(watched, delay)
    assert not permits.is_limited(host)
    turns = take_turns(permits, *[host] * 20, work=0.05)
    assert max(turn.started for turn in turns) < min(turn.ended for turn in turns)
    assert resting(permits) == {}
    assert watched.asked == 0


@pytest.mark.parametrize("host", ["localhost.example", "127.example", "10.0.0.1", "[fd00::1]:80", "[::2]", HOST])
def test_other_hosts_than_loopback_get_one_request_at_a_time_with_a_delay(store: DatabasePermits, host: str) -> None:
    permits = permits_of(store, None)
    assert permits.is_limited(host)
    assert permits.delay_of(host) == 1.0
    assert_most_at_once(permits_of(store, 0), host, 1)


def test_a_set_delay_holds_on_loopback_too(store: DatabasePermits) -> None:
    assert min(gaps(take_turns(permits_of(store), *[LOOPBACK] * 3))) >= DELAY
    granted = permits_of(store, None, concurrency=2)
    assert granted.is_limited(LOOPBACK)
    assert granted.delay_of(LOOPBACK) == 0
    assert_most_at_once(granted, "localhost", 2)


@pytest.mark.parametrize("jitter", [0.0, 0.5, 1.0])
def test_chance_lengthens_the_rest_by_the_jitter_at_most(store: DatabasePermits, jitter: float) -> None:
    watched = Watched(store)
    take_turns(permits_of(watched, 100, jitter=jitter), *(f"{number}.example" for number in range(20)))
    rests = [rest.total_seconds() for rest in watched.rests]
    assert 100 <= min(rests) <= max(rests) <= 100 * (1 + jitter)
    assert len(set(rests)) == (20 if jitter else 1)


def test_a_host_rests_after_a_request_that_failed(store: DatabasePermits) -> None:
    permits = permits_of(store)

    async def fail_then_ask() -> tuple[float, Turn]:
        failed_at = 0.0
        try:
            async with permits.permit(HOST):
                failed_at = time.monotonic()
                raise ConnectionError
        except ConnectionError:
            return failed_at, await take_turn(permits, HOST)

    failed_at, turn = asyncio.run(fail_then_ask())
    assert turn.started - failed_at >= DELAY


async def given_up(task: "asyncio.Task[Turn]") -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_permit_that_is_given_up_while_it_is_held_goes_back_with_its_rest(store: DatabasePermits) -> None:
    watched = Watched(store)
    permits = permits_of(watched, delay=60)

    async def give_up() -> None:
        holding = asyncio.create_task(take_turn(permits, HOST, work=60))
        await asyncio.to_thread(wait_until, lambda: store.resting(1) == {HOST: 0.0}, "the turn is held")
        await given_up(holding)
        assert watched.rests == [timedelta(seconds=60)], "it was given up before its slot was given back"

    asyncio.run(give_up())
    assert 0 < resting(permits)[HOST] <= 60


def test_a_permit_that_is_given_up_while_the_store_is_asked_goes_back_unused(store: DatabasePermits) -> None:
    watched = Watched(store)

    async def give_up() -> None:
        watched.answers.clear()
        asking = asyncio.create_task(take_turn(permits_of(watched, delay=60), HOST))
        await asyncio.to_thread(wait_until, lambda: store.resting(1) == {HOST: 0.0}, "the slot is taken")
        asyncio.get_running_loop().call_soon(watched.answers.set)
        await given_up(asking)
        assert watched.rests == [timedelta(0)]

    asyncio.run(give_up())
    assert store.resting(1) == {}


def test_a_permit_that_is_given_up_while_it_waits_blocks_no_one(store: DatabasePermits) -> None:
    watched = Watched(store)
    permits = permits_of(watched, delay=0.5)

    async def give_up_then_ask() -> Turn:
        await take_turn(permits, HOST)
        polling, queued = (asyncio.create_task(take_turn(permits, HOST)) for _ in range(2))
        await asyncio.to_thread(wait_until, lambda: watched.asked == 2, "the first of them asks")
        await given_up(queued)
        await given_up(polling)
        return await take_turn(permits, HOST)

    assert asyncio.run(give_up_then_ask()).ended


def test_the_resting_hosts_are_those_without_a_free_permit_yet(store: DatabasePermits) -> None:
    permits = permits_of(store, delay=60)

    async def look_while_busy() -> dict[str, float]:
        async with permits.permit(HOST):
            return await permits.resting()

    assert asyncio.run(look_while_busy()) == {HOST: 0.0}
    (wait,) = resting(permits).values()
    assert 0 < wait <= 60


def test_what_others_limit_is_not_resting_for_who_does_not(store: DatabasePermits) -> None:
    take_turns(permits_of(store, delay=60), LOOPBACK, HOST)
    unlimited = permits_of(store, delay=None)
    take_turns(unlimited, "example.com")
    assert set(resting(unlimited)) == {HOST, "example.com"}


@pytest.mark.parametrize("host", [HOST, LOOPBACK])
def test_a_crawl_delay_limits_a_host_to_one_request_per_delay(store: DatabasePermits, host: str) -> None:
    permits = permits_of(store, delay=0, concurrency=4)
    told = time.monotonic()
    permits.slow_down(host, DELAY)
    assert permits.is_limited(host)
    assert permits.delay_of(host) == DELAY
    assert 0 < resting(permits)[host] <= DELAY
    turns = take_turns(permits, *[host] * 3)
    assert turns[0].started - told >= DELAY, "its robots.txt was only just read"
    assert min(gaps(turns)) >= DELAY
    assert resting(permits).keys() == {host}


def test_a_shorter_or_senseless_wish_changes_nothing(store: DatabasePermits) -> None:
    permits = permits_of(store, delay=2)
    for wish in (1.0, 0.0, -5.0, nan, inf, -inf):
        permits.slow_down(HOST, wish)
    assert permits.delay_of(HOST) == 2
    permits.slow_down(HOST, 5)
    permits.slow_down(HOST, 3)
    assert permits.delay_of(HOST) == 5


def test_a_request_counts_even_if_the_store_is_lost_before_its_end(store: DatabasePermits) -> None:
    watched = Watched(store, lost=True)
    with capture_logs() as events:
        (turn,) = take_turns(permits_of(watched), HOST)
    assert turn.ended
    assert [(event["event"], event["host"]) for event in events] == [("permit.give_back.failed", HOST)]


def test_no_permit_is_given_without_the_store() -> None:
    with pytest.raises(CoordinationUnavailableError, match="Redis"):
        take_turns(permits_of(RedisPermits("redis://127.0.0.1:1/0")), HOST)


def test_every_permit_reports_how_long_it_was_waited_for(store: DatabasePermits) -> None:
    waits: list[float] = []
    turns = HostPermits(store, "me", Politeness(DELAY, 1, 0.0), HOLD, waited=waits.append)

    async def ask_twice() -> None:
        for host in (HOST, HOST, LOOPBACK):
            async with turns.permit(host):
                pass

    asyncio.run(ask_twice())
    assert len(waits) == 3
    assert waits[1] >= DELAY * 0.9
