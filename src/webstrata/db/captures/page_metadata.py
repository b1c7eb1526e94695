"""Metadata of pages: stored once for each body, however often it was captured."""

import json
import zlib
from collections.abc import Collection, Mapping

from isal import isal_zlib
from sqlalchemy import Table, bindparam, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.schema.tables import PageMetadata, Snapshot
from webstrata.db.sql.bulk import ManyRows

_LEVEL = 3
"""Compression level of igzip, which zlib can read: a third of the time of zlib's level 6, for 4 % more bytes."""


def store_metadata(session: Session, stated: Mapping[str, str]) -> None:
    """Store the metadata of pages, as JSON by the hash of their bodies; earlier metadata is replaced."""
    # Sorted, because two processes that store the same rows could deadlock otherwise.
    rows = [(one, isal_zlib.compress(_encoded(stated[one]), _LEVEL)) for one in sorted(stated)]
    upsert = _ON_SQLITE if session.get_bind().dialect.name == "sqlite" else _ON_POSTGRESQL
    upsert.execute(session, rows)


def _encoded(text: str) -> bytes:
    # JSON in a page may contain an escaped lone surrogate, which cannot be encoded.
    return text.encode("utf-8", "replace")


def load_metadata(session: Session, content_hash: str) -> dict[str, object]:
    """Return the metadata of a page; empty when it has none."""
    stored = session.scalar(select(PageMetadata.metadata_json).where(PageMetadata.content_hash == content_hash))
    loaded: dict[str, object] = json.loads(zlib.decompress(stored)) if stored else {}
    return loaded


def load_images(session: Session, content_hashes: Collection[str]) -> dict[str, frozenset[str]]:
    """Return the image URLs of pages, as written, by the hashes of the pages' bodies."""
    query = select(PageMetadata.content_hash, PageMetadata.metadata_json)
    rows = session.execute(query.where(PageMetadata.content_hash.in_(content_hashes)))
    return {found: frozenset(json.loads(zlib.decompress(stored)).get("images", ())) for found, stored in rows}


def load_listings(session: Session, capture_ids: Collection[int]) -> dict[int, dict[str, object] | None]:
    """Return, by capture, the listing of each page as the index read it; None for a page without one.

    Captures that were indexed by a version without listings are not included.
    """
    rows = session.execute(
        select(Snapshot.capture_id, PageMetadata.metadata_json)
        .outerjoin(PageMetadata, PageMetadata.content_hash == Snapshot.content_hash)
        .where(Snapshot.capture_id.in_(capture_ids))
    )
    read = ((capture_id, zlib.decompress(stored) if stored else _NO_LISTING) for capture_id, stored in rows)
    return {
        capture_id: None if text.startswith(_NO_LISTING) else json.loads(text)["listing"]
        for capture_id, text in read
        if capture_id is not None and text.startswith(_LISTING)
    }


_LISTING = b'{"listing":'
_NO_LISTING = b'{"listing":null'
"""Patterns for the beginning of stored metadata: a page without metadata has no listing either."""

_TABLE = PageMetadata.__table__
assert isinstance(_TABLE, Table)
_COLUMNS = {name: _TABLE.c[name] for name in ("content_hash", "metadata_json")}


def _upsert(insert: sqlite.Insert | postgresql.Insert) -> ManyRows:
    given = insert.values({name: bindparam(name) for name in _COLUMNS})
    replacing = given.on_conflict_do_update(
        index_elements=["content_hash"], set_={"metadata_json": given.excluded.metadata_json}
    )
    return ManyRows(replacing.inline(), _COLUMNS)


_ON_SQLITE = _upsert(sqlite.insert(_TABLE))
_ON_POSTGRESQL = _upsert(postgresql.insert(_TABLE))
