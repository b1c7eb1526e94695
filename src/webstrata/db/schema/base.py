"""The base class of all tables, and the column types that behave the same on every database."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, Integer, MetaData
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import JSON

from webstrata.db.types import PlainText, UtcDateTime

BigId = BigInteger().with_variant(Integer(), "sqlite")
"""An autoincrement id: on SQLite the type must be exactly INTEGER."""

Json = JSON().with_variant(postgresql.JSONB(), "postgresql")


def utcnow() -> datetime:
    """Return this moment."""
    return datetime.now(UTC)


class Base(DeclarativeBase):
    """The base class of all tables; constraints get names, which migrations need."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {datetime: UtcDateTime(), dict[str, Any]: Json, str: PlainText()}  # noqa: RUF012
