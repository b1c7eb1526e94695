"""Captures that others stand on: what a revisit refers to, what a re-crawl compares with."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from webstrata.model.timestamps import fourteen_digits


class DateSource(StrEnum):
    """Where a capture's time comes from when its record names none that can be read: such a time is uncertain."""

    HTTP = "http"
    """The Date header of the archived response."""
    FILE = "file"
    """The modification time of the WARC file."""


@dataclass(frozen=True)
class Original:
    """A record whose payload others may refer to instead of storing it again."""

    record_id: str
    url: str
    captured_at: datetime
    payload_digest: str | None = None
    """What is known of it when a revisit names neither its record nor its time."""
    warc_file_id: int | None = None
    """The file that holds it, where the database says so."""
    warc_offset: int | None = None


@dataclass(frozen=True)
class EarlierCapture:
    """The last good capture of a URL, with what a server needs to say that nothing has changed."""

    original: Original
    payload_digest: str
    etag: str | None
    last_modified: str | None
    warc_path: str
    warc_offset: int
    warc_length: int
    output_dir: str | None = None
    """The folder of its job, in which an absolute path has to lie."""
    packed_links: bytes | None = None
    """The links of the page, if an earlier crawl stored them."""

    @property
    def conditions(self) -> dict[str, str]:
        """Return the headers that ask for an answer only if it is another one."""
        headers = {}
        if self.etag:
            headers["If-None-Match"] = self.etag
        if self.last_modified:
            headers["If-Modified-Since"] = self.last_modified
        return headers


@dataclass(frozen=True, slots=True)
class ArchivedCapture:
    """A capture as the index has it, with the place of its record."""

    id: int
    url_key: str
    captured_at: datetime
    url: str
    mime_type: str | None
    status_code: int | None
    payload_digest: str | None
    record_type: str
    record_id: str
    offset: int
    length: int
    warc_path: str
    output_dir: str
    job_id: int

    @property
    def timestamp(self) -> str:
        """Return when it was captured, as 14 digits."""
        return fourteen_digits(self.captured_at)
