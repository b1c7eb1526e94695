"""Domain locks: a session waits for the throttle, takes the lock, works, and always releases it."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

import structlog

from webstrata.coordination.store import LockStore
from webstrata.errors import CoordinationUnavailableError, DomainBusyError, DomainLockTimeoutError, LeaseLostError
from webstrata.model.domains import normalized_domain

log = structlog.get_logger()

MAX_ATTEMPTS = 3
_BACKOFF_BASE = 1.0
_JITTER = 0.5


@dataclass(frozen=True)
class DomainPolicy:
    """Policy of sharing a domain: lock, throttle and waiting times."""

    lock_ttl: timedelta
    throttle_ttl: timedelta
    min_delay: timedelta
    disable_locks: bool = False
    disable_throttle: bool = False


class HeldDomain:
    """A held domain lock that is renewed in the background; its user regularly confirms that it is still held."""

    def __init__(self, store: LockStore, key: str, token: str, ttl: timedelta, clock: Callable[[], float]) -> None:
        """Begin to renew a lock that was just taken."""
        self._store = store
        self._key = key
        self._token = token
        self._ttl = ttl
        self._clock = clock
        self._valid_until = clock() + ttl.total_seconds()
        self._lost = False
        self._ended = threading.Event()
        self._renewed = threading.Condition()
        self._doubtful = False
        self._renewing = threading.Thread(target=self._renew_until_end, name=f"renew {key}", daemon=True)
        self._renewing.start()

    @property
    def is_lost(self) -> bool:
        """Return whether another session may hold the lock by now."""
        return self._lost

    @property
    def is_in_doubt(self) -> bool:
        """Return whether the lock's store is unreachable."""
        return self._doubtful

    def confirm(self) -> None:
        """Return if the lock is held; wait while its store is unreachable; LeaseLostError if the lock is lost."""
        with self._renewed:
            while self._doubtful and not self._lost:
                self._renewed.wait(0.1)
                if self._clock() >= self._valid_until:
                    self._lost = True
        if self._lost:
            raise LeaseLostError(f"the lock {self._key} was lost; the work that it protects must stop")

    def end(self) -> None:
        """Stop renewing."""
        self._ended.set()
        self._renewing.join()

    def _renew_until_end(self) -> None:
        pause = self._ttl.total_seconds() / 3
        while not self._ended.wait(min(pause, 0.5) if self._doubtful else pause):
            self._renew_once()
            if self._lost:
                return

    def _renew_once(self) -> None:
        began = self._clock()
        try:
            still_ours = self._store.renew(self._key, self._token, self._ttl)
        except CoordinationUnavailableError as error:
            self._doubt(str(error))
            return
        with self._renewed:
            self._lost = not still_ours
            self._doubtful = False
            self._valid_until = began + self._ttl.total_seconds()
            self._renewed.notify_all()
        if self._lost:
            log.error("lock.lost", key=self._key)

    def _doubt(self, reason: str) -> None:
        if not self._doubtful:
            log.warning("lock.store.unavailable", key=self._key, reason=reason)
        with self._renewed:
            self._doubtful = True
            self._lost = self._clock() >= self._valid_until
            self._renewed.notify_all()


class DomainLocks:
    """Lets one session at a time work on a domain, with a pause between sessions."""

    def __init__(
        self,
        store: LockStore,
        policy: DomainPolicy,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Use a store that all sessions share."""
        self._store = store
        self._policy = policy
        self._sleep = sleep
        self._clock = clock

    @contextmanager
    def hold(
        self, url: str, session_id: str, *, debug: bool = False, attempts: int = MAX_ATTEMPTS, token: str | None = None
    ) -> Iterator[HeldDomain | None]:
        """Hold the lock of a URL's domain; DomainLockTimeoutError after a long wait.

        Yields None if locks are disabled. With a single attempt, a busy domain raises DomainBusyError at once, for
        callers with a queue. A caller that stores the lock's token passes it, so that the lock can be released after a
        crash.
        """
        domain = normalized_domain(url)
        fields = {"domain": domain, "session_id": session_id}
        if self._policy.disable_locks:
            log.info("throttle.skip", reason="testing", **fields)
            yield None
            return
        self._throttle(domain, fields, debug=debug)
        key, token = _lock_key(domain), token or uuid4().hex
        self._acquire(key, token, fields, attempts)
        held = HeldDomain(self._store, key, token, self._policy.lock_ttl, self._clock)
        try:
            yield held
        finally:
            held.end()
            self._let_go(key, token, domain, fields)

    def release_abandoned(self, url: str, session_id: str, token: str) -> None:
        """Release the lock of a session that died, if it still holds it, so that others need not wait until it
        expires."""
        if self._policy.disable_locks:
            return
        domain = normalized_domain(url)
        fields = {"domain": domain, "session_id": session_id}
        try:
            released = self._store.release(_lock_key(domain), token)
        except CoordinationUnavailableError as error:
            log.warning("lock.release.stale", reason=str(error), **fields)
            return
        if released:
            log.info("lock.release.success", reason="its session died", **fields)

    def _throttle(self, domain: str, fields: dict[str, str], *, debug: bool) -> None:
        if debug or self._policy.disable_throttle:
            log.info("throttle.skip", reason="debug_mode" if debug else "testing", **fields)
            return
        wait = self._store.reserve(_throttle_key(domain), self._policy.min_delay, self._policy.throttle_ttl)
        if wait > timedelta(0):
            log.info("throttle.wait", wait_ms=round(wait / timedelta(milliseconds=1)), **fields)
            self._sleep(wait.total_seconds())

    def _acquire(self, key: str, token: str, fields: dict[str, str], attempts: int) -> None:
        for attempt in range(1, attempts + 1):
            if self._store.acquire(key, token, self._policy.lock_ttl):
                log.info("lock.acquire.success", attempt=attempt, **fields)
                return
            if attempts == 1:
                log.info("lock.acquire.retry", attempt=attempt, **fields)
                raise DomainBusyError(f"another audit of {fields['domain']} is running")
            if attempt < attempts:
                wait = _BACKOFF_BASE * 2 ** (attempt - 1) + random.uniform(0, _JITTER)  # noqa: S311 - spreads retries
                log.info("lock.acquire.retry", attempt=attempt, wait_ms=round(wait * 1000), **fields)
                self._sleep(wait)
        log.warning("lock.acquire.timeout", attempts=attempts, **fields)
        raise DomainLockTimeoutError("Domain lock timeout")

    def _let_go(self, key: str, token: str, domain: str, fields: dict[str, str]) -> None:
        """Release the lock and record the end; if the store is unreachable, the lock expires by itself."""
        try:
            released = self._store.release(key, token)
            self._store.touch(_throttle_key(domain), self._policy.throttle_ttl)
        except CoordinationUnavailableError as error:
            log.warning("lock.release.stale", reason=str(error), **fields)
            return
        if released:
            log.info("lock.release.success", **fields)
        else:
            log.warning("lock.release.stale", reason="it had expired or another session holds it", **fields)


def _lock_key(domain: str) -> str:
    return f"lock:domain:{domain}"


def _throttle_key(domain: str) -> str:
    return f"throttle:domain:{domain}"
