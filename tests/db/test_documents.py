from contextlib import suppress

import pytest
from sqlalchemy import func, select, text

from webstrata.content.tokens import tokens
from webstrata.db.captures.documents import ensure_documents
from webstrata.db.engine import Database
from webstrata.db.schema.tables import Document
from webstrata.db.search.fulltext import matched, matching
from webstrata.db.search.indexed_words import MAX_STORED_CHARACTERS, NewDocument
from webstrata.db.search.scope import SearchScope
from webstrata.db.search.scores import judged
from webstrata.db.search.word_forms import forms_by_stem
from webstrata.db.vocabulary import known_words
from webstrata.model.search.query import plain_expression
from webstrata.model.search.values import SearchRequest

GROUP = "https://example.org/a"


def store(database: Database, *documents: NewDocument) -> list[int]:
    with database.write() as session:
        ids = ensure_documents(session, documents)
    return [ids[document.key] for document in documents]


def found(database: Database, *words: str) -> dict[int, float]:
    with database.read() as session:
        asked = plain_expression(words)
        assert asked is not None
        dialect = session.get_bind().dialect.name
        match = matching(asked, dialect)
        ids = session.scalars(text(matched(match, dialect)), match.given()).all()
        return judged(session, SearchScope(SearchRequest(), dialect, match=match), ids).relevance


def count(database: Database) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(Document)) or 0


def test_a_text_is_stored_once_however_often_it_comes(database: Database) -> None:
    one = NewDocument(GROUP, "Title", "text")
    first = store(database, one, one)
    assert store(database, one, NewDocument(GROUP, "Title", "text")) == first
    assert count(database) == 1
    assert len(found(database, "text")) == 1


def test_another_title_text_or_page_is_another_document(database: Database) -> None:
    ids = store(
        database,
        NewDocument(GROUP, "Title", "text"),
        NewDocument(GROUP, "Title", "text2"),
        NewDocument(GROUP, "Title2", "text"),
        NewDocument(GROUP + "b", "Title", "text"),
        NewDocument(GROUP, "Titletext", ""),
    )
    assert len(set(ids)) == count(database) == 5


def test_words_are_found_in_title_address_and_text(database: Database) -> None:
    (only,) = store(database, NewDocument("https://example.org/vaccins", "Un titre", "Du texte"))
    for word in ("titre", "texte", "vaccins", "example"):
        assert list(found(database, word)) == [only]
    assert found(database, "titre", "texte", "vaccins").keys() == {only}
    assert found(database, "titre", "nothing") == {}


def test_a_hit_in_the_title_weighs_more_than_one_in_the_address_and_that_more_than_one_in_the_text(
    database: Database,
) -> None:
    filler = "some other words that are here to fill up the text so that one hit does not make all of it"
    title, address, text = store(
        database,
        NewDocument("https://example.org/a", "Measles", filler),
        NewDocument("https://example.org/measles", "A title", filler),
        NewDocument("https://example.org/c", "A title", f"{filler} measles"),
    )
    scores = found(database, "measles")
    assert scores[title] > scores[address] > scores[text]


def test_a_text_of_any_size_and_kind_is_stored(database: Database) -> None:
    many_words = " ".join(f"слово{number}" for number in range(100_000))
    documents = [
        NewDocument(GROUP + "1", "", many_words),
        NewDocument(GROUP + "2", "", "x" * 2_000_000),
        NewDocument(GROUP + "3", "", "".join(map(chr, range(0x4E00, 0x9FFF))) * 20),
        NewDocument(GROUP + "4", "", " ".join(map(chr, range(0x4E00, 0x9FFF))) * 20),
        NewDocument(GROUP + "5", "", "".join(f"ﷺ{number}" for number in range(80_000))),
        NewDocument(GROUP + "6", "", "the same word again " * 30_000),
        NewDocument(GROUP + "7", "t\0itle", "nul\0 'quotes' \"double\" \\back:slash & | ! ( ) <-> *"),
        NewDocument(GROUP + "8", "", ""),
        NewDocument("https://example.org/" + "x" * 2_028, "long address", "text"),
    ]
    ids = store(database, *documents)
    assert len(set(ids)) == len(documents)
    assert found(database, "слово0").keys() == {ids[0]}
    assert found(database, "again").keys() == {ids[5]}
    assert found(database, "quotes", "back", "slash").keys() == {ids[6]}
    with database.read() as session:
        texts = session.scalars(select(Document.text).order_by(Document.id)).all()
    assert max(map(len, texts)) <= MAX_STORED_CHARACTERS
    assert [text[:50] for text in texts] == [document.text.replace("\0", "")[:50] for document in documents]


