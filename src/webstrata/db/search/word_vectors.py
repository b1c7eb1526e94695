"""Sends tsvectors to PostgreSQL in its binary format, which the server need not parse."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psycopg import Connection

_TSVECTOR_OID = 3614
"""PostgreSQL's number for its type; it is the same in every version."""


@dataclass(frozen=True)
class WordVector:
    """A binary tsvector, as `db/search/indexed_words.py` makes it."""

    packed: bytes


def send_word_vectors(connection: "Connection[tuple[object, ...]]") -> None:
    """Register word vectors as a parameter type of a connection."""
    # Not imported when only SQLite is used.
    from psycopg.adapt import Dumper
    from psycopg.pq import Format

    class _WordVectorDumper(Dumper):
        format = Format.BINARY
        oid = _TSVECTOR_OID

        def dump(self, obj: WordVector) -> bytes:
            return obj.packed

    connection.adapters.register_dumper(WordVector, _WordVectorDumper)
