"""The links of captured pages, for crawls that find a page unchanged."""

import json
from collections.abc import Collection, Sequence

import xxhash
from sqlalchemy import Table, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.captures.new_rows import NewLinks
from webstrata.db.schema.crawl_tables import CaptureLinks
from webstrata.db.sql.bulk import ManyRows
from webstrata.db.sql.value_lists import as_array

LinksKey = tuple[int, int, int]
"""The file and the offset of the record that holds a payload, and the hash of the URL that returned it."""

_TABLE = CaptureLinks.__table__
assert isinstance(_TABLE, Table)
_COLUMNS = {name: _TABLE.c[name] for name in ("warc_file_id", "warc_offset", "url_hash", "packed")}
# With a row value IN a list, SQLite would read the whole table; CROSS JOIN makes it begin with the keys. OFFSET does
# the same on PostgreSQL, which would read the table while it is small or has no statistics.
_STORED = {
    "sqlite": text(
        "SELECT l.* FROM json_each(:keys) AS k CROSS JOIN capture_links AS l"
        " ON l.warc_file_id = json_extract(k.value, '$[0]') AND l.warc_offset = json_extract(k.value, '$[1]')"
        " AND l.url_hash = json_extract(k.value, '$[2]')"
    ),
    "postgresql": text(
        "SELECT l.* FROM unnest(CAST(:files AS bigint[]), CAST(:places AS bigint[]), CAST(:hashes AS bigint[]))"
        " AS k(file, place, hash) CROSS JOIN LATERAL (SELECT * FROM capture_links"
        " WHERE warc_file_id = k.file AND warc_offset = k.place AND url_hash = k.hash OFFSET 0) AS l"
    ),
}
_ADD = {
    "sqlite": ManyRows(sqlite.insert(_TABLE).on_conflict_do_nothing().inline(), _COLUMNS),
    "postgresql": ManyRows(postgresql.insert(_TABLE).on_conflict_do_nothing().inline(), _COLUMNS),
}


def add_links(session: Session, found: Sequence[NewLinks]) -> None:
    """Store the links of payloads, unless they are stored already."""
    # Sorted, because two crawls that store the same rows could deadlock otherwise.
    rows = sorted((*links_key(one.warc_file_id, one.warc_offset, one.url), one.packed) for one in found)
    _ADD[session.get_bind().dialect.name].execute(session, rows)


def stored_links(session: Session, keys: Collection[LinksKey]) -> dict[LinksKey, bytes]:
    """Return the links that are stored, by their keys."""
    if not keys:
        return {}
    dialect = session.get_bind().dialect.name
    rows = session.connection().execute(_STORED[dialect], _key_parameters(dialect, keys))
    return {(row.warc_file_id, row.warc_offset, row.url_hash): bytes(row.packed) for row in rows}


def _key_parameters(dialect: str, keys: Collection[LinksKey]) -> dict[str, str]:
    if dialect == "sqlite":
        return {"keys": json.dumps([*keys])}
    return dict(zip(("files", "places", "hashes"), map(as_array, zip(*keys, strict=True)), strict=True))


def links_key(warc_file_id: int, warc_offset: int, url: str) -> LinksKey:
    """Return the key of the links of a payload, as seen from a URL."""
    # The hash as a signed integer, as in databases.
    hashed = xxhash.xxh3_64_intdigest(url.encode("utf-8", "surrogatepass"))
    return warc_file_id, warc_offset, hashed - 2**63
