"""Tables of links between pages, and of the signals that are computed from them."""

from datetime import datetime

from sqlalchemy import BigInteger, Double, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from webstrata.db.schema.base import Base, BigId


class SnapshotOutlink(Base):
    """One page that a snapshot links to, by its row among the signals.

    There are a hundred to a page: foreign keys would double the time it takes to store them.
    """

    __tablename__ = "snapshot_outlinks"
    __table_args__ = ({"sqlite_with_rowid": False},)

    snapshot_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    target_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)


class PageSignal(Base):
    """A page that was captured or is linked to, and how well it is linked today: by how many, to how many, PageRank."""

    __tablename__ = "page_signals"
    __table_args__ = (
        Index(None, "snapshot_id"),
        Index(
            "ix_page_signals_authorities",
            "inlink_count",
            sqlite_where=text("inlink_count >= 8"),
            postgresql_where=text("inlink_count >= 8"),
        ),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    normalized_url_group: Mapped[str] = mapped_column(unique=True)
    snapshot_id: Mapped[int | None] = mapped_column(BigInteger)
    """The newest good capture, whose links count today; None for a page that is only linked to."""
    inlink_count: Mapped[int] = mapped_column(default=0)
    outlink_count: Mapped[int] = mapped_column(default=0)
    pagerank: Mapped[float] = mapped_column(Double, default=0.0)
    rank_mass: Mapped[float] = mapped_column(Double, default=0.0)
    rank_residual: Mapped[float] = mapped_column(Double, default=0.0)
    """The rank that it has received and not yet passed on (see `model/search/pagerank.py`)."""
    updated_at: Mapped[datetime]
