"""What did it say? The answers to a search, and the form to ask again."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from webstrata.api.parts import Parts
from webstrata.db import catalog
from webstrata.model.search import SearchRequest, SearchResponse, View
from webstrata.search.service import search
from webstrata.web import present
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.search_form import MAX_QUERY_LENGTH, SearchForm, address, problems, read_form, to_request

FIELD_NAMES = {
    "q": "Words",
    "view": "View",
    "sort": "Order",
    "from": "Captured from",
    "to": "Captured until",
    "page": "Page",
}

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/search")
def results(request: Request, app: Parts) -> HTMLResponse:
    """Show what was found, or what is wrong with the question."""
    form = read_form(request.query_params)
    with app.database.read() as session:
        sources = catalog.sources(session)
    wrong = problems(form)
    asked = None if wrong else to_request(form)
    found = search(app.database, asked, pages_fastpath=app.settings.pages_fastpath) if asked else None
    return render(
        request,
        "search.html",
        status=422 if wrong else 200,
        form=form,
        problems=wrong,
        field_names=FIELD_NAMES,
        asked=asked,
        response=found,
        heading=heading(asked, found) if asked and found else "That cannot be searched for",
        pages=-(-found.total // found.page_size) if found else 0,
        sources=sources,
        source_known=any(source.code == form.source for source in sources),
        cleared=address(SearchForm(q=form.q[:MAX_QUERY_LENGTH])),
    )


def heading(asked: SearchRequest, found: SearchResponse) -> str:
    """Return the answer to a search in one line: `12 pages say “fever”`."""
    noun = "page" if asked.view is View.PAGES else "capture"
    things = present.count(found.total, noun)
    if not asked.q:
        return f"{things}, newest first" if found.total else f"{things} here".capitalize()
    if not found.total:
        return f"No {noun} says “{asked.q}”"
    return f"{things} {'says' if found.total == 1 else 'say'} “{asked.q}”"
