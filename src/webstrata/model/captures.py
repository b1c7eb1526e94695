"""Earlier captures: the original that a revisit refers to, and the capture that a new crawl compares with."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from http import HTTPStatus

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
    """Its digest as a revisit names it: what is looked for when its record and its time lead to none."""
    is_dated: bool = True
    """Whether its time is known; a revisit that does not name it has its own time here."""
    warc_file_id: int | None = None
    """The file that holds it, where the database knows."""
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
    """The folder of its job, in which an absolute path has to lie."""
    packed_links: bytes | None = None
    """The links of the page, if an earlier crawl stored them."""

    @property
    def conditions(self) -> dict[str, str]:
        """Return the headers of a conditional request: the server sends a body only if it has changed."""
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


@dataclass(frozen=True)
class PageResource:
    """Something that a page shows, with its capture closest in time, if there is one."""

    url: str
    status_code: int | None = None
    captured_at: datetime | None = None
    reason: str | None = None
    """Why it is missing; None when it is archived."""
    capture_id: int | None = None

    @property
    def is_archived(self) -> bool:
        """Return whether the archive has it."""
        return self.reason is None


@dataclass(frozen=True)
class PageResources:
    """The resources of a captured page, as far as they are known."""

    listed: tuple[PageResource, ...] = ()
    is_known: bool = True
    """Whether it is known what the page needs: it is stored when the crawler reads a page."""
    is_cut: bool = False
    """Whether there are more than those listed."""

    @property
    def archived(self) -> int:
        """Return how many of them the archive has."""
        return sum(resource.is_archived for resource in self.listed)

    @property
    def missing(self) -> tuple[PageResource, ...]:
        """Return those that the archive does not have."""
        return tuple(resource for resource in self.listed if not resource.is_archived)


def why_unusable(status_code: int | None) -> str | None:
    """Return why a captured response does not show anything, or None when it does."""
    if status_code is None or status_code < HTTPStatus.BAD_REQUEST:
        return None
    return f"the server returned {status_code}"
