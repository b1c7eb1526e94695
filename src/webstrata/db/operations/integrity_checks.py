"""Stored integrity checks: the one in progress, the last one that ended, and their problems."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from webstrata.db.schema.integrity_tables import IntegrityCheck, IntegrityFinding
from webstrata.db.schema.tables import WarcFile
from webstrata.model.integrity.checks import CheckedPart, CheckPosition, IntegrityProblem, StoredCheck

MOST_STORED = 1_000
"""Problems of one check that are stored; all are counted."""

_MOST_CHECKS = 50
_MAX_TEXT = 2_000


def begin_check(session: Session, trigger: str, now: datetime) -> StoredCheck:
    """Begin a check at the first file; the oldest checks are deleted."""
    row = IntegrityCheck(trigger=trigger, began_at=now, updated_at=now, position=str(CheckPosition()))
    row.files = row.records = row.bytes_read = row.problem_count = 0
    session.add(row)
    session.flush()
    session.execute(delete(IntegrityCheck).where(IntegrityCheck.id <= row.id - _MOST_CHECKS))
    return _stored_check(row)


def running_check(session: Session) -> StoredCheck | None:
    """Return the check that is under way; None without one."""
    return _newest(session, is_over=False)


def last_check(session: Session) -> StoredCheck | None:
    """Return the newest completed check; None before the first."""
    return _newest(session, is_over=True)


def advance_check(
    session: Session, check: StoredCheck, position: CheckPosition, part: CheckedPart, now: datetime
) -> bool:
    """Store the problems of a part of a check; False when another process continued the check meanwhile."""
    moved = session.execute(
        update(IntegrityCheck)
        .where(IntegrityCheck.id == check.id, IntegrityCheck.position == str(check.position))
        .where(IntegrityCheck.ended_at.is_(None))
        .values(
            position=str(position),
            updated_at=now,
            files=IntegrityCheck.files + part.files,
            records=IntegrityCheck.records + part.records,
            bytes_read=IntegrityCheck.bytes_read + part.bytes_read,
            problem_count=IntegrityCheck.problem_count + len(part.problems),
        )
        .returning(IntegrityCheck.id)
    ).scalar()
    if moved is None:
        return False
    _store(session, check, part.problems)
    return True


def end_check(session: Session, check: StoredCheck, now: datetime) -> None:
    """Store the end of a check."""
    session.execute(
        update(IntegrityCheck)
        .where(IntegrityCheck.id == check.id, IntegrityCheck.ended_at.is_(None))
        .values(ended_at=now, updated_at=now)
    )


def problems_of(session: Session, check_id: int, most: int) -> list[IntegrityProblem]:
    """Return the problems of a check, in the order in which they were found."""
    columns = select(IntegrityFinding.path, IntegrityFinding.byte_offset, IntegrityFinding.reason)
    found = columns.where(IntegrityFinding.check_id == check_id).order_by(IntegrityFinding.id).limit(most)
    return [IntegrityProblem(*row) for row in session.execute(found)]


def first_file_time(session: Session) -> datetime | None:
    """Return the time of the archive's first WARC file; None in an empty archive."""
    first = select(WarcFile.created_at).order_by(WarcFile.id).limit(1)
    return session.scalar(first)


def _newest(session: Session, *, is_over: bool) -> StoredCheck | None:
    ended = IntegrityCheck.ended_at
    which = ended.is_not(None) if is_over else ended.is_(None)
    newest = select(IntegrityCheck).where(which).order_by(ended.desc(), IntegrityCheck.id.desc()).limit(1)
    row = session.scalars(newest).first()
    return None if row is None else _stored_check(row)


def _store(session: Session, check: StoredCheck, problems: Sequence[IntegrityProblem]) -> None:
    if not problems:
        return
    known = session.scalar(
        select(func.count()).select_from(IntegrityFinding).where(IntegrityFinding.check_id == check.id)
    )
    rows = [
        {
            "check_id": check.id,
            "path": problem.path[:_MAX_TEXT],
            "byte_offset": problem.offset,
            "reason": problem.reason[:_MAX_TEXT].replace("\0", ""),
        }
        for problem in problems[: max(0, MOST_STORED - (known or 0))]
    ]
    if rows:
        session.execute(insert(IntegrityFinding), rows)


def _stored_check(row: IntegrityCheck) -> StoredCheck:
    return StoredCheck(
        id=row.id,
        trigger=row.trigger,
        began_at=row.began_at,
        updated_at=row.updated_at,
        ended_at=row.ended_at,
        position=CheckPosition.parse(row.position),
        files=row.files,
        records=row.records,
        bytes_read=row.bytes_read,
        problem_count=row.problem_count,
    )
