"""Pages that get other names: their captures, texts, links and counts go with them."""

import pytest
from sqlalchemy import select

from tests.support.shelf import Shelf
from webstrata.db.captures.regrouping import mark_regrouped, sources_to_regroup
from webstrata.db.engine import Database
from webstrata.db.links.links import SnapshotLinks, store_outlinks
from webstrata.db.schema.link_tables import PageSignal
from webstrata.db.schema.tables import ArchiveJob, Document, Page, Snapshot
from webstrata.db.sources import sources
from webstrata.errors import ConflictError, NotFoundError
from webstrata.jobs.folders import regrouping
from webstrata.jobs.folders.regrouping import RegroupReport, regroup
from webstrata.model.search.values import SearchRequest, View
from webstrata.model.urls import url_group
from webstrata.search.service import search

SITE = "https://example.org"


def indexed(database: Database) -> None:
    """Nothing is being indexed any more."""
    with database.write() as session:
        for job in session.scalars(select(ArchiveJob)):
            job.status = "indexed"


def tell_apart(database: Database, *names: str, code: str = "hc") -> bool:
    with database.write() as session:
        return sources.set_page_parameters(session, code, names)


def link(database: Database, snapshot_id: int, *urls: str) -> None:
    """Let a snapshot link to pages."""
    with database.write() as session:
        row = session.get_one(Snapshot, snapshot_id)
        assert row.normalized_url_group
        targets = tuple(map(url_group, urls))
        links = SnapshotLinks(
            row.id, row.source_id or 0, row.normalized_url_group, row.capture_timestamp, True, targets
        )
        store_outlinks(session, [links])


def groups(database: Database) -> dict[int, str | None]:
    with database.read() as session:
        return {row.id: row.normalized_url_group for row in session.scalars(select(Snapshot))}


def pages(database: Database) -> dict[str, tuple[int, int]]:
    with database.read() as session:
        rows = session.scalars(select(Page))
        return {row.normalized_url_group: (row.snapshot_count, row.latest_snapshot_id) for row in rows}


def documents(database: Database) -> list[tuple[str, str]]:
    with database.read() as session:
        return sorted((row.normalized_url_group, row.text) for row in session.scalars(select(Document)))


def inlinks(database: Database) -> dict[str, int]:
    with database.read() as session:
        rows = session.scalars(select(PageSignal).where(PageSignal.inlink_count > 0))
        return {row.normalized_url_group: row.inlink_count for row in rows}


def found(database: Database, words: str) -> list[int]:
    return [hit.id for hit in search(database, SearchRequest(q=words, view=View.SNAPSHOTS)).results]


@pytest.fixture
def recipes(shelf: Shelf) -> dict[str, int]:
    """Three captures of two pages that only a parameter tells apart, and one of another page."""
    job = shelf.job("hc")
    ids = {
        "soup": shelf.page(job, f"{SITE}/recipe?id=1&utm_source=x", "2026-01-01", "leek soup", title="Soup"),
        "soup again": shelf.page(job, f"{SITE}/recipe/?utm_source=y&id=1", "2026-01-02", "leek soup", title="Soup"),
        "cake": shelf.page(job, f"{SITE}/recipe?id=2", "2026-01-03", "plum cake", title="Cake"),
        "home": shelf.page(job, f"{SITE}/", "2026-01-03", "home sweet home", title="Home"),
    }
    link(shelf.database, ids["home"], f"{SITE}/recipe?id=1", f"{SITE}/about")
    link(shelf.database, ids["cake"], f"{SITE}/")
    indexed(shelf.database)
    return ids


def test_a_page_parameter_distinguishes_pages_that_were_one(shelf: Shelf, recipes: dict[str, int]) -> None:
    database = shelf.database
    assert pages(database)[f"{SITE}/recipe"] == (3, recipes["cake"])
    assert tell_apart(database, "id") is True
    assert regroup(database) == [RegroupReport("hc", snapshots=4, moved=3, relinked=0)]
    assert groups(database) == {
        recipes["soup"]: f"{SITE}/recipe?id=1",
        recipes["soup again"]: f"{SITE}/recipe?id=1",
        recipes["cake"]: f"{SITE}/recipe?id=2",
        recipes["home"]: f"{SITE}/",
    }
    assert pages(database) == {
        f"{SITE}/recipe?id=1": (2, recipes["soup again"]),
        f"{SITE}/recipe?id=2": (1, recipes["cake"]),
        f"{SITE}/": (1, recipes["home"]),
    }


def test_texts_are_stored_once_under_their_new_names_and_found_as_before(shelf: Shelf, recipes: dict[str, int]) -> None:
    database = shelf.database
    before = found(database, "leek soup")
    tell_apart(database, "id")
    regroup(database)
    assert documents(database) == [
        (f"{SITE}/", "home sweet home"),
        (f"{SITE}/recipe?id=1", "leek soup"),
        (f"{SITE}/recipe?id=2", "plum cake"),
    ]
    assert found(database, "leek soup") == before != []
    assert found(database, "plum") == [recipes["cake"]]


