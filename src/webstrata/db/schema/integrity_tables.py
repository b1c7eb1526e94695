"""Tables of integrity checks: how far each has come, and what it found."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from webstrata.db.schema.base import Base, BigId, utcnow


class IntegrityCheck(Base):
    """One check of the whole archive, made in slices."""

    __tablename__ = "integrity_checks"

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    trigger: Mapped[str] = mapped_column(String(16))
    """schedule or manual."""
    began_at: Mapped[datetime] = mapped_column(default=utcnow)
    updated_at: Mapped[datetime] = mapped_column(default=utcnow)
    ended_at: Mapped[datetime | None]
    """None while the check is under way."""
    position: Mapped[str]
    """The last checked file: a WARC file's id or a blob's digest."""
    files: Mapped[int] = mapped_column(BigInteger, default=0)
    records: Mapped[int] = mapped_column(BigInteger, default=0)
    bytes_read: Mapped[int] = mapped_column(BigInteger, default=0)
    problem_count: Mapped[int] = mapped_column(BigInteger, default=0)


class IntegrityFinding(Base):
    """A problem that a check found, and its location."""

    __tablename__ = "integrity_findings"
    __table_args__ = (Index(None, "check_id"),)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    check_id: Mapped[int] = mapped_column(BigId, ForeignKey("integrity_checks.id", ondelete="CASCADE"))
    path: Mapped[str]
    byte_offset: Mapped[int] = mapped_column(BigInteger)
    reason: Mapped[str]
