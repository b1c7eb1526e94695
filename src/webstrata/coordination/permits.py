"""Host permits shared by all processes: a host has numbered slots, each of which is held during a request and rests
after it.

Jobs with different concurrency for a host share its first slots.
"""

import asyncio
import math
import random
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from ipaddress import ip_address
from typing import Protocol
from uuid import uuid4

import structlog

from webstrata.coordination.threads import in_thread
from webstrata.db.engine import Database
from webstrata.db.queue import permits
from webstrata.errors import WebstrataError

log = structlog.get_logger()

DEFAULT_DELAY = 1.0
ASK_AGAIN = timedelta(milliseconds=100)
"""The wait before another request for a slot in use: it may be released at any moment."""

_SPREAD = 0.02
_PRUNED_EVERY = 600.0
_KEPT = timedelta(hours=1)
_HOSTS_KEPT = 1_000


@dataclass(frozen=True)
class Permit:
    """A slot of a host that is held; the token identifies the holder."""

    host: str
    slot: int
    token: str


class PermitStore(Protocol):
    """Stores the slots of hosts for all processes; every method is atomic.

    CoordinationUnavailableError or DatabaseUnavailableError means that the store cannot be reached.
    """

    def take(self, host: str, owner: str, *, slots: int, hold: timedelta) -> Permit | timedelta:
        """Take a free slot, or return the time to wait; the slot expires after `hold`."""
        ...

    def give_back(self, permit: Permit, rest: timedelta) -> None:
        """Start the rest of a slot, if the permit still holds it."""
        ...

    def resting(self, slots: int) -> dict[str, float]:
        """Return the hosts without a free slot, with the seconds until one is free; 0 if one is held and may be
        released at any moment."""
        ...

    def forget_owner(self, owner: str, rest: timedelta) -> None:
        """Start the rest of all slots that a dead owner holds."""
        ...


class DatabasePermits:
    """Permits that all processes on one database share."""

    def __init__(self, database: Database) -> None:
        """Use a database that is ready."""
        self._database = database
        self._pruning = threading.Lock()
        self._prune_at = 0.0

    def take(self, host: str, owner: str, *, slots: int, hold: timedelta) -> Permit | timedelta:
        """Take a free slot, or return the time to wait."""
        # Most callers have to wait: they only read, and do not block writers.
        with self._database.read() as session:
            busy = permits.busy_slots(session, slots, host)
        if len(busy) >= slots:
            return min(min(slot.free_in, ASK_AGAIN) if slot.held else slot.free_in for slot in busy)
        self._prune_now_and_then()
        token = uuid4().hex
        with self._database.write() as session:
            taken = permits.take_slot(session, host, owner, token, slots=slots, hold=hold)
        return ASK_AGAIN if taken is None else Permit(host, taken, token)

    def give_back(self, permit: Permit, rest: timedelta) -> None:
        """Start the rest of a slot that is still ours."""
        with self._database.write() as session:
            permits.give_slot_back(session, permit.host, permit.slot, permit.token, rest)

    def resting(self, slots: int) -> dict[str, float]:
        """Return the hosts with no free slot."""
        waits: dict[str, list[float]] = {}
        with self._database.read() as session:
            for slot in permits.busy_slots(session, slots):
                waits.setdefault(slot.host, []).append(0.0 if slot.held else slot.free_in.total_seconds())
        return {host: min(each) for host, each in waits.items() if len(each) >= slots}

    def forget_owner(self, owner: str, rest: timedelta) -> None:
        """Start the rest of all slots that a dead owner holds."""
        with self._database.write() as session:
            permits.forget_owner(session, owner, rest)

    def _prune_now_and_then(self) -> None:
        with self._pruning:
            if time.monotonic() < self._prune_at:
                return
            self._prune_at = time.monotonic() + _PRUNED_EVERY
        with self._database.write() as session:
            permits.prune(session, _KEPT)


@dataclass(frozen=True)
class Politeness:
    """Politeness to hosts; the default is one request at a time with a rest of a second, and no limits on loopback."""

    delay: float | None
    concurrency: int | None
    jitter: float
    """Random extra rest, as a share of the rest."""


