from datetime import UTC, datetime, timedelta

import pytest

from tests.support.shelf import Shelf
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.errors import NotFoundError
from webstrata.model.jobs.job import JobConfig, JobStatus

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SEEDS = ("https://example.org/",)


def add_job(database: Database, *, queued_at: datetime = NOW, source: str = "hc") -> int:
    with database.write() as session:
        source_id = jobs.ensure_source(session, source, name=source, base_url=None)
        config = JobConfig(SEEDS, {"max_pages": 5})
        return jobs.add_job(session, source_id, name="job", output_dir="/x", config=config, queued_at=queued_at)


def set_job(database: Database, job: int, **values: object) -> None:
    with database.write() as session:
        jobs.set_job(session, job, **values)


def next_in_line(database: Database, now: datetime = NOW) -> int | None:
    with database.write() as session:
        return jobs.next_in_line(session, now)


def test_a_source_is_made_once(database: Database) -> None:
    with database.write() as session:
        first = jobs.ensure_source(session, "hc", name="Health", base_url="https://example.org/")
        assert jobs.ensure_source(session, "hc", name="Another", base_url=None) == first
        assert jobs.ensure_source(session, "phac", name="Public", base_url=None) != first


def test_a_job_comes_back_as_it_was_queued(database: Database) -> None:
    job = add_job(database)
    with database.read() as session:
        stored = jobs.load_job(session, job)
    assert (stored.id, stored.name, stored.output_dir, stored.source_code) == (job, "job", "/x", "hc")
    assert stored.status is JobStatus.QUEUED
    assert stored.config == JobConfig(SEEDS, {"max_pages": 5})


def test_a_job_that_is_not_there_is_not_found(database: Database) -> None:
    with pytest.raises(NotFoundError, match="there is no job 99"), database.read() as session:
        jobs.load_job(session, 99)


def test_the_job_that_has_waited_longest_is_next(database: Database) -> None:
    later, first, same = (add_job(database, queued_at=NOW + timedelta(minutes=m)) for m in (5, 1, 1))
    assert next_in_line(database) == first
    set_job(database, first, status=JobStatus.RUNNING)
    assert next_in_line(database) == same
    set_job(database, same, status=JobStatus.INDEXED)
    set_job(database, later, status=JobStatus.RETRYABLE)
    assert next_in_line(database) == later
    never_queued = add_job(database)
    set_job(database, never_queued, queued_at=None)
    assert next_in_line(database) == never_queued


def test_a_paused_job_waits_for_its_time(database: Database) -> None:
    job = add_job(database)
    set_job(database, job, status=JobStatus.RETRYABLE, not_before=NOW + timedelta(minutes=1))
    assert next_in_line(database) is None
    assert next_in_line(database, NOW + timedelta(minutes=1)) == job


@pytest.mark.parametrize("status", [s for s in JobStatus if s not in {JobStatus.QUEUED, JobStatus.RETRYABLE}])
def test_only_waiting_jobs_are_in_line(database: Database, status: JobStatus) -> None:
    set_job(database, add_job(database), status=status)
    assert next_in_line(database) is None


def test_a_job_that_was_cut_off_is_taken_up_for_the_same_seeds(database: Database) -> None:
    job = add_job(database)

    def unfinished(seeds: tuple[str, ...] = SEEDS) -> int | None:
        with database.read() as session:
            return jobs.unfinished_job(session, jobs.load_job(session, job).source_id, seeds)

    assert unfinished() == job
    assert unfinished(("https://example.org/other",)) is None
    set_job(database, job, status=JobStatus.STOPPED)
    assert unfinished() == job
    set_job(database, job, status=JobStatus.INDEXED)
    assert unfinished() is None


def test_counts_and_outcome_are_kept_with_the_job(database: Database) -> None:
    job = add_job(database)
    with database.write() as session:
        jobs.set_crawl_counts(session, job, {"pending": 1, "in_progress": 0, "finished": 7, "error": 2})
        jobs.set_job(session, job, status_reason="why")
    with database.read() as session:
        assert jobs.outcome(session, job) == ("why", 7, 2)


def test_a_source_was_archived_when_a_job_of_it_was_indexed(database: Database, shelf: Shelf) -> None:
    job = add_job(database)

    def archived(code: str) -> bool:
        with database.read() as session:
            return jobs.has_indexed_job(session, code)

    assert not archived("hc")
    set_job(database, job, status=JobStatus.INDEXED)
    assert archived("hc")
    assert not archived("phac")
