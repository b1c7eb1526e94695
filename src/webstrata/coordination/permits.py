"""Per-host turns within one process: a request starts no sooner than the delay after the last one ended."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address


class HostPermits:
    """Gives every host its turns: one request at a time and a rest after it, where there is a delay."""

    def __init__(self, delay: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Use one delay for every host; loopback, which is our own machine, has none."""
        self._delay = delay
        self._clock = clock
        self._locks: dict[str, asyncio.Lock] = {}
        self._free_at: dict[str, float] = {}

    def delay_of(self, host: str) -> float:
        """Return the seconds between two requests to a host."""
        return 0.0 if _is_loopback(host) else self._delay

    def resting(self) -> dict[str, float]:
        """Return the hosts whose turn it is not yet, each with the seconds until it is; a busy one counts as now."""
        now = self._clock()
        busy = {host: 0.0 for host, lock in self._locks.items() if lock.locked()}
        return busy | {host: at - now for host, at in self._free_at.items() if at > now}

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait for a host's turn and hold it while it is asked."""
        if not self.delay_of(host):
            yield
            return
        async with self._locks.setdefault(host, asyncio.Lock()):
            await asyncio.sleep(max(0.0, self._free_at.get(host, 0.0) - self._clock()))
            try:
                yield
            finally:
                self._free_at[host] = self._clock() + self.delay_of(host)


def _is_loopback(host: str) -> bool:
    name, _, port = host.rpartition(":")
    if not port.isdecimal() or not name:
        name = host
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name == "localhost"
