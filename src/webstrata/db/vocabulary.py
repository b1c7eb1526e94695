"""Vocabulary for spelling corrections: words of titles, addresses, headings and texts, looked up by similar spelling
and by parts."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import chain, compress, islice

from sqlalchemy import TextClause, bindparam, column, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session
from sqlalchemy.sql import table

from webstrata.content.blocks import HEADINGS
from webstrata.content.tokens import folded
from webstrata.content.words.stemming import stem_language
from webstrata.content.words.unspaced import has_unspaced_script
from webstrata.db.search.indexed_words import PreparedDocument
from webstrata.db.search.remembered_words import stored_among
from webstrata.db.search.word_forms import learn_forms
from webstrata.db.sql.bulk import ManyRows
from webstrata.db.sql.value_lists import Among
from webstrata.db.types import PlainText
from webstrata.model.search.similarity import MAX_LENGTH, MIN_LENGTH, trigrams

_MOST_HEADINGS = 60
MOST_TEXT_CHARACTERS = 20_000
"""How many characters of a text are read, so that a single long page cannot fill the vocabulary."""

MOST_WORDS_OF_TEXTS = 100_000
"""From this size on, only words of titles, URLs and headings are added, not those of texts. Common words come early;
later ones are mostly names and misspellings. On SQLite a lookup at this size takes some 0.1 seconds, and grows with the
size."""

_MOST_HOLDING = 50
_MOST_ALIKE = 200
_MOST_SCANNED = 50_000
_LENGTHS_APART = 3
_CHARACTERS_AT_ONCE = 20_000
_OF_HEADINGS = bytes(chr(letter) in HEADINGS for letter in range(256))
"""Translation table: 1 for letters of headings, else 0."""

_ADDRESS_START = "https://"


def words_to_learn(title: str, address: str, body: str, blocks: str | None) -> set[str]:
    """Return the words of a document's title, address and headings that are long enough for corrections."""
    return _misspellable(_titling(title, address, body, blocks))


def words_of_text(body: str) -> set[str]:
    """Return the words of a text's beginning that are long enough for corrections."""
    return _misspellable([body[:MOST_TEXT_CHARACTERS]])


def learn(session: Session, documents: Iterable[PreparedDocument]) -> None:
    """Add the words of new documents to the vocabulary and to the word forms of their languages."""
    reads_texts = (session.scalar(_SIZE) or 0) < MOST_WORDS_OF_TEXTS
    by_language: defaultdict[str | None, list[PreparedDocument]] = defaultdict(list)
    for document in documents:
        by_language[stem_language(document.language)].append(document)
    found: set[str] = set()
    # Sorted, to prevent deadlocks, like words below.
    for language, some in sorted(by_language.items(), key=lambda pair: pair[0] or ""):
        titling, texts = _pieces(_lines_of(some)), _pieces(_distinct_lines(some))
        words, in_texts = _folded_words(titling), _folded_words(texts)
        found |= words | in_texts if reads_texts else words
        if language is not None:
            learn_forms(session, language, words | in_texts, titling | texts)
    _add(session, _long_enough(found))


def _lines_of(documents: Iterable[PreparedDocument]) -> set[str]:
    """Return the titles, addresses and headings of documents."""
    found = (
        _titling(document.title, document.normalized_url_group, document.text, document.blocks)
        for document in documents
    )
    return set(chain.from_iterable(found))


def _distinct_lines(documents: Iterable[PreparedDocument]) -> set[str]:
    """Return the lines of the documents' beginnings: the pages of a site have many in common."""
    beginnings = (document.text[:MOST_TEXT_CHARACTERS].split("\n") for document in documents)
    return set(chain.from_iterable(beginnings))


def _pieces(lines: Iterable[str]) -> set[str]:
    """Return the distinct pieces of lines that are separated by spaces."""
    # Some lines at a time, so that their pieces are still in the processor's cache.
    found: set[str] = set()
    some: list[str] = []
    size = 0
    for line in lines:
        some.append(line)
        size += len(line)
        if size >= _CHARACTERS_AT_ONCE:
            found.update("\n".join(some).split())
            some, size = [], 0
    found.update("\n".join(some).split())
    return found


def _folded_words(pieces: Iterable[str]) -> set[str]:
    """Return the words that pieces are made of, folded."""
    return set(folded("\n".join(pieces)).split())


def _add(session: Session, words: set[str]) -> None:
    """Add new words of all documents at once, as these share most of their words."""
    if not words:
        return
    known = stored_among(session, "vocabulary", words, lambda some: known_words(session, some))
    # Sorted, because two processes that store the same words could deadlock otherwise.
    new = [(word,) for word in sorted(words - known)]
    dialect = session.get_bind().dialect.name
    _LEARN[dialect].execute(session, new)
    if new and dialect == "sqlite":
        _INDEX.execute(session, {"words": [word for (word,) in new]})


def known_words(session: Session, words: Collection[str]) -> set[str]:
    """Return those of some words that the vocabulary has."""
    return {row[0] for row in _KNOWN.execute(session, {"words": words})} if words else set()


