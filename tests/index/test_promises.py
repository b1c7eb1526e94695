import errno
import os
import shutil
from pathlib import Path

import pytest
from sqlalchemy import delete, select

from tests.index.jobs import SITE, Job, crawled_job
from tests.index.test_foreign_shapes import ANSWER, URL, packed, record
from tests.support.databases import FreshDatabase
from tests.support.fetched import fetched
from webstrata.db.engine import Database
from webstrata.db.schema.link_tables import SnapshotOutlink
from webstrata.db.schema.tables import Capture, Page, Snapshot
from webstrata.errors import StorageError
from webstrata.warc.cdxj import read_journal


def ids(job: Job) -> dict[str, tuple[int, int]]:
    with job.database.read() as session:
        rows = session.execute(
            select(Snapshot.url, Snapshot.id, Capture.id).join(Capture, Snapshot.capture_id == Capture.id)
        )
        return {url: (snapshot_id, capture_id) for url, snapshot_id, capture_id in rows}


def forget_rows(job: Job) -> None:
    with job.database.write() as session:
        for table in (SnapshotOutlink, Page, Snapshot, Capture):
            session.execute(delete(table))
    job.forget_how_far()


def add_pages(job: Job, name: str, *numbers: int) -> None:
    answers = [fetched(f"{SITE}/{n}", f"<title>{n}</title><p>text {n}") for n in numbers]
    job.add_warc([*answers, fetched(f"{SITE}/{name}.png", b"x", content_type="image/png")], name)


def test_every_capture_is_in_the_journal_with_its_ids(job: Job) -> None:
    add_pages(job, "one.warc.gz", 0, 1)
    assert job.index() == 0
    lines = list(read_journal(job.journal().parent))
    assert {line.url: (line.snapshot_id, line.capture_id) for line in lines if line.snapshot_id} == ids(job)
    assert [line.mime_type for line in lines] == ["text/html", "text/html", "image/png"]
    assert {line.filename for line in lines} == {"one.warc.gz"}
    before = job.journal().read_bytes()
    job.forget_how_far()
    assert job.index() == 0
    assert job.journal().read_bytes() == before


def test_rows_that_are_lost_come_back_with_their_ids_and_new_ones_get_new_ids(job: Job) -> None:
    add_pages(job, "one.warc.gz", 0, 1, 2)
    assert job.index() == 0
    before = ids(job)
    forget_rows(job)
    add_pages(job, "two.warc.gz", 3)
    assert job.index() == 0
    after = ids(job)
    assert before.items() <= after.items()
    assert after[f"{SITE}/3"][0] > max(snapshot_id for snapshot_id, _ in before.values())


def test_an_empty_database_gets_the_same_ids_from_the_files_alone(
    job: Job, fresh_database_url: FreshDatabase, tmp_path: Path
) -> None:
    other = crawled_job(job.database, job.root)
    add_pages(other, "other.warc.gz", 7, 8, 9)
    assert other.index() == 0
    add_pages(job, "one.warc.gz", 0, 1, 2)
    assert job.index() == 0
    before = ids(job)
    with fresh_database_url() as url:
        database = Database(url)
        anew, last = crawled_job(database, job.root), crawled_job(database, job.root)
        for name in ("one.warc.gz",):
            anew.register(name)
        last.register("other.warc.gz")
        assert (anew.index(), last.index()) == (0, 0)
        assert ids(anew) == before
        add_pages(last, "later.warc.gz", 5)
        assert last.index() == 0
        assert ids(last)[f"{SITE}/5"][0] > max(snapshot_id for snapshot_id, _ in before.values())
        database.dispose()


def test_an_id_that_another_has_is_not_taken_because_a_foreign_journal_promises_it(job: Job) -> None:
    add_pages(job, "one.warc.gz", 0, 1)
    assert job.index() == 0
    before = ids(job)
    copy = crawled_job(job.database, job.root)
    copy.journal().parent.mkdir(parents=True)
    copied = job.journal().read_bytes().replace(b"one.warc.gz", b"copy.warc.gz")
    copy.journal().write_bytes(copied)
    shutil.copyfile(job.root / "hc" / "one.warc.gz", job.root / "hc" / "copy.warc.gz")
    copy.register("copy.warc.gz")
    assert copy.index() == 0
    with job.database.read() as session:
        assert len(session.scalars(select(Snapshot.id)).all()) == 4
        assert len(session.scalars(select(Snapshot.id).where(Snapshot.job_id == job.id)).all()) == 2
    assert {line.snapshot_id for line in list(read_journal(copy.journal().parent))[-3:]}.isdisjoint(
        {snapshot_id for snapshot_id, _ in before.values()}
    )


def test_a_full_disk_under_the_journal_is_trouble_of_ours_and_leaves_no_snapshot_behind(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_pages(job, "one.warc.gz", 0, 1)
    write = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) < 50:
            # Of processes that talk with each other: a line of the journal is longer.
            return write(descriptor, data)
        assert write(descriptor, data[:50]) == 50
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("webstrata.warc.cdxj.os.write", full)
        with pytest.raises(StorageError, match="No space left"):
            job.index()
    assert job.snapshots() == []
    assert job.view().status == "indexing"
    assert job.index() == 0
    assert len(job.snapshots()) == 2
    assert {line.snapshot_id for line in read_journal(job.journal().parent)} - {None} == {
        snapshot_id for snapshot_id, _ in ids(job).values()
    }


def test_a_time_that_came_from_the_file_stays_when_the_file_is_copied(job: Job) -> None:
    file = job.root / "hc" / "one.warc.gz"
    file.parent.mkdir()
    file.write_bytes(packed([record("response", URL, ANSWER, WARC_Date="yesterday")]))
    job.register("one.warc.gz")
    os.utime(file, (1_500_000_000,) * 2)
    assert job.index() == 0
    (first,) = job.captures()
    assert (first.capture_timestamp.timestamp(), first.date_source) == (1_500_000_000, "file")
    before = ids(job)
    forget_rows(job)
    os.utime(file, (1_600_000_000,) * 2)
    assert job.index() == 0
    (again,) = job.captures()
    assert (again.capture_timestamp, again.date_source) == (first.capture_timestamp, "file")
    assert [snapshot.captured_at for snapshot in job.snapshots()] == [first.capture_timestamp]
    assert ids(job) == before
    assert job.problems() == []
