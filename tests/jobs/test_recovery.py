"""Clearing up after a worker that died."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.jobs.rows import status_of
from tests.jobs.test_lifecycle import queue
from tests.support.web_server import WebServer
from webstrata.coordination.permits import Permit
from webstrata.coordination.presence import present
from webstrata.db.operations import operations
from webstrata.db.operations.operations import Operation
from webstrata.db.queue import frontier, leases
from webstrata.jobs.running.lifecycle import Runner
from webstrata.model.crawl.tasks import Link

MINUTE = timedelta(minutes=1)


def die_at_work(runner: Runner, job_id: int, url: str) -> None:
    """Hold a job, a task and a host's turn, and leave without giving anything back."""
    now = datetime.now(UTC)
    with present(runner.archive_root) as owner:
        with runner.database.write() as session:
            leases.lease(session, job_id, owner, now, MINUTE)
            frontier.add_links(session, job_id, [Link(url)], 0, now)
            assert len(frontier.claim(session, job_id, owner, limit=1, now=now, lease=MINUTE)) == 1
        assert isinstance(runner.permits.take("slow.example", owner, slots=1, hold=10 * MINUTE), Permit)
        raise RuntimeError


@pytest.mark.parametrize(("delay", "shortest"), [(None, 0.5), (30, 29)])
def test_a_host_that_a_dead_worker_was_asking_rests_as_long_as_the_job_says(
    runner: Runner, web_server: WebServer, delay: float | None, shortest: float
) -> None:
    with pytest.raises(RuntimeError):
        die_at_work(runner, queue(runner, web_server, per_host_delay=delay), web_server.url())
    runner.recovery.tend()
    wait = runner.permits.take("slow.example", "another", slots=1, hold=MINUTE)
    assert isinstance(wait, timedelta)
    assert shortest <= wait.total_seconds() <= (delay or 1)
    assert status_of(runner.database) == "queued"


def test_what_is_taken_back_from_the_dead_is_counted(runner: Runner, web_server: WebServer) -> None:
    with pytest.raises(RuntimeError):
        die_at_work(runner, queue(runner, web_server), web_server.url())
    for _ in range(2):
        runner.recovery.tend()
    with runner.database.read() as session:
        counted = operations.counted(session)
    assert (counted[Operation.TASK_LEASES_RECLAIMED], counted[Operation.JOB_LEASES_RECLAIMED]) == (1, 1)


def test_a_worker_that_slept_keeps_its_job(runner: Runner, web_server: WebServer) -> None:
    job_id = queue(runner, web_server)
    with present(runner.archive_root) as owner:
        with runner.database.write() as session:
            leases.lease(session, job_id, owner, datetime.now(UTC) - 2 * MINUTE, MINUTE)
        runner.recovery.tend()
        assert status_of(runner.database) == "running"
