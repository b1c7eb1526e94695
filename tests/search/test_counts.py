"""Counts are remembered, and never longer than they are true."""

import pytest
from sqlalchemy import event

from tests.support.shelf import Shelf
from webstrata.db.captures.documents import forget_documents
from webstrata.db.captures.snapshots import delete_snapshots, refresh_pages
from webstrata.db.engine import Database
from webstrata.db.schema.tables import Snapshot
from webstrata.db.search import cache
from webstrata.model.search.values import FacetCount, SearchRequest, Sort, View
from webstrata.search.service import search

SITE = "https://example.org"
REQUESTS = [
    SearchRequest(q=q, view=view, sort=sort, facets=True) for q in ("flu", None) for view in View for sort in Sort
]


def totals(database: Database) -> set[int]:
    return {search(database, request).total for request in REQUESTS}


def drop(database: Database, snapshot_id: int) -> None:
    with database.write() as session:
        row = session.get_one(Snapshot, snapshot_id)
        source, group, document = row.source_id, row.normalized_url_group, row.document_id
        assert source is not None
        assert group is not None
        assert document is not None
        delete_snapshots(session, [snapshot_id])
        refresh_pages(session, source, [group])
        forget_documents(session, [document])


def test_every_count_follows_what_is_added_and_dropped(database: Database, shelf: Shelf) -> None:
    job, other = shelf.job("hc"), shelf.job("phac")
    assert totals(database) == {0}
    first = shelf.page(job, f"{SITE}/1", "2024-01-01", "flu")
    assert totals(database) == {1}
    shelf.page(other, f"{SITE}/2", "2025-01-01", "flu")
    assert totals(database) == {2}
    found = search(database, SearchRequest(q="flu", facets=True)).facets
    assert found is not None
    assert found["source"] == (FacetCount("hc", 1), FacetCount("phac", 1))
    drop(database, first)
    assert totals(database) == {1}
    found = search(database, SearchRequest(q="flu", facets=True)).facets
    assert found is not None
    assert found["source"] == (FacetCount("phac", 1),)


def test_what_was_counted_is_not_counted_again_until_the_archive_changes(database: Database, shelf: Shelf) -> None:
    job = shelf.job()
    shelf.page(job, f"{SITE}/1", "2024-01-01", "flu")
    asked: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))

    def counting() -> int:
        asked.clear()
        totals(database)
        return sum("count(" in statement for statement in asked if "GROUP BY e.document_id" not in statement)

    first, again = counting(), counting()
    shelf.page(job, f"{SITE}/2", "2024-01-02", "flu")
    changed = counting()
    assert again < first <= changed


def test_no_more_counts_are_kept_than_there_is_room_for(
    database: Database, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_MOST_CACHED", 2)
    job = shelf.job()
    for number in range(5):
        shelf.page(job, f"{SITE}/{number}", "2024-01-01", f"flu word{number}")
    for _ in range(2):
        for number in range(5):
            assert search(database, SearchRequest(q=f"word{number}", sort=Sort.NEWEST)).total == 1
    assert len(cache._cache_of(database.engine)) == 2
