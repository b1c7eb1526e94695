"""The search page: results, form, and first and last appearance of a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from webstrata.app import App
from webstrata.db.captures.captures import outdated_jobs
from webstrata.db.engine import Session
from webstrata.db.operations import catalog
from webstrata.db.sources.editions import public_source
from webstrata.errors import UsageError
from webstrata.http.dependencies import Parts
from webstrata.http.metrics.usage_counts import Event, count_event
from webstrata.index.version import INDEX_VERSION
from webstrata.model.search.query import Intent
from webstrata.model.search.values import SearchRequest, SearchResponse, View
from webstrata.search.appearances import appearances
from webstrata.search.service import search
from webstrata.web.failures import PageRoute
from webstrata.web.pages import render
from webstrata.web.search.form import (
    MAX_QUERY_LENGTH,
    SearchForm,
    address,
    appearances_address,
    problems,
    read_form,
    to_request,
)
from webstrata.web.search.narrowing import Chip, Facet, chips, counted_of, day_words, facets
from webstrata.web.search.paging import Pager, page_address, pager, pages_by_number
from webstrata.web.search.texts import (
    Interpretation,
    as_written,
    heading,
    how_often,
    interpretation,
    quote,
    sentence_of,
    site_of,
)

FIELD_NAMES = {
    "q": "Words",
    "view": "View",
    "sort": "Order",
    "from": "Captured from",
    "to": "Captured until",
    "page": "Page",
    "asOf": "As of",
    "language": "Language",
    "type": "Type",
    "year": "Year",
    "cursor": "Place among the results",
}
MAX_SENTENCE_LENGTH = 1_000

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@dataclass(frozen=True)
class ResultsView:
    """The values of the results page."""

    asked: SearchRequest
    found: SearchResponse
    heading: str
    interpretation: Interpretation
    as_of: str | None
    sentence: str | None
    """The quoted sentence of the query."""
    when: str | None
    """The address of the page with the first and last appearance of the sentence."""
    site: str | None
    chips: tuple[Chip, ...]
    facets: tuple[Facet, ...]
    counted_of: int | None
    pager: Pager | None
    last_page: int
    last_page_address: str

    @property
    def is_of_address(self) -> bool:
        """Return whether the captures of an address were looked for."""
        return self.found.intent is Intent.URL


@router.get("/search")
def results(request: Request, app: Parts) -> HTMLResponse:
    """Show what was found, or what is wrong with the question."""
    form = read_form(request.query_params)
    with app.database.read() as session:
        names = {source.code: source.name for source in catalog.sources(session)}
        is_unknown = _is_unknown(session, form.source)
        outdated = len(outdated_jobs(session, INDEX_VERSION))
    wrong = problems(form)
    if not wrong:
        count_event(request, Event.SEARCH_REQUESTS)
    return render(
        request,
        "search.html",
        status=422 if wrong else 200,
        form=form,
        problems=wrong,
        field_names=FIELD_NAMES,
        answer=None if wrong else results_view(app, form, names),
        source_names=names,
        unknown_source=form.source if is_unknown else None,
        cleared=address(SearchForm(q=form.q[:MAX_QUERY_LENGTH])),
        outdated_jobs=outdated,
    )


@router.get("/search/appearances")
def first_and_last(request: Request, app: Parts) -> HTMLResponse:
    """Show the first and the last capture whose text holds a sentence."""
    form = read_form(request.query_params)
    if len(form.q) > MAX_SENTENCE_LENGTH:
        raise UsageError(f"A sentence may have at most {MAX_SENTENCE_LENGTH:,} characters; you entered {len(form.q):,}")
    with app.database.read() as session:
        names = {source.code: source.name for source in catalog.sources(session)}
        is_unknown = _is_unknown(session, form.source)
    count_event(request, Event.SEARCH_REQUESTS)
    found = appearances(app.database, form.q, form.source or None)
    quoted = SearchForm(q=quote(form.q), source=form.source, view=View.SNAPSHOTS, include_duplicates=True)
    return render(
        request,
        "search_appearances.html",
        sentence=form.q,
        longest=MAX_SENTENCE_LENGTH,
        found=found,
        how_often=how_often(found),
        source=form.source,
        unknown_source=form.source if is_unknown else None,
        source_name=names.get(form.source, form.source),
        every=address(quoted) if len(quoted.q) <= MAX_QUERY_LENGTH else None,
    )


def _is_unknown(session: Session, source: str) -> bool:
    return bool(source) and public_source(session, source) is None


def results_view(app: App, form: SearchForm, source_names: Mapping[str, str]) -> ResultsView:
    """Return the results for a form without problems."""
    asked = replace(to_request(form), facets=True)
    found = search(app.database, asked, pages_fastpath=app.settings.pages_fastpath)
    if form.exact:
        found = as_written(found)
    sentence, last = sentence_of(form.q), pages_by_number(found)
    return ResultsView(
        asked=asked,
        found=found,
        heading=heading(asked, found),
        interpretation=interpretation(asked, found),
        as_of=day_words(asked.as_of) if asked.as_of else None,
        sentence=sentence,
        when=appearances_address(sentence, form.source) if sentence and found.total else None,
        site=site_of(form.q),
        chips=chips(form, source_names),
        facets=facets(form, found, source_names),
        counted_of=counted_of(found),
        pager=pager(form, found),
        last_page=last,
        last_page_address=page_address(form, last),
    )