class HostPermits:
    """The host permits of one process: waits for slots, holds and releases them."""

    def __init__(
        self,
        store: PermitStore,
        owner: str,
        politeness: Politeness,
        hold: timedelta,
        *,
        clock: Callable[[], float] = time.monotonic,
        waited: Callable[[float], None] = lambda _seconds: None,
    ) -> None:
        """Take permits in an owner's name; `hold` covers the longest request; `waited` is called with the wait of each
        permit."""
        self._store = store
        self._owner = owner
        self._politeness = politeness
        self._hold = hold
        self._clock = clock
        self._waited = waited
        self._robots_delays: dict[str, float] = {}
        self._not_before: dict[str, float] = {}
        self._queues: dict[tuple[str, int], asyncio.Semaphore] = {}

    def is_limited(self, host: str) -> bool:
        """Return whether a host has limits; if not, its permits are granted at once."""
        return not _is_loopback(host) or self._politeness.concurrency is not None or self.delay_of(host) > 0

    def delay_of(self, host: str) -> float:
        """Return the seconds for which a host rests after a request."""
        requested = self._politeness.delay
        if requested is None:
            requested = 0.0 if _is_loopback(host) else DEFAULT_DELAY
        return max(requested, self._robots_delays.get(host, 0.0))

    def slots_of(self, host: str) -> int:
        """Return the number of concurrent requests to a limited host."""
        return 1 if host in self._robots_delays else self._politeness.concurrency or 1

    def slow_down(self, host: str, crawl_delay: float) -> None:
        """Obey a crawl delay from now on: a longer rest, and one request at a time."""
        if not math.isfinite(crawl_delay) or crawl_delay <= self._robots_delays.get(host, 0.0):
            return
        self._robots_delays[host] = crawl_delay
        self._not_before[host] = self._clock() + crawl_delay

    async def resting(self) -> dict[str, float]:
        """Return the hosts that may not be requested yet, each with the seconds to wait; 0 means at any moment."""
        found: dict[str, float] = {}
        for slots in {self.slots_of(host) for host, _ in self._queues}:
            waits = await in_thread(self._store.resting, slots)
            found |= {h: wait for h, wait in waits.items() if self.is_limited(h) and self.slots_of(h) == slots}
        now = self._clock()
        return found | {h: at - now for h, at in self._not_before.items() if at - now > found.get(h, 0.0)}

    @asynccontextmanager
    async def permit(self, host: str) -> AsyncIterator[None]:
        """Wait for a permit of a host, hold it during the request, and let the host rest afterwards."""
        if not self.is_limited(host):
            yield
            return
        slots, began = self.slots_of(host), self._clock()
        # Waiting requests queue up here, so that not all of them query the store.
        async with self._queues.setdefault((host, slots), asyncio.Semaphore(slots)):
            permit = await self._take_permit(host, slots)
            self._waited(self._clock() - began)
            try:
                yield
            finally:
                await in_thread(self._give_back, permit, self._rest(host))

    async def _take_permit(self, host: str, slots: int) -> Permit:
        await asyncio.sleep(max(0.0, self._not_before.get(host, 0.0) - self._clock()))
        while True:
            taken = await self._ask(host, slots)
            if isinstance(taken, Permit):
                return taken
            await asyncio.sleep(taken.total_seconds() + random.uniform(0, _SPREAD))  # noqa: S311 - spreads askers

    async def _ask(self, host: str, slots: int) -> Permit | timedelta:
        """Request a slot once; if the caller is cancelled meanwhile, the slot is released unused."""
        answers: list[Permit | timedelta] = []

        def ask() -> None:
            answers.append(self._store.take(host, self._owner, slots=slots, hold=self._hold))

        try:
            await in_thread(ask)
        except asyncio.CancelledError:
            for unused in answers:
                if isinstance(unused, Permit):
                    await in_thread(self._give_back, unused, timedelta(0))
            raise
        return answers[0]

    def _give_back(self, permit: Permit, rest: timedelta) -> None:
        """Release a slot; if the store is not available, the fetch still counts, and the slot expires by itself."""
        try:
            self._store.give_back(permit, rest)
        except WebstrataError as error:
            log.warning("permit.give_back.failed", host=permit.host, reason=str(error))

    def _rest(self, host: str) -> timedelta:
        longer = 1 + random.random() * self._politeness.jitter  # noqa: S311 - spreads requests
        return timedelta(seconds=self.delay_of(host) * longer)


@lru_cache(_HOSTS_KEPT)
def _is_loopback(host: str) -> bool:
    name, _, port = host.rpartition(":")
    if not port.isdecimal() or not name:
        name = host
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name == "localhost"
