import gzip
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import select, update

from tests.index.jobs import SITE, Job, crawled_job
from tests.support.fetched import NOON, fetched, write_warc
from tests.support.recount import recount_signals
from webstrata.content.reader.page_requests import ReadPage
from webstrata.db.engine import Database
from webstrata.db.schema.link_tables import PageSignal
from webstrata.index import pipeline, reading, writing
from webstrata.index.facts import CaptureFacts, Read, facts_of
from webstrata.index.reader_process import ReaderDiedError, ReaderProcess
from webstrata.index.readers import ReaderProcesses
from webstrata.index.reading import PartEnd, Portion, ReadingOptions, WarcPart, parts_of
from webstrata.index.signals import refresh_pagerank, settle_ranks
from webstrata.model.captures import Original
from webstrata.model.search.pagerank import TOLERANCE
from webstrata.warc.reader import ArchiveRecord, Span
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter


class DeadlyReader(ReaderProcess):
    program = "tests.index.deadly_reader"


@pytest.fixture
def several(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even little is read by processes, in parts that are smaller than some records."""
    monkeypatch.setattr(pipeline, "SMALL_BYTES", 0)
    monkeypatch.setattr(pipeline, "PART_BYTES", 3_000)


def page(number: int, words: str = "") -> str:
    return f"<title>{number}</title><p>{words} {random.Random(number).randbytes(1_000 * (number % 4)).hex()}"


def ranks(database: Database) -> dict[str, float]:
    with database.read() as session:
        rows = session.execute(select(PageSignal.normalized_url_group, PageSignal.pagerank)).all()
    return {row[0]: row[1] for row in rows}


def portions(reader: Iterator[object]) -> list[Portion]:
    return [item for item in reader if isinstance(item, Portion)]


@pytest.mark.usefixtures("several")
def test_several_processes_write_the_same_index_as_one(
    database: Database, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [fetched(f"{SITE}/{n}", page(n)) for n in range(40)]
    job.add_warc(answers[:25], "one.warc.gz")
    job.add_warc(answers[25:], "two.warc.gz")
    with WarcFileWriter(job.root / "hc" / "three.warc.gz") as writer:
        stored, request = exchange(fetched(f"{SITE}/flu", page(1)), writer.warcinfo_id)
        again = fetched(f"{SITE}/other", page(1), at=NOON + timedelta(days=1))
        writer.append([stored, request])
        writer.append(exchange(again, writer.warcinfo_id, Original(stored.record_id, f"{SITE}/flu", NOON)))
    job.register("three.warc.gz")
    assert job.index() == 0
    several = [(view.id, view.url, view.title) for view in job.snapshots()]
    monkeypatch.setattr(pipeline, "SMALL_BYTES", 1_000_000_000)
    alone = crawled_job(database, job.root)
    for name in ("one", "two", "three"):
        os.link(job.root / "hc" / f"{name}.warc.gz", job.root / "hc" / f"{name}-again.warc.gz")
        alone.register(f"{name}-again.warc.gz")
    assert alone.index() == 0
    one = [(view.id, view.url, view.title) for view in alone.snapshots()]
    assert [row[1:] for row in several] == [row[1:] for row in one]
    assert [row[0] for row in several] == sorted(row[0] for row in several)
    assert len(several) == 42


@pytest.mark.usefixtures("several")
def test_ranks_are_settled_while_the_last_parts_are_read_and_are_right_at_the_end(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled: list[int] = []

    def settling(database: Database, *, cancelled: Callable[[], bool]) -> None:
        settled.append(len(job.snapshots()))
        settle_ranks(database, cancelled=cancelled)

    monkeypatch.setattr(pipeline, "settle_ranks", settling)
    monkeypatch.setattr(writing, "BATCH", 4)
    links = [f'<a href="/{(n + 1) % 40}">on</a><a href="/0">home</a>' for n in range(40)]
    job.add_warc([fetched(f"{SITE}/{n}", page(n, links[n])) for n in range(40)])
    assert job.index() == 0
    assert [0 < pages < 40 for pages in settled] == [True]
    kept = ranks(job.database)
    with job.database.write() as session:
        session.execute(update(PageSignal).values(rank_mass=0.0, pagerank=0.0))
    recount_signals(job.database)
    refresh_pagerank(job.database)
    assert kept == pytest.approx(ranks(job.database), rel=4 * TOLERANCE)
    assert max(kept, key=kept.__getitem__) == f"{SITE}/0"


@pytest.mark.usefixtures("several")
def test_records_inside_of_a_record_are_no_records(job: Job) -> None:
    inner = job.root / "inner.warc"
    write_warc(inner, [fetched(f"{SITE}/inner/{n}", page(n)) for n in range(12)])
    plain = gzip.decompress(inner.read_bytes())
    with WarcFileWriter(job.root / "hc" / "one.warc.gz") as writer:
        for name, body in (("before", page(1)), ("stored", plain), ("after", page(2))):
            kind = "application/warc" if name == "stored" else "text/html"
            writer.append(exchange(fetched(f"{SITE}/{name}", body, content_type=kind), writer.warcinfo_id)[:1])
    file = job.root / "hc" / "one.warc.gz"
    file.write_bytes(gzip.decompress(file.read_bytes()))
    job.register("one.warc.gz")
    assert job.index() == 0
    assert [capture.url.rpartition("/")[2] for capture in job.captures()] == ["before", "stored", "after"]
    assert job.problems() == []


def deadly_part(job: Job, *bodies: str) -> tuple[WarcPart, list[int]]:
    file = job.root / "hc" / "one.warc.gz"
    extents = write_warc(file, [fetched(f"{SITE}/{n}", body) for n, body in enumerate(bodies)])
    size = file.stat().st_size
    return WarcPart(file, Span(0, size, size), ReadingOptions(for_sqlite=True)), [extent.offset for extent in extents]


@pytest.fixture
def sqlite_job(sqlite_url: str, tmp_path: Path) -> Iterator[Job]:
    database = Database(sqlite_url)
    yield crawled_job(database, tmp_path)
    database.dispose()


def test_a_page_that_kills_its_reader_costs_only_itself(sqlite_job: Job) -> None:
    part, offsets = deadly_part(sqlite_job, page(0), page(1, "deadly"), page(2), page(3, "deadly"), page(4))
    with ReaderProcesses(1, 1_000_000, DeadlyReader) as readers:
        read = [item for _, items in readers.read([part]) for item in items]
    found = [one for portion in portions(iter(read)) for one in portion.found]
    assert [one.capture.url[-1] for one in found] == ["0", "1", "2", "3", "4"]
    assert [one.page is not None for one in found] == [True, False, True, False, True]
    wrong = [problem for portion in portions(iter(read)) for problem in portion.problems]
    assert [problem.offset for problem in wrong] == [offsets[1], offsets[3]]
    assert "crashed the process" in wrong[0].reason
    assert isinstance(read[-1], PartEnd)


def test_a_page_that_takes_for_ever_is_given_up_at_its_first_reader(sqlite_job: Job) -> None:
    part, offsets = deadly_part(sqlite_job, page(0), page(1, "endless"), page(2))
    started: list[ReaderProcess] = []

    def start() -> ReaderProcess:
        started.append(DeadlyReader())
        return started[-1]

    with ReaderProcesses(1, 1_000_000, start) as readers:
        read = [item for _, items in readers.read([part]) for item in items]
    found = [one for portion in portions(iter(read)) for one in portion.found]
    assert [one.page is not None for one in found] == [True, False, True]
    wrong = [problem for portion in portions(iter(read)) for problem in portion.problems]
    assert [problem.offset for problem in wrong] == [offsets[1]]
    assert "seconds of processor time" in wrong[0].reason
    assert len(started) == 2


def test_a_reader_that_someone_kills_costs_nothing(sqlite_job: Job) -> None:
    part, _ = deadly_part(sqlite_job, *(page(n) for n in range(8)))
    started: list[ReaderProcess] = []

    def start() -> ReaderProcess:
        started.append(ReaderProcess())
        if len(started) == 1:
            os.kill(started[0].pid, signal.SIGKILL)
        return started[-1]

    with ReaderProcesses(1, 1_000_000, start) as readers:
        read = [item for _, items in readers.read([part]) for item in items]
    found = [one for portion in portions(iter(read)) for one in portion.found]
    assert len(found) == 8
    assert all(one.page is not None for one in found)
    assert not any(reader.is_alive for reader in started)


def test_a_dead_reader_states_which_record_it_died_of(sqlite_job: Job) -> None:
    part, offsets = deadly_part(sqlite_job, page(0), page(1, "deadly"))
    reader = DeadlyReader()
    with pytest.raises(ReaderDiedError) as death:
        list(reader.messages(part))
    assert (death.value.offset, death.value.exit_code) == (offsets[1], -signal.SIGSEGV)


@pytest.mark.parametrize("size", [1, 500, 5_000, 10**9])
def test_parts_cover_a_file_without_gap(sqlite_job: Job, size: int) -> None:
    parts = parts_of(sqlite_job.root, ReadingOptions(for_sqlite=True), 100, 2_100, size)
    assert parts[0].span.start == 100
    assert parts[-1].span.stop == 2_100
    assert all(one.span.stop == other.span.start for one, other in pairwise(parts))
    assert [part.begins_with_record for part in parts] == [True, *[False] * (len(parts) - 1)]


def test_what_a_page_does_to_the_parser_costs_only_the_page(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(
        record: ArchiveRecord, payload: ArchiveRecord, parameters: tuple[str, ...], read: Read = ReadPage.read
    ) -> CaptureFacts:
        if b"hostile" in payload.body_bytes:
            raise RecursionError("too deep")
        return facts_of(record, payload, parameters, read)

    monkeypatch.setattr(reading, "facts_of", fails)
    offsets = job.add_warc([fetched(f"{SITE}/0", "<p>hostile"), fetched(f"{SITE}/1", "<p>good")])
    assert job.index() == 0
    assert [snapshot.url[-1] for snapshot in job.snapshots()] == ["1"]
    assert len(job.captures()) == 2
    assert [(problem.offset, problem.reason) for problem in job.problems()] == [(offsets[0], "too deep")]


def test_a_reader_imports_no_database_modules() -> None:
    asked = "import sys, webstrata.index.reader_process; print(sorted({'sqlalchemy', 'sqlite3'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
