"""Redirects captured at URLs where earlier captures have a page."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from webstrata.db.schema.tables import Capture, Page, Snapshot

REDIRECTS = "status_code IN (301, 302, 303, 307, 308)"
"""The condition of the partial index on redirects; SQLite uses the index only for queries with exactly this text."""

_AT_ONCE = 400


@dataclass(frozen=True)
class StoredRedirect:
    """A captured redirect and the location of its record."""

    capture_id: int
    url: str
    captured_at: datetime
    warc_file_id: int
    offset: int
    length: int
    record_id: str
    has_snapshot: bool


@dataclass(frozen=True)
class LastShown:
    """The time and the job of the last good capture of a page."""

    captured_at: datetime
    job_id: int | None


def redirects_of(session: Session, job_id: int, after_id: int, most: int) -> list[StoredRedirect]:
    """Return a number of redirects that a job captured, by id, after a given id."""
    rows = session.execute(
        select(
            *(Capture.id, Capture.url, Capture.capture_timestamp, Capture.warc_file_id, Capture.warc_offset),
            *(Capture.warc_length, Capture.warc_record_id, Snapshot.id),
        )
        .outerjoin(Snapshot, Snapshot.capture_id == Capture.id)
        .where(Capture.job_id == job_id, text(f"captures.{REDIRECTS}"), Capture.id > after_id)
        .order_by(Capture.id)
        .limit(most)
    )
    return [StoredRedirect(*row[:7], row[7] is not None) for row in rows]


def last_shown(session: Session, source_id: int, groups: Collection[str]) -> dict[str, LastShown]:
    """Return the last good capture of pages of a source, by URL group."""
    found: dict[str, LastShown] = {}
    requested = list(groups)
    columns = select(Page.normalized_url_group, Page.latest_ok_timestamp, Snapshot.job_id)
    for start in range(0, len(requested), _AT_ONCE):
        rows = session.execute(
            columns.join(Snapshot, Snapshot.id == Page.latest_ok_snapshot_id).where(
                Page.source_id == source_id, Page.normalized_url_group.in_(requested[start : start + _AT_ONCE])
            )
        )
        found |= {row[0]: LastShown(row[1], row[2]) for row in rows if row[1] is not None}
    return found
