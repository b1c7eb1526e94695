import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select, update

from tests.index.jobs import SITE, Job
from tests.support.fetched import fetched, write_warc
from webstrata.db.captures import captures
from webstrata.db.queue import index_leases
from webstrata.db.queue.index_leases import IndexLease
from webstrata.db.schema.tables import ArchiveJob, Capture, Snapshot
from webstrata.errors import LeaseLostError
from webstrata.index import writing
from webstrata.index.pipeline import index_job, index_so_far
from webstrata.model.jobs.job import JobStatus


def take(job: Job, token: str, *, owner: str = "elsewhere:1:x", seconds: int = 60) -> IndexLease:
    now = datetime.now(UTC)
    with job.database.write() as session:
        until = now + timedelta(seconds=seconds)
        return index_leases.take(session, IndexLease(job.id, token), owner, until, now=now)


def test_a_job_is_indexed_by_one_process_at_a_time(job: Job) -> None:
    job.add_warc([fetched(f"{SITE}/a")])
    theirs = take(job, "theirs")
    with pytest.raises(LeaseLostError, match="is being indexed by another process"):
        job.index()
    assert (job.view().status, job.captures()) == ("completed", [])
    with job.database.write() as session:
        index_leases.release(session, theirs)
    assert job.index() == 0


def test_one_who_died_over_an_index_is_taken_over_from_when_its_lease_runs_out(job: Job) -> None:
    take(job, "theirs", seconds=-1)
    assert take(job, "ours").after_a_death
    with pytest.raises(LeaseLostError), job.database.write() as session:
        index_leases.set_as(session, IndexLease(job.id, "theirs"), status=JobStatus.INDEXED)


def test_one_who_lost_its_lease_in_the_middle_writes_nothing_more(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "BATCH", 2)
    job.add_warc([fetched(f"{SITE}/{n}", f"<title>{n}</title>") for n in range(20)])

    written: list[tuple[int, ...]] = []

    def taken_over(_pages: int) -> None:
        with job.database.write() as session:
            values = {"index_lease_token": "theirs", "index_lease_owner": "elsewhere:1:x"}
            session.execute(update(ArchiveJob).where(ArchiveJob.id == job.id).values(**values))
            # On PostgreSQL the next batch may have begun while the lease was held.
            counts = [session.scalar(select(func.count()).select_from(table)) or 0 for table in (Snapshot, Capture)]
            written.append(tuple(counts))

    with pytest.raises(LeaseLostError):
        index_job(job.id, database=job.database, archive_root=job.root, progress=taken_over)
    assert [(len(job.snapshots()), len(job.captures()))] == written
    assert written == [(2, 2)] if job.database.is_sqlite else max(written[0]) < 20
    assert job.view().status == "indexing"


def test_one_who_is_asked_to_stop_keeps_what_is_whole_and_goes_on_later(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "BATCH", 2)
    job.add_warc([fetched(f"{SITE}/{n}", f"<title>{n}</title>") for n in range(10, 30)])
    stopping = threading.Event()

    def stop(_pages: int) -> None:
        stopping.set()

    code = index_job(job.id, database=job.database, archive_root=job.root, progress=stop, stopping=stopping)
    assert (code, job.view().status) == (130, "completed")
    first = job.snapshots()
    # On PostgreSQL two more batches are under way when the first is done.
    assert len(first) == 2 if job.database.is_sqlite else len(first) in (2, 4, 6)
    assert job.index() == 0
    assert [snapshot.url[-2:] for snapshot in job.snapshots()] == [str(n) for n in range(10, 30)]
    assert job.snapshots()[: len(first)] == first


