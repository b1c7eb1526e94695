"""The attempts of a search: the query as written, then fallbacks by prefix, similar spelling and parts of words."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from webstrata.db import vocabulary
from webstrata.db.engine import Session
from webstrata.db.search import fulltext
from webstrata.model.search.query import (
    AnyOf,
    Expression,
    Field,
    Intent,
    Query,
    Words,
    all_of,
    plain_expression,
    wanted_words,
    with_word_replaced,
)
from webstrata.model.search.similarity import best_meant, likely_meant, near_spellings, slips_forgiven
from webstrata.model.search.terms import Term
from webstrata.model.search.values import Fallback

_MOST_COUNTED = 1_000
_MOST_LOOKED_UP = 8
"""Words of a query that are looked up in the vocabulary; queries rarely have more misspelt words."""


@dataclass(frozen=True)
class SearchAttempt:
    """One way to run a search."""

    intent: Intent
    expression: Expression | None = None
    phrases: tuple[tuple[str, ...], ...] = ()
    """Phrases that rank a page higher when its title contains them."""
    address: str | None = None
    fallback: Fallback = Fallback.NONE
    instead: str | None = None
    """The corrected words, if others are searched than those of the query."""
    terms: tuple[Term, ...] = ()
    """The terms of a plain question; pages are ranked by their forms."""
    is_partial: bool = False
    """Whether pages with only some of the terms are results too."""


def search_attempts(session: Session, query: Query, *, exact: bool = False) -> Iterator[SearchAttempt]:
    """Yield the attempts for a query; each is tried when those before it found nothing."""
    if query.address is not None:
        yield SearchAttempt(Intent.URL, address=query.address)
    intent = Intent.ADVANCED if query.intent is Intent.ADVANCED else Intent.PLAIN
    expression = query.expression or plain_expression(query.plain)
    if expression is None:
        return
    phrases = (query.plain,) if intent is Intent.PLAIN else _phrases(expression)
    yield SearchAttempt(intent, expression, phrases)
    if exact:
        return
    if intent is Intent.PLAIN and (beginnings := plain_expression(query.plain, prefix=True)) not in {None, expression}:
        yield SearchAttempt(intent, beginnings, phrases, fallback=Fallback.PREFIX)
    if replaced := corrected_words(session, (word for part in wanted_words(expression) for word in part.words)):
        meant = tuple(tuple(replaced.get(word, word) for word in phrase) for phrase in phrases)
        text = " ".join(replaced.get(word, word) for word in query.plain)
        yield SearchAttempt(intent, with_word_replaced(expression, replaced), meant, None, Fallback.FUZZY, text)
    if intent is Intent.PLAIN and (parts := by_parts(session, query.plain)):
        yield SearchAttempt(intent, parts, phrases, fallback=Fallback.PARTS)


def _phrases(expression: Expression) -> tuple[tuple[str, ...], ...]:
    """Return the phrases for which a title ranks a page higher: the parts of an expression, and all of them
    together."""
    parts = tuple(part.words for part in wanted_words(expression))
    return (tuple(word for words in parts for word in words), *parts)


def corrected_words(session: Session, asked: Iterable[str]) -> dict[str, str]:
    """Return corrections for the words of a query that no document contains."""
    words = dict.fromkeys(word for word in asked if slips_forgiven(word))
    meant = {}
    for word in [*words][:_MOST_LOOKED_UP]:
        if word.isalpha() and not _count(session, word):
            known = {*vocabulary.words_like(session, word), *vocabulary.known_words(session, near_spellings(word))}
            likely = likely_meant(word, known)
            best = best_meant(word, {other: _count(session, other) for other in likely})
            if best is not None:
                meant[word] = best
    return meant


def by_parts(session: Session, plain: Sequence[str]) -> Expression | None:
    """Return the expression that also matches longer words of titles and URLs that contain the words; None if there are
    none."""
    looked_up = {word: vocabulary.words_holding(session, word) for word in plain[:_MOST_LOOKED_UP]}
    return all_of(_held(word, looked_up.get(word, ())) for word in plain) if any(looked_up.values()) else None


def _held(word: str, longer: Sequence[str]) -> Expression:
    """Return the expression that matches a word, or one of some longer words in a title or URL."""
    if not longer:
        return Words((word,))
    return AnyOf((Words((word,)), *(Words((other,), field) for other in longer for field in (Field.TITLE, Field.URL))))


def _count(session: Session, word: str) -> int:
    return fulltext.count_documents(session, Words((word,)), _MOST_COUNTED)
