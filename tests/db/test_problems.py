from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from tests.support.shelf import Shelf
from webstrata.db.captures import captures, problems
from webstrata.db.captures.new_rows import NewCapture, Problem
from webstrata.db.engine import Database
from webstrata.db.schema.tables import ArchiveJob, RecordProblem, WarcFile

WHOLE = (0, 1_000_000)


@pytest.fixture
def job(shelf: Shelf) -> int:
    return shelf.job()


@pytest.fixture
def warc(database: Database, job: int) -> int:
    with database.read() as session:
        (file,) = captures.warc_files(session, job)
    return file.id


def stored(database: Database) -> list[tuple[int, str]]:
    wanted = select(RecordProblem.warc_offset, RecordProblem.reason).order_by(RecordProblem.warc_offset)
    with database.read() as session:
        return [(offset, reason) for offset, reason in session.execute(wanted)]


def test_reading_a_part_again_replaces_what_was_known_of_it_and_no_more(
    database: Database, job: int, warc: int
) -> None:
    with database.write() as session:
        problems.replace_problems(session, job, warc, WHOLE, [Problem(10, "old"), Problem(500, "elsewhere")])
    with database.write() as session:
        problems.replace_problems(session, job, warc, (0, 500), [Problem(20, "new")])
    assert stored(database) == [(20, "new"), (500, "elsewhere")]


def test_two_problems_at_one_place_are_one_row_with_the_first_reason(database: Database, job: int, warc: int) -> None:
    with database.write() as session:
        problems.replace_problems(session, job, warc, WHOLE, [Problem(10, "first"), Problem(10, "second")])
    assert stored(database) == [(10, "first")]


def test_of_very_many_problems_some_are_stored_and_those_that_may_pass_are_all(
    database: Database, job: int, warc: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(problems, "MAX_STORED_PER_FILE", 2)
    many = [*(Problem(n, "damaged") for n in range(5)), Problem(9, "not yet there", may_pass=True)]
    with database.write() as session:
        problems.replace_problems(session, job, warc, WHOLE, many)
    assert stored(database) == [(0, "damaged"), (1, "damaged"), (9, "not yet there")]


def test_a_jobs_problems_are_counted_by_what_its_files_say(database: Database, job: int, warc: int) -> None:
    with database.write() as session:
        problems.replace_problems(session, job, warc, WHOLE, [Problem(10, "damaged")])
        captures.set_index_state(session, warc, problem_count=5_000)
        assert problems.count_of_job(session, job) == 5_000
        assert problems.count_of_job(session, job + 1) == 0


def test_a_problem_that_is_none_any_more_is_taken_back(database: Database, job: int, warc: int) -> None:
    with database.write() as session:
        problems.replace_problems(session, job, warc, WHOLE, [Problem(10, "a"), Problem(20, "b")])
        captures.set_index_state(session, warc, problem_count=2)
        problems.forget_problem(session, warc, 10)
        assert problems.count_of_job(session, job) == 1
    assert stored(database) == [(20, "b")]


def test_problems_are_located_file_by_file_in_order(database: Database, job: int, warc: int) -> None:
    with database.write() as session:
        problems.replace_problems(session, job, warc, WHOLE, [Problem(20, "b"), Problem(10, "a")])
        path = session.scalar(select(WarcFile.path).where(WarcFile.id == warc))
        found = problems.problems_of_job(session, job, limit=1, offset=1)
        assert [(one.warc_path, one.offset, one.reason) for one in found] == [(path, 20, "b")]


def test_only_revisits_without_a_snapshot_wait_for_their_payload(database: Database, job: int, warc: int) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    kinds = {10: "revisit", 20: "response"}
    found = [
        NewCapture(at, 5, f"<urn:uuid:{at}>", kind, "https://example.org/", "org,example)/", moment, 200, None, None)
        for at, kind in kinds.items()
    ]
    with database.write() as session:
        source_id = session.scalars(select(ArchiveJob.source_id).where(ArchiveJob.id == job)).one()
        assert source_id is not None
        captures.add_captures(session, job, source_id, warc, found)
        problems.replace_problems(session, job, warc, WHOLE, [Problem(at, "?") for at in kinds])
        waiting = problems.unresolved_revisits(session, job)
    assert [(one.warc_file_id, one.offset, one.length) for one in waiting] == [(warc, 10, 5)]
