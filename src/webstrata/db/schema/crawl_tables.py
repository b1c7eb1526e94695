"""Tables that only the crawler reads."""

from sqlalchemy import BigInteger, ForeignKeyConstraint, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

import webstrata.db.schema.tables  # noqa: F401 - foreign keys refer to its tables
from webstrata.db.schema.base import Base


class CaptureLinks(Base):
    """The links of a stored payload, as seen from a URL that returned it; deleted with the payload's capture."""

    __tablename__ = "capture_links"
    __table_args__ = (
        ForeignKeyConstraint(
            ["warc_file_id", "warc_offset"],
            ["captures.warc_file_id", "captures.warc_offset"],
            name="fk_capture_links_capture",
            ondelete="CASCADE",
        ),
        {"sqlite_with_rowid": False},
    )

    warc_file_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    warc_offset: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    url_hash: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """Of several URLs with the same payload, each has links of its own: relative ones lead elsewhere."""
    packed: Mapped[bytes] = mapped_column(LargeBinary)
    """See `content/link_record.py`."""
