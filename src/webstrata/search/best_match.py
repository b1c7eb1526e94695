"""Best match for plain questions: all words first, then most of them, then words that begin or are spelled alike."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from webstrata.db.engine import Session
from webstrata.db.search import searching
from webstrata.db.search.question import Question, SearchHits, archive_state
from webstrata.db.search.term_counts import document_counts
from webstrata.model.search.query import All, AnyOf, Intent, Query, Words, plain_expression
from webstrata.model.search.terms import all_terms, content_terms
from webstrata.model.search.values import Fallback
from webstrata.search.asked import Asked, by_parts, meant_words
from webstrata.search.terms import terms_of

ENOUGH_DOCUMENTS = 20
"""So many texts with all words are a page of results; where there are fewer, texts with most of the words follow."""


@dataclass(frozen=True)
class Answered:
    """The way of asking that found something, the question as the database was asked it, and what it found."""

    asked: Asked
    question: Question
    found: SearchHits
    total_all_words: int | None = None
    """How many results hold all words; None when that is the total."""


def put(question: Question, asked: Asked) -> Question:
    """Return a question as one way of asking puts it."""
    return replace(
        question,
        expression=asked.expression,
        phrases=asked.phrases,
        address=asked.address,
        terms=asked.terms,
        is_partial=asked.is_partial,
    )


def best_match(session: Session, question: Question, query: Query) -> Answered:
    """Return what a plain question finds."""
    whole = whole_question(session, question.request.q or "", query.plain)
    answered = _find(session, question, whole)
    if answered.found.total and len(whole.terms) > 1 and not answered.question.is_ranked:
        return _with_a_word_as_written(session, answered)
    if _is_enough(answered) or (answered.found.total and query.intent is Intent.URL):
        return answered
    if answered.found.total:
        return _with_most_words(session, answered)
    for asked in _fallbacks(session, query, whole):
        found = _find(session, question, asked)
        if not found.found.total:
            continue
        is_corrected = asked.fallback is Fallback.FUZZY and query.intent is Intent.PLAIN and not _is_enough(found)
        return _with_most_words(session, found) if is_corrected else found
    return answered


def whole_question(session: Session, written: str, words: tuple[str, ...]) -> Asked:
    """Return what asks for all words of a question in any form."""
    terms = content_terms(terms_of(session, written, words))
    content = tuple(term.word for term in terms)
    return Asked(Intent.PLAIN, all_terms(terms), tuple(dict.fromkeys((content, words))), terms=terms)


def _find(session: Session, question: Question, asked: Asked) -> Answered:
    question = put(question, asked)
    return Answered(asked, question, searching.find(session, question))


def _with_a_word_as_written(session: Session, full: Answered) -> Answered:
    """Return what all words find in order of time: only pages with one of them as written, if there are any."""
    written = AnyOf(tuple(Words((term.word,)) for term in full.asked.terms))
    assert full.asked.expression is not None
    strict = _find(session, full.question, replace(full.asked, expression=All((full.asked.expression, written))))
    return strict if strict.found.total else full


def _is_enough(answered: Answered) -> bool:
    found, terms = answered.found, answered.asked.terms
    return found.documents >= ENOUGH_DOCUMENTS or bool(found.total and len(terms) < 2)


def _with_most_words(session: Session, full: Answered) -> Answered:
    """Return what most of the words find, where all of them find little."""
    widened = _find(session, full.question, _partial(full.asked))
    if widened.found.total <= full.found.total:
        return full
    return replace(widened, total_all_words=full.found.total)


def _partial(asked: Asked) -> Asked:
    parts = AnyOf(tuple(term.expression for term in asked.terms))
    return replace(asked, expression=parts, is_partial=True)


def _fallbacks(session: Session, query: Query, whole: Asked) -> Iterator[Asked]:
    """Yield the ways to ask when no page has all words, in the order in which they are tried."""
    terms = whole.terms
    counts = document_counts(session, archive_state(session), terms)
    unknown = [term.word for term, count in zip(terms, counts, strict=True) if not count]
    words = tuple(term.word for term in terms)
    best = whole
    if unknown:
        if (beginnings := plain_expression(words, prefix=True)) not in {None, plain_expression(words)}:
            yield Asked(Intent.PLAIN, beginnings, whole.phrases, fallback=Fallback.PREFIX)
        if replaced := meant_words(session, unknown):
            best = _corrected(session, query, replaced)
            yield best
    if len(terms) > 1 and query.intent is Intent.PLAIN:
        yield replace(_partial(best), fallback=Fallback.MOST_WORDS)
    if parts := by_parts(session, words):
        yield Asked(Intent.PLAIN, parts, whole.phrases, fallback=Fallback.PARTS)


def _corrected(session: Session, query: Query, replaced: dict[str, str]) -> Asked:
    words = tuple(dict.fromkeys(replaced.get(word, word) for word in query.plain))
    said = " ".join(words)
    return replace(whole_question(session, said, words), fallback=Fallback.FUZZY, instead=said)
