"""CDX lines and queries: the fields of a capture in the two dialects of CDX servers."""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from webstrata.errors import UsageError
from webstrata.model.captures import ArchivedCapture
from webstrata.model.replay.cdx_filters import Collapse, FieldFilter
from webstrata.model.replay.url_ranges import KeyRange, MatchType

BLOCK_LINES = 3_000
"""The number of captures in a block, the unit of `pageSize` in both dialects."""

_NOTHING = "-"


class CdxDialect(StrEnum):
    """The dialect of a query: its names and formats."""

    IA = "ia"
    """The Internet Archive's CDX server."""
    PYWB = "pywb"


class CdxOutput(StrEnum):
    """How lines are written."""

    TEXT = "text"
    """The Internet Archive's: fields with spaces between them. pywb's: CDXJ, unless fields are named."""
    JSON = "json"
    """The Internet Archive's: a list of lists, the first with the names. pywb's: one object per line."""
    CDXJ = "cdxj"
    LINK = "link"
    """Mementos in link format, as pywb lists them."""


FIELDS = {
    "urlkey": "urlkey",
    "timestamp": "timestamp",
    "original": "original",
    "url": "original",
    "mimetype": "mimetype",
    "mime": "mimetype",
    "statuscode": "statuscode",
    "status": "statuscode",
    "digest": "digest",
    "redirect": "redirect",
    "robotflags": "robotflags",
    "length": "length",
    "offset": "offset",
    "filename": "filename",
}
"""The name of each field in either dialect, and its name in ours."""

PYWB_NAMES = {"original": "url", "mimetype": "mime", "statuscode": "status"}
DEFAULT_FIELDS = {
    CdxDialect.IA: ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"),
    CdxDialect.PYWB: ("urlkey", "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename"),
}


@dataclass(frozen=True)
class ListPosition:
    """A position in a list of captures, from which the list can be continued."""

    url_key: str
    captured_at: datetime
    capture_id: int

    @classmethod
    def after(cls, capture: ArchivedCapture) -> "ListPosition":
        """Return the place after a capture."""
        return cls(capture.url_key, capture.captured_at, capture.id)

    @classmethod
    def read(cls, text: str) -> "ListPosition":
        """Return the place that a resume key names; UsageError when it names none."""
        try:
            padded = text + "=" * (-len(text) % 4)
            url_key, moment, number = base64.b64decode(padded, b"-_", validate=True).decode().rsplit(" ", 2)
            captured_at = datetime.fromisoformat(moment)
            if captured_at.tzinfo is None or not 0 <= int(number) < 2**63:
                raise ValueError
            return cls(url_key, captured_at, int(number))
        except ValueError:
            raise UsageError("resumeKey must be the key that an earlier response ended with") from None

    @property
    def text(self) -> str:
        """Return the place as a resume key."""
        written = f"{self.url_key} {self.captured_at.isoformat()} {self.capture_id}"
        # Only characters that percent-encoding does not change.
        return base64.urlsafe_b64encode(written.encode()).decode().rstrip("=")


@dataclass(frozen=True)
class CdxQuery:
    """A query of the CDX server, checked."""

    url: str
    match_type: MatchType
    keys: KeyRange
    dialect: CdxDialect = CdxDialect.IA
    output: CdxOutput = CdxOutput.TEXT
    fields: tuple[str, ...] = ()
    """The requested field names; empty means the dialect's default."""
    earliest: datetime | None = None
    latest: datetime | None = None
    """Inclusive, to the second."""
    closest: datetime | None = None
    is_reverse: bool = False
    limit: int | None = None
    """Negative for the last ones."""
    offset: int = 0
    filters: tuple[FieldFilter, ...] = ()
    collapses: tuple[Collapse, ...] = ()
    page: int | None = None
    page_blocks: int = 1
    shows_page_count: bool = False
    resume_after: ListPosition | None = None
    shows_resume_key: bool = False
    may_compress: bool = True

    @property
    def page_lines(self) -> int:
        """Return the number of captures per page."""
        return self.page_blocks * BLOCK_LINES


def field_values(capture: ArchivedCapture) -> dict[str, str]:
    """Return the fields of a capture by our names; what is unknown is a dash."""
    is_revisit = capture.record_type == "revisit"
    return {
        "urlkey": capture.url_key.replace(" ", "%20"),
        "timestamp": capture.timestamp,
        "original": capture.url.replace(" ", "%20"),
        "mimetype": "warc/revisit" if is_revisit else (capture.mime_type or "unk").replace(" ", ""),
        "statuscode": _NOTHING if capture.status_code is None else str(capture.status_code),
        "digest": (capture.payload_digest or _NOTHING).rpartition(":")[2],
        "redirect": _NOTHING,
        "robotflags": _NOTHING,
        "length": str(capture.length),
        "offset": str(capture.offset),
        "filename": capture.warc_path.rpartition("/")[2],
    }


def line_text(values: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the named fields with spaces between them."""
    return " ".join(values[FIELDS[name]] for name in names)


def line_list(values: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the named fields as a JSON list."""
    return json_list([values[FIELDS[name]] for name in names])


def json_list(values: Sequence[str]) -> str:
    """Return texts as a JSON list in one line."""
    return json.dumps(list(values))


def line_object(values: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the named fields as a JSON object."""
    return json.dumps({name: values[FIELDS[name]] for name in names})


def line_cdxj(values: Mapping[str, str], names: Sequence[str]) -> str:
    """Return a CDXJ line: key and timestamp, then the other fields as a JSON object with pywb's names."""
    others = (PYWB_NAMES.get(FIELDS[name], FIELDS[name]) for name in names if name not in {"urlkey", "timestamp"})
    return f"{values['urlkey']} {values['timestamp']} {line_object(values, list(others))}"
