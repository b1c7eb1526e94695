"""Best match for plain questions: all words first, then most of them, then prefixes and similar words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from webstrata.db.engine import Session
from webstrata.db.search import searching
from webstrata.db.search.fulltext import count_documents
from webstrata.db.search.question import Question, SearchHits, archive_state
from webstrata.db.search.term_counts import document_counts
from webstrata.model.search.query import All, AnyOf, Intent, Query, Words, plain_expression
from webstrata.model.search.terms import Term, all_terms, content_terms
from webstrata.model.search.values import Fallback
from webstrata.search.attempts import SearchAttempt, by_parts, corrected_words
from webstrata.search.terms import terms_of

ENOUGH_DOCUMENTS = 100
"""The number of texts with all words from which on texts with only most of the words are left out."""

_MOST_WITNESSES = 6
"""How many of the rarest words of a question are considered: two of them must be on a page with a correction."""


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
    if query.intent is Intent.PLAIN and _is_rare(session, question, whole):
        outcome = SearchOutcome(whole, with_attempt(question, whole), SearchHits((), 0))
        if total := searching.count(session, outcome.question):
            widened = _widened(session, outcome, total)
            return _find(session, question, whole) if widened is None else widened
    else:
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
    return found.documents >= ENOUGH_DOCUMENTS or bool(found.total and len(terms) < 2)


def _is_rare(session: Session, question: Question, whole: SearchAttempt) -> bool:
    """Return whether so few texts have all words that others follow: then only these others' order is worked out."""
    if len(whole.terms) < 2 or whole.expression is None or not with_attempt(question, whole).is_ranked:
        return False
    return count_documents(session, whole.expression, ENOUGH_DOCUMENTS) < ENOUGH_DOCUMENTS


def _with_most_words(session: Session, full: SearchOutcome) -> SearchOutcome:
    """Return the results with most of the words, for questions of which few pages have all words."""
    return _widened(session, full, full.found.total) or full


def _widened(session: Session, full: SearchOutcome, total: int) -> SearchOutcome | None:
    """Return the results with most of the words, if they are more than `total`, the number of those with all."""
    widened = _find(session, full.question, _partial(full.attempt))
    return replace(widened, total_all_words=total) if widened.found.total > total else None


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
        known = [(count, term) for term, count in zip(terms, counts, strict=True) if count]
        if replaced := _supported(session, corrected_words(session, unknown), known):
            best = _corrected(session, query, replaced)
            yield best
    if len(terms) > 1 and query.intent is Intent.PLAIN:
        yield replace(_partial(best), fallback=Fallback.MOST_WORDS)
    if parts := by_parts(session, words):
        yield SearchAttempt(Intent.PLAIN, parts, whole.phrases, fallback=Fallback.PARTS)


def _supported(session: Session, replaced: dict[str, str], known: Sequence[tuple[int, Term]]) -> dict[str, str]:
    """Return the corrections that are on a page with two other words of the question, or with its only other word."""
    rarest = [term.expression for _, term in sorted(known, key=lambda pair: pair[0])[:_MOST_WITNESSES]]
    if not rarest:
        return replaced
    together = AnyOf(tuple(map(All, combinations(rarest, 2)))) if len(rarest) > 1 else rarest[0]
    return {
        word: meant for word, meant in replaced.items() if count_documents(session, All((Words((meant,)), together)), 1)
    }


def _corrected(session: Session, query: Query, replaced: dict[str, str]) -> SearchAttempt:
    words = tuple(dict.fromkeys(replaced.get(word, word) for word in query.plain))
    text = " ".join(words)
    return replace(whole_question(session, text, words), fallback=Fallback.FUZZY, instead=text)
