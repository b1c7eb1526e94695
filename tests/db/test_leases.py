import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from tests.support.shelf import Shelf
from webstrata.db.engine import Database
from webstrata.db.queue import jobs, leases
from webstrata.db.queue.leases import JobUsage
from webstrata.db.schema.tables import ArchiveJob
from webstrata.errors import LeaseLostError
from webstrata.model.jobs.job import JobStatus

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
LATER = NOW + 2 * MINUTE


@pytest.fixture
def job(shelf: Shelf) -> int:
    return shelf.job()


def lease(database: Database, job: int, owner: str = "me", now: datetime = NOW) -> None:
    with database.write() as session:
        leases.lease(session, job, owner, now, MINUTE)


def row(database: Database, job: int) -> ArchiveJob:
    with database.read() as session:
        return session.scalars(select(ArchiveJob).where(ArchiveJob.id == job)).one()


def requeued(database: Database, now: datetime) -> list[int]:
    with database.write() as session:
        return leases.requeue_abandoned(session, now)


def test_a_job_has_one_leader(database: Database, job: int) -> None:
    lease(database, job)
    with pytest.raises(LeaseLostError, match=f"job {job} is being worked on by another process"):
        lease(database, job, "other", NOW + MINUTE / 2)
    found = row(database, job)
    assert (found.status, found.lease_owner, found.started_at) == ("running", "me", NOW)
    with database.read() as session:
        assert leases.leader(session, job, NOW) == "me"
        assert leases.leader(session, job, LATER) is None


