import threading

import pytest
from sqlalchemy import func, select

from tests.index.jobs import SITE, Job
from tests.support.fetched import fetched
from webstrata.db.queue import index_leases
from webstrata.db.schema.tables import Document
from webstrata.errors import LeaseLostError
from webstrata.index import writing
from webstrata.index.batch_writers import BatchWriters, Wait


def documents(job: Job) -> int:
    with job.database.read() as session:
        return session.scalar(select(func.count()).select_from(Document)) or 0


def test_a_batch_begins_while_the_one_before_is_stored_and_ends_after_it() -> None:
    begun = threading.Event()
    ended: list[str] = []
    done: list[int] = []

    def first(_wait: Wait) -> int:
        assert begun.wait(10)
        ended.append("first")
        return 1

    def second(wait: Wait) -> int:
        begun.set()
        wait()
        ended.append("second")
        return 2

    def alone() -> int:
        ended.append("alone")
        return 3

    with BatchWriters(overlap=True) as writers:
        writers.run(first, done.append)
        writers.run(second, done.append)
        writers.run_alone(alone, done.append)
    assert ended == ["first", "second", "alone"]
    assert done == [1, 2, 3]


def test_after_a_batch_that_failed_none_is_stored_and_its_error_is_raised() -> None:
    done: list[int] = []

    def fails(_wait: Wait) -> int:
        raise LeaseLostError("gone")

    def second(wait: Wait) -> int:
        wait()
        return 2

    with BatchWriters(overlap=True) as writers:
        writers.run(fails, done.append)
        writers.run(second, done.append)
        with pytest.raises(LeaseLostError, match="gone"):
            writers.finish()
    assert done == []


def test_batches_that_overlap_give_the_same_rows_in_the_same_order(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "BATCH", 3)
    # Every fourth page is the first one again: batches share texts.
    bodies = [f"<title>{n % 4 and n}</title><p>words {n % 4 and n}" for n in range(40)]
    job.add_warc([fetched(f"{SITE}/{n % 4 and n}", body) for n, body in enumerate(bodies)])
    assert job.index() == 0
    found = sorted(job.snapshots(), key=lambda snapshot: snapshot.id)
    assert [snapshot.title for snapshot in found] == [str(n % 4 and n) for n in range(40)]
    assert documents(job) == 31
    assert job.view().indexed_page_count == 40


def test_a_batch_that_is_not_stored_leaves_no_text(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "BATCH", 3)
    checked = []
    check = index_leases.check

    def lost_later(session: object, lease: object) -> None:
        checked.append(lease)
        if len(checked) > 4:
            raise LeaseLostError("gone")
        check(session, lease)  # type: ignore[arg-type]

    monkeypatch.setattr(index_leases, "check", lost_later)
    job.add_warc([fetched(f"{SITE}/{n}", f"<title>{n}</title>") for n in range(20)])
    with pytest.raises(LeaseLostError):
        job.index()
    assert documents(job) == len(job.snapshots()) == 6
