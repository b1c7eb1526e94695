"""Dates of captures: from their records, else from the archived response or the file."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from webstrata.model.captures import DateSource

_FOURTEEN = 14
_REST = {4: "-01-01", 7: "-01"}
"""What completes a year or a month to a date, by length: WARC 1.1 allows both."""


def moment_of(warc_date: str | None, http_date: str | None, warc_path: Path) -> tuple[datetime, DateSource | None]:
    """Return the time of a capture, and its source if the record's own date cannot be read."""
    moment = parsed_date(warc_date)
    if moment is not None:
        return moment, None
    moment = _parsed_http_date(http_date)
    if moment is not None:
        return moment, DateSource.HTTP
    stated = warc_date or ""
    moment = parsed_date(stated + _REST.get(len(stated), ""))
    if moment is not None:
        return moment, None
    # To the second, as in the journal, from which a rebuild restores it.
    modified = datetime.fromtimestamp(int(warc_path.stat().st_mtime), UTC)
    return modified, DateSource.FILE


def parsed_date(text: str | None) -> datetime | None:
    """Return the time that a WARC date (ISO 8601) or an ARC date (14 digits) names, or None when it names none."""
    digits = text or ""
    try:
        if len(digits) == _FOURTEEN and digits.isascii() and digits.isdecimal():
            return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        return _in_utc(datetime.fromisoformat(digits))
    except (ValueError, OverflowError):  # OverflowError: in UTC it would be in the year 0 or 10000
        return None


def _parsed_http_date(text: str | None) -> datetime | None:
    try:
        return _in_utc(parsedate_to_datetime(text or ""))
    except (ValueError, TypeError, OverflowError):
        return None


def _in_utc(moment: datetime) -> datetime:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
