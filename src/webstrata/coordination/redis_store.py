"""Locks and throttles in Redis, for many processes on many machines; every compare-and-act is one script."""

from datetime import timedelta

from webstrata.coordination.redis_client import as_our_errors, redis_client

_RENEW = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
"""
_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""
# The server's clock decides, so that machines whose clocks differ still agree.
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
        self._client = redis_client(url)
        self._renew = self._client.register_script(_RENEW)
        self._release = self._client.register_script(_RELEASE)
        self._reserve = self._client.register_script(_RESERVE)
        self._touch = self._client.register_script(_TOUCH)

    def acquire(self, key: str, token: str, ttl: timedelta) -> bool:
        """Acquire a free lock."""
        with as_our_errors():
            return bool(self._client.set(key, token, nx=True, px=_milliseconds(ttl)))

    def renew(self, key: str, token: str, ttl: timedelta) -> bool:
        """Prolong a lock that is still ours."""
        with as_our_errors():
            return bool(self._renew(keys=[key], args=[token, _milliseconds(ttl)]))

    def release(self, key: str, token: str) -> bool:
        """Release a lock if this owner still holds it."""
        with as_our_errors():
            return bool(self._release(keys=[key], args=[token]))

    def reserve(self, key: str, delay: timedelta, ttl: timedelta) -> timedelta:
        """Reserve the next start."""
        with as_our_errors():
            wait = self._reserve(keys=[key], args=[_milliseconds(delay), _milliseconds(ttl)])
            return timedelta(milliseconds=int(wait))

    def touch(self, key: str, ttl: timedelta) -> None:
        """Record that something ended now."""
        with as_our_errors():
            self._touch(keys=[key], args=[_milliseconds(ttl)])

    def close(self) -> None:
        """Close every connection."""
        self._client.close()


def _milliseconds(duration: timedelta) -> int:
    return round(duration / timedelta(milliseconds=1))