def words_like(session: Session, word: str) -> Sequence[str]:
    """Return known words that are similar to a word, most shared trigrams first; `model/search/similarity.py` chooses
    among them."""
    lengths = {"shortest": len(word) - _LENGTHS_APART, "longest": len(word) + _LENGTHS_APART}
    if session.get_bind().dialect.name == "sqlite":
        asked = " OR ".join(f'"{part}"' for part in sorted(trigrams(word)))
        return session.scalars(_SQLITE_LIKE, {"asked": asked, "most": _MOST_ALIKE, **lengths}).all()
    if session.scalar(_HAS_TRIGRAMS):
        pieces = {f"p{number}": f"%{piece}%" for number, piece in enumerate(sorted(trigrams(word)))}
        given = {"word": word, "most": _MOST_ALIKE, **pieces, **lengths}
        return session.scalars(_postgresql_like(len(pieces)), given).all()
    return session.scalars(_SCAN, {"first": word[:1], "most": _MOST_SCANNED, **lengths}).all()


@cache
def _postgresql_like(pieces: int) -> TextClause:
    # Without PostgreSQL's similarity operator, which misses short words with two letters swapped, as they share too few
    # trigrams.
    any_piece = " OR ".join(f"word LIKE :p{number}" for number in range(pieces))
    return text(
        f"SELECT word FROM vocabulary WHERE ({any_piece}) AND length(word) BETWEEN :shortest AND :longest"  # noqa: S608
        " ORDER BY similarity(word, :word) DESC, word LIMIT :most"
    )


def words_holding(session: Session, part: str) -> Sequence[str]:
    """Return known words that contain a part, the shortest first; empty when the part is too short."""
    if len(part) < _SHORTEST_PART and not has_unspaced_script(part):
        return []
    given = {"part": part, "most": _MOST_HOLDING}
    if session.get_bind().dialect.name == "sqlite":
        if len(part) < _SHORTEST_PART:
            return session.scalars(_SQLITE_HOLDING_SHORT, given).all()
        asked = " AND ".join(f'"{piece}"' for piece in sorted(trigrams(part)))
        return session.scalars(_SQLITE_HOLDING, {"asked": asked, **given}).all()
    return session.scalars(_POSTGRESQL_HOLDING, given).all()


def _titling(title: str, address: str, body: str, blocks: str | None) -> list[str]:
    """Return the texts that describe a document: its title, its address and its first headings."""
    headings = (blocks or "").encode().translate(_OF_HEADINGS)
    found = islice(compress(body.split("\n"), headings), _MOST_HEADINGS) if any(headings) else ()
    return [title, address.removeprefix(_ADDRESS_START), *found]


def _misspellable(lines: Iterable[str]) -> set[str]:
    """Return the words of some lines that are long enough for corrections."""
    # Of all lines together, as most words occur many times.
    return _long_enough(set(folded("\n".join(lines)).split()))


def _long_enough(words: set[str]) -> set[str]:
    return {word for word in words if MIN_LENGTH <= len(word) <= MAX_LENGTH and word.isalpha()}


_VOCABULARY = table("vocabulary", column("word", PlainText()))
_LEARN = {
    "sqlite": ManyRows(
        sqlite.insert(_VOCABULARY).values(word=bindparam("word")).on_conflict_do_nothing(),
        {"word": _VOCABULARY.c.word},
    ),
    "postgresql": ManyRows(
        postgresql.insert(_VOCABULARY).values(word=bindparam("word")).on_conflict_do_nothing(),
        {"word": _VOCABULARY.c.word},
    ),
}
_KNOWN = Among("SELECT word FROM vocabulary WHERE word IN <words>", (("words", "text"),))
_INDEX = Among(
    "INSERT INTO vocabulary_trigrams (rowid, word) SELECT id, word FROM vocabulary WHERE word IN <words>",
    (("words", "text"),),
)
_SQLITE_LIKE = text(
    "SELECT v.word FROM vocabulary_trigrams t JOIN vocabulary v ON v.id = t.rowid"
    " WHERE vocabulary_trigrams MATCH :asked AND length(v.word) BETWEEN :shortest AND :longest"
    " ORDER BY t.rank LIMIT :most"
)
_SIZE = text("SELECT max(id) FROM vocabulary")
_SHORTEST_PART = 3
_SQLITE_HOLDING = text(
    "SELECT v.word FROM vocabulary_trigrams t JOIN vocabulary v ON v.id = t.rowid"
    " WHERE vocabulary_trigrams MATCH :asked AND instr(v.word, :part) > 0 ORDER BY length(v.word), v.word LIMIT :most"
)
_SQLITE_HOLDING_SHORT = text(
    "SELECT word FROM vocabulary WHERE instr(word, :part) > 0 ORDER BY length(word), word LIMIT :most"
)
_POSTGRESQL_HOLDING = text(
    "SELECT word FROM vocabulary WHERE word LIKE '%' || :part || '%'"
    ' ORDER BY length(word), word COLLATE "C" LIMIT :most'
)
_HAS_TRIGRAMS = text("SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm')")
_SCAN = text(
    "SELECT word FROM vocabulary WHERE word LIKE :first || '%' AND length(word) BETWEEN :shortest AND :longest"
    " ORDER BY word LIMIT :most"
)
