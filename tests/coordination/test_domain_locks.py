"""The domain lock and throttle: one contract, run on the store of one process and on a real Redis."""

import signal
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
import structlog
from redis import Redis
from structlog.testing import capture_logs

from tests.support.forks import own_processes
from tests.support.redis import redis_process
from tests.support.waiting import wait_until
from webstrata.coordination.domain_locks import DomainLocks, DomainPolicy
from webstrata.coordination.redis_store import RedisStore
from webstrata.coordination.store import LockStore, MemoryStore
from webstrata.errors import CoordinationUnavailableError, DomainLockTimeoutError, LeaseLostError, SettingsError
from webstrata.model.domains import normalized_domain

KEY = "lock:domain:example.com"
SHORT = timedelta(milliseconds=200)
LONG = timedelta(seconds=300)
URL = "https://www.example.com/path"
POLICY = DomainPolicy(lock_ttl=LONG, throttle_ttl=timedelta(seconds=60), min_delay=timedelta(0))


@pytest.fixture(params=["memory", "redis"])
def store(request: pytest.FixtureRequest) -> Iterator[LockStore]:
    if request.param == "memory":
        yield MemoryStore()
        return
    opened = RedisStore(request.getfixturevalue("redis_url"))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://www.example.com/path", "example.com"),
        ("http://EXAMPLE.com:80/", "example.com"),
        ("https://user:secret@example.com./x?y#z", "example.com"),
        ("https://example.com:8443/", "example.com:8443"),
        ("https://www.www.example.com/", "www.example.com"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("http://[::1]:8080/", "[::1]:8080"),
    ],
)
def test_a_domain_is_the_same_however_its_url_is_written(url: str, domain: str) -> None:
    assert normalized_domain(url) == domain


def test_a_lock_is_held_by_one_until_it_is_released(store: LockStore) -> None:
    assert store.acquire(KEY, "a", LONG)
    assert not store.acquire(KEY, "b", LONG)
    assert store.release(KEY, "a")
    assert store.acquire(KEY, "b", LONG)


def test_only_the_holder_can_release_or_renew_a_lock(store: LockStore) -> None:
    store.acquire(KEY, "a", LONG)
    assert not store.release(KEY, "b")
    assert not store.renew(KEY, "b", LONG)
    assert not store.acquire(KEY, "b", LONG)


def test_an_expired_lock_can_be_taken_and_its_old_holder_changes_nothing(store: LockStore) -> None:
    store.acquire(KEY, "a", SHORT)
    wait_until(lambda: store.acquire(KEY, "b", LONG), "the lock expires")
    assert not store.renew(KEY, "a", LONG)
    assert not store.release(KEY, "a")
    assert store.release(KEY, "b")


def test_five_reservations_at_once_start_two_seconds_apart(store: LockStore) -> None:
    waits = [store.reserve("throttle:domain:x", timedelta(seconds=2), timedelta(seconds=60)) for _ in range(5)]
    assert waits[0] == timedelta(0)
    for index, wait in enumerate(waits):
        assert timedelta(seconds=2 * index - 0.5) < wait <= timedelta(seconds=2 * index)


def test_an_end_is_counted_but_does_not_pull_a_reserved_start_forward(store: LockStore) -> None:
    key, delay, ttl = "throttle:domain:x", timedelta(seconds=2), timedelta(seconds=60)
    store.touch(key, ttl)
    assert timedelta(seconds=1.5) < store.reserve(key, delay, ttl) <= delay
    store.touch(key, ttl)
    assert store.reserve(key, delay, ttl) > timedelta(seconds=3)


def test_a_throttle_is_forgotten_after_its_time_to_live(store: LockStore) -> None:
    store.touch("throttle:domain:x", SHORT)
    over = time.monotonic() + 2 * SHORT.total_seconds()
    wait_until(lambda: time.monotonic() > over, "twice the time to live")
    assert store.reserve("throttle:domain:x", timedelta(hours=1), SHORT) == timedelta(0)


def test_a_session_states_what_it_does_in_the_seeds_words(store: LockStore) -> None:
    with capture_logs() as events, DomainLocks(store, POLICY).hold(URL, "s1"):
        pass
    assert [event["event"] for event in events] == ["lock.acquire.success", "lock.release.success"]
    assert all(event["session_id"] == "s1" and event["domain"] == "example.com" for event in events)


