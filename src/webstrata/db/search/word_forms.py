"""Word forms: collected from the stored texts, looked up by stem for each search.

The full-text indexes contain words as they are written, and a query is widened to all forms of its words. So every
database finds the same, and exact words and phrases can still be searched.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping

from sqlalchemy import bindparam, column, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session
from sqlalchemy.sql import table

from webstrata.content.words.word_forms import accented_words, compound_forms, stemmed, words_with_forms
from webstrata.db.search.remembered_words import stored_among
from webstrata.db.sql.bulk import ManyRows
from webstrata.db.sql.value_lists import Among
from webstrata.db.types import PlainText

MOST_FORMS = 500_000
"""The most forms that are stored. Common words come early; later ones are mostly names and misspellings, which are
still found as they are written."""

_LONGEST_FORM, _LONGEST_STEM = 64, 40


def learn_forms(session: Session, language: str, words: Collection[str], pieces: Collection[str]) -> None:
    """Add the word forms of a text that are new in its language; `words` are folded, `pieces` are the texts that they
    are from."""
    dialect = session.get_bind().dialect.name
    if (session.scalar(_SIZE[dialect]) or 0) >= MOST_FORMS:
        return
    compounds = compound_forms(pieces, language)
    requested = words_with_forms(words) | {form for _, form in compounds}
    known = stored_among(session, f"forms {language}", requested, lambda some: _known_forms(session, some, language))
    new = requested - known
    if not new:
        return
    pairs = stemmed(words_with_forms(words) - known, accented_words(pieces), language)
    pairs += [(stem, form) for stem, form in compounds if form in new]
    # Sorted, because two processes that store the same words could deadlock otherwise.
    rows = sorted({(form, language, stem) for stem, form in pairs if _fits(form, stem)})
    _LEARN[dialect].execute(session, rows)


def _known_forms(session: Session, words: Collection[str], language: str) -> set[str]:
    return {row[0] for row in _KNOWN.execute(session, {"words": words}, language=language)}


def forms_by_stem(session: Session, stems: Mapping[str, Collection[str]]) -> dict[tuple[str, str], list[str]]:
    """Return the forms of some stems, by language and stem; `stems` has those of each language."""
    requested = {stem for some in stems.values() for stem in some}
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    if requested:
        for language, stem, word in _UNDER.execute(session, {"stems": requested, "languages": [*stems]}):
            if stem in stems[language]:
                found[language, stem].append(word)
    return found


def languages_of_forms(session: Session) -> tuple[str, ...]:
    """Return the languages that words are stemmed in, in the order of their codes."""
    return tuple(session.scalars(_LANGUAGES))


def _fits(form: str, stem: str) -> bool:
    return len(form) <= _LONGEST_FORM and len(stem) <= _LONGEST_STEM


_FORMS = table("word_forms", column("word", PlainText()), column("language", PlainText()), column("stem", PlainText()))
_COLUMNS = {name: _FORMS.c[name] for name in ("word", "language", "stem")}
_LEARN = {
    name: ManyRows(
        dialect.insert(_FORMS).values({name: bindparam(name) for name in _COLUMNS}).on_conflict_do_nothing(), _COLUMNS
    )
    for name, dialect in (("sqlite", sqlite), ("postgresql", postgresql))
}
_KNOWN = Among("SELECT word FROM word_forms WHERE language = :language AND word IN <words>", (("words", "text"),))
_UNDER = Among(
    "SELECT language, stem, word FROM word_forms WHERE stem IN <stems> AND language IN <languages> ORDER BY word",
    (("stems", "text"), ("languages", "text")),
    few=True,
)
# An estimate: counting for every batch would take as long as storing. No form is ever deleted.
_SIZE = {
    "sqlite": text("SELECT max(rowid) FROM word_forms"),
    "postgresql": text("SELECT CAST(reltuples AS bigint) FROM pg_class WHERE oid = CAST('word_forms' AS regclass)"),
}
_LANGUAGES = text("SELECT DISTINCT language FROM word_forms ORDER BY language")
