"""The JSON of searching. Names are part of the API's contract: they do not change."""

from pydantic import BaseModel, Field

from webstrata.api.schemas import SnapshotSummarySchema
from webstrata.model.search.query import Intent
from webstrata.model.search.values import Fallback

# ruff: noqa: N815


class FacetCountSchema(BaseModel):
    """How many results there are with a value."""

    value: str
    count: int


class FacetsSchema(BaseModel):
    """The number of results for each value, the largest first."""

    source: list[FacetCountSchema]
    year: list[FacetCountSchema]
    language: list[FacetCountSchema]
    type: list[FacetCountSchema]


class SearchResponseSchema(BaseModel):
    """One page of hits; the fields after `pageSize` are present only when they have a value."""

    results: list[SnapshotSummarySchema]
    total: int
    page: int
    pageSize: int
    totalCapped: bool = False
    totalAllWords: int = Field(
        0, description="Number of results with all words; given only if it differs from the total."
    )
    without: list[str] = Field([], description="Words that none of these results has.")
    nextCursor: str | None = None
    facets: FacetsSchema | None = None
    instead: str | None = None


class ScoreSchema(BaseModel):
    """A hit's score, part by part; `total` is what it is ordered by."""

    text: float
    title: float
    authority: float
    depth: float
    url: float
    nearness: float
    allWords: float
    total: float


class TermSchema(BaseModel):
    """A word of a question, and its other forms that are searched."""

    word: str
    forms: list[str]


class DebugHitSchema(BaseModel):
    """A hit, and why it has its position; one without a score comes after the ranked ones, newest first."""

    id: int
    title: str | None
    originalUrl: str
    captureTimestamp: str
    statusRank: int
    score: ScoreSchema | None
    without: list[str]


class SearchDebugSchema(BaseModel):
    """How a search was understood and ranked."""

    intent: Intent
    fallback: Fallback
    instead: str | None
    searched: str | None
    ranking: str
    terms: list[TermSchema]
    total: int
    totalCapped: bool
    totalAllWords: int | None
    page: int
    pageSize: int
    results: list[DebugHitSchema]


class AppearancesSchema(BaseModel):
    """The first and the last capture that contain a sentence; both are null when none does."""

    sentence: str
    captures: int
    capturesCapped: bool
    first: SnapshotSummarySchema | None
    last: SnapshotSummarySchema | None
