from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from tests.support.shelf import Shelf
from webstrata.db.engine import Database
from webstrata.db.queue import index_leases
from webstrata.db.queue.index_leases import IndexLease
from webstrata.db.schema.tables import ArchiveJob
from webstrata.errors import LeaseLostError, NotFoundError

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def job(shelf: Shelf) -> int:
    return shelf.job()


def take(database: Database, job: int, token: str, *, at: datetime = NOW, dead: str | None = None) -> IndexLease:
    with database.write() as session:
        wanted = IndexLease(job, token)
        return index_leases.take(session, wanted, token, at + MINUTE, now=at, is_dead=lambda owner: owner == dead)


def name_of(database: Database, job: int) -> str | None:
    with database.read() as session:
        return session.scalar(select(ArchiveJob.name).where(ArchiveJob.id == job))


def test_a_lease_is_anothers_until_it_runs_out(database: Database, job: int) -> None:
    assert not take(database, job, "first").after_a_death
    with pytest.raises(LeaseLostError, match=f"job {job} is being indexed by another process"):
        take(database, job, "second", at=NOW + MINUTE / 2)
    assert take(database, job, "second", at=NOW + MINUTE).after_a_death


def test_the_lease_of_a_dead_owner_blocks_no_one(database: Database, job: int) -> None:
    take(database, job, "first")
    assert take(database, job, "second", dead="first").after_a_death


def test_a_lease_that_is_renewed_lasts_longer(database: Database, job: int) -> None:
    lease = take(database, job, "first")
    with database.write() as session:
        index_leases.renew(session, lease, NOW + MINUTE / 2, MINUTE)
    with pytest.raises(LeaseLostError):
        take(database, job, "second", at=NOW + MINUTE)


def test_a_lease_that_is_given_back_can_be_taken_and_no_one_died(database: Database, job: int) -> None:
    lease = take(database, job, "first")
    with database.write() as session:
        index_leases.release(session, lease)
    assert not take(database, job, "second").after_a_death


def test_one_who_lost_its_lease_can_neither_write_nor_renew_nor_pass_a_check(database: Database, job: int) -> None:
    lost = take(database, job, "first")
    take(database, job, "second", dead="first")
    before = name_of(database, job)
    with pytest.raises(LeaseLostError), database.write() as session:
        index_leases.set_as(session, lost, name="written too late")
    with pytest.raises(LeaseLostError), database.write() as session:
        index_leases.renew(session, lost, NOW, MINUTE)
    with pytest.raises(LeaseLostError), database.write() as session:
        index_leases.check(session, lost)
    assert name_of(database, job) == before


def test_giving_back_a_lost_lease_leaves_the_new_one_alone(database: Database, job: int) -> None:
    lost = take(database, job, "first")
    held = take(database, job, "second", dead="first")
    with database.write() as session:
        index_leases.release(session, lost)
    with database.write() as session:
        index_leases.check(session, held)
        index_leases.set_as(session, held, name="still ours")
    assert name_of(database, job) == "still ours"


def test_there_is_no_lease_of_a_job_that_is_not_there(database: Database) -> None:
    with pytest.raises(NotFoundError, match="there is no job 77"):
        take(database, 77, "first")
