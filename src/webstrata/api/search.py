"""API of search: snapshots and pages by words, URL, source, date and file kind."""

from typing import Annotated, Self

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Query, Request, Response
from pydantic import AfterValidator, BaseModel, Field, model_validator

from webstrata.api import present
from webstrata.api.search_schemas import AppearancesSchema, FacetCountSchema, FacetsSchema, SearchResponseSchema
from webstrata.app import App
from webstrata.errors import UsageError
from webstrata.http.browsing import BrowseAddresses
from webstrata.http.dependencies import LARGEST_OFFSET, Code, CodeFilter, Day, Parts, Text
from webstrata.http.metrics.usage_counts import Event, count_event
from webstrata.model.search.ranking import Ranking
from webstrata.model.search.values import FileKind, SearchRequest, SearchResponse, Sort, View, read_cursor
from webstrata.search.appearances import appearances
from webstrata.search.service import search

SEARCH_PATH = "/api/search"

MOST_AT_ONCE = 4
"""The most concurrent searches per process; more would only slow each other down and use up the connections."""

router = APIRouter(tags=["search"])


def _cursor(value: str) -> str:
    try:
        read_cursor(value)
    except UsageError as error:
        raise ValueError(str(error)) from None
    return value


class SearchParameters(BaseModel):
    """The parameters of a search; the names are part of the API's contract."""

    q: Text | None = Field(None, min_length=1, max_length=256, description="Words, an expression, or a URL.")
    source: CodeFilter = Field(None, description="A source's code; an unknown one finds nothing.")
    sort: Sort | None = Field(None, description="Default: relevance for words, newest without words.")
    view: View = Field(View.SNAPSHOTS, description="Every capture, or the newest of each page.")
    include_non_2xx: bool = Field(False, alias="includeNon2xx", description="Include errors and redirects.")
    include_duplicates: bool = Field(False, alias="includeDuplicates", description="Include captures without a change.")
    from_date: Day | None = Field(None, alias="from", description="First day (UTC), inclusive.")
    to_date: Day | None = Field(None, alias="to", description="Last day (UTC), inclusive.")
    page: int = Field(1, ge=1)
    page_size: int = Field(20, ge=1, le=100, alias="pageSize")
    as_of: Day | None = Field(None, alias="asOf", description="Only captures up to the end of this day (UTC).")
    language: Code | None = Field(None, min_length=1, max_length=16, description="Only this language, like `fr`.")
    kind: FileKind | None = Field(None, alias="type", description="Only this kind of file.")
    year: int | None = Field(None, ge=1, le=9999, description="Only captures of this year (UTC).")
    cursor: Annotated[Text, AfterValidator(_cursor)] | None = Field(
        None, max_length=200, description="The `nextCursor` of a response; replaces `page`."
    )
    facets: bool = Field(False, description="Count the results by source, year, language and type.")
    ranking: Ranking = Field(Ranking.V2, description="v1 requires all words as written, and orders by the text alone.")
    exact: bool = Field(False, description="Only results with all words, in the form as written.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.from_date and self.to_date and self.from_date > self.to_date:
            raise ValueError("'from' must not be after 'to'")
        return self

    def to_request(self) -> SearchRequest:
        """Return the search request; page numbers far after the last page are lowered, as those pages are empty."""
        requested = self.model_dump() | {"page": min(self.page, LARGEST_OFFSET // self.page_size)}
        if self.q is not None and self.q.isspace():
            requested["q"] = None  # A query of only spaces lists all pages, as the web page does.
        return SearchRequest(**requested)


@router.get(SEARCH_PATH, response_model=SearchResponseSchema)
async def find(request: Request, app: Parts, parameters: Annotated[SearchParameters, Query()]) -> Response:
    """Search the archive."""
    at_once = request.app.state.searches
    assert isinstance(at_once, CapacityLimiter)
    addresses = BrowseAddresses.of(request, app.settings)
    content = await to_thread.run_sync(_search_json, app, parameters, addresses, limiter=at_once)
    count_event(request, Event.SEARCH_REQUESTS)
    return Response(content, media_type="application/json")


@router.get("/api/search/appearances")
def first_and_last(
    app: Parts,
    request: Request,
    q: Annotated[Text, Query(min_length=1, max_length=1_000, description="A sentence, or some words of one.")],
    source: Annotated[CodeFilter, Query(description="Only this source, by its code.")] = None,
) -> AppearancesSchema:
    """Return the first and the last capture that contain a sentence, word for word."""
    found = appearances(app.database, q, source)
    addresses = BrowseAddresses.of(request, app.settings)
    return AppearancesSchema(
        sentence=q,
        captures=found.captures,
        capturesCapped=found.capped,
        first=None if found.first is None else present.search_hit(found.first, addresses),
        last=None if found.last is None else present.search_hit(found.last, addresses),
    )


def _search_json(app: App, parameters: SearchParameters, addresses: BrowseAddresses) -> bytes:
    """Return the results of a search as JSON."""
    found = search(app.database, parameters.to_request(), pages_fastpath=app.settings.pages_fastpath)
    answer = SearchResponseSchema(
        results=[present.search_hit(snapshot, addresses) for snapshot in found.results],
        total=found.total,
        page=parameters.page,
        pageSize=found.page_size,
    )
    return _with_extras(answer, found).model_dump_json(exclude_unset=True).encode()


def _with_extras(answer: SearchResponseSchema, found: SearchResponse) -> SearchResponseSchema:
    """Add the fields that older clients do not know, where they have a value."""
    if found.total_capped:
        answer.totalCapped = True
    if found.total_all_words is not None and found.total_all_words != found.total:
        answer.totalAllWords = found.total_all_words
    if found.without:
        answer.without = list(found.without)
    if found.next_cursor is not None:
        answer.nextCursor = found.next_cursor
    if found.instead is not None:
        answer.instead = found.instead
    if found.facets is not None:
        counts = {
            name: [FacetCountSchema(value=facet.value, count=facet.count) for facet in facets]
            for name, facets in found.facets.items()
        }
        answer.facets = FacetsSchema(**counts)
    return answer
