"""The number of documents with a term: counted up to a limit, estimated above it."""

from collections.abc import Hashable, Sequence
from functools import partial

from sqlalchemy import text
from sqlalchemy.orm import Session

from webstrata.db.search.cache import cached_result
from webstrata.db.search.fulltext import Match, matched, matching
from webstrata.model.search.relevance import rarity
from webstrata.model.search.terms import Term

_MOST_COUNTED = 5_000


def document_counts(session: Session, state: Hashable, terms: Sequence[Term]) -> list[int]:
    """Return about how many documents contain each of some terms, in any form."""
    dialect = session.get_bind().dialect.name
    matches = [matching(term.expression, dialect) for term in terms]
    return [
        cached_result(session, state, ("count", match), partial(_count, session, match, dialect)) for match in matches
    ]


def term_weights(session: Session, state: Hashable, terms: Sequence[Term]) -> list[float]:
    """Return the weight of each term: the rarer, the higher. A single term is not counted."""
    if len(terms) < 2:
        return [1.0] * len(terms)
    of_all = number_of_documents(session, state)
    return [rarity(count, of_all) for count in document_counts(session, state, terms)]


def number_of_documents(session: Session, state: Hashable) -> int:
    """Return about how many documents there are."""
    return cached_result(session, state, "documents", lambda: session.scalar(_LAST) or 0)


def _count(session: Session, match: Match, dialect: str) -> int:
    """Return how many documents match, estimated from the ids: both databases read documents nearly in the order of
    their ids."""
    found = _COUNT[dialect].format(matched(match, dialect))
    count, last = session.execute(text(found), match.given() | {"most": _MOST_COUNTED}).one()
    if count < _MOST_COUNTED:
        return int(count)
    return int(count * max(session.scalar(_LAST) or 0, last) / last)


_LAST = text("SELECT max(id) FROM documents")
_COUNT = {
    "sqlite": "SELECT count(*), max(document_id) FROM ({} LIMIT :most) AS counted",
    # With a LIMIT alone, PostgreSQL would scan the documents one by one instead of using its index.
    "postgresql": (
        "WITH m AS MATERIALIZED ({}) SELECT count(*), max(document_id)"
        " FROM (SELECT document_id FROM m LIMIT :most) AS counted"
    ),
}
