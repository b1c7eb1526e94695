"""The narrow rows behind a search: they follow the snapshots, whatever becomes of them."""

from sqlalchemy import select, text, update

from tests.support.shelf import Shelf
from webstrata.db.captures.snapshots import refresh_pages
from webstrata.db.engine import Database
from webstrata.db.migrate import downgrade, upgrade
from webstrata.db.schema.search_tables import SearchEntry, VocabularyWord
from webstrata.db.schema.tables import Page, Snapshot
from webstrata.model.search.values import SearchRequest, View
from webstrata.search.service import search

SITE = "https://example.org"


def entries(database: Database) -> list[tuple[object, ...]]:
    columns = (
        *(SearchEntry.snapshot_id, SearchEntry.document_id, SearchEntry.page_id, SearchEntry.captured_at),
        *(SearchEntry.status_rank, SearchEntry.repeated, SearchEntry.url_cost, SearchEntry.language, SearchEntry.kind),
    )
    with database.read() as session:
        return [tuple(row) for row in session.execute(select(*columns).order_by(SearchEntry.snapshot_id))]


def words(database: Database) -> list[str]:
    with database.read() as session:
        return [*session.scalars(select(VocabularyWord.word).order_by(VocabularyWord.word))]


def filled(shelf: Shelf) -> None:
    job = shelf.job()
    for at, url, status in (
        ("2024-01-01T10:00:00", f"{SITE}/influenza", 200),
        ("2024-01-01T11:00:00", f"{SITE}/influenza", 200),
        ("2024-01-01T12:00:00", f"{SITE}/influenza?x=1", 404),
        ("2024-01-02T10:00:00", f"{SITE}/measles?utm_source=a", None),
        ("2024-01-02T10:00:00", f"{SITE}/measles?gclid=a", 301),
    ):
        shelf.page(job, url, at, "text", title="Some title", status=status)


def test_a_row_states_what_a_search_asks_of_a_snapshot(database: Database, shelf: Shelf) -> None:
    filled(shelf)
    assert [row[4:] for row in entries(database)] == [
        (0, 1, 0, "en", "html"),
        (0, 0, 0, "en", "html"),
        (3, 0, 1, "en", "html"),
        (2, 0, 2, "en", "html"),
        (1, 0, 2, "en", "html"),
    ]


def test_a_database_that_is_upgraded_has_the_rows_that_the_index_would_have_made(
    database: Database, shelf: Shelf
) -> None:
    filled(shelf)
    before, learnt = entries(database), words(database)
    with database.read() as session:
        newest = session.scalars(select(Page.latest_ok_timestamp).order_by(Page.id)).all()
    downgrade(database, "0005")
    upgrade(database)
    assert (entries(database), words(database)) == (before, learnt)
    with database.read() as session:
        assert session.scalars(select(Page.latest_ok_timestamp).order_by(Page.id)).all() == newest
    assert search(database, SearchRequest(q="infleunza")).instead == "influenza"


def test_a_database_that_is_upgraded_knows_which_words_stand_where(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    pages = {
        shelf.page(job, f"{SITE}/{name}", "2024-01-01", text, title=title): name
        for name, title, text in (
            ("flu-season", "Measles and mumps", "wash your hands"),
            ("hands", "", "measles and flu season"),
            ("empty", "Wash", ""),
        )
    }
    asked = (
        *("title:measles", 'title:"and mumps"', "url:flu", 'url:"flu season"', "snippet:measles", "hands -url:hands"),
        *('"mumps https"', '"season wash"', '"flu season"', "title:mum", "wash", "NOT title:wash"),
    )

    def found() -> dict[str, set[str]]:
        return {q: {pages[hit.id] for hit in search(database, SearchRequest(q=q)).results} for q in asked}

    before = found()
    assert before["title:measles"] == {"flu-season"}
    assert before['"mumps https"'] == set()
    downgrade(database, "0006")
    upgrade(database)
    assert found() == before


def test_a_page_that_gets_another_name_takes_its_rows_along(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    one = shelf.page(job, f"{SITE}/a", "2024-01-01", "flu")
    two = shelf.page(job, f"{SITE}/b", "2024-01-02", "flu")
    with database.write() as session:
        session.execute(update(Snapshot).where(Snapshot.id == one).values(normalized_url_group=f"{SITE}/b"))
        refresh_pages(session, 1, [f"{SITE}/a", f"{SITE}/b"])
    assert [view.id for view in search(database, SearchRequest(q="flu", view=View.PAGES)).results] == [two]
    assert len({row[2] for row in entries(database)}) == 1


def test_without_the_extension_a_misspelt_word_is_still_understood(database: Database, shelf: Shelf) -> None:
    filled(shelf)
    if not database.is_sqlite:
        with database.write() as session:
            session.execute(text("DROP EXTENSION pg_trgm CASCADE"))
    assert search(database, SearchRequest(q="infleunza")).instead == "influenza"
