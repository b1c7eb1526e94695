"""The files of the archive are checked by workers, in slices that go on where the last one ended."""

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.index.jobs import SITE, Job, crawled_job
from tests.support.fetched import fetched
from webstrata.db.engine import Database
from webstrata.db.operations import integrity_checks
from webstrata.jobs.packages.integrity_schedule import IntegritySchedule
from webstrata.model.integrity.checks import StoredCheck, is_check_due

MONTH = timedelta(days=30)


@pytest.fixture
def job(database: Database, tmp_path: Path) -> Job:
    """A job of three files, the second of them damaged after it was indexed."""
    made = crawled_job(database, tmp_path)
    for number in range(3):
        made.add_warc([fetched(f"{SITE}/{number}", f"<p>{number}")], f"{number}.warc.gz")
    assert made.index() == 0
    damaged = tmp_path / "hc" / "1.warc.gz"
    content = bytearray(damaged.read_bytes())
    content[-40] ^= 0xFF
    damaged.write_bytes(content)
    return made


def last(database: Database) -> StoredCheck | None:
    with database.read() as session:
        return integrity_checks.last_check(session)


def test_a_check_continues_slice_by_slice_and_its_result_is_stored(job: Job) -> None:
    schedule = IntegritySchedule(job.database, job.root, MONTH, slice_seconds=0)
    now = datetime.now(UTC)
    schedule.run_due(now, threading.Event())
    with job.database.read() as session:
        assert integrity_checks.running_check(session) is None, "a new archive is checked after an interval"
    for look in range(6):
        assert last(job.database) is None
        schedule.run_due(now + MONTH + timedelta(minutes=look), threading.Event())
        # Another worker that looks at the same time leaves the check alone.
        schedule.run_due(now + MONTH + timedelta(minutes=look), threading.Event())
        if last(job.database) is not None:
            break
    ended = last(job.database)
    assert ended is not None
    assert (ended.trigger, ended.files, ended.problem_count > 0) == ("schedule", 3, True)
    with job.database.read() as session:
        problems = integrity_checks.problems_of(session, ended.id, 10)
    assert {Path(problem.path).name for problem in problems} == {"1.warc.gz"}
    schedule.run_due(now + MONTH + timedelta(hours=1), threading.Event())
    with job.database.read() as session:
        assert integrity_checks.running_check(session) is None, "the next one is due an interval later"


def test_an_interrupted_slice_loses_nothing_and_counts_nothing_twice(job: Job) -> None:
    schedule = IntegritySchedule(job.database, job.root, MONTH)
    stopped = threading.Event()
    stopped.set()
    later = datetime.now(UTC) + MONTH
    schedule.run_due(later, stopped)
    assert last(job.database) is None
    schedule.run_due(later + timedelta(minutes=1), threading.Event())
    ended = last(job.database)
    assert ended is not None
    assert (ended.files, ended.problem_count > 0) == (3, True)


def test_zero_switches_scheduled_checks_off() -> None:
    long_ago, now = datetime(2020, 1, 1, tzinfo=UTC), datetime.now(UTC)
    assert is_check_due(long_ago, long_ago, MONTH, now)
    assert not is_check_due(long_ago, long_ago, timedelta(0), now)
    assert not is_check_due(None, None, MONTH, now)
