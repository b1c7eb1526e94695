"""Storage of locks and throttles: one interface, and the in-memory store of a single process."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Protocol


class LockStore(Protocol):
    """Stores locks and throttles; every method is atomic.

    CoordinationUnavailableError means that the store cannot be reached.
    """

    def acquire(self, key: str, token: str, ttl: timedelta) -> bool:
        """Acquire a free lock; it expires after the time to live."""
        ...

    def renew(self, key: str, token: str, ttl: timedelta) -> bool:
        """Prolong a lock that is still ours; False when it is not."""
        ...

    def release(self, key: str, token: str) -> bool:
        """Release a lock if this owner still holds it; False when it does not."""
        ...

    def reserve(self, key: str, delay: timedelta, ttl: timedelta) -> timedelta:
        """Reserve the next start, at least a delay after the last one, and return the seconds until then."""
        ...

    def touch(self, key: str, ttl: timedelta) -> None:
        """Record that something ended now; a start that is reserved for later stays."""
        ...


class MemoryStore:
    """Locks and throttles of one process."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """Begin with no locks."""
        self._clock = clock
        self._guard = threading.Lock()
        self._locks: dict[str, tuple[str, float]] = {}
        self._starts: dict[str, tuple[float, float]] = {}

    def acquire(self, key: str, token: str, ttl: timedelta) -> bool:
        """Acquire a free lock."""
        with self._guard:
            if self._holder(key) is not None:
                return False
            self._locks[key] = (token, self._clock() + ttl.total_seconds())
            return True

    def renew(self, key: str, token: str, ttl: timedelta) -> bool:
        """Prolong a lock that is still ours."""
        with self._guard:
            if self._holder(key) != token:
                return False
            self._locks[key] = (token, self._clock() + ttl.total_seconds())
            return True

    def release(self, key: str, token: str) -> bool:
        """Release a lock if this owner still holds it."""
        with self._guard:
            if self._holder(key) != token:
                return False
            del self._locks[key]
            return True

    def reserve(self, key: str, delay: timedelta, ttl: timedelta) -> timedelta:
        """Reserve the next start."""
        with self._guard:
            now = self._clock()
            last = self._last(key)
            start = now if last is None else max(now, last + delay.total_seconds())
            self._starts[key] = (start, start + ttl.total_seconds())
            return timedelta(seconds=start - now)

    def touch(self, key: str, ttl: timedelta) -> None:
        """Record that something ended now."""
        with self._guard:
            latest = max(self._clock(), self._last(key) or 0.0)
            self._starts[key] = (latest, latest + ttl.total_seconds())

    def _holder(self, key: str) -> str | None:
        token, expires = self._locks.get(key, ("", 0.0))
        return token if expires > self._clock() else None

    def _last(self, key: str) -> float | None:
        start, expires = self._starts.get(key, (0.0, 0.0))
        return start if expires > self._clock() else None
