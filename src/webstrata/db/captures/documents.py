"""Search documents: each text of a page is stored and indexed once, however often it was captured."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Table, bindparam, cast, delete, func, insert, select, text, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Session
from sqlalchemy.sql import column, table

from webstrata.db.assets.asset_contents import keep_texts
from webstrata.db.schema.tables import Document, Snapshot
from webstrata.db.search.indexed_words import NewDocument, PreparedDocument, folded_parts, prepared
from webstrata.db.search.word_vectors import WordVector
from webstrata.db.sql.bulk import ManyRows
from webstrata.db.vocabulary import learn

DocumentKey = tuple[str, str]
"""A page's name and the hash of its text."""

_FTS5_INSERT = "INSERT INTO documents_fts(rowid, title, normalized_url_group, text) VALUES (?, ?, ?, ?)"
_FTS5_DELETE = (
    "INSERT INTO documents_fts(documents_fts, rowid, title, normalized_url_group, text) VALUES ('delete', ?, ?, ?, ?)"
)


def ensure_documents(session: Session, documents: Sequence[NewDocument]) -> dict[DocumentKey, int]:
    """Store missing documents and return the ids of all, by key."""
    for_sqlite = _is_sqlite(session)
    return store_documents(session, [prepared(document, for_sqlite=for_sqlite) for document in documents])


def store_documents(
    session: Session, documents: Sequence[PreparedDocument], added: Collection[DocumentKey] = ()
) -> dict[DocumentKey, int]:
    """Store missing documents, update existing ones that lack regions, and return the ids of all, by key.

    Words are learned from the missing ones and from those that `add_documents` has added in this transaction.
    """
    requested = {document.key: document for document in documents}
    known = _known(session, list(requested))
    lacking = [(requested[key], found.id) for key, found in known.items() if not found.has_regions]
    rows = [
        (document.blocks, document.regions, document.fingerprint, of)
        for document, of in lacking
        if document.regions is not None
    ]
    _SET_BLOCKS.execute(session, rows)
    missing = [document for key, document in requested.items() if key not in known]
    learn(session, [*missing, *(requested[key] for key in added if key in known)])
    return {key: found.id for key, found in known.items()} | _insert(session, missing)


def add_documents(session: Session, documents: Sequence[PreparedDocument]) -> frozenset[DocumentKey]:
    """Store only the texts of missing documents on PostgreSQL, and return the keys of the missing ones.

    This waits for no one but for those who store the same texts. In the same transaction, `store_documents` follows.
    """
    requested = {document.key: document for document in documents}
    known = _known(session, list(requested))
    missing = [document for key, document in requested.items() if key not in known]
    _insert_on_postgresql(session, missing)
    return frozenset(document.key for document in missing)


def forget_documents(session: Session, document_ids: Collection[int]) -> None:
    """Delete documents without snapshots; asset versions that were made from them remain readable."""
    if not document_ids:
        return
    shown = select(Snapshot.document_id).where(Snapshot.document_id == Document.id).exists()
    unshown = session.execute(
        select(Document.id, Document.normalized_url_group, Document.title, Document.text)
        .where(Document.id.in_(document_ids), ~shown)
        .order_by(Document.id)
        .with_for_update()
    ).all()
    keep_texts(session, {row[0]: (row[2], row[3]) for row in unshown})
    if _is_sqlite(session):
        # The index stores no texts: deleting an entry requires the words that it was made from.
        gone = [(row[0], *folded_parts(NewDocument(*row[1:]))) for row in unshown]
        _execute_many(session, _FTS5_DELETE, gone)
    session.execute(delete(Document).where(Document.id.in_([row[0] for row in unshown])))


@dataclass(frozen=True)
class _Known:
    id: int
    has_regions: bool


def _known(session: Session, keys: list[DocumentKey]) -> dict[DocumentKey, _Known]:
    if not keys:
        return {}
    if _is_sqlite(session):
        rows = session.execute(_SQLITE_KNOWN, {"keys": json.dumps(keys)}).all()
    else:
        groups, hashes = zip(*keys, strict=True)
        rows = session.execute(_POSTGRESQL_KNOWN, {"groups": [*groups], "hashes": [*hashes]}).all()
    return {(group, text_hash): _Known(document_id, bool(regions)) for group, text_hash, document_id, regions in rows}


