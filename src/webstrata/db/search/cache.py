"""In-memory cache of search totals and rankings, valid for one state of the archive."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import TypeVar, cast
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, Pool
from sqlalchemy.orm import Session

_MOST_CACHED = 2_000

Cached = TypeVar("Cached")


def cached_result(
    session: Session,
    state: Hashable,
    what: Hashable,
    work: Callable[[], Cached],
    worth: Callable[[Cached], bool] = lambda found: True,
) -> Cached:
    """Return the result of `work`, from the cache while the archive is unchanged; only what is `worth` the memory is
    stored.

    `state` is the totals of all sources with the times of their last change. Every transaction that adds, moves or
    deletes a capture changes them, so a cached result is never used for another state.
    """
    cache = _cache_of(session.get_bind().engine)
    key = state, what
    with _LOCK:
        if key in cache:
            cache.move_to_end(key)
            return cast("Cached", cache[key])
    found = work()
    if not worth(found):
        return found
    with _LOCK:
        cache[key] = found
        if len(cache) > _MOST_CACHED:
            cache.popitem(last=False)
    return found


_Cache = OrderedDict[Hashable, object]
_LOCK = Lock()
_BY_POOL: "WeakKeyDictionary[Pool, _Cache]" = WeakKeyDictionary()


def _cache_of(engine: Engine) -> _Cache:
    with _LOCK:
        return _BY_POOL.setdefault(engine.pool, OrderedDict())
