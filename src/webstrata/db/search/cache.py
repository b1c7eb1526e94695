"""Cache of searches for one state of the archive: how many results there are, and which are ranked."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import TypeVar, cast
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, Pool
from sqlalchemy.orm import Session

_MOST_KEPT = 2_000

Remembered = TypeVar("Remembered")


def worked_out_once(
    session: Session,
    state: Hashable,
    what: Hashable,
    work: Callable[[], Remembered],
    worth: Callable[[Remembered], bool] = lambda found: True,
) -> Remembered:
    """Return the result of `work`, cached while the archive is unchanged and if it is worth the memory.

    `state` is every source's totals with the moment when they last changed. Every transaction that adds, moves or drops
    a capture changes them, so no cached result outlives the state that it was computed for.
    """
    kept = _kept_for(session.get_bind().engine)
    key = state, what
    with _LOCK:
        if key in kept:
            kept.move_to_end(key)
            return cast("Remembered", kept[key])
    found = work()
    if not worth(found):
        return found
    with _LOCK:
        kept[key] = found
        if len(kept) > _MOST_KEPT:
            kept.popitem(last=False)
    return found


_Kept = OrderedDict[Hashable, object]
_LOCK = Lock()
_BY_POOL: "WeakKeyDictionary[Pool, _Kept]" = WeakKeyDictionary()


def _kept_for(engine: Engine) -> _Kept:
    with _LOCK:
        return _BY_POOL.setdefault(engine.pool, OrderedDict())
