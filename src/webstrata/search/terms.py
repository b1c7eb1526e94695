"""Terms of a query: each word with its other forms in the languages of the archive."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from webstrata.content.words.compounds import joined_pairs, split_number
from webstrata.content.words.irregular import irregular_forms
from webstrata.content.words.stemming import stems_of
from webstrata.content.words.unspaced import has_unspaced_script
from webstrata.content.words.word_forms import accented_words
from webstrata.db import vocabulary
from webstrata.db.engine import Session
from webstrata.db.search import fulltext
from webstrata.db.search.cache import cached_result
from webstrata.db.search.question import archive_state
from webstrata.db.search.word_forms import forms_by_stem, languages_of_forms
from webstrata.model.search.query import Expression, Words, wanted_words
from webstrata.model.search.stop_words import question_languages, stop_words_in
from webstrata.model.search.terms import Form, Term, with_forms

_MOST_WORDS = 40
"""The number of words whose other forms are looked up; longer questions are texts that contain several forms
themselves."""

_MOST_FORMS = 24
_MOST_CLAUSES, _MOST_IN_CLAUSES = 50, 8
"""Limits for scripts without spaces: the number of clauses that match a word, and of words that are searched in
clauses. For a short word the whole vocabulary is read."""

_SHORTEST_PART = 4
_FEW_DOCUMENTS = 500
"""A compound that is in so many documents is usually written as one word: its parts are not searched."""


def terms_of(session: Session, written: str, words: Sequence[str]) -> tuple[Term, ...]:
    """Return the terms of a plain question: `words` are its words, folded."""
    languages = question_languages(words, _languages(session))
    stop_words = stop_words_in(words, languages)
    content = [word for word in words if word not in stop_words][:_MOST_WORDS]
    forms = _forms(session, written, content, languages)
    return tuple(Term(word, forms.get(word, ()), word in stop_words) for word in words)


def expression_with_forms(session: Session, written: str, expression: Expression) -> Expression:
    """Return an expression that also matches other forms of its words, except of quoted ones."""
    asked = [part for part in wanted_words(expression) if not part.is_quoted]
    words = list(dict.fromkeys(word for part in asked for word in part.words))[:_MOST_WORDS]
    found = _forms(session, written, words, question_languages(words, _languages(session)))
    forms: dict[Form, tuple[Form, ...]] = {(word,): some for word, some in found.items()}
    forms |= {part.words: (("".join(part.words),),) for part in asked if len(part.words) > 1}
    return with_forms(expression, forms)


def _languages(session: Session) -> tuple[str, ...]:
    # An empty result is not cached: adding word forms of stored texts does not change the archive's change counter.
    return cached_result(session, archive_state(session), "languages", lambda: languages_of_forms(session), bool)


def _forms(
    session: Session, written: str, words: Sequence[str], languages: Sequence[str]
) -> dict[str, tuple[Form, ...]]:
    """Return the other forms of words, by word."""
    found: dict[str, dict[Form, None]] = {word: {} for word in words}
    for word, form in (
        *_of_the_same_stem(session, written, words, languages),
        *_irregular(words, languages),
        *_in_one_piece(session, written, words),
        *_in_parts(session, words),
        *_in_clauses(session, words),
    ):
        if word in found and form != (word,):
            found[word][form] = None
    return {
        word: tuple(sorted(forms, key=lambda form: _distance(form, word))[: _most_forms(word)])
        for word, forms in found.items()
    }


def _of_the_same_stem(
    session: Session, written: str, words: Sequence[str], languages: Sequence[str]
) -> Iterable[tuple[str, Form]]:
    accented = accented_words(written.split())
    stems = {
        language: {
            word: {word, *stems_of(word, language), *stems_of(accented.get(word, word), language)} for word in words
        }
        for language in languages
    }
    under = forms_by_stem(session, {language: set().union(*by.values()) for language, by in stems.items()})
    for language, by_word in stems.items():
        for word, some in by_word.items():
            for stem in some:
                yield from ((word, tuple(form.split())) for form in under.get((language, stem), ()))


def _irregular(words: Sequence[str], languages: Sequence[str]) -> Iterable[tuple[str, Form]]:
    for language in languages:
        yield from ((word, (form,)) for word in words for form in irregular_forms(word, language))


def _in_one_piece(session: Session, written: str, words: Sequence[str]) -> Iterable[tuple[str, Form]]:
    """Yield words of a question with their spelling as one word: `healthcare` for `health care`."""
    for parts, joined in joined_pairs(written):
        yield from ((word, (joined,)) for word in parts)
    pairs = {one + other: (one, other) for one, other in pairwise(words) if _may_be_part(one) and _may_be_part(other)}
    for joined in vocabulary.known_words(session, pairs):
        yield from ((word, (joined,)) for word in pairs[joined])


def _in_parts(session: Session, words: Sequence[str]) -> Iterable[tuple[str, Form]]:
    """Yield words of a question with their spelling as several words: `500 mg` for `500mg`."""
    for word in words:
        if parts := split_number(word):
            yield word, parts
    cuts = {word: [*_cuts(word)] for word in words if word.isalpha()}
    known = vocabulary.known_words(session, {part for some in cuts.values() for cut in some for part in cut})
    for word, some in cuts.items():
        whole = [cut for cut in some if known.issuperset(cut)]
        if whole and fulltext.count_documents(session, Words((word,)), _FEW_DOCUMENTS) < _FEW_DOCUMENTS:
            yield word, whole[0]


def _in_clauses(session: Session, words: Sequence[str]) -> Iterable[tuple[str, Form]]:
    """Yield words of scripts without spaces with the clauses that contain them: a clause is indexed as one word."""
    for word in [word for word in words if has_unspaced_script(word)][:_MOST_IN_CLAUSES]:
        yield from ((word, (clause,)) for clause in vocabulary.words_holding(session, word))


def _cuts(word: str) -> Iterable[tuple[str, str]]:
    return ((word[:place], word[place:]) for place in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1))


def _may_be_part(word: str) -> bool:
    return word.isalpha() and len(word) >= _SHORTEST_PART - 1


def _most_forms(word: str) -> int:
    return _MOST_CLAUSES if has_unspaced_script(word) else _MOST_FORMS


def _distance(form: Form, word: str) -> tuple[int, int, Form]:
    """Return the sort key of a form by its similarity to a word: common first letters, then length."""
    joined = "".join(form)
    shared = next((n for n, (one, other) in enumerate(zip(joined, word, strict=False)) if one != other), len(word))
    return -shared, abs(len(joined) - len(word)), form
