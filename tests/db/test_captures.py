from datetime import UTC, datetime, timedelta

import pytest

from tests.support.shelf import Shelf
from webstrata.db.captures import captures, payloads
from webstrata.db.captures.captures import KnownWarc
from webstrata.db.captures.new_rows import NewCapture
from webstrata.db.engine import Database
from webstrata.errors import DatabaseError
from webstrata.model.captures import Original
from webstrata.model.urls import surt

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def job(shelf: Shelf) -> int:
    return shelf.job()


def capture(offset: int, url: str = "https://example.org/", status: int | None = 200, **more: object) -> NewCapture:
    given = {
        "offset": offset,
        "length": 10,
        "record_id": f"<urn:uuid:{offset}>",
        "record_type": "response",
        "url": url,
        "url_key": surt(url),
        "captured_at": NOON + timedelta(seconds=offset),
        "status_code": status,
        "mime_type": "text/html",
        "payload_digest": None,
    }
    return NewCapture(**(given | more))  # type: ignore[arg-type]


def record(database: Database, job: int, *found: NewCapture) -> int:
    with database.write() as session:
        warc = captures.warc_files(session, job)[0]
        captures.add_captures(session, job, 1, warc.id, found)
        return warc.id


def test_a_file_is_announced_acknowledged_and_indexed(database: Database, job: int) -> None:
    with database.write() as session:
        warc_id = captures.add_warc_file(session, job, "hc/second.warc.gz")
    with database.write() as session:
        captures.acknowledge(session, warc_id, 5_000_000_000)
        captures.set_index_state(session, warc_id, indexed_bytes=4_000_000_000)
    with database.read() as session:
        first, second = captures.warc_files(session, job)
        assert captures.warc_totals(session, job) == (2, 5_000_000_000)
        assert captures.warc_totals(session, job + 1) == (0, 0)
    assert second == KnownWarc(warc_id, "hc/second.warc.gz", 5_000_000_000, 4_000_000_000)
    assert (first.committed_bytes, first.indexed_bytes) == (0, 0)


def test_only_a_file_without_anything_acknowledged_is_forgotten(database: Database, job: int) -> None:
    with database.write() as session:
        kept = captures.add_warc_file(session, job, "kept.warc.gz")
        captures.acknowledge(session, kept, 1)
        for warc in captures.warc_files(session, job):
            captures.forget_warc_file(session, warc.id)
    with database.read() as session:
        assert [warc.id for warc in captures.warc_files(session, job)] == [kept]


def test_a_capture_is_known_by_its_place(database: Database, job: int) -> None:
    warc_id = record(database, job, capture(10), capture(30))
    with database.read() as session:
        ids = captures.capture_ids(session, warc_id, [10, 20, 30])
        assert set(ids) == {10, 30}
        assert captures.capture_ids(session, warc_id + 1, [10]) == {}
        assert captures.capture_ids(session, warc_id, []) == {}
    with pytest.raises(DatabaseError):
        record(database, job, capture(10))


def test_what_a_server_sent_is_stored_whatever_it_holds(database: Database, job: int) -> None:
    url = "https://example.org/" + "x" * 10_000
    record(database, job, capture(1, url, mime_type="text/\0html\udcff", etag='"\0"', last_modified="日本"))


@pytest.mark.parametrize(
    ("statuses", "said"),
    [
        ([], None),
        ([200], None),
        ([404, 200], None),
        ([403, 301], None),
        ([None], None),
        ([404, 403], "https://example.org/0: the server answered 404 Not Found"),
        ([None, 503], "https://example.org/1: the server answered 503 Service Unavailable"),
        ([599], "https://example.org/0: the server answered 599"),
    ],
)
def test_a_site_that_gives_nothing_but_errors_is_quoted(
    database: Database, job: int, statuses: list[int | None], said: str | None
) -> None:
    record(database, job, *(capture(n, f"https://example.org/{n}", status) for n, status in enumerate(statuses)))
    with database.read() as session:
        assert captures.refusal(session, job) == said


def test_the_payload_that_a_revisit_refers_to_is_found_by_id_or_by_url_and_time(database: Database, job: int) -> None:
    revisit = capture(20, "https://example.org/r", record_type="revisit", record_id="<urn:uuid:r>")
    record(database, job, capture(10, "https://example.org/a"), revisit)
    with database.read() as session:
        by_id = payloads.payload_places(session, Original("<urn:uuid:10>", "", NOON))
        by_url = payloads.payload_places(
            session, Original("<urn:uuid:gone>", "http://www.example.org/a", NOON + timedelta(seconds=10))
        )
        assert payloads.payload_places(session, Original("<urn:uuid:r>", "", NOON)) == []
        assert payloads.payload_places(session, Original("", "https://example.org/a", NOON)) == []
    assert by_id == by_url
    (place,) = by_id
    assert (place.offset, place.length, place.record_id) == (10, 10, "<urn:uuid:10>")