def test_what_a_running_crawl_has_acknowledged_is_indexed_again_and_again(job: Job) -> None:
    file = job.root / "hc" / "one.warc.gz"
    extents = write_warc(file, [fetched(f"{SITE}/{n}", f"<title>{n}</title>") for n in range(6)])
    job.set(status=JobStatus.RUNNING)
    ends = [extents[2].offset, extents[2].offset, extents[5].offset, file.stat().st_size]
    with job.database.write() as session:
        warc_id = captures.add_warc_file(session, job.id, "hc/one.warc.gz", "somebody")
    seen = []
    for end in ends:
        with job.database.write() as session:
            captures.acknowledge(session, warc_id, end)
        assert index_so_far(job.id, database=job.database, archive_root=job.root) == 0
        seen.append("".join(snapshot.url[-1] for snapshot in job.snapshots()))
    assert seen == ["01", "01", "01234", "012345"]
    assert (job.view().status, job.view().indexed_page_count) == ("running", 6)


def test_nothing_is_read_again_that_the_same_version_has_read_unless_asked_for(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    job.add_warc([fetched(f"{SITE}/{n}", f"<title>{n}</title>") for n in range(3)])
    told: list[int] = []

    def pages(*, again: bool = False) -> int:
        told.clear()
        assert index_job(job.id, database=job.database, archive_root=job.root, progress=told.append, again=again) == 0
        return sum(told)

    assert (pages(), pages(), pages(again=True)) == (3, 0, 3)
    before = job.snapshots()
    monkeypatch.setattr(writing, "INDEX_VERSION", 99)
    monkeypatch.setattr("webstrata.index.pipeline.INDEX_VERSION", 99)
    assert (pages(), pages()) == (3, 0)
    assert job.snapshots() == before


def test_a_page_that_cannot_be_read_again_keeps_its_snapshot_with_a_problem(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    from webstrata.index import reading
    from webstrata.model.search.values import SearchRequest
    from webstrata.search.service import search

    job.add_warc([fetched(f"{SITE}/{n}", f"<title>{n}</title><p>remarkable {'x' * 2_000 * n}") for n in range(2)])
    assert job.index() == 0
    before = job.snapshots()
    monkeypatch.setattr(reading, "MAX_PAGE_BYTES", 1_000)
    assert index_job(job.id, database=job.database, archive_root=job.root, again=True) == 0
    assert job.snapshots() == before
    found = search(job.database, SearchRequest(q="remarkable")).results
    assert {view.id for view in found} == {view.id for view in before}
    (problem,) = job.problems()
    assert "larger than what is indexed" in problem.reason
    monkeypatch.undo()
    assert index_job(job.id, database=job.database, archive_root=job.root, again=True) == 0
    assert (job.snapshots(), job.problems()) == (before, [])


def test_a_record_that_is_no_longer_taken_for_a_page_keeps_its_snapshot_with_a_problem(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    from webstrata.index import facts

    job.add_warc([fetched(f"{SITE}/{n}", f"<title>{n}</title>") for n in range(2)])
    assert job.index() == 0
    before = job.snapshots()
    monkeypatch.setattr(facts, "page_kind", lambda *_: None)
    assert index_job(job.id, database=job.database, archive_root=job.root, again=True) == 0
    assert job.snapshots() == before
    assert [problem.reason for problem in job.problems()] == [writing.NO_LONGER_A_PAGE] * 2


def test_progress_is_reported_in_bytes(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "BATCH", 2)
    job.add_warc([fetched(f"{SITE}/{n}", f"<title>{n}</title>") for n in range(4)], "one.warc.gz")
    job.add_warc([fetched(f"{SITE}/{n}", f"<title>{n}</title>") for n in range(4, 6)], "two.warc.gz")
    sizes = [(job.root / "hc" / name).stat().st_size for name in ("one.warc.gz", "two.warc.gz")]
    told: list[tuple[int, int]] = []

    def advanced(done: int, total: int) -> None:
        told.append((done, total))

    assert index_job(job.id, database=job.database, archive_root=job.root, advanced=advanced) == 0
    assert {total for _, total in told} == {sum(sizes)}
    # Once more at its end, when all is read.
    assert [done for done, _ in told][1:] == [sizes[0], sum(sizes), sum(sizes)]
