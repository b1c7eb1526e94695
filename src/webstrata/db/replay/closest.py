"""Captures of one URL around a moment, found by URL key and time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BindParameter, Row, Select, bindparam, case, false, or_, select, true
from sqlalchemy.orm import Session

from webstrata.db.schema.retention_tables import Tombstone
from webstrata.db.schema.tables import ArchiveJob, Capture, WarcFile
from webstrata.db.sql.planner_hints import unindexed
from webstrata.model.captures import ArchivedCapture

MOST_NEAR = 20
"""How many captures before and after a moment are read, as some may redirect to themselves or be lost."""

_SECOND = timedelta(seconds=1)

COLUMNS = (
    *(Capture.id, Capture.url_key, Capture.capture_timestamp, Capture.url, Capture.mime_type, Capture.status_code),
    *(Capture.payload_digest, Capture.record_type, Capture.warc_record_id, Capture.warc_offset, Capture.warc_length),
    *(WarcFile.path, ArchiveJob.output_dir, Capture.job_id),
)
# Not written as EXISTS: PostgreSQL would join all tombstones for a few captures. In a CASE, PostgreSQL does not assume
# that hardly any capture meets the condition.
_TOMBSTONE = (
    select(Tombstone.snapshot_id)
    .where(
        Tombstone.captured_at == Capture.capture_timestamp,
        # Also by record id: an imported file may contain a withheld record at another place.
        Tombstone.warc_record_id == Capture.warc_record_id,
        or_(Capture.warc_record_id != "", Tombstone.warc_offset == Capture.warc_offset),
    )
    .correlate(Capture)
    .limit(1)
    .scalar_subquery()
)
IS_WITHHELD = case((_TOMBSTONE.is_(None), false()), else_=true())
"""Selects withheld captures, whose records exist but must not be shown."""

CAPTURES = (
    select(*COLUMNS)
    .outerjoin(WarcFile, Capture.warc_file_id == WarcFile.id)
    .outerjoin(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
    .where(~IS_WITHHELD)
)
"""Captures that may be shown, with their files; an outer join makes SQLite begin with the captures."""

_BEGIN: BindParameter[datetime] = bindparam("begin")
_END: BindParameter[datetime] = bindparam("end")
_MOST: BindParameter[int] = bindparam("most")
_OF_URL = CAPTURES.where(Capture.url_key == bindparam("key"))
_BY_TIME = (Capture.capture_timestamp, Capture.id)
_BY_TIME_BACK = (Capture.capture_timestamp.desc(), Capture.id.desc())
WITHIN = (
    _OF_URL.where(Capture.capture_timestamp >= _BEGIN, Capture.capture_timestamp < _END)
    .order_by(*_BY_TIME)
    .limit(_MOST)
)
_BEFORE = _OF_URL.where(Capture.capture_timestamp < _END).order_by(*_BY_TIME_BACK).limit(_MOST)
_FROM = _OF_URL.where(Capture.capture_timestamp >= _BEGIN).order_by(*_BY_TIME).limit(_MOST)
_IN_JOB = unindexed(Capture.job_id) == bindparam("job_id")
_FIRST = _OF_URL.order_by(*_BY_TIME).limit(1)
_LAST = _OF_URL.order_by(*_BY_TIME_BACK).limit(1)


@dataclass(frozen=True)
class Neighbours:
    """The captures before and after one in the history of its URL; None where there is none."""

    first: ArchivedCapture | None
    previous: ArchivedCapture | None
    next: ArchivedCapture | None
    last: ArchivedCapture | None


def to_capture(row: Row[*tuple[Any, ...]]) -> ArchivedCapture:
    """Return a row of `CAPTURES` as a value."""
    return ArchivedCapture(*row)


def captures_at(session: Session, key: str, moment: datetime) -> list[ArchivedCapture]:
    """Return the captures of a URL within a second."""
    begin = moment.replace(microsecond=0)
    return _captures(session, WITHIN, key=key, begin=begin, end=after_second(begin), most=MOST_NEAR)


def captures_near(session: Session, key: str, moment: datetime, job_id: int | None = None) -> list[ArchivedCapture]:
    """Return some captures of a URL before and after a moment, of one job or of all."""
    end = after_second(moment.replace(microsecond=0))
    given: dict[str, object] = {"key": key, "most": MOST_NEAR}
    before, after = _BEFORE, _FROM
    if job_id is not None:
        given["job_id"] = job_id
        before, after = before.where(_IN_JOB), after.where(_IN_JOB)
    return [*_captures(session, before, end=end, **given), *_captures(session, after, begin=end, **given)]


def neighbours(session: Session, capture: ArchivedCapture) -> Neighbours:
    """Return the first and last capture of a URL, and those a second or more before and after one."""
    key, begin = capture.url_key, capture.captured_at.replace(microsecond=0)
    return Neighbours(
        first=_only(_captures(session, _FIRST, key=key)),
        previous=_only(_captures(session, _BEFORE, key=key, end=begin, most=1)),
        next=_only(_captures(session, _FROM, key=key, begin=after_second(begin), most=1)),
        last=_only(_captures(session, _LAST, key=key)),
    )


def _captures(session: Session, statement: Select[*tuple[Any, ...]], **given: object) -> list[ArchivedCapture]:
    return [to_capture(row) for row in session.connection().execute(statement, given)]


def _only(found: list[ArchivedCapture]) -> ArchivedCapture | None:
    return found[0] if found else None


def after_second(second: datetime) -> datetime:
    """Return the next second; for the last second of the calendar, itself."""
    try:
        return second + _SECOND
    except OverflowError:
        return second.replace(microsecond=999_999)
