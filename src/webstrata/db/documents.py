"""Search documents: a text of a page, stored and indexed once however often it was captured."""

from collections.abc import Sequence
from dataclasses import dataclass

import xxhash
from sqlalchemy import ColumnElement, bindparam, func, literal, literal_column, select, text, tuple_
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session
from sqlalchemy.sql import column, insert, table

from webstrata.content.tokens import fold
from webstrata.db.tables import Document

MAX_INDEXED_CHARACTERS = 500_000
"""What is searched of one text at most: PostgreSQL refuses a longer list of words than 1 MB."""

_CONFIG = literal("simple", postgresql.REGCONFIG)


def _weight(letter: str) -> ColumnElement[str]:
    """Return a weight in PostgreSQL's type for single letters, which a bound string is not."""
    return literal_column(f"'{letter}'::\"char\"")


_FTS5_INSERT = text(
    "INSERT INTO documents_fts(rowid, title, normalized_url_group, text)"
    " VALUES (:id, :title, :normalized_url_group, :text)"
)


@dataclass(frozen=True)
class NewDocument:
    """A title and a text under a page's name."""

    normalized_url_group: str
    title: str
    text: str

    @property
    def text_hash(self) -> str:
        """Return what tells two texts of a page apart."""
        return xxhash.xxh3_128_hexdigest(f"{self.title}\0{self.text}".encode())

    @property
    def key(self) -> tuple[str, str]:
        """Return the document's identity."""
        return self.normalized_url_group, self.text_hash


def ensure_documents(session: Session, documents: Sequence[NewDocument]) -> dict[tuple[str, str], int]:
    """Store the documents that are not there yet and return the ids of all, by key."""
    wanted = {document.key: document for document in documents}
    known = _ids(session, list(wanted))
    missing = [document for key, document in wanted.items() if key not in known]
    if missing:
        _insert(session, missing)
        added = _ids(session, [document.key for document in missing])
        if session.get_bind().dialect.name == "sqlite":
            session.execute(_FTS5_INSERT, [{"id": added[document.key], **_row(document)} for document in missing])
        known |= added
    return known


def _ids(session: Session, keys: list[tuple[str, str]]) -> dict[tuple[str, str], int]:
    rows = session.execute(
        select(Document.normalized_url_group, Document.text_hash, Document.id).where(
            tuple_(Document.normalized_url_group, Document.text_hash).in_(keys)
        )
    )
    return {(group, text_hash): document_id for group, text_hash, document_id in rows}


def _row(document: NewDocument) -> dict[str, str]:
    return {
        "normalized_url_group": document.normalized_url_group,
        "text_hash": document.text_hash,
        "title": document.title,
        "text": document.text[:MAX_INDEXED_CHARACTERS],
    }


def _insert(session: Session, documents: Sequence[NewDocument]) -> None:
    rows = [_row(document) for document in documents]
    if session.get_bind().dialect.name == "sqlite":
        session.execute(insert(Document), rows)
        return
    folded = [
        row
        | {
            "folded_title": fold(row["title"]),
            "folded_url": fold(row["normalized_url_group"]),
            "folded_text": fold(row["text"]),
        }
        for row in rows
    ]
    session.execute(_POSTGRESQL_INSERT, folded)


_POSTGRESQL_INSERT = (
    postgresql.insert(
        table("documents", *map(column, ("normalized_url_group", "text_hash", "title", "text", "search_vector")))
    )
    .values(
        normalized_url_group=bindparam("normalized_url_group"),
        text_hash=bindparam("text_hash"),
        title=bindparam("title"),
        text=bindparam("text"),
        search_vector=func.setweight(func.to_tsvector(_CONFIG, bindparam("folded_title")), _weight("A"))
        .op("||")(func.setweight(func.to_tsvector(_CONFIG, bindparam("folded_url")), _weight("B")))
        .op("||")(func.setweight(func.to_tsvector(_CONFIG, bindparam("folded_text")), _weight("D"))),
    )
    .on_conflict_do_nothing()
)
"""Texts are folded by the program, so that both databases find the same words."""