def test_going_back_brings_back_what_was(shelf: Shelf, recipes: dict[str, int]) -> None:
    database = shelf.database
    before = groups(database), pages(database), documents(database), inlinks(database)
    tell_apart(database, "id")
    regroup(database)
    assert inlinks(database) == {f"{SITE}/": 1, f"{SITE}/recipe": 1, f"{SITE}/about": 1}
    tell_apart(database)
    regroup(database)
    assert (groups(database), pages(database), documents(database), inlinks(database)) == before
    assert found(database, "plum") == [recipes["cake"]]


def test_links_go_to_pages_by_their_new_names(shelf: Shelf, recipes: dict[str, int]) -> None:
    database = shelf.database
    tell_apart(database, "id")
    regroup(database)
    with database.write() as session:
        row = session.get_one(Snapshot, recipes["home"])
        targets = (f"{SITE}/recipe?id=1", f"{SITE}/recipe?id=2")
        links = SnapshotLinks(row.id, row.source_id or 0, f"{SITE}/", row.capture_timestamp, True, targets)
        store_outlinks(session, [links])
    tell_apart(database)
    assert regroup(database) == [RegroupReport("hc", snapshots=4, moved=3, relinked=1)]
    assert inlinks(database) == {f"{SITE}/": 1, f"{SITE}/recipe": 1}


def test_a_dry_run_counts_and_changes_nothing(shelf: Shelf, recipes: dict[str, int]) -> None:
    database = shelf.database
    tell_apart(database, "id")
    before = groups(database), pages(database), documents(database)
    assert regroup(database, dry_run=True) == [RegroupReport("hc", snapshots=4, moved=3, relinked=0)]
    assert (groups(database), pages(database), documents(database)) == before
    with database.read() as session:
        assert [source.code for source in sources_to_regroup(session)] == ["hc"]


def test_what_is_cut_off_continues_when_it_is_begun_again(
    shelf: Shelf, recipes: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    database = shelf.database
    monkeypatch.setattr(regrouping, "BATCH", 2)
    tell_apart(database, "id")

    def cut_off(_source: str, seen: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        regroup(database, progress=cut_off)
    assert f"{SITE}/recipe" in pages(database)
    assert regroup(database) == [RegroupReport("hc", snapshots=4, moved=1, relinked=0)]
    assert f"{SITE}/recipe" not in pages(database)
    assert regroup(database) == [], "a source that is grouped as it should be needs no more"


def test_another_sources_captures_of_the_same_page_stay(shelf: Shelf, recipes: dict[str, int]) -> None:
    database = shelf.database
    other = shelf.page(shelf.job("other"), f"{SITE}/recipe?id=1", "2026-01-05", "leek soup", title="Soup")
    indexed(database)
    tell_apart(database, "id")
    regroup(database)
    assert groups(database)[other] == f"{SITE}/recipe"
    assert (f"{SITE}/recipe", "leek soup") in documents(database)
    assert other in found(database, "leek soup")


def test_a_long_text_keeps_its_identity(shelf: Shelf) -> None:
    database, job = shelf.database, shelf.job("hc")
    text = "word " * 120_000
    first, second = (shelf.page(job, f"{SITE}/long?id=1", f"2026-01-0{day}", text) for day in (1, 2))
    indexed(database)
    tell_apart(database, "id")
    regroup(database)
    assert len(documents(database)) == 1
    third = shelf.page(job, f"{SITE}/long", "2026-01-03", text)
    indexed(database)
    tell_apart(database)
    regroup(database)
    assert len(documents(database)) == 1
    assert set(groups(database)) == {first, second, third}


def test_a_job_that_is_being_indexed_is_waited_for(shelf: Shelf, recipes: dict[str, int]) -> None:
    database = shelf.database
    with database.write() as session:
        session.get_one(ArchiveJob, 1).status = "indexing"
    with pytest.raises(ConflictError, match="job 1 of hc is running"):
        regroup(database, "hc")


def test_an_unknown_source_is_refused_with_the_known_ones(shelf: Shelf, recipes: dict[str, int]) -> None:
    with pytest.raises(NotFoundError, match="there is no source 'nope' \\(known are hc\\)"):
        regroup(shelf.database, "nope")


def test_parameters_that_change_meanwhile_are_not_taken_for_done(shelf: Shelf, recipes: dict[str, int]) -> None:
    database = shelf.database
    tell_apart(database, "id")
    with database.read() as session:
        (source,) = sources_to_regroup(session)
    tell_apart(database, "lang")
    with database.write() as session:
        assert mark_regrouped(session, source) is False
    with database.read() as session:
        assert sources_to_regroup(session) != []


def test_a_source_without_pages_needs_no_regrouping(shelf: Shelf) -> None:
    shelf.job("hc")
    assert tell_apart(shelf.database, "id") is False
    assert regroup(shelf.database) == []
