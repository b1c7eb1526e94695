"""Locks and throttles in Redis, for many processes on many machines; every compare-and-act is one script."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from webstrata.errors import CoordinationUnavailableError, MissingExtraError, SettingsError

if TYPE_CHECKING:
    from redis import Redis

_TIMEOUT = 5.0

_RENEW = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
"""
_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""
# The server's clock decides, so that machines whose clocks differ still take turns.
_RESERVE = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = tonumber(redis.call('GET', KEYS[1]))
local start = now
if last and last + ARGV[1] > now then start = last + ARGV[1] end
redis.call('SET', KEYS[1], string.format('%.0f', start), 'PX', string.format('%.0f', start - now + ARGV[2]))
return string.format('%.0f', start - now)
"""
_TOUCH = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = tonumber(redis.call('GET', KEYS[1])) or 0
local latest = math.max(now, last)
redis.call('SET', KEYS[1], string.format('%.0f', latest), 'PX', string.format('%.0f', latest - now + ARGV[1]))
return 1
"""


class RedisStore:
    """Locks and throttles that all workers on one Redis share."""

    def __init__(self, url: str) -> None:
        """Prepare the connection; nothing is opened yet."""
        self._client = _client(url)
        self._renew = self._client.register_script(_RENEW)
        self._release = self._client.register_script(_RELEASE)
        self._reserve = self._client.register_script(_RESERVE)
        self._touch = self._client.register_script(_TOUCH)

    def acquire(self, key: str, token: str, ttl: timedelta) -> bool:
        """Take a lock that nobody holds."""
        with _as_our_errors():
            return bool(self._client.set(key, token, nx=True, px=_milliseconds(ttl)))

    def renew(self, key: str, token: str, ttl: timedelta) -> bool:
        """Prolong a lock that is still ours."""
        with _as_our_errors():
            return bool(self._renew(keys=[key], args=[token, _milliseconds(ttl)]))

    def release(self, key: str, token: str) -> bool:
        """Give a lock back that is still ours."""
        with _as_our_errors():
            return bool(self._release(keys=[key], args=[token]))

    def reserve(self, key: str, delay: timedelta, ttl: timedelta) -> timedelta:
        """Take the next start."""
        with _as_our_errors():
            wait = self._reserve(keys=[key], args=[_milliseconds(delay), _milliseconds(ttl)])
            return timedelta(milliseconds=int(wait))

    def touch(self, key: str, ttl: timedelta) -> None:
        """Record that something ended now."""
        with _as_our_errors():
            self._touch(keys=[key], args=[_milliseconds(ttl)])

    def close(self) -> None:
        """Close every connection."""
        self._client.close()


def _client(url: str) -> "Redis":
    try:
        import redis
    except ModuleNotFoundError:
        raise MissingExtraError("Redis", "redis") from None
    try:
        return redis.Redis.from_url(url, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT)
    except ValueError:
        raise SettingsError("the Redis URL is none (expected redis://host:port/number)") from None


@contextmanager
def _as_our_errors() -> Iterator[None]:
    """Turn the client's failures into ours, in this one place."""
    import redis

    try:
        yield
    except redis.RedisError as error:
        raise CoordinationUnavailableError(f"Redis: {' '.join(str(error).split())}") from error


def _milliseconds(duration: timedelta) -> int:
    return round(duration / timedelta(milliseconds=1))