def test_a_second_session_tries_three_times_and_then_gives_up(store: LockStore) -> None:
    waits: list[float] = []
    second = DomainLocks(store, POLICY, sleep=waits.append)
    with (
        DomainLocks(store, POLICY).hold(URL, "s1"),
        capture_logs() as events,
        pytest.raises(DomainLockTimeoutError, match=r"^Domain lock timeout$"),
        second.hold("http://example.com/other", "s2"),
    ):
        pytest.fail("two sessions on one domain")
    assert [event["event"] for event in events] == ["lock.acquire.retry", "lock.acquire.retry", "lock.acquire.timeout"]
    assert 1.0 <= waits[0] <= 1.5
    assert 2.0 <= waits[1] <= 2.5


def test_the_lock_is_released_when_the_work_fails(store: LockStore) -> None:
    turns = DomainLocks(store, POLICY)
    with pytest.raises(RuntimeError), turns.hold(URL, "s1"):
        raise RuntimeError
    with turns.hold(URL, "s2") as held:
        assert held is not None


def test_the_next_session_waits_the_minimum_delay_after_the_last_one(store: LockStore) -> None:
    policy = DomainPolicy(LONG, timedelta(seconds=60), timedelta(seconds=2))
    waits: list[float] = []
    turns = DomainLocks(store, policy, sleep=waits.append)
    with turns.hold(URL, "s1"):
        pass
    with capture_logs() as events, turns.hold(URL, "s2"):
        pass
    assert 1.5 < waits[0] <= 2.0
    assert events[0]["event"] == "throttle.wait"


@pytest.mark.parametrize(
    ("policy", "debug", "reason"),
    [
        (DomainPolicy(LONG, LONG, LONG), True, "debug_mode"),
        (DomainPolicy(LONG, LONG, LONG, disable_throttle=True), False, "testing"),
        (DomainPolicy(LONG, LONG, LONG, disable_locks=True), False, "testing"),
    ],
)
def test_the_throttle_can_be_skipped(store: LockStore, policy: DomainPolicy, debug: bool, reason: str) -> None:
    store.touch("throttle:domain:example.com", LONG)
    with capture_logs() as events, DomainLocks(store, policy).hold(URL, "s1", debug=debug):
        pass
    assert events[0] == {
        "event": "throttle.skip",
        "log_level": "info",
        "reason": reason,
        "session_id": "s1",
        "domain": "example.com",
    }


def test_locks_that_are_off_hold_no_one_up(store: LockStore) -> None:
    turns = DomainLocks(store, DomainPolicy(LONG, LONG, LONG, disable_locks=True))
    with turns.hold(URL, "s1") as first, turns.hold(URL, "s2") as second:
        assert first is None
        assert second is None


def test_a_holder_longer_than_the_time_to_live_keeps_its_lock(store: LockStore) -> None:
    policy = DomainPolicy(SHORT, LONG, timedelta(0))
    with DomainLocks(store, policy).hold(URL, "s1") as held:
        assert held is not None
        over = time.monotonic() + 3 * SHORT.total_seconds()
        wait_until(lambda: time.monotonic() > over, "three times the time to live")
        held.confirm()
        assert not store.acquire(KEY, "thief", LONG)


def test_a_holder_whose_lock_was_taken_is_asked_to_stop(store: LockStore) -> None:
    policy = DomainPolicy(SHORT, LONG, timedelta(0))
    thief = "thief"
    with capture_logs() as events, DomainLocks(store, policy).hold(URL, "s1") as held:
        assert held is not None
        _steal(store, thief)
        wait_until(lambda: _is_lost(held), "the holder notices")
    assert events[-1]["event"] == "lock.release.stale"
    assert store.release(KEY, thief)


def _is_lost(held: object) -> bool:
    try:
        held.confirm()  # type: ignore[attr-defined]
    except LeaseLostError:
        return True
    return False


def _steal(store: LockStore, token: str) -> None:
    """Take the lock away from whoever has it, as an operator's hand or a failover would."""
    if isinstance(store, MemoryStore):
        store._locks[KEY] = (token, time.time() + 60)
    else:
        assert isinstance(store, RedisStore)
        store._client.set(KEY, token, px=60_000)


