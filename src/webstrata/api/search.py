"""Finding snapshots."""

from typing import Annotated, Self

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field, model_validator

from webstrata.api import present
from webstrata.api.parts import LARGEST_OFFSET, Code, Day, Parts, Text
from webstrata.api.schemas import SearchResponseSchema
from webstrata.model.search import SearchRequest, Sort, View
from webstrata.search.service import search

router = APIRouter(tags=["search"])


class SearchParameters(BaseModel):
    """What a search may be told; the names are part of the API's contract."""

    q: Text | None = Field(None, min_length=1, max_length=256, description="Words, or an address.")
    source: Code | None = Field(None, description="A source's code; an unknown one finds nothing.")
    sort: Sort | None = Field(None, description="Default: relevance with words, newest without.")
    view: View = Field(View.SNAPSHOTS, description="Every capture, or the newest of each page.")
    include_non_2xx: bool = Field(False, alias="includeNon2xx", description="Errors and redirects too.")
    include_duplicates: bool = Field(False, alias="includeDuplicates", description="Captures that changed nothing too.")
    from_date: Day | None = Field(None, alias="from", description="First day (UTC), inclusive.")
    to_date: Day | None = Field(None, alias="to", description="Last day (UTC), inclusive.")
    page: int = Field(1, ge=1)
    page_size: int = Field(20, ge=1, le=100, alias="pageSize")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.from_date and self.to_date and self.from_date > self.to_date:
            raise ValueError("'from' must not be after 'to'")
        return self

    def to_request(self) -> SearchRequest:
        """Return the search that is asked for; far behind the last page one page is as empty as another."""
        wanted = self.model_dump()
        return SearchRequest(**wanted | {"page": min(self.page, LARGEST_OFFSET // self.page_size)})


@router.get("/api/search")
def find(app: Parts, parameters: Annotated[SearchParameters, Query()]) -> SearchResponseSchema:
    """Search the archive."""
    found = search(app.database, parameters.to_request(), pages_fastpath=app.settings.pages_fastpath)
    return SearchResponseSchema(
        results=[present.search_hit(snapshot) for snapshot in found.results],
        total=found.total,
        page=parameters.page,
        pageSize=found.page_size,
    )
