"""Timestamps of web archives: up to 14 digits, from year to second, in UTC; and the dates of HTTP headers."""

import calendar
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from webstrata.errors import UsageError

MAX_DIGITS = 14
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def fourteen_digits(moment: datetime) -> str:
    """Return a moment as 14 digits in UTC."""
    # strftime takes ten times as long, and writes the year 999 with three digits.
    at = _in_utc(moment)
    return f"{at.year:04}{at.month:02}{at.day:02}{at.hour:02}{at.minute:02}{at.second:02}"


def is_timestamp(text: str) -> bool:
    """Return whether a text is a timestamp of 1 to 14 digits."""
    return 0 < len(text) <= MAX_DIGITS and text.isascii() and text.isdecimal()


def latest_moment(digits: str) -> datetime:
    """Return the last second of the period that a timestamp names: of the year 2024, of a month, of a day.

    One digit names a millennium, so that 2 is the newest capture. A month or day that does not exist becomes the
    nearest one that does, as in other archives. UsageError when the text is no timestamp.
    """
    return _moment(digits, "9")


def earliest_moment(digits: str) -> datetime:
    """Return the first second of the period that a timestamp names; UsageError when the text is no timestamp."""
    return _moment(digits, "0")


def _moment(digits: str, padding: str) -> datetime:
    if not is_timestamp(digits):
        raise UsageError(f"{digits[:40]!r} is not a timestamp (expected 1 to 14 digits, such as 20240531120000)")
    padded = digits.ljust(MAX_DIGITS, padding)
    year, month = max(1, int(padded[:4])), min(max(1, int(padded[4:6])), 12)
    day = min(max(1, int(padded[6:8])), calendar.monthrange(year, month)[1])
    hour, minute, second = int(padded[8:10]), int(padded[10:12]), int(padded[12:])
    return datetime(year, month, day, min(hour, 23), min(minute, 59), min(second, 59), tzinfo=UTC)


def http_date(moment: datetime) -> str:
    """Return a moment as HTTP headers write it."""
    # Formatted here: the library takes ten times as long, and every replayed file has two such dates.
    at = _in_utc(moment)
    day = f"{_DAYS[at.weekday()]}, {at.day:02} {_MONTHS[at.month - 1]} {at.year:04}"
    return f"{day} {at.hour:02}:{at.minute:02}:{at.second:02} GMT"


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is UTC else moment.astimezone(UTC)


def parse_http_date(text: str) -> datetime:
    """Return the moment that a header names; UsageError when it names none."""
    try:
        found = parsedate_to_datetime(text.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        raise UsageError(f"{text[:80]!r} is not a date (expected one like Thu, 31 May 2024 20:35:00 GMT)") from None
