"""Explanation of search results for operators: the scores, from the code that ranks."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from webstrata.api import present
from webstrata.api.search import SearchParameters
from webstrata.api.search_schemas import DebugHitSchema, ScoreSchema, SearchDebugSchema, TermSchema
from webstrata.http.auth import ADMIN_RESPONSES, require_admin
from webstrata.http.dependencies import Parts
from webstrata.http.headers import ADMIN_PATH
from webstrata.model.search.query import query_text
from webstrata.search.service import Explained, explain_search

router = APIRouter(
    prefix=ADMIN_PATH,
    tags=["admin"],
    dependencies=[Depends(require_admin)],
    responses=ADMIN_RESPONSES,
)


@router.get("/search-debug")
def explain(app: Parts, parameters: Annotated[SearchParameters, Query()]) -> SearchDebugSchema:
    """Search, and return how the query was parsed and the parts of each hit's score."""
    done = explain_search(app.database, parameters.to_request(), pages_fastpath=app.settings.pages_fastpath)
    return SearchDebugSchema(
        intent=done.response.intent,
        fallback=done.response.fallback,
        instead=done.response.instead,
        searched=None if done.searched is None else query_text(done.searched),
        ranking=parameters.ranking,
        total=done.response.total,
        totalCapped=done.response.total_capped,
        totalAllWords=done.response.total_all_words,
        terms=[
            TermSchema(word=term.word, forms=[" ".join(form) for form in term.forms if form != (term.word,)])
            for term in done.terms
        ],
        page=parameters.page,
        pageSize=done.response.page_size,
        results=[_hit(hit) for hit in done.hits],
    )


def _hit(hit: Explained) -> DebugHitSchema:
    return DebugHitSchema(
        id=hit.view.id,
        title=hit.view.title,
        originalUrl=hit.view.url,
        captureTimestamp=present.timestamp(hit.view.captured_at),
        statusRank=hit.status_rank,
        score=_score(hit),
        without=list(hit.view.missing_words),
    )


def _score(hit: Explained) -> ScoreSchema | None:
    if hit.score is None or hit.total is None:
        return None
    score = hit.score
    return ScoreSchema(
        text=score.text,
        title=score.title,
        authority=score.authority,
        depth=score.depth,
        url=-hit.url_cost,
        nearness=score.nearness,
        allWords=score.all_words,
        total=hit.total,
    )
