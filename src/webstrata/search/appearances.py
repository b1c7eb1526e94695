"""First and last appearance of a sentence in the archive."""

from dataclasses import dataclass

from webstrata.content.tokens import tokens
from webstrata.db.engine import Database
from webstrata.db.search import searching
from webstrata.db.search.question import Question
from webstrata.model.archive import SnapshotView
from webstrata.model.search.query import MAX_TOKENS, Field, Words
from webstrata.model.search.values import SearchRequest


@dataclass(frozen=True)
class Appearances:
    """The first and the last capture whose text contains a sentence, and their number."""

    first: SnapshotView | None
    last: SnapshotView | None
    captures: int
    capped: bool = False
    """Whether counting stopped at `captures`, and there are more."""


def appearances(database: Database, sentence: str, source: str | None = None) -> Appearances:
    """Return the first and the last capture whose text contains a sentence word for word, except error pages."""
    words = tuple(tokens(sentence))[:MAX_TOKENS]
    if not words:
        return Appearances(None, None, 0)
    request = SearchRequest(q=sentence, source=source, include_duplicates=True)
    question = Question(request, Words(words, Field.TEXT))
    with database.read() as session:
        ends = searching.first_and_last(session, question)
    if ends is None:
        return Appearances(None, None, 0)
    return Appearances(ends.first, ends.last, ends.count, ends.capped)
