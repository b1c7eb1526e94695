"""A search from question to answer."""

from dataclasses import replace

from webstrata.content.tokens import tokens
from webstrata.db import searching
from webstrata.db.engine import Database
from webstrata.db.searching import Found
from webstrata.model.search import SearchRequest, SearchResponse, View
from webstrata.search.passage import passage


def search(database: Database, request: SearchRequest, *, pages_fastpath: bool = True) -> SearchResponse:
    """Return the page of results that a request asks for."""
    words = tokens(request.q or "")
    if request.q and not words:
        return SearchResponse((), 0, request.page, request.page_size)
    with database.read() as session:
        if pages_fastpath and _browses_pages(request):
            found = searching.browse_pages(session, request)
        else:
            found = searching.find_snapshots(session, request, words)
        if words:
            texts = searching.texts_of(session, [view.id for view in found.views])
            marked = (replace(view, marked_snippet=passage(texts.get(view.id, ""), set(words))) for view in found.views)
            found = Found(tuple(marked), found.total)
    return SearchResponse(found.views, found.total, request.page, request.page_size)


def _browses_pages(request: SearchRequest) -> bool:
    return request.view is View.PAGES and not request.q and request.from_date is None and request.to_date is None
