"""Where permits are kept: one contract, run on both databases and on a real Redis, with real processes."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from redis import Redis
from sqlalchemy import select

from tests.support.forks import own_processes
from tests.support.redis import redis_process
from tests.support.waiting import wait_until
from webstrata.coordination.permits import DatabasePermits, Permit, PermitStore
from webstrata.coordination.redis_permits import RedisPermits
from webstrata.db.engine import Database
from webstrata.db.schema.crawl_tables import HostPermit
from webstrata.errors import CoordinationUnavailableError

HOST = "example.org"
LONG = timedelta(hours=1)
SHORT = timedelta(milliseconds=150)
NONE = timedelta(0)
REST = timedelta(milliseconds=40)


@dataclass(frozen=True)
class Place:
    """Where a store keeps its permits; other processes find it too."""

    kind: str
    url: str

    def opened(self) -> PermitStore:
        return RedisPermits(self.url) if self.kind == "redis_url" else DatabasePermits(Database(self.url))


@pytest.fixture(params=["sqlite_url", "postgres_url", "redis_url"])
def place(request: pytest.FixtureRequest) -> Place:
    return Place(request.param, request.getfixturevalue(request.param))


@pytest.fixture
def store(place: Place) -> Iterator[PermitStore]:
    opened = place.opened()
    yield opened
    if isinstance(opened, RedisPermits):
        opened.close()
    elif isinstance(opened, DatabasePermits):
        opened._database.dispose()


def taken(store: PermitStore, host: str = HOST, owner: str = "me", slots: int = 1, hold: timedelta = LONG) -> Permit:
    """Return a permit, as soon as there is one."""
    answers: list[Permit] = []

    def ask() -> bool:
        answer = store.take(host, owner, slots=slots, hold=hold)
        answers.extend([answer] if isinstance(answer, Permit) else [])
        return bool(answers)

    wait_until(ask, f"a permit for {host}")
    return answers[0]


def is_busy(store: PermitStore, host: str = HOST, slots: int = 1) -> bool:
    answer = store.take(host, "somebody", slots=slots, hold=LONG)
    if isinstance(answer, Permit):
        store.give_back(answer, NONE)
        return False
    assert answer > NONE
    return True


def test_a_host_has_as_many_slots_as_it_is_granted(store: PermitStore) -> None:
    permits = [taken(store, slots=3) for _ in range(3)]
    assert {permit.slot for permit in permits} == {0, 1, 2}
    assert len({permit.token for permit in permits}) == 3
    assert is_busy(store, slots=3)
    assert not is_busy(store, "example.net", slots=3)
    store.give_back(permits[1], NONE)
    assert taken(store, slots=3).slot == 1


def test_a_slot_that_is_given_back_rests_before_it_can_be_taken_again(store: PermitStore) -> None:
    permit = taken(store)
    given_back = time.monotonic()
    store.give_back(permit, SHORT)
    wait = store.take(HOST, "me", slots=1, hold=LONG)
    assert isinstance(wait, timedelta)
    assert NONE < wait <= SHORT
    taken(store)
    assert time.monotonic() - given_back >= SHORT.total_seconds() - 0.001


def test_one_who_waits_for_a_held_slot_asks_again_soon_however_long_it_may_be_held(store: PermitStore) -> None:
    taken(store)
    wait = store.take(HOST, "you", slots=1, hold=LONG)
    assert isinstance(wait, timedelta)
    assert NONE < wait <= timedelta(seconds=1)


def test_a_slot_falls_back_when_its_holder_is_silent_too_long(store: PermitStore) -> None:
    lost = taken(store, owner="dead", hold=SHORT)
    assert is_busy(store)
    found = taken(store, owner="alive")
    assert (found.slot, found.token != lost.token) == (0, True)


def test_a_stale_permit_changes_nothing(store: PermitStore) -> None:
    stale = taken(store, hold=SHORT)
    held = taken(store)
    store.give_back(stale, NONE)
    assert is_busy(store), "a stale permit freed a slot that another holds"
    store.give_back(held, NONE)
    store.give_back(stale, LONG)
    store.give_back(held, LONG)
    assert not is_busy(store), "a permit that was given back made the host rest"


def test_a_slot_that_is_given_back_late_rests_if_no_one_took_it(store: PermitStore) -> None:
    late = taken(store, hold=SHORT)
    wait_until(lambda: not store.resting(1), "the slot expires")
    store.give_back(late, LONG)
    assert is_busy(store)


def test_a_dead_owners_slots_are_free_at_once_or_after_a_rest_and_no_one_elses(store: PermitStore) -> None:
    taken(store, owner="dead")
    taken(store, "rested.example", owner="dead")
    living = taken(store, "held.example", owner="alive")
    store.give_back(taken(store, "resting.example", owner="dead"), LONG)
    store.forget_owner("dead", NONE)
    assert not is_busy(store)
    assert not is_busy(store, "rested.example")
    assert is_busy(store, "held.example")
    assert is_busy(store, "resting.example"), "a host was robbed of its rest"
    store.forget_owner("alive", SHORT)
    assert is_busy(store, "held.example")
    wait_until(lambda: not is_busy(store, "held.example"), "the rest is over")
    store.give_back(living, LONG)
    assert not is_busy(store, "held.example"), "a forgotten owner's permit still counts"


def test_a_dead_owners_slot_is_not_held_longer_by_a_long_rest(store: PermitStore) -> None:
    taken(store, owner="dead", hold=SHORT)
    store.forget_owner("dead", LONG)
    wait_until(lambda: not is_busy(store), "the slot expires")


def test_the_resting_hosts_are_those_without_a_free_slot(store: PermitStore) -> None:
    assert store.resting(1) == {}
    permit = taken(store, slots=2)
    assert store.resting(2) == {}
    assert store.resting(1) == {HOST: 0.0}
    store.give_back(taken(store, slots=2), LONG)
    assert store.resting(2) == {HOST: 0.0}, "a slot that is held may come back at any moment"
    store.give_back(permit, SHORT)
    (wait,) = store.resting(2).values()
    assert 0 < wait <= SHORT.total_seconds()
    wait_until(lambda: store.resting(2) == {}, "the first slot has rested")


@dataclass(frozen=True)
class Turn:
    slot: int
    started: float
    ended: float


def take_turns(store: PermitStore, owner: str, slots: int, count: int) -> list[Turn]:
    """Take some turns, as a crawler would, and note when each began and ended while the slot was held."""
    turns = []
    for _ in range(count):
        permit = taken(store, owner=owner, slots=slots)
        turns.append(Turn(permit.slot, time.monotonic(), time.monotonic()))
        store.give_back(permit, REST)
    return turns


def assert_polite(turns: list[Turn], slots: int) -> None:
    """Make sure that a slot was never held twice at a time, nor without its rest; so no more are held than it has."""
    assert {turn.slot for turn in turns} <= set(range(slots))
    by_slot = sorted(turns, key=lambda turn: (turn.slot, turn.started))
    for slot, each in groupby(by_slot, key=lambda turn: turn.slot):
        rests = [later.started - earlier.ended for earlier, later in pairwise(each)]
        assert min(rests, default=1) >= REST.total_seconds() - 0.001, (slot, rests)


def test_many_threads_take_turns(store: PermitStore) -> None:
    with ThreadPoolExecutor(12) as threads:
        done = threads.map(lambda number: take_turns(store, str(number), slots=3, count=3), range(12))
        turns = [turn for each in done for turn in each]
    assert len(turns) == 36
    assert_polite(turns, slots=3)


def test_many_threads_never_hold_more_than_the_slots_at_once(store: PermitStore) -> None:
    inside, most, guard = 0, 0, threading.Lock()
    both = threading.Barrier(2, timeout=30)

    def hold_once(number: int) -> None:
        nonlocal inside, most
        permit = taken(store, owner=str(number), slots=2)
        with guard:
            inside += 1
            most = max(most, inside)
        both.wait()
        with guard:
            inside -= 1
        store.give_back(permit, NONE)

    with ThreadPoolExecutor(10) as threads:
        list(threads.map(hold_once, range(20)))
    assert most == 2


def test_several_processes_take_turns(place: Place) -> None:
    context = own_processes()
    with context.Pool(4) as pool:
        turns = [turn for each in pool.map(_turns_of_a_process, [place] * 4, chunksize=1) for turn in each]
    assert len(turns) == 4 * 2 * 5
    assert_polite(turns, slots=2)


def _turns_of_a_process(place: Place) -> list[Turn]:
    store = place.opened()
    with ThreadPoolExecutor(2) as threads:
        done = threads.map(lambda number: take_turns(store, f"worker {number}", slots=2, count=5), range(2))
        return [turn for each in done for turn in each]


def test_slots_that_have_long_been_free_are_swept_away(database: Database) -> None:
    long_ago = datetime.now(UTC) - timedelta(days=1)
    recent = datetime.now(UTC) - timedelta(minutes=1)
    with database.write() as session:
        session.add(HostPermit(host="old.example", slot=0, owner="gone", token=None, free_at=long_ago))
        session.add(HostPermit(host="new.example", slot=0, owner="here", token=None, free_at=recent))
    taken(DatabasePermits(database))
    with database.read() as session:
        assert set(session.scalars(select(HostPermit.host))) == {"new.example", HOST}


def test_redis_forgets_by_itself(redis_url: str) -> None:
    store = RedisPermits(redis_url)
    store.give_back(taken(store, slots=2), SHORT)
    taken(store, "example.net", slots=2)
    with Redis.from_url(redis_url) as client:
        keys = client.keys("*")
        assert len(keys) == 3
        assert all(key.startswith(b"webstrata:permit:") for key in keys)
        assert all(0 < client.pttl(key) <= 2 * LONG.total_seconds() * 1000 for key in keys)


def test_nothing_is_permitted_without_redis(tmp_path: Path) -> None:
    with redis_process(tmp_path) as (url, process):
        store = RedisPermits(url)
        permit = taken(store)
        process.kill()
        process.wait()
        with pytest.raises(CoordinationUnavailableError, match="Redis"):
            store.take("example.net", "me", slots=1, hold=LONG)
        with pytest.raises(CoordinationUnavailableError, match="Redis"):
            store.give_back(permit, NONE)
        with pytest.raises(CoordinationUnavailableError, match="Redis"):
            store.resting(1)
        with pytest.raises(CoordinationUnavailableError, match="Redis"):
            store.forget_owner("me", NONE)
