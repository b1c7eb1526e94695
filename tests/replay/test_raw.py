import gzip
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from tests.support.fetched import NOON, fetched, write_warc
from webstrata.db.captures import captures
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import Snapshot
from webstrata.errors import NotFoundError
from webstrata.index.pipeline import index_job
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.jobs.job import JobConfig, JobStatus
from webstrata.replay.raw import raw_page

URL = "https://example.org/a"


def archived(database: Database, root: Path, *answers: FetchResult) -> list[int]:
    """Archive answers and return their snapshots."""
    write_warc(root / "hc" / "one.warc.gz", answers)
    with database.write() as session:
        source_id = jobs.ensure_source(session, "hc", name="Health", base_url=URL)
        job_id = jobs.add_job(session, source_id, name="hc", output_dir="", config=JobConfig(()), queued_at=NOON)
        jobs.set_job(session, job_id, status=JobStatus.COMPLETED)
        warc_id = captures.add_warc_file(session, job_id, "hc/one.warc.gz")
        captures.acknowledge(session, warc_id, (root / "hc" / "one.warc.gz").stat().st_size)
    assert index_job(job_id, database=database, archive_root=root) == 0
    with database.read() as session:
        return list(session.scalars(select(Snapshot.id).order_by(Snapshot.id)))


def change(database: Database, **values: object) -> None:
    with database.write() as session:
        session.execute(update(Snapshot).values(**values))


def test_a_page_comes_back_byte_for_byte(database: Database, tmp_path: Path) -> None:
    bodies = [f"<title>{n}</title>\r\n\0caf\xe9 \u2028".encode() for n in range(3)]
    ids = archived(database, tmp_path, *(fetched(f"{URL}{n}", body) for n, body in enumerate(bodies)))
    pages = [raw_page(database, tmp_path, snapshot_id) for snapshot_id in ids]
    assert [page.content for page in pages] == bodies
    assert [page.snapshot.url for page in pages] == [f"{URL}{n}" for n in range(3)]
    assert {(page.media_type, page.charset, page.status_code) for page in pages} == {("text/html", "utf-8", 200)}


def test_a_page_comes_without_its_content_encoding(database: Database, tmp_path: Path) -> None:
    packed = fetched(URL, gzip.compress(b"<p>text"), headers=[(b"Content-Encoding", b"gzip")])
    (only,) = archived(database, tmp_path, packed)
    assert raw_page(database, tmp_path, only).content == b"<p>text"


def test_a_page_that_declares_nothing_is_still_a_page(database: Database, tmp_path: Path) -> None:
    html = "<!doctype html><html><meta charset=windows-1251><p>Грипп".encode("cp1251")
    (only,) = archived(database, tmp_path, fetched(URL, html, content_type=None, status=404))
    page = raw_page(database, tmp_path, only)
    assert (page.media_type, page.charset, page.status_code) == ("text/html", "cp1251", 404)


def test_a_snapshot_that_is_not_there_is_not_found(database: Database, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"^Snapshot not found$"):
        raw_page(database, tmp_path, 99)


@pytest.mark.parametrize("path", ["../outside.warc.gz", "/etc/passwd", "hc/gone.warc.gz", "hc"])
def test_no_file_outside_the_archive_is_ever_read(database: Database, tmp_path: Path, path: str) -> None:
    root = tmp_path / "archive"
    (only,) = archived(database, root, fetched(URL))
    write_warc(tmp_path / "outside.warc.gz", [fetched(URL)])
    change(database, warc_path=path)
    with pytest.raises(NotFoundError, match=r"^Underlying WARC file for this snapshot is missing$"):
        raw_page(database, root, only)


def test_a_snapshot_without_a_file_reports_it(database: Database, tmp_path: Path) -> None:
    (only,) = archived(database, tmp_path, fetched(URL))
    change(database, warc_path="")
    with pytest.raises(NotFoundError, match="No WARC path"):
        raw_page(database, tmp_path, only)


@pytest.mark.parametrize(
    "values",
    [
        {"warc_offset": 1},
        {"warc_offset": 10**9},
        {"warc_offset": 0},
        {"warc_offset": None, "warc_record_id": "<urn:uuid:gone>", "capture_timestamp": NOON + timedelta(seconds=1)},
        {"warc_offset": None, "url": URL + "b"},
        {"warc_length": 20},
        {"url": URL + "b"},
    ],
)
def test_a_record_that_is_not_where_it_was_is_not_found(
    database: Database, tmp_path: Path, values: dict[str, object]
) -> None:
    (only,) = archived(database, tmp_path, fetched(URL))
    change(database, **values)
    with pytest.raises(NotFoundError, match=r"^Could not locate corresponding record in the WARC file$"):
        raw_page(database, tmp_path, only)


def test_a_damaged_record_is_not_shown(database: Database, tmp_path: Path) -> None:
    (only,) = archived(database, tmp_path, fetched(URL, "<p>" + "text " * 1_000))
    file = tmp_path / "hc" / "one.warc.gz"
    with database.read() as session:
        row = session.get_one(Snapshot, only)
        assert row.warc_offset is not None
        assert row.warc_length is not None
        middle = row.warc_offset + row.warc_length // 2
    data = bytearray(file.read_bytes())
    data[middle] ^= 0xFF
    file.write_bytes(data)
    with pytest.raises(NotFoundError, match=r"^Could not locate corresponding record in the WARC file$"):
        raw_page(database, tmp_path, only)


def test_a_record_whose_length_no_one_knows_is_read_all_the_same(database: Database, tmp_path: Path) -> None:
    (only,) = archived(database, tmp_path, fetched(URL, "<p>text"))
    change(database, warc_length=None)
    assert raw_page(database, tmp_path, only).content == b"<p>text"


@pytest.mark.parametrize("known_by", ["record", "URL and time"])
def test_a_record_without_an_offset_is_searched_for_once(database: Database, tmp_path: Path, known_by: str) -> None:
    first, second = archived(database, tmp_path, *(fetched(URL, f"<p>{n}", at=NOON + timedelta(n)) for n in (0, 1)))
    with database.read() as session:
        at = session.get_one(Snapshot, second).warc_offset
        record_id = session.get_one(Snapshot, second).warc_record_id or ""
    # As another program stores them: no fractions of a second, and no brackets.
    named = {"warc_record_id": record_id.strip("<>")} if known_by == "record" else {"warc_record_id": None}
    imported: dict[str, object] = {
        "capture_id": None,
        "warc_offset": None,
        "warc_length": None,
        "content_hash": None,
        **named,
    }
    if known_by == "URL and time":
        imported["capture_timestamp"] = (NOON + timedelta(1)).replace(microsecond=0)
    with database.write() as session:
        session.execute(update(Snapshot).where(Snapshot.id == second).values(**imported))
    assert raw_page(database, tmp_path, second).content == b"<p>1"
    with database.read() as session:
        assert session.get_one(Snapshot, second).warc_offset == at
    assert raw_page(database, tmp_path, second).content == b"<p>1"
    assert raw_page(database, tmp_path, first).content == b"<p>0"
