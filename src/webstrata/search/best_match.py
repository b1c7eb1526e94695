"""Best match for plain questions: all words first, then most of them, then prefixes and similar words."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from webstrata.db.engine import Session
from webstrata.db.search import searching
from webstrata.db.search.question import Question, SearchHits, archive_state
from webstrata.db.search.term_counts import document_counts
from webstrata.model.search.query import All, AnyOf, Intent, Query, Words, plain_expression
from webstrata.model.search.terms import all_terms, content_terms
from webstrata.model.search.values import Fallback
from webstrata.search.attempts import SearchAttempt, by_parts, corrected_words
from webstrata.search.terms import terms_of

ENOUGH_DOCUMENTS = {2: 20, 3: 50}
ENOUGH_FOR_LONG = 200
"""The number of texts with all words from which on texts with only most of the words are left out, by the number of
terms. Few texts contain every word of a long question, and many of those are only long."""


@dataclass(frozen=True)
class SearchOutcome:
    """The attempt that found something, the question that the database ran, and its results."""

    attempt: SearchAttempt
    question: Question
    found: SearchHits
    total_all_words: int | None = None
    """The number of results with all words; None when it is the total."""


def with_attempt(question: Question, attempt: SearchAttempt) -> Question:
    """Return a question changed to what an attempt searches for."""
    return replace(
        question,
        expression=attempt.expression,
        phrases=attempt.phrases,
        address=attempt.address,
        terms=attempt.terms,
        is_partial=attempt.is_partial,
    )


def best_match(session: Session, question: Question, query: Query) -> SearchOutcome:
    """Return the results of a plain question."""
    whole = whole_question(session, question.request.q or "", query.plain)
    outcome = _find(session, question, whole)
    if outcome.found.total and len(whole.terms) > 1 and not outcome.question.is_ranked:
        return _with_a_word_as_written(session, outcome)
    if _is_enough(outcome) or (outcome.found.total and query.intent is Intent.URL):
        return outcome
    if outcome.found.total:
        return _with_most_words(session, outcome)
    for attempt in _fallbacks(session, query, whole):
        found = _find(session, question, attempt)
        if not found.found.total:
            continue
        is_corrected = attempt.fallback is Fallback.FUZZY and query.intent is Intent.PLAIN and not _is_enough(found)
        return _with_most_words(session, found) if is_corrected else found
    return outcome


def whole_question(session: Session, written: str, words: tuple[str, ...]) -> SearchAttempt:
    """Return the attempt that searches for all words of a question in any form."""
    terms = content_terms(terms_of(session, written, words))
    content = tuple(term.word for term in terms)
    return SearchAttempt(Intent.PLAIN, all_terms(terms), tuple(dict.fromkeys((content, words))), terms=terms)


def _find(session: Session, question: Question, attempt: SearchAttempt) -> SearchOutcome:
    question = with_attempt(question, attempt)
    return SearchOutcome(attempt, question, searching.find(session, question))


def _with_a_word_as_written(session: Session, full: SearchOutcome) -> SearchOutcome:
    """Return the results with all words, newest first; only pages that contain a word as written, if there are any."""
    written = AnyOf(tuple(Words((term.word,)) for term in full.attempt.terms))
    assert full.attempt.expression is not None
    strict = _find(session, full.question, replace(full.attempt, expression=All((full.attempt.expression, written))))
    return strict if strict.found.total else full


def _is_enough(outcome: SearchOutcome) -> bool:
    found, terms = outcome.found, outcome.attempt.terms
    enough = ENOUGH_DOCUMENTS.get(len(terms), ENOUGH_FOR_LONG)
    return found.documents >= enough or bool(found.total and len(terms) < 2)


def _with_most_words(session: Session, full: SearchOutcome) -> SearchOutcome:
    """Return the results with most of the words, for questions of which few pages have all words."""
    widened = _find(session, full.question, _partial(full.attempt))
    if widened.found.total <= full.found.total:
        return full
    return replace(widened, total_all_words=full.found.total)


def _partial(attempt: SearchAttempt) -> SearchAttempt:
    parts = AnyOf(tuple(term.expression for term in attempt.terms))
    return replace(attempt, expression=parts, is_partial=True)


def _fallbacks(session: Session, query: Query, whole: SearchAttempt) -> Iterator[SearchAttempt]:
    """Yield the attempts for queries of which no page has all words, in order."""
    terms = whole.terms
    counts = document_counts(session, archive_state(session), terms)
    unknown = [term.word for term, count in zip(terms, counts, strict=True) if not count]
    words = tuple(term.word for term in terms)
    best = whole
    if unknown:
        if (beginnings := plain_expression(words, prefix=True)) not in {None, plain_expression(words)}:
            yield SearchAttempt(Intent.PLAIN, beginnings, whole.phrases, fallback=Fallback.PREFIX)
        if replaced := corrected_words(session, unknown):
            best = _corrected(session, query, replaced)
            yield best
    if len(terms) > 1 and query.intent is Intent.PLAIN:
        yield replace(_partial(best), fallback=Fallback.MOST_WORDS)
    if parts := by_parts(session, words):
        yield SearchAttempt(Intent.PLAIN, parts, whole.phrases, fallback=Fallback.PARTS)


def _corrected(session: Session, query: Query, replaced: dict[str, str]) -> SearchAttempt:
    words = tuple(dict.fromkeys(replaced.get(word, word) for word in query.plain))
    text = " ".join(words)
    return replace(whole_question(session, text, words), fallback=Fallback.FUZZY, instead=text)
