"""Earlier captures: the original that a revisit refers to, and the capture that a new crawl compares with."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from http import HTTPStatus

from webstrata.model.timestamps import fourteen_digits


class DateSource(StrEnum):
    """The source of a capture's time when its record has no valid time: such a time is uncertain."""

    HTTP = "http"
    """The Date header of the archived response."""
    FILE = "file"
    """The modification time of the WARC file."""


@dataclass(frozen=True)
class Original:
    """A record whose payload revisits may refer to."""

    record_id: str
    url: str
    captured_at: datetime
    payload_digest: str | None = None
    """The payload's digest, used to find it if the record's id and time do not."""
    is_dated: bool = True
    """Whether its time is known; otherwise this is the time of the revisit."""
    warc_file_id: int | None = None
    """The file of its record, if the database has it."""
    warc_offset: int | None = None


@dataclass(frozen=True)
class EarlierCapture:
    """The last good capture of a URL, with the validators for a conditional request."""

    original: Original
    payload_digest: str
    etag: str | None
    last_modified: str | None
    warc_path: str
    warc_offset: int
    warc_length: int
    output_dir: str | None = None
    """The folder of its job; an absolute path must be inside of it."""
    packed_links: bytes | None = None
    """The links of the page, if an earlier crawl stored them."""

    @property
    def conditions(self) -> dict[str, str]:
        """Return the headers of a conditional request, to which a server sends a body only if it has changed."""
        headers = {}
        if self.etag:
            headers["If-None-Match"] = self.etag
        if self.last_modified:
            headers["If-Modified-Since"] = self.last_modified
        return headers


@dataclass(frozen=True, slots=True)
class ArchivedCapture:
    """A capture in the index, with the place of its record."""

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


@dataclass(frozen=True)
class PageResource:
    """A resource of a page, with its capture closest in time, if there is one."""

    url: str
    status_code: int | None = None
    captured_at: datetime | None = None
    reason: str | None = None
    """Why it is missing; None when it is archived."""
    capture_id: int | None = None

    @property
    def is_archived(self) -> bool:
        """Return whether it is archived."""
        return self.reason is None


@dataclass(frozen=True)
class PageResources:
    """The known resources of a captured page."""

    listed: tuple[PageResource, ...] = ()
    is_known: bool = True
    """Whether the page's resources are known: the crawler stores them when it reads a page."""
    is_cut: bool = False
    """Whether the list was cut: there are more resources."""

    @property
    def archived(self) -> int:
        """Return the number of archived resources."""
        return sum(resource.is_archived for resource in self.listed)

    @property
    def missing(self) -> tuple[PageResource, ...]:
        """Return the resources that are not archived."""
        return tuple(resource for resource in self.listed if not resource.is_archived)


def why_unusable(status_code: int | None) -> str | None:
    """Return why a captured response has no content to show; None when it has some."""
    if status_code is None or status_code < HTTPStatus.BAD_REQUEST:
        return None
    return f"the server returned {status_code}"