def test_of_many_who_want_to_lead_one_does(database: Database, job: int) -> None:
    leaders: list[int] = []
    barrier = threading.Barrier(4)

    def want(number: int) -> None:
        barrier.wait(30)
        try:
            lease(database, job, str(number))
        except LeaseLostError:
            return
        leaders.append(number)

    threads = [threading.Thread(target=want, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(leaders) == 1


def test_one_who_lost_a_job_writes_nothing(database: Database, job: int) -> None:
    lease(database, job)
    requeued(database, LATER)
    lease(database, job, "other", LATER)
    with pytest.raises(LeaseLostError, match="taken over"), database.write() as session:
        leases.set_as(session, job, "me", status=JobStatus.COMPLETED)
    with pytest.raises(LeaseLostError), database.write() as session:
        leases.renew_lease(session, job, "me", LATER, MINUTE)
    with database.write() as session:
        leases.release(session, job, "me")
        leases.pause(session, job, "our disk is full", LATER)
    found = row(database, job)
    assert (found.status, found.status_reason, found.lease_owner) == ("running", None, "other")


def test_a_renewed_lease_lasts(database: Database, job: int) -> None:
    lease(database, job)
    with database.write() as session:
        leases.renew_lease(session, job, "me", NOW + MINUTE, 5 * MINUTE)
    with pytest.raises(LeaseLostError):
        lease(database, job, "other", LATER)


def test_a_run_whose_worker_died_is_continued_as_the_same_run(database: Database, job: int) -> None:
    lease(database, job)
    assert requeued(database, NOW) == []
    with database.read() as session:
        assert (leases.has_abandoned(session, NOW), leases.has_abandoned(session, LATER)) == (False, True)
    assert requeued(database, LATER) == [job]
    found = row(database, job)
    assert (found.status, found.status_reason, found.lease_owner) == ("queued", "its worker died", None)
    lease(database, job, "other", LATER)
    assert row(database, job).started_at == NOW


@pytest.mark.parametrize("status", [JobStatus.STOPPED, JobStatus.COMPLETED, JobStatus.INDEXED, JobStatus.FAILED])
def test_a_job_that_was_stopped_or_done_meanwhile_is_not_run(database: Database, job: int, status: JobStatus) -> None:
    with database.write() as session:
        jobs.set_job(session, job, status=status)
    with pytest.raises(LeaseLostError, match=f"job {job} is {status}: it waits for nobody"):
        lease(database, job)
    with pytest.raises(LeaseLostError, match="there is no job"):
        lease(database, job + 1)


def test_a_run_that_was_interrupted_while_it_was_indexed_keeps_its_times(database: Database, job: int) -> None:
    lease(database, job)
    with database.write() as session:
        leases.set_as(session, job, "me", status=JobStatus.INDEXING, finished_at=NOW + MINUTE)
    requeued(database, LATER)
    lease(database, job, "other", LATER)
    found = row(database, job)
    assert (found.started_at, found.finished_at) == (NOW, NOW + MINUTE)


def test_a_failed_run_whose_indexer_died_is_still_failed_and_gives_the_reason(database: Database, job: int) -> None:
    lease(database, job)
    failed = {"finished_at": NOW, "crawler_status": "failed", "status_reason": "the site is down"}
    with database.write() as session:
        leases.set_as(session, job, "me", status=JobStatus.INDEXING, **failed)
    requeued(database, LATER)
    found = row(database, job)
    assert (found.status, found.status_reason, found.lease_owner) == ("failed", "the site is down", None)


def test_a_leader_that_slept_is_not_taken_for_dead_where_its_lock_is_seen(database: Database, job: int) -> None:
    lease(database, job)
    with database.write() as session:
        assert not leases.has_abandoned(session, LATER, ["me"])
        assert leases.requeue_abandoned(session, LATER, ["me"]) == []


def test_the_jobs_that_a_dead_worker_led_go_back_in_line(database: Database, job: int, shelf: Shelf) -> None:
    other = shelf.job("phac")
    lease(database, job, "dead")
    lease(database, other, "alive")
    with database.write() as session:
        assert leases.requeue_of(session, "dead") == [job]
    assert [row(database, number).status for number in (job, other)] == ["queued", "running"]


@pytest.mark.parametrize("status", [JobStatus.RUNNING, JobStatus.INDEXING])
def test_a_job_that_states_it_is_worked_on_without_anybody_doing_so_is_abandoned(
    database: Database, job: int, status: JobStatus
) -> None:
    with database.write() as session:
        jobs.set_job(session, job, status=status)
    assert requeued(database, NOW) == [job]


def test_a_crawl_continues_until_a_stop_is_requested(database: Database, job: int) -> None:
    def may_crawl() -> bool:
        with database.read() as session:
            return leases.may_crawl(session, job)

    assert not may_crawl(), "it has not begun"
    lease(database, job)
    assert may_crawl()
    with database.write() as session:
        jobs.set_job(session, job, stop_requested_at=NOW)
    assert not may_crawl()
    with database.read() as session:
        assert not leases.may_crawl(session, job + 1), "there is no such job"


def test_only_crawls_that_are_led_and_continue_can_be_helped(database: Database, job: int, shelf: Shelf) -> None:
    def helpable(now: datetime = NOW) -> list[int]:
        with database.read() as session:
            return [crawl.job_id for crawl in leases.helpable(session, now)]

    other = shelf.job("phac")
    assert helpable() == []
    lease(database, other)
    lease(database, job, now=NOW + timedelta(seconds=1))
    assert helpable() == [other, job]
    assert helpable(LATER) == []
    with database.write() as session:
        jobs.set_job(session, other, stop_requested_at=NOW)
        jobs.set_job(session, job, status=JobStatus.INDEXING)
    assert helpable() == []
    private = shelf.job("cpha")
    with database.write() as session:
        leases.lease(session, private, "me", NOW, MINUTE, helpers_welcome=False)
    assert helpable() == []


def test_what_a_job_receives_is_summed_up_by_all_who_work_on_it(database: Database, job: int) -> None:
    def receive() -> None:
        for _ in range(25):
            with database.write() as session:
                leases.spend(session, job, 2, 10)

    threads = [threading.Thread(target=receive) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    with database.write() as session:
        assert leases.spend(session, job, 0, 5) == JobUsage(responses=200, bytes=1005)
