"""The Redis client: one connection pool, and its errors translated into ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from webstrata.errors import CoordinationUnavailableError, MissingExtraError, SettingsError

if TYPE_CHECKING:
    from redis import Redis

_TIMEOUT = 5.0


def redis_client(url: str) -> "Redis":
    """Return a client; nothing is opened yet."""
    try:
        import redis
    except ModuleNotFoundError:
        raise MissingExtraError("Redis", "redis") from None
    try:
        return redis.Redis.from_url(url, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT)
    except ValueError:
        raise SettingsError("the Redis URL is not valid (expected redis://host:port/number)") from None


@contextmanager
def as_our_errors() -> Iterator[None]:
    """Turn the client's failures into ours, in this one place."""
    import redis

    try:
        yield
    except redis.RedisError as error:
        raise CoordinationUnavailableError(f"Redis: {' '.join(str(error).split())}") from error