@pytest.mark.parametrize("word", ["and", "or", "not", "near", "10", "covid19", "1e5", "0x1f", "a", "日本語", "oeuvre"])
def test_no_word_is_special(database: Database, word: str) -> None:
    (only,) = store(database, NewDocument(GROUP, "", f"before {word} after"))
    assert found(database, word).keys() == {only}
    assert found(database, "before", word, "after").keys() == {only}
    assert found(database, f"{word}x") == {}


def spelled_out(title: list[str], address: list[str], body: list[str]) -> str:
    """Return the words of a document as PostgreSQL reads them from text, one place after the other."""
    behind_title = len(title) + 2
    behind_address = behind_title + len(address) + 1
    placed = [(mark + word, place, "A") for mark in ("", "=") for place, word in enumerate(title, 1)]
    placed += [(mark + word, place, "B") for mark in ("", "@") for place, word in enumerate(address, behind_title)]
    placed += [(word, place, "") for place, word in enumerate(body, behind_address)]
    fitting = [one for one in placed if len(one[0].encode()) <= 2_046]
    return " ".join(f"'{word}':{min(place, 16_383)}{weight}" for word, place, weight in fitting)


@pytest.mark.parametrize(
    ("title", "body"),
    [
        (["Title"], ["title", "Été", "text", "title", "日本語"]),
        ([], []),
        (["long"], [*(f"w{number % 7_000}" for number in range(17_000)), "late", "late", "long"]),
        ([f"t{number}" for number in range(16_400)], ["t16399", "t0", "body", "a"]),
        (["x" * 2_046, "é" * 1_500, "fits" * 500], ["日" * 683, "日" * 681]),
    ],
)
def test_words_are_sent_as_the_server_would_read_them_from_text(
    postgres_url: str, title: list[str], body: list[str]
) -> None:
    database = Database(postgres_url)
    store(database, NewDocument(GROUP, " ".join(title), " ".join(body)))
    plain = spelled_out(*(tokens(" ".join(words)) for words in (title, [GROUP], body)))
    with database.read() as session:
        asked = "SELECT search_vector = CAST(:plain AS tsvector), search_vector::text FROM documents"
        is_same, stored = session.execute(text(asked), {"plain": plain}).one()
    assert is_same, f"{stored[:500]} is not {plain[:500]}"
    database.dispose()


def test_a_word_has_as_many_places_as_the_server_takes(postgres_url: str) -> None:
    database = Database(postgres_url)
    store(database, NewDocument(GROUP, "", "same " * 20_000))
    with database.read() as session:
        asked = "SELECT cardinality(positions) FROM documents, unnest(search_vector) WHERE lexeme = 'same'"
        assert session.scalar(text(asked)) == 255
    database.dispose()


def test_a_long_text_takes_little_room_and_is_read_as_it_was(database: Database) -> None:
    long = " ".join(f"mot{number} é" for number in range(2_000))
    first, second = store(database, NewDocument(GROUP, "", long), NewDocument(GROUP + "b", "", "short"))
    with database.read() as session:
        assert session.get_one(Document, first).text == long
        assert session.get_one(Document, second).text == "short"
        stored = "length(CAST(text AS blob))" if database.is_sqlite else "pg_column_size(text)"
        size = session.scalar(text(f"SELECT {stored} FROM documents WHERE id = :first"), {"first": first})
    assert size is not None
    assert size < len(long.encode()) // 2


def test_a_text_that_an_earlier_version_stored_is_read(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    (only,) = store(database, NewDocument(GROUP, "", "word " * 500))
    with database.write() as session:
        session.execute(text("UPDATE documents SET text = :plain"), {"plain": "plain " * 500})
    with database.read() as session:
        assert session.get_one(Document, only).text == "plain " * 500
    database.dispose()


def test_words_of_a_transaction_that_was_rolled_back_are_learnt_later(database: Database) -> None:
    def learnt() -> bool:
        with database.read() as session:
            is_known = known_words(session, {"quokka"}) == {"quokka"}
            return is_known and bool(forms_by_stem(session, {"en": {"quokka"}}))

    one, other = (NewDocument(f"{GROUP}{number}", "Title", f"quokkas quokka {number}", "en") for number in (1, 2))
    # Stored twice in a transaction: the second time its words are found, and still they are not stored for good.
    with suppress(ZeroDivisionError), database.write() as session:
        ensure_documents(session, [one])
        ensure_documents(session, [other])
        raise ZeroDivisionError
    assert not learnt()
    store(database, other)
    assert learnt()
    store(database, one)
    assert learnt()
