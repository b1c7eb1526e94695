"""Per-host permits in Redis, for many processes on many machines; every step is one script.

A host's slots are the fields of a hash, each "free at, token, owner"; a sorted set contains the busy hosts.
"""

from datetime import timedelta
from uuid import uuid4

from webstrata.coordination.permits import ASK_AGAIN, Permit
from webstrata.coordination.redis_client import as_our_errors, redis_client

_PREFIX = "webstrata:permit:"
_BUSY_HOSTS = f"{_PREFIX}hosts"
_HOST = f"{_PREFIX}host:"

_LATE = 60_000
"""How many milliseconds an expired slot is stored, so that a late release still starts the host's delay."""

# The server's clock decides, in microseconds, so that machines whose clocks differ still agree.
_COMMON = (
    f"local late = {_LATE}"
    """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function read(key, slot)
    local kept = redis.call('HGET', key, slot)
    if not kept then return 0, '-', '' end
    local free_at, token, owner = string.match(kept, '^(%S+) (%S+) (.*)$')
    return tonumber(free_at), token, owner
end

local function wait_of(key, slots, again)
    local wait
    for slot = 0, slots - 1 do
        local free_at, token = read(key, slot)
        local left = free_at - now
        if left <= 0 then return nil end
        if token ~= '-' then left = math.min(left, again) end
        wait = math.min(wait or left, left)
    end
    return wait
end

local function remember(key, milliseconds)
    if redis.call('PTTL', key) < milliseconds then redis.call('PEXPIRE', key, milliseconds) end
end

local function write(hosts, key, host, slot, free_at, token, owner)
    redis.call('HSET', key, slot, string.format('%.0f %s %s', free_at, token, owner))
    if free_at > tonumber(redis.call('ZSCORE', hosts, host) or 0) then redis.call('ZADD', hosts, free_at, host) end
    local milliseconds = math.ceil(math.max(0, free_at - now) / 1000) + late
    remember(key, milliseconds)
    remember(hosts, milliseconds)
end

local function busy(hosts)
    redis.call('ZREMRANGEBYSCORE', hosts, '-inf', string.format('%.0f', now))
    return redis.call('ZRANGE', hosts, 0, -1)
end
"""
)
_TAKE = f"""{_COMMON}
local host, owner, token, slots, hold, again = unpack(ARGV)
local wait = wait_of(KEYS[2], slots, tonumber(again))
if wait then return {{-1, string.format('%.0f', wait)}} end
for slot = 0, slots - 1 do
    if read(KEYS[2], slot) <= now then
        write(KEYS[1], KEYS[2], host, slot, now + hold, token, owner)
        return {{slot, '0'}}
    end
end
"""
_GIVE_BACK = f"""{_COMMON}
local host, slot, token, rest = unpack(ARGV)
local _, holder, owner = read(KEYS[2], slot)
if holder ~= token then return 0 end
write(KEYS[1], KEYS[2], host, slot, now + rest, '-', owner)
return 1
"""
_RESTING = f"""{_COMMON}
local found = {{}}
for _, host in ipairs(busy(KEYS[1])) do
    local wait = wait_of(ARGV[1] .. host, ARGV[2], 0)
    if wait then
        table.insert(found, host)
        table.insert(found, string.format('%.0f', wait))
    end
end
return found
"""
_FORGET_OWNER = f"""{_COMMON}
for _, host in ipairs(busy(KEYS[1])) do
    local key = ARGV[1] .. host
    for _, slot in ipairs(redis.call('HKEYS', key)) do
        local free_at, token, owner = read(key, slot)
        if token ~= '-' and owner == ARGV[2] then
            write(KEYS[1], key, host, slot, math.min(free_at, now + ARGV[3]), '-', owner)
        end
    end
end
return 1
"""


class RedisPermits:
    """Permits that all processes on one Redis share."""

    def __init__(self, url: str) -> None:
        """Prepare the connection; nothing is opened yet."""
        self._client = redis_client(url)
        self._take = self._client.register_script(_TAKE)
        self._give_back = self._client.register_script(_GIVE_BACK)
        self._resting = self._client.register_script(_RESTING)
        self._forget_owner = self._client.register_script(_FORGET_OWNER)

    def take(self, host: str, owner: str, *, slots: int, hold: timedelta) -> Permit | timedelta:
        """Take a free slot, or return the time to wait."""
        token = uuid4().hex
        arguments: list[str | int] = [host, owner, token, slots, _microseconds(hold), _microseconds(ASK_AGAIN)]
        with as_our_errors():
            slot, wait = self._take(keys=[_BUSY_HOSTS, _HOST + host], args=arguments)
        return timedelta(microseconds=int(wait)) if slot < 0 else Permit(host, slot, token)

    def give_back(self, permit: Permit, rest: timedelta) -> None:
        """Start the rest of a slot that is still ours."""
        arguments: list[str | int] = [permit.host, permit.slot, permit.token, _microseconds(rest)]
        with as_our_errors():
            self._give_back(keys=[_BUSY_HOSTS, _HOST + permit.host], args=arguments)

    def resting(self, slots: int) -> dict[str, float]:
        """Return the hosts with no free slot."""
        with as_our_errors():
            found = self._resting(keys=[_BUSY_HOSTS], args=[_HOST, slots])
        return {host.decode(): int(wait) / 1e6 for host, wait in zip(found[::2], found[1::2], strict=True)}

    def forget_owner(self, owner: str, rest: timedelta) -> None:
        """Start the rest of all slots that a dead owner holds."""
        with as_our_errors():
            self._forget_owner(keys=[_BUSY_HOSTS], args=[_HOST, owner, _microseconds(rest)])

    def close(self) -> None:
        """Close every connection."""
        self._client.close()


def _microseconds(duration: timedelta) -> int:
    return duration // timedelta(microseconds=1)
