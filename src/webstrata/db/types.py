"""Column types that behave the same on every database."""

from datetime import UTC, datetime

from sqlalchemy import DateTime, Dialect, Text
from sqlalchemy.types import TypeDecorator

from webstrata.db.captures.packed_text import packed, plain, unpacked


class UtcDateTime(TypeDecorator[datetime]):
    """An aware moment in UTC; SQLite, which knows no time zones, stores it without."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse a moment without a time zone: it would be ambiguous."""
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
    """Text that every database can store: what servers and pages send may hold characters that some cannot."""

    impl = Text()
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return the text as every database takes it."""
        return None if value is None else plain(value)


class PackedText(TypeDecorator[str]):
    """A long text; SQLite gets it compressed, by the program or as it was packed before."""

    impl = Text()
    cache_ok = True

    def process_bind_param(self, value: str | bytes | None, dialect: Dialect) -> str | bytes | None:
        """Pack a text for SQLite; one that is packed stays as it is."""
        if value is None or isinstance(value, bytes):
            return value
        return packed(value) if dialect.name == "sqlite" else plain(value)

    def process_result_value(self, value: str | bytes | None, dialect: Dialect) -> str | None:
        """Return the text itself."""
        return None if value is None else unpacked(value)
