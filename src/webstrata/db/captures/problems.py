"""Problems in WARC files by offset: counted, and replaced when the file is read again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Table, delete, func, insert, select, update
from sqlalchemy.orm import Session

from webstrata.db.captures.new_rows import Problem
from webstrata.db.schema.tables import Capture, RecordProblem, Snapshot, WarcFile
from webstrata.db.sql.bulk import ManyRows

MAX_STORED_PER_FILE = 1_000
"""Further problems of a file are only counted."""

END = 2**63 - 1
"""An offset after every byte of every file."""

_PROBLEMS = RecordProblem.__table__
assert isinstance(_PROBLEMS, Table)

_ADDED = ("job_id", "warc_file_id", "warc_offset", "reason", "created_at")
_ADD = ManyRows(insert(_PROBLEMS).inline(), {name: _PROBLEMS.c[name] for name in _ADDED})


@dataclass(frozen=True)
class LocatedProblem:
    """A problem of a job, with the file that has it."""

    warc_path: str
    offset: int
    reason: str


@dataclass(frozen=True)
class UnresolvedRevisit:
    """A revisit whose payload could not be found when it was read."""

    warc_file_id: int
    offset: int
    length: int


def replace_problems(
    session: Session, job_id: int, warc_file_id: int, within: tuple[int, int], problems: Sequence[Problem]
) -> None:
    """Replace the stored problems of a part of a file; the file's problem count is not updated."""
    start, stop = within
    of_file = RecordProblem.warc_file_id == warc_file_id
    session.execute(delete(RecordProblem).where(of_file, RecordProblem.warc_offset.between(start, stop - 1)))
    if not problems:
        return
    stored = session.scalar(select(func.count()).select_from(RecordProblem).where(of_file)) or 0
    now, room = datetime.now(UTC), max(0, MAX_STORED_PER_FILE - stored)
    distinct = sorted({problem.offset: problem for problem in reversed(problems)}.values(), key=lambda one: one.offset)
    kept = [problem for n, problem in enumerate(distinct) if n < room or problem.may_pass]
    places = [problem.offset for problem in kept]
    session.execute(delete(RecordProblem).where(of_file, RecordProblem.warc_offset.in_(places)))
    _ADD.execute(session, [(job_id, warc_file_id, problem.offset, problem.reason, now) for problem in kept])


def unread_problems(session: Session, job_id: int) -> dict[int, list[Problem]]:
    """Return, by file, the problems after the indexed part: why the file cannot be read further, or that its end is cut
    off."""
    rows = session.execute(
        select(RecordProblem.warc_file_id, RecordProblem.warc_offset, RecordProblem.reason)
        .join(WarcFile, RecordProblem.warc_file_id == WarcFile.id)
        .where(WarcFile.job_id == job_id, RecordProblem.warc_offset >= WarcFile.indexed_bytes)
    )
    found: dict[int, list[Problem]] = {}
    for warc_file_id, offset, reason in rows:
        found.setdefault(warc_file_id, []).append(Problem(offset, reason, may_pass=True))
    return found


def replace_unread(session: Session, job_id: int, warc_file_id: int, start: int, problems: Sequence[Problem]) -> None:
    """Replace the known problems after the indexed part of a file, and count them."""
    after = (RecordProblem.warc_file_id == warc_file_id, RecordProblem.warc_offset >= start)
    before = session.scalar(select(func.count()).select_from(RecordProblem).where(*after)) or 0
    replace_problems(session, job_id, warc_file_id, (start, END), problems)
    counted = WarcFile.problem_count - before + len(problems)
    session.execute(update(WarcFile).where(WarcFile.id == warc_file_id).values(problem_count=counted))


def forget_problem(session: Session, warc_file_id: int, offset: int) -> None:
    """Remove a problem that is solved."""
    here = delete(RecordProblem).where(RecordProblem.warc_file_id == warc_file_id, RecordProblem.warc_offset == offset)
    if not list(session.scalars(here.returning(RecordProblem.id))):
        return
    fewer = update(WarcFile).where(WarcFile.id == warc_file_id, WarcFile.problem_count > 0)
    session.execute(fewer.values(problem_count=WarcFile.problem_count - 1))


def count_of_job(session: Session, job_id: int) -> int:
    """Return how many problems a job's files have."""
    total = select(func.coalesce(func.sum(WarcFile.problem_count), 0)).where(WarcFile.job_id == job_id)
    return int(session.scalar(total) or 0)


def problems_of_job(session: Session, job_id: int, *, limit: int, offset: int = 0) -> list[LocatedProblem]:
    """Return a job's problems in the order of its files."""
    rows = session.execute(
        select(WarcFile.path, RecordProblem.warc_offset, RecordProblem.reason)
        .join(WarcFile, RecordProblem.warc_file_id == WarcFile.id)
        .where(RecordProblem.job_id == job_id)
        .order_by(WarcFile.id, RecordProblem.warc_offset)
        .limit(limit)
        .offset(offset)
    )
    return [LocatedProblem(*row) for row in rows]


def unresolved_revisits(session: Session, job_id: int) -> list[UnresolvedRevisit]:
    """Return the revisits of a job whose payload was not found."""
    rows = session.execute(
        select(Capture.warc_file_id, Capture.warc_offset, Capture.warc_length)
        .join(
            RecordProblem,
            (RecordProblem.warc_file_id == Capture.warc_file_id) & (RecordProblem.warc_offset == Capture.warc_offset),
        )
        .outerjoin(Snapshot, Snapshot.capture_id == Capture.id)
        .where(RecordProblem.job_id == job_id, Capture.record_type == "revisit", Snapshot.id.is_(None))
        .order_by(Capture.id)
    )
    return [UnresolvedRevisit(*row) for row in rows]
