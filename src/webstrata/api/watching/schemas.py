"""The JSON of site diffs. Names are part of the API's contract: they do not change."""

from pydantic import BaseModel, ConfigDict, Field

from webstrata.api.change_schemas import ChangeReasonSchema

# ruff: noqa: N815


class SiteRunSchema(BaseModel):
    """A run of a source."""

    jobId: int
    name: str
    status: str
    firstCapture: str
    lastCapture: str
    snapshots: int


class SitePageSchema(BaseModel):
    """A page of a site."""

    url: str
    title: str
    snapshotId: int


class MissingPageSchema(SitePageSchema):
    """A page of the older run without a good capture in the newer run."""

    reason: str = Field(description="What the newer run got for its URL.")


class MovedPageSchema(BaseModel):
    """A page that moved to another URL."""

    model_config = ConfigDict(populate_by_name=True)

    old: SitePageSchema = Field(alias="from")
    new: SitePageSchema = Field(alias="to")
    evidence: str = Field(description="`redirect`, `same_text` or `similar_text`.")


class ChangedPageSchema(SitePageSchema):
    """A page of both runs whose content changed."""

    fromSnapshotId: int
    significance: float
    changes: int = Field(description="Number of changes between the two runs.")
    summary: str
    reasons: list[ChangeReasonSchema]


class TemplateDifferenceSchema(BaseModel):
    """Lines on most pages of one run and not on those of the other."""

    addedLines: list[str]
    removedLines: list[str]
    pages: int


class SiteDiffSchema(BaseModel):
    """The differences of a site between two runs; lists may be cut, counts are exact."""

    model_config = ConfigDict(populate_by_name=True)

    source: str
    older: SiteRunSchema = Field(alias="from")
    newer: SiteRunSchema = Field(alias="to")
    whyNothingRemoved: str | None = Field(
        description="Why pages that were not seen are not reported as removed; null when the runs prove it."
    )
    counts: dict[str, int]
    added: list[SitePageSchema]
    removed: list[MissingPageSchema]
    moved: list[MovedPageSchema]
    unlinked: list[SitePageSchema]
    changed: list[ChangedPageSchema]
    restored: list[SitePageSchema]
    unavailable: list[MissingPageSchema]
    notSeen: list[SitePageSchema]
    templateChanges: list[TemplateDifferenceSchema]
    limits: list[str]
