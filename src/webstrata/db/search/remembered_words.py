"""Cache of words that a database is known to hold: pages have most words in common, and stored words are never deleted.

Looking up all words of a batch takes as long as storing its snapshots.
"""

from collections.abc import Callable, Collection, Iterable
from weakref import WeakKeyDictionary

from sqlalchemy import Engine
from sqlalchemy.orm import Session

_MOST_WORDS = 100_000
"""Of one list; some 10 MB."""

_words: "WeakKeyDictionary[Engine, dict[str, set[str]]]" = WeakKeyDictionary()

Lookup = Callable[[Collection[str]], Iterable[str]]


def stored_among(session: Session, kind: str, words: set[str], lookup: Lookup) -> set[str]:
    """Return those of some words that a list of words holds; `lookup` returns them from the database."""
    remembered = _words.setdefault(session.connection().engine, {}).setdefault(kind, set())
    known = words & remembered
    unknown = words - known
    found = set(lookup(unknown)) if unknown else set()
    # Later in a transaction these may be words that it added itself, which a rollback would remove.
    begun: set[str] = session.info.setdefault("word lists that were read", set())
    if kind not in begun:
        begun.add(kind)
        if len(remembered) + len(found) > _MOST_WORDS:
            remembered.clear()
        remembered |= found
    return known | found
