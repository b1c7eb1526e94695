"""The links of captured pages: found by their keys, however many captures there are."""

import re
from typing import Any

from sqlalchemy import event, text

from tests.support.shelf import Shelf
from webstrata.db.captures import captures
from webstrata.db.captures.new_rows import NewLinks
from webstrata.db.engine import Database
from webstrata.db.links import capture_links
from webstrata.db.links.capture_links import links_key, stored_links

URLS = [f"https://example.org/{number}" for number in range(3)]


def test_links_are_found_by_record_and_url_and_stored_once(database: Database, shelf: Shelf) -> None:
    shelf.page(shelf.job(), URLS[0], "2026-01-01")
    with database.write() as session:
        file_id, offset = session.execute(text("SELECT warc_file_id, warc_offset FROM captures")).one()
        capture_links.add_links(session, [NewLinks(file_id, offset, url, url.encode()) for url in URLS[:2]])
        capture_links.add_links(session, [NewLinks(file_id, offset, URLS[0], b"another")])
    with database.read() as session:
        keys = [links_key(file_id, offset, url) for url in URLS]
        assert stored_links(session, keys) == {keys[0]: URLS[0].encode(), keys[1]: URLS[1].encode()}
        assert stored_links(session, []) == {}


def test_earlier_captures_and_their_links_are_found_through_indexes(database: Database) -> None:
    """A crawl asks for them with every few pages: what reads all captures of a source takes longer with each."""
    asked: list[tuple[str, Any]] = []
    event.listen(database.engine, "before_cursor_execute", lambda *given: asked.append((given[2], given[3])))
    with database.read() as session:
        captures.earlier_captures(session, 1, 2, URLS, lambda *_: True)
        stored_links(session, [(1, 2, 3), (4, 5, 6)])
    plans = [" ".join(plan(database, *one)) for one in asked if one[0].startswith("SELECT")]
    assert len(plans) == 2
    assert "ix_captures_url_key_capture_timestamp" in plans[0]
    assert ("PRIMARY KEY (warc_file_id=? AND warc_offset=? AND url_hash=?)" if database.is_sqlite else "pk_") in plans[
        1
    ]
    scan = r"SCAN (captures|l)\b" if database.is_sqlite else r"Seq Scan on captures|Seq Scan on capture_links"
    assert not [found for found in plans if re.search(scan, found)]


def plan(database: Database, statement: str, parameters: Any) -> list[str]:
    with database.engine.connect() as connection:
        if not database.is_sqlite:
            connection.execute(text("SET enable_seqscan = off"))
        explain = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
        return [str(row[-1]) for row in connection.exec_driver_sql(explain + statement, parameters)]