def _insert(session: Session, documents: Sequence[PreparedDocument]) -> dict[DocumentKey, int]:
    if not documents:
        return {}
    if not _is_sqlite(session):
        _insert_on_postgresql(session, documents)
        return {key: found.id for key, found in _known(session, [document.key for document in documents]).items()}
    first = (session.scalar(select(func.max(Document.id))) or 0) + 1
    numbered = list(enumerate(documents, first))
    _SQLITE_INSERT.execute(session, [(*_stored(document), number) for number, document in numbered])
    _execute_many(session, _FTS5_INSERT, [(number, *document.words) for number, document in numbered])
    return {document.key: number for number, document in numbered}


def _insert_on_postgresql(session: Session, documents: Sequence[PreparedDocument]) -> None:
    # Sorted, because two processes that store the same documents could deadlock otherwise.
    in_order = sorted(documents, key=lambda one: one.key)
    rows = [(*_stored(document), WordVector(document.vector)) for document in in_order]
    _POSTGRESQL_INSERT.execute(session, rows)


def _stored(document: PreparedDocument) -> tuple[object, ...]:
    return (
        document.normalized_url_group,
        document.text_hash,
        document.title,
        document.stored_text,
        document.blocks,
        document.regions,
        document.fingerprint,
    )


def _execute_many(session: Session, sql: str, rows: Sequence[tuple[object, ...]]) -> None:
    if rows:
        session.connection().exec_driver_sql(sql, list(rows))


def _is_sqlite(session: Session) -> bool:
    return session.get_bind().dialect.name == "sqlite"


_DOCUMENTS = Document.__table__
assert isinstance(_DOCUMENTS, Table)

_COLUMNS = {
    name: _DOCUMENTS.c[name]
    for name in ("normalized_url_group", "text_hash", "title", "text", "blocks", "regions", "fingerprint")
}
_SQLITE_INSERT = ManyRows(
    insert(_DOCUMENTS).inline(),
    _COLUMNS | {"id": _DOCUMENTS.c.id},
)
_POSTGRESQL_INSERT = ManyRows(
    postgresql.insert(table("documents", *map(column, (*_COLUMNS, "search_vector"))))
    .values({name: bindparam(name) for name in _COLUMNS} | {"search_vector": cast(bindparam("words"), TSVECTOR)})
    .on_conflict_do_nothing()
    .inline(),
    _COLUMNS | {"words": column("words")},
)
# Each key is looked up in the index by itself. For a list of pairs SQLite reads the whole table. PostgreSQL compares
# every pair with every row of a table that it has not analysed yet, the state of an archive while its first job is
# indexed.
_SQLITE_KNOWN = text(
    "SELECT d.normalized_url_group, d.text_hash, d.id, d.regions IS NOT NULL AS has_regions"
    " FROM json_each(:keys) AS k CROSS JOIN documents AS d"
    " ON d.normalized_url_group = json_extract(k.value, '$[0]') AND d.text_hash = json_extract(k.value, '$[1]')"
)
_POSTGRESQL_KNOWN = text(
    "SELECT found.normalized_url_group, found.text_hash, found.id, found.has_regions"
    " FROM unnest(CAST(:groups AS text[]), CAST(:hashes AS text[])) AS wanted(url_group, hash)"
    " CROSS JOIN LATERAL (SELECT normalized_url_group, text_hash, id, regions IS NOT NULL AS has_regions FROM documents"
    " WHERE normalized_url_group = wanted.url_group AND text_hash = wanted.hash OFFSET 0) AS found"
)
_SET_BLOCKS = ManyRows(
    update(Document)
    .where(Document.id == bindparam("of_document"))
    .values({name: bindparam(name) for name in ("blocks", "regions", "fingerprint")}),
    {name: _COLUMNS[name] for name in ("blocks", "regions", "fingerprint")} | {"of_document": _DOCUMENTS.c.id},
)
