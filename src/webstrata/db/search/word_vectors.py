"""Lists of words in PostgreSQL's own format: the server takes them as they are and parses no text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psycopg import Connection

_TSVECTOR_OID = 3614
"""PostgreSQL's number for its type; it is the same in every version."""


@dataclass(frozen=True)
class WordVector:
    """A list of words, as `db/search/indexed_words.py` packs it."""

    packed: bytes


def send_word_vectors(connection: "Connection[tuple[object, ...]]") -> None:
    """Register lists of words as parameters of a connection."""
    # SQLite is used without the driver.
    from psycopg.adapt import Dumper
    from psycopg.pq import Format

    class _WordVectorDumper(Dumper):
        format = Format.BINARY
        oid = _TSVECTOR_OID

        def dump(self, obj: WordVector) -> bytes:
            return obj.packed

    connection.adapters.register_dumper(WordVector, _WordVectorDumper)
