"""Tables of the search index; all can be rebuilt from other tables."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, SmallInteger, String, text
from sqlalchemy.orm import Mapped, mapped_column

import webstrata.db.schema.tables  # noqa: F401 - foreign keys refer to its tables
from webstrata.db.schema.base import Base, BigId

SHOWN = "status_rank IN (0, 2) AND repeated = 0"
"""The default filter: responses with good or unknown status that are not repeated."""


class SearchEntry(Base):
    """The columns of a snapshot that searches need, in narrow rows that can be counted and sorted quickly.

    `db/search/entries.py` updates them together with the counts of a page.
    """

    __tablename__ = "search_entries"
    __table_args__ = (
        # Covering indexes, so that usual searches do not read the rows.
        Index(
            "ix_search_entries_document",
            *("document_id", "captured_at", "snapshot_id", "page_id", "source_id", "status_rank", "repeated"),
            *("url_cost", "language", "kind"),
        ),
        Index(
            "ix_search_entries_newest",
            *("captured_at", "snapshot_id", "document_id", "page_id", "source_id", "status_rank", "repeated"),
        ),
        Index(
            "ix_search_entries_page",
            *("page_id", "captured_at", "snapshot_id", "document_id", "source_id", "status_rank", "repeated"),
        ),
        # For counts with the default filter. PostgreSQL uses it only for a condition with exactly this text.
        Index(
            "ix_search_entries_shown",
            *("document_id", "page_id", "source_id"),
            sqlite_where=text(SHOWN),
            postgresql_where=text(f"({SHOWN}) IS TRUE"),
        ),
    )

    snapshot_id: Mapped[int] = mapped_column(
        BigId, ForeignKey("snapshots.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    document_id: Mapped[int] = mapped_column(BigInteger)
    page_id: Mapped[int] = mapped_column(BigInteger)
    source_id: Mapped[int]
    captured_at: Mapped[datetime]
    status_rank: Mapped[int] = mapped_column(SmallInteger)
    """0 for a good response, 1 for a redirect, 2 for an unknown status, 3 for an error."""
    repeated: Mapped[int] = mapped_column(SmallInteger)
    """1 when a later capture of the same page on the same UTC day has the same content."""
    url_cost: Mapped[int] = mapped_column(SmallInteger)
    """1 for an address with a query string, 2 for one that also has tracking parameters."""
    language: Mapped[str | None]
    kind: Mapped[str] = mapped_column(String(8))


class VocabularyWord(Base):
    """A word of some title, address or heading: a possible correction of a misspelt word."""

    __tablename__ = "vocabulary"

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer(), "sqlite"), primary_key=True)
    word: Mapped[str] = mapped_column(String(40), unique=True)


class WordForm(Base):
    """A form of a word with its stem, so that a search for one form finds the others.

    A compound has the stem of its joined form: `e mail` that of `email`.
    """

    __tablename__ = "word_forms"
    __table_args__ = (Index(None, "stem", "language", "word"),)

    word: Mapped[str] = mapped_column(String(64), primary_key=True)
    language: Mapped[str] = mapped_column(String(2), primary_key=True)
    stem: Mapped[str] = mapped_column(String(40), primary_key=True)


class SearchUpkeep(Base):
    """The progress of a pass over stored texts, for data that search needs and earlier versions did not store."""

    __tablename__ = "search_upkeep"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    last_document_id: Mapped[int] = mapped_column(BigInteger)
    until_document_id: Mapped[int] = mapped_column(BigInteger)
    """The last text that was stored by a version that did not store word forms."""
