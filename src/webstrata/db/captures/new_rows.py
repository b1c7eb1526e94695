"""Rows to be stored, as plain values, without importing SQLAlchemy."""

from dataclasses import dataclass
from datetime import datetime

from webstrata.model.captures import DateSource


@dataclass(frozen=True)
class NewCapture:
    """A record of a response for a URL, and its location."""

    offset: int
    length: int
    record_id: str
    record_type: str
    url: str
    url_key: str
    captured_at: datetime
    status_code: int | None
    mime_type: str | None
    payload_digest: str | None
    refers_to: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    date_source: DateSource | None = None
    """The source of the time if the record's own date is missing or invalid."""


@dataclass(frozen=True)
class NewLinks:
    """The packed links of a payload, with the position of its record and the URL that returned it."""

    warc_file_id: int
    warc_offset: int
    url: str
    packed: bytes


@dataclass(frozen=True)
class Problem:
    """A place in a file, and why it could not be indexed."""

    offset: int
    reason: str
    may_pass: bool = False
    """Whether it may be solved later; all such problems are stored, without a limit, so that they can be checked
    again."""
