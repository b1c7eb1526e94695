"""Column types that behave the same on every database."""

from datetime import UTC, datetime

from sqlalchemy import DateTime, Dialect, Text
from sqlalchemy.types import TypeDecorator

from webstrata.db.captures.packed_text import packed, plain, unpacked


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime in UTC; SQLite stores it without its time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse a naive datetime, which would be ambiguous."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time with its time zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class PlainText(TypeDecorator[str]):
    """Text without characters that some databases cannot store, as servers and pages may send any."""

    impl = Text()
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return the text without such characters."""
        return None if value is None else plain(value)


class PackedText(TypeDecorator[str]):
    """A long text, which SQLite gets compressed."""

    impl = Text()
    cache_ok = True

    def process_bind_param(self, value: str | bytes | None, dialect: Dialect) -> str | bytes | None:
        """Pack a text for SQLite, unless it is packed already."""
        if value is None or isinstance(value, bytes):
            return value
        return packed(value) if dialect.name == "sqlite" else plain(value)

    def process_result_value(self, value: str | bytes | None, dialect: Dialect) -> str | None:
        """Return the text itself."""
        return None if value is None else unpacked(value)
