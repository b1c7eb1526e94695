"""The links of captured pages, for crawls that find a page unchanged."""

from collections.abc import Collection, Sequence

import xxhash
from sqlalchemy import Table, bindparam, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.bulk import ManyRows
from webstrata.db.crawl_tables import CaptureLinks
from webstrata.db.new_rows import NewLinks

LinksKey = tuple[int, int, int]
"""The file and the offset of the record that holds a payload, and the hash of the URL that returned it."""

_TABLE = CaptureLinks.__table__
assert isinstance(_TABLE, Table)
_KEY = tuple_(_TABLE.c.warc_file_id, _TABLE.c.warc_offset, _TABLE.c.url_hash)
_COLUMNS = {name: _TABLE.c[name] for name in ("warc_file_id", "warc_offset", "url_hash", "packed")}
_STORED = select(*_TABLE.c).where(_KEY.in_(bindparam("keys", expanding=True)))
_ADD = {
    "sqlite": ManyRows(sqlite.insert(_TABLE).on_conflict_do_nothing().inline(), _COLUMNS),
    "postgresql": ManyRows(postgresql.insert(_TABLE).on_conflict_do_nothing().inline(), _COLUMNS),
}


def add_links(session: Session, found: Sequence[NewLinks]) -> None:
    """Store the links of payloads; those that are stored already stay."""
    # In one order everywhere: two crawls that store the same rows must not wait for each other.
    rows = sorted((*links_key(one.warc_file_id, one.warc_offset, one.url), one.packed) for one in found)
    _ADD[session.get_bind().dialect.name].execute(session, rows)


def stored_links(session: Session, keys: Collection[LinksKey]) -> dict[LinksKey, bytes]:
    """Return the links that are stored, by their keys."""
    if not keys:
        return {}
    rows = session.connection().execute(_STORED, {"keys": [*keys]})
    return {(row[0], row[1], row[2]): row[3] for row in rows}


def links_key(warc_file_id: int, warc_offset: int, url: str) -> LinksKey:
    """Return the key of the links of a payload, as seen from a URL."""
    # A database's largest integers are signed.
    hashed = xxhash.xxh3_64_intdigest(url.encode("utf-8", "surrogatepass"))
    return warc_file_id, warc_offset, hashed - 2**63
