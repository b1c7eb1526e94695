"""Events of captures that are equal to their predecessors, written in SQL without loading rows."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, text
from sqlalchemy.orm import Session

from webstrata.db.changes.changes import FOLLOWING, IS_OVER, PRECEDING, settle_pending
from webstrata.db.schema.change_tables import SnapshotChange
from webstrata.model.changes.values import ChangeType


@dataclass(frozen=True)
class Window:
    """The queued captures of a source in a range of ids."""

    source_id: int
    after_id: int
    last_id: int


@dataclass(frozen=True)
class EventStamp:
    """The versions, the time and the process that computed an event."""

    diff_version: str
    normalization_version: str
    computed_at: datetime
    computed_by: str


def next_window(session: Session, source_id: int, after_id: int, most: int) -> Window | None:
    """Return a window of at most `most` queued captures; None when no capture is queued after an id."""
    given = {"source_id": source_id, "after_id": after_id, "most": most}
    last_id = session.execute(_LAST_OF_WINDOW, given).scalar()
    return None if last_id is None else Window(source_id, after_id, int(last_id))


def settle_unchanged(session: Session, window: Window, stamp: EventStamp) -> int:
    """Write the events of captures of a window that are equal to their predecessors, and return their number.

    Captures whose neighbours also need a new event are left to `next_pairs`.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(_LOOK_UP)
    given = {"change_type": ChangeType.UNCHANGED.value, **vars(window), **vars(stamp)}
    settled = list(session.execute(_SETTLE_UNCHANGED, given).scalars())
    settle_pending(session, settled)
    return len(settled)


_LAST_OF_WINDOW = text(
    "SELECT max(snapshot_id) FROM (SELECT snapshot_id FROM pending_changes"
    " WHERE source_id = :source_id AND snapshot_id > :after_id ORDER BY snapshot_id LIMIT :most) AS waiting"
)

_LOOK_UP = text(
    "SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),"
    " set_config('enable_seqscan', 'off', true)"
)
"""A planner setting until the transaction ends; otherwise PostgreSQL would read all snapshots for a window of some
thousand."""

# Equal bytes and status imply equal quality. The next capture must be queued, too: else its stored event compares it
# with the wrong capture. CROSS JOIN makes SQLite go from the queued captures to their neighbours.
_SETTLE_UNCHANGED = text(f"""
INSERT INTO snapshot_changes (source_id, normalized_url_group, from_snapshot_id, to_snapshot_id, from_job_id, to_job_id,
    from_capture_timestamp, to_capture_timestamp, change_type, reasons, ignored, is_announced,
    diff_version, normalization_version, computed_at, computed_by)
SELECT s.source_id, s.normalized_url_group, p.id, s.id, p.job_id, s.job_id,
    p.capture_timestamp, s.capture_timestamp, :change_type, '[]', '[]', w.is_announced,
    :diff_version, :normalization_version, :computed_at, :computed_by
FROM pending_changes w CROSS JOIN snapshots s CROSS JOIN archive_jobs j CROSS JOIN snapshots p
WHERE w.source_id = :source_id AND w.snapshot_id > :after_id AND w.snapshot_id <= :last_id
  AND s.id = w.snapshot_id AND j.id = s.job_id AND {IS_OVER} AND p.id = {PRECEDING}
  AND p.content_hash = s.content_hash AND coalesce(p.status_code, 0) = coalesce(s.status_code, 0)
  AND coalesce(p.quality, -1) = coalesce(s.quality, -1)
  AND EXISTS (SELECT 1 FROM pending_changes later WHERE later.snapshot_id = coalesce({FOLLOWING}, s.id))
ON CONFLICT DO NOTHING
RETURNING to_snapshot_id
""").bindparams(bindparam("computed_at", type_=SnapshotChange.computed_at.type))  # noqa: S608 - all parts are ours
