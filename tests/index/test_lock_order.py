from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.index.jobs import SITE, Job, crawled_job
from tests.support.fetched import fetched, write_warc
from tests.support.waiting import wait_until
from webstrata.db.captures import captures
from webstrata.db.engine import Database
from webstrata.db.queue import leases
from webstrata.index.pipeline import index_so_far
from webstrata.model.jobs.job import JobStatus

WHAT_IS_WAITED_FOR = """
    SELECT wait_event FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""
A_TABLE, A_ROW = "relation", "transactionid"


@pytest.fixture
def job(postgres_url: str, tmp_path: Path) -> Iterator[Job]:
    """A job whose crawl is under way. SQLite, which lets one write at a time, has no order to keep."""
    database = Database(postgres_url)
    job = crawled_job(database, tmp_path)
    job.set(status=JobStatus.RUNNING)
    yield job
    database.dispose()


@contextmanager
def nobody_writing_snapshots(url: str) -> Iterator[Callable[[], None]]:
    """Let nobody write a snapshot until the yielded is called, or the block ends."""
    with psycopg.connect(url) as connection:
        connection.execute("LOCK TABLE snapshots IN SHARE MODE")
        yield connection.rollback


def wait_until_waited_for(url: str, what: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        wait_until(lambda: (what,) in connection.execute(WHAT_IS_WAITED_FOR).fetchall(), f"the index waits for {what}")


def test_a_batch_of_the_index_and_a_commit_of_the_crawl_do_not_wait_for_each_other(job: Job, postgres_url: str) -> None:
    file = job.root / "hc" / "one.warc.gz"
    so_far = write_warc(file, [fetched(f"{SITE}/{n}", f"<p>{n}") for n in range(2)])[1].offset
    with job.database.write() as session:
        file_id = captures.add_warc_file(session, job.id, "hc/one.warc.gz", "a crawler")
        captures.acknowledge(session, file_id, so_far)

    with ThreadPoolExecutor() as beside, nobody_writing_snapshots(postgres_url) as go_on:
        indexing = beside.submit(index_so_far, job.id, database=job.database, archive_root=job.root)
        wait_until_waited_for(postgres_url, A_TABLE)
        with job.database.write() as crawl:
            leases.spend(crawl, job.id, 1, 100)
            go_on()
            wait_until_waited_for(postgres_url, A_ROW)
            captures.acknowledge(crawl, file_id, file.stat().st_size)
        assert indexing.result() == 0

    assert job.view().indexed_page_count == 1
    with job.database.read() as session:
        [warc] = captures.warc_files(session, job.id)
    assert (warc.indexed_bytes, warc.committed_bytes) == (so_far, file.stat().st_size)
