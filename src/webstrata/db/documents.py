"""Search documents: a text of a page, stored and indexed once however often it was captured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import xxhash
from sqlalchemy import bindparam, cast, select, text, tuple_
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session
from sqlalchemy.sql import column, insert, table

from webstrata.content.tokens import tokens
from webstrata.db.tables import Document
from webstrata.db.types import PlainText

MAX_STORED_CHARACTERS = 500_000
"""What is kept of one text at most: far more than any page that people write."""

MAX_WORD_BYTES = 2_046
MAX_VECTOR_BYTES = 1_000_000
"""PostgreSQL refuses longer words, and longer lists of them than 1 MB. What it cannot index, SQLite does not either."""

_MOST_BYTES_FOR_A_LETTER = 8
_LAST_POSITION = 16_383
_MOST_POSITIONS = 255

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
        known |= _insert(session, missing)
    return known


def _ids(session: Session, keys: list[tuple[str, str]]) -> dict[tuple[str, str], int]:
    rows = session.execute(
        select(Document.normalized_url_group, Document.text_hash, Document.id).where(
            tuple_(Document.normalized_url_group, Document.text_hash).in_(keys)
        )
    )
    return {(group, text_hash): document_id for group, text_hash, document_id in rows}


def _insert(session: Session, documents: Sequence[NewDocument]) -> dict[tuple[str, str], int]:
    """Store documents with their words, folded by the program, so that both databases find the same ones."""
    if session.get_bind().dialect.name != "sqlite":
        rows = [_row(document) | {"words": _vector(_words(document))} for document in documents]
        session.execute(_POSTGRESQL_INSERT, rows)
        return _ids(session, [document.key for document in documents])
    session.execute(insert(Document), [_row(document) for document in documents])
    added = _ids(session, [document.key for document in documents])
    session.execute(
        _FTS5_INSERT,
        [
            {"id": added[document.key], **{name: " ".join(words) for name, words in _words(document).items()}}
            for document in documents
        ],
    )
    return added


def _row(document: NewDocument) -> dict[str, str]:
    return {
        "normalized_url_group": document.normalized_url_group,
        "text_hash": document.text_hash,
        "title": document.title,
        "text": document.text[:MAX_STORED_CHARACTERS],
    }


def _words(document: NewDocument) -> dict[str, list[str]]:
    """Return what is indexed of a document."""
    return {
        "title": tokens(document.title),
        "normalized_url_group": tokens(document.normalized_url_group),
        "text": _fitting(tokens(document.text[:MAX_STORED_CHARACTERS])),
    }


def _fitting(words: list[str]) -> list[str]:
    """Return as many words as PostgreSQL can list: each takes its bytes, and some for its place."""
    if sum(map(len, words)) + len(words) <= MAX_VECTOR_BYTES // _MOST_BYTES_FOR_A_LETTER:
        return words
    room, fitting = MAX_VECTOR_BYTES, []
    for word in words:
        room -= len(word.encode()) + _MOST_BYTES_FOR_A_LETTER
        if room < 0:
            break
        fitting.append(word)
    return fitting


def _vector(words: Mapping[str, list[str]]) -> str:
    """Return words as PostgreSQL writes a tsvector: each with its places, and the weight of where it stands."""
    places: dict[str, list[str]] = {}
    position = 0
    for name, weight in _WEIGHTS.items():
        for word in words[name]:
            position = min(position + 1, _LAST_POSITION)
            found = places.setdefault(word, [])
            if len(found) < _MOST_POSITIONS:
                found.append(f"{position}{weight}")
    return " ".join(f"'{w}':{','.join(p)}" for w, p in places.items() if len(w.encode()) <= MAX_WORD_BYTES)


_WEIGHTS = {"title": "A", "normalized_url_group": "B", "text": "D"}

_POSTGRESQL_INSERT = (
    postgresql.insert(
        table("documents", *map(column, ("normalized_url_group", "text_hash", "title", "text", "search_vector")))
    )
    .values(
        normalized_url_group=bindparam("normalized_url_group", type_=PlainText()),
        text_hash=bindparam("text_hash"),
        title=bindparam("title", type_=PlainText()),
        text=bindparam("text", type_=PlainText()),
        search_vector=cast(bindparam("words", type_=PlainText()), postgresql.TSVECTOR),
    )
    .on_conflict_do_nothing()
)
