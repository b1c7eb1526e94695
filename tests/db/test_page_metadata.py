from webstrata.db.captures.page_metadata import load_metadata, store_metadata
from webstrata.db.engine import Database


def test_what_pages_state_is_stored_by_their_bodies_and_the_last_word_counts(database: Database) -> None:
    with database.write() as session:
        store_metadata(session, {"a" * 64: '{"published":"2024"}', "b" * 64: '{"canonical":"/é"}'})
        store_metadata(session, {"a" * 64: '{"published":"2025"}'})
        store_metadata(session, {})
    with database.read() as session:
        assert load_metadata(session, "a" * 64) == {"published": "2025"}
        assert load_metadata(session, "b" * 64) == {"canonical": "/é"}
        assert load_metadata(session, "c" * 64) == {}
