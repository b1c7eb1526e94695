"""Change events in the database, for tests that read them."""

from datetime import datetime
from typing import Any

from webstrata.db.changes.changes import NewEvent, load_snapshots, write_events
from webstrata.db.engine import Database

DOSE = {"code": "dose", "text": "a dose changed: 200 mg → 400 mg", "weight": 0.6}


def write_event(database: Database, old: int | None, new: int, kind: str = "updated", **facts: Any) -> None:
    """Write the event of a capture after another one, or of the first capture of a page."""
    with database.write() as session:
        known = load_snapshots(session, [one for one in (old, new) if one is not None])
        before, after = (known[old] if old is not None else None), known[new]
        event = NewEvent(
            source_id=after.source_id,
            normalized_url_group=after.normalized_url_group,
            from_snapshot_id=old,
            to_snapshot_id=new,
            from_job_id=before.job_id if before else None,
            to_job_id=after.job_id,
            from_capture_timestamp=before.capture_timestamp if before else None,
            to_capture_timestamp=after.capture_timestamp,
            change_type=kind,
            is_announced=True,
            diff_version="1",
            normalization_version="1",
            computed_at=datetime.fromisoformat("2024-06-01T00:00:00+00:00"),
            computed_by="test",
            **facts,
        )
        write_events(session, [event], ())