def test_many_threads_never_hold_a_lock_together(store: LockStore) -> None:
    inside, most = 0, 0
    guard = threading.Lock()

    def work(number: int) -> None:
        nonlocal inside, most
        wait_until(lambda: store.acquire(KEY, str(number), LONG), "a turn")
        with guard:
            inside += 1
            most = max(most, inside)
        with guard:
            inside -= 1
        store.release(KEY, str(number))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_many_processes_on_one_redis_take_turns(redis_url: str, tmp_path: Path) -> None:
    context = own_processes()
    diary = tmp_path / "diary"
    processes = [context.Process(target=_write_diary, args=(redis_url, str(diary), number)) for number in range(6)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    lines = diary.read_text().splitlines()
    assert len(lines) == 6 * 5 * 2
    for begin, end in zip(lines[::2], lines[1::2], strict=True):
        assert begin.split() == ["begin", end.split()[1]], "another process came between"


def _write_diary(url: str, diary: str, number: int) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    turns = DomainLocks(RedisStore(url), POLICY, sleep=lambda _seconds: time.sleep(0.005))
    for _ in range(5):
        _one_turn(turns, diary, number)


def _one_turn(turns: DomainLocks, diary: str, number: int) -> None:
    deadline = time.monotonic() + 50
    while time.monotonic() < deadline:
        try:
            with turns.hold(URL, str(number)):
                with Path(diary).open("a") as file:
                    file.write(f"begin {number}\n")
                with Path(diary).open("a") as file:
                    file.write(f"end {number}\n")
                return
        except DomainLockTimeoutError:
            continue
    raise TimeoutError


def test_five_processes_start_at_least_the_delay_apart(redis_url: str) -> None:
    context = own_processes()
    with context.Pool(5) as pool:
        starts = sorted(pool.map(_reserved_start, [redis_url] * 5))
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    assert min(gaps) >= 1.9, gaps


def _reserved_start(url: str) -> float:
    wait = RedisStore(url).reserve("throttle:domain:x", timedelta(seconds=2), timedelta(seconds=60))
    return time.time() + wait.total_seconds()


def test_a_lost_redis_pauses_the_work_until_it_is_back(tmp_path: Path) -> None:
    policy = DomainPolicy(timedelta(seconds=6), LONG, timedelta(0))
    with redis_process(tmp_path) as (url, process):
        store = RedisStore(url)
        store._client.connection_pool.connection_kwargs["socket_timeout"] = 0.2
        with DomainLocks(store, policy).hold(URL, "s1") as held, capture_logs() as events:
            assert held is not None
            process.send_signal(signal.SIGSTOP)
            wait_until(lambda: held._doubtful, "the holder notices")
            confirmed = threading.Thread(target=held.confirm)
            confirmed.start()
            assert confirmed.is_alive(), "the work went on without knowing that the lock stands"
            process.send_signal(signal.SIGCONT)
            confirmed.join(10)
            assert not confirmed.is_alive()
            assert [event["event"] for event in events] == ["lock.store.unavailable"]


def test_a_redis_that_stays_away_costs_the_lock(tmp_path: Path) -> None:
    policy = DomainPolicy(timedelta(seconds=1), LONG, timedelta(0))
    with redis_process(tmp_path) as (url, process), DomainLocks(RedisStore(url), policy).hold(URL, "s1") as held:
        assert held is not None
        process.kill()
        wait_until(lambda: held._doubtful, "the holder notices")
        with pytest.raises(LeaseLostError):
            held.confirm()


def test_without_redis_nothing_runs_unlocked() -> None:
    turns = DomainLocks(RedisStore("redis://127.0.0.1:1/0"), POLICY)
    with pytest.raises(CoordinationUnavailableError, match="Redis"), turns.hold(URL, "s1"):
        pytest.fail("ran without a lock")


def test_a_wrong_redis_url_is_named_without_its_password() -> None:
    with pytest.raises(SettingsError, match="redis://host") as caught:
        RedisStore("nonsense://:secret@host")
    assert "secret" not in str(caught.value)


def test_keys_and_values_are_those_of_the_seed(redis_url: str) -> None:
    with DomainLocks(RedisStore(redis_url), POLICY).hold(URL, "s1"), Redis.from_url(redis_url) as client:
        assert set(client.keys()) == {b"lock:domain:example.com", b"throttle:domain:example.com"}
        assert abs(int(client.get("throttle:domain:example.com") or 0) / 1000 - time.time()) < 30
        assert 0 < client.ttl("lock:domain:example.com") <= 300
        assert 0 < client.ttl("throttle:domain:example.com") <= 60
