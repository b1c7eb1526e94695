import os
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.index.jobs import SITE, Job, crawled_job
from tests.support.fetched import NOON, fetched
from tests.support.program import Program, Started, alive, children_of
from tests.support.waiting import wait_until
from webstrata.db.schema.tables import Capture, Snapshot
from webstrata.model.captures import Original
from webstrata.warc.cdxj import read_journal
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter

PROGRAM = Path(__file__).with_name("indexing_program.py")

Row = tuple[str, str | None, str, int | None]


def write_files(job: Job) -> None:
    """Write two files, with revisits of what lies before and behind them."""
    bodies = [f"<title>{n}</title><p>{random.Random(n).randbytes(800).hex()}" for n in range(24)]
    with (
        WarcFileWriter(job.root / "hc" / "two.warc.gz") as second,
        WarcFileWriter(job.root / "hc" / "one.warc.gz") as first,
    ):
        for n, body in enumerate(bodies):
            url = f"{SITE}/{n}"
            record = exchange(fetched(url, body), second.warcinfo_id)
            again = fetched(url if n % 2 else f"{url}/again", body, at=NOON + timedelta(days=1))
            second.append(record)
            first.append(exchange(again, first.warcinfo_id, Original(record[0].record_id, url, NOON)))
            first.append(exchange(fetched(f"{SITE}/only/{n}", body), first.warcinfo_id))
    for name in ("one.warc.gz", "two.warc.gz"):
        job.register(name)


def rows(job: Job) -> dict[int, Row]:
    with job.database.read() as session:
        found = session.execute(
            select(Snapshot.id, Snapshot.url, Snapshot.title, Snapshot.warc_path, Snapshot.warc_offset).where(
                Snapshot.job_id == job.id
            )
        )
        return {row[0]: (row[1], row[2], row[3], row[4]) for row in found}


def captures(job: Job) -> dict[int, tuple[int, int]]:
    with job.database.read() as session:
        found = session.execute(
            select(Capture.id, Capture.warc_file_id, Capture.warc_offset).where(Capture.job_id == job.id)
        )
        return {row[0]: (row[1], row[2]) for row in found}


@contextmanager
def indexer(job: Job, url: str, processes: int) -> Iterator[Started]:
    program = Program(job.root / "program", {"DATABASE_URL": url}, (sys.executable, str(PROGRAM)))
    with program.started(str(job.root), str(job.id), str(processes)) as started:
        wait_until(lambda: "ready\n" in started.output, "the indexer begins")
        yield started


def killed(job: Job, url: str, processes: int, after: float) -> None:
    """Run an indexer, kill it some time after it began, and see that none of its readers is left."""
    with indexer(job, url, processes) as running:
        time.sleep(after)  # a moment to be killed at, not something to wait for
        readers = children_of(running.process.pid)
        running.kill()
    wait_until(lambda: not any(alive(pid) for pid in readers), "the readers end with the indexer")


def check_kills(job: Job, url: str, kills: int, processes: int, seed: int) -> None:
    write_files(job)
    chance = random.Random(seed)
    seen: dict[int, Row] = {}
    seen_captures: dict[int, tuple[int, int]] = {}
    for _ in range(kills):
        killed(job, url, processes, chance.uniform(0, 0.8))
        now, now_captures = rows(job), captures(job)
        assert seen.items() <= now.items()
        assert seen_captures.items() <= now_captures.items()
        seen, seen_captures = now, now_captures
    with indexer(job, url, processes) as last:
        assert last.ended() == 0
    done = rows(job)
    assert seen.items() <= done.items()
    assert seen_captures.items() <= captures(job).items()
    check_promises(job, done)
    check_against_uninterrupted(job, done)


def check_promises(job: Job, done: dict[int, Row]) -> None:
    """See that the journal promises what is there, and promised no id to two records."""
    promised: dict[int, tuple[str, int | None]] = {}
    for line in read_journal(job.journal().parent):
        if line.snapshot_id is not None:
            assert promised.setdefault(line.snapshot_id, (line.filename, line.offset)) == (line.filename, line.offset)
    assert {number: (Path(row[2]).name, row[3]) for number, row in done.items()}.items() <= promised.items()


def check_against_uninterrupted(job: Job, done: dict[int, Row]) -> None:
    other = crawled_job(job.database, job.root)
    for name in ("one", "two"):
        os.link(job.root / "hc" / f"{name}.warc.gz", job.root / "hc" / f"{name}-whole.warc.gz")
        other.register(f"{name}-whole.warc.gz")
    assert other.index() == 0
    whole = [(url, title, path.replace("-whole", ""), at) for url, title, path, at in rows(other).values()]
    assert sorted(done.values(), key=str) == sorted(whole, key=str)
    assert len(whole) == 72
    assert (job.view().status, job.view().index_problem_count) == ("indexed", 0)
    assert job.view().indexed_page_count == 72


def test_an_indexer_that_is_killed_goes_on_and_every_id_stays(job: Job, database_url: str) -> None:
    check_kills(job, database_url, kills=2, processes=2, seed=2)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(6))
def test_an_indexer_may_be_killed_any_number_of_times(job: Job, database_url: str, seed: int) -> None:
    check_kills(job, database_url, kills=15, processes=seed % 3, seed=seed)
