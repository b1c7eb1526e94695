"""The JSON of editions, reports, usage, exports and totals of lists: part of the API's contract, no name changes."""

import re
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, JsonValue, model_validator

from webstrata.http.dependencies import WITHOUT_NUL, nothing_when_blank, without_nul
from webstrata.model.list_totals import MOST_COUNTED, is_capped

# ruff: noqa: N815

LARGEST_ID = 2**63 - 1

_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_EMAIL = rf"[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_LABEL}(?:\.{_LABEL})*"
"""HTML's definition of a valid e-mail address, the same as in browsers' forms."""

_WEB_ADDRESS = r"[hH][tT][tT][pP][sS]?://[^\u0000-\u0020\u007f/?#\\]+(?:[/?#][^\u0000]*)?"


def _an_email(value: str) -> str:
    """Refuse a text that cannot be an e-mail address; whether it exists is not checked."""
    if not re.fullmatch(_EMAIL, value.strip()):
        raise ValueError("must be an e-mail address")
    return value.strip()


def _long_enough(value: str) -> str:
    """Refuse a text that is too short without its spaces."""
    if len(value.strip()) < LEAST_WORDS:
        raise ValueError(f"must have at least {LEAST_WORDS} characters")
    return value.strip()


def _a_web_address(value: str) -> str:
    """Refuse anything but a web address: operators click on it, and `javascript:` would run code."""
    if not re.fullmatch(_WEB_ADDRESS, value.strip()):
        raise ValueError("must be a web address such as https://example.org/")
    return value.strip()


LEAST_WORDS = 20
_NO_NUL: dict[str, JsonValue] = {"pattern": WITHOUT_NUL}
Address = Annotated[
    str,
    Field(max_length=4096, json_schema_extra={"pattern": rf"^\s*(?:{_WEB_ADDRESS})?\s*$"}),
    AfterValidator(_a_web_address),
]
Email = Annotated[
    str,
    # Surrounding spaces are removed, so a text of spaces is not an address.
    Field(max_length=320, json_schema_extra={"pattern": rf"^\s*(?:{_EMAIL})?\s*$"}),
    AfterValidator(_an_email),
]
Words = Annotated[
    str,
    Field(min_length=LEAST_WORDS, max_length=4000, json_schema_extra=_NO_NUL),
    AfterValidator(without_nul),
    AfterValidator(_long_enough),
]


class EditionSchema(BaseModel):
    """A source as one job captured it."""

    jobId: int
    jobName: str
    recordCount: int
    firstCapture: str
    lastCapture: str
    entryBrowseUrl: str | None


class LatestSnapshotSchema(BaseModel):
    """The newest good capture of a snapshot's page; without one, all but `found` is null."""

    found: bool
    snapshotId: int | None
    captureTimestamp: str | None
    mimeType: str | None


class ResolvedSchema(BaseModel):
    """The capture that a replayed URL resolves to."""

    found: bool
    snapshotId: int | None
    captureTimestamp: str | None
    resolvedUrl: str | None
    browseUrl: str | None
    mimeType: str | None


class ReportCategory(StrEnum):
    """The subject of a report."""

    BROKEN_SNAPSHOT = "broken_snapshot"
    INCORRECT_METADATA = "incorrect_metadata"
    MISSING_SNAPSHOT = "missing_snapshot"
    TAKEDOWN = "takedown"
    GENERAL_FEEDBACK = "general_feedback"


class NewReportSchema(BaseModel):
    """A reader's report of a problem; `website` is a trap for bots that fill in every field."""

    category: ReportCategory
    description: Words
    snapshotId: Annotated[int, Field(ge=1, le=LARGEST_ID)] | None = None
    originalUrl: Annotated[Address | None, BeforeValidator(nothing_when_blank)] = None
    reporterEmail: Annotated[Email | None, BeforeValidator(nothing_when_blank)] = None
    pageUrl: Annotated[Address | None, BeforeValidator(nothing_when_blank)] = None
    website: Annotated[str, Field(max_length=4096)] | None = None


class ReportReceiptSchema(BaseModel):
    """The acknowledgement of a report."""

    reportId: int | None
    status: Literal["new", "received"]
    receivedAt: str


class UsageTotalsSchema(BaseModel):
    """How often each kind of page was requested."""

    searchRequests: int
    snapshotDetailViews: int
    rawSnapshotViews: int
    reportSubmissions: int


class UsageDaySchema(UsageTotalsSchema):
    """How often each kind of page was requested on a day."""

    date: str


class UsageSchema(BaseModel):
    """How often the archive was used on the last days; no days when usage is not counted."""

    enabled: bool
    windowDays: int
    totals: UsageTotalsSchema
    daily: list[UsageDaySchema]


class ExportKindSchema(BaseModel):
    """A list that can be downloaded."""

    path: str
    description: str
    formats: list[str]


class ExportsSchema(BaseModel):
    """Which lists can be downloaded, and in which formats."""

    enabled: bool
    formats: list[str]
    defaultLimit: int
    maxLimit: int
    dataDictionaryUrl: str
    snapshots: ExportKindSchema
    changes: ExportKindSchema


class ResourceSchema(BaseModel):
    """A resource of a page, with its capture closest in time."""

    url: str
    archived: bool
    statusCode: int | None
    captureTimestamp: str | None
    reason: str | None = Field(description="Why it is missing.")


class ResourcesSchema(BaseModel):
    """The resources of a snapshot's page."""

    snapshotId: int
    known: bool = Field(description="Whether the resources that the page needs are recorded.")
    total: int
    archived: int
    cut: bool = Field(description="Whether the list was cut: there are more resources.")
    resources: list[ResourceSchema]


class CountedListSchema(BaseModel):
    """A list with its total."""

    total: int = Field(description=f"Number of rows; beyond {MOST_COUNTED:,} they are not counted further.")
    totalCapped: bool = Field(
        False,
        exclude_if=lambda capped: not capped,
        description="Whether the list is longer than `total`; left out when it is not.",
    )

    @model_validator(mode="after")
    def _mark_capped(self) -> Self:
        self.totalCapped = is_capped(self.total)
        return self
