"""Matching of captures with saved searches: all words are required, in any form, without corrections."""

from collections.abc import Collection
from dataclasses import replace

from webstrata.content.tokens import tokens
from webstrata.db.engine import Session
from webstrata.db.search.question import Question
from webstrata.db.watching import search_matches
from webstrata.model.search.query import Intent, parse_query
from webstrata.model.search.values import SearchRequest
from webstrata.search.best_match import whole_question, with_attempt
from webstrata.search.terms import expression_with_forms


def matching_captures(session: Session, request: SearchRequest, snapshot_ids: Collection[int]) -> list[int]:
    """Return those of some captures that match a saved search."""
    question = _question(session, request)
    return [] if question is None else search_matches.matching_among(session, question, snapshot_ids)


def newest_matches(session: Session, request: SearchRequest, most: int) -> list[int]:
    """Return the newest new or changed captures that match a saved search."""
    question = _question(session, request)
    return [] if question is None else search_matches.newest_changed(session, question, most)


def _question(session: Session, request: SearchRequest) -> Question | None:
    """Return the question for the database; None for a query without words, such as a single punctuation mark."""
    plain = Question(request)
    if not request.q:
        return plain
    query = parse_query(request.q, tokens)
    if query.address is not None:
        at_address = replace(plain, address=query.address)
        if search_matches.has_pages(session, at_address):
            return at_address
    if query.intent is Intent.ADVANCED:
        expression = query.expression and expression_with_forms(session, request.q, query.expression)
        return None if expression is None else replace(plain, expression=expression)
    asked = with_attempt(plain, whole_question(session, request.q, query.plain)) if query.plain else plain
    return None if asked.expression is None else asked
