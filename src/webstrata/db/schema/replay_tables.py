"""Tables of replay checks."""

from datetime import datetime

from sqlalchemy import Double, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

import webstrata.db.schema.tables  # noqa: F401 - foreign keys refer to its tables
from webstrata.db.schema.base import Base, BigId, Json, utcnow


class ReplayCheckRow(Base):
    """One replay check of a job: what a sample of its captures showed in the browser."""

    __tablename__ = "replay_checks"
    __table_args__ = (Index(None, "job_id", "id"),)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("archive_jobs.id", ondelete="CASCADE"))
    checked_at: Mapped[datetime] = mapped_column(default=utcnow)
    pages: Mapped[int]
    requests: Mapped[int]
    failed_requests: Mapped[int]
    text_similarity: Mapped[float] = mapped_column(Double)
    score: Mapped[float] = mapped_column(Double)
    details: Mapped[list[dict[str, object]]] = mapped_column(Json)
    """The result of each page."""
