"""Legal holds, in the database and in a file beside the WARC folders that a rebuild reads."""

import json
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import structlog

from webstrata.db.engine import Database
from webstrata.db.retention import holds
from webstrata.db.retention.holds import HoldView
from webstrata.db.sources.sources import source_view
from webstrata.errors import StorageError
from webstrata.model.retention.holds import HoldTarget, check_reason, hold_target
from webstrata.storage.disk import write_atomically

log = structlog.get_logger()

HOLDS_NAME = "legal-holds.json"


def place_hold(
    database: Database,
    archive_root: Path,
    now: datetime,
    reason: str,
    *,
    source: str | None = None,
    url: str | None = None,
    snapshot_id: int | None = None,
    session_id: str | None = None,
) -> HoldView:
    """Place a legal hold on a source, a page, a snapshot or an audit session."""
    parameters: tuple[str, ...] = ()
    if source is not None:
        with database.read() as session:
            parameters = source_view(session, source).page_parameters
    target = hold_target(
        source=source, url=url, snapshot_id=snapshot_id, session_id=session_id, page_parameters=parameters
    )
    with database.write() as session:
        hold = holds.add_hold(session, target, check_reason(reason), now)
    write_holds(database, archive_root)
    log.info("retention.hold.added", hold=hold.id, scope=target.scope)
    return hold


def release_hold(database: Database, archive_root: Path, hold_id: int, now: datetime) -> HoldView:
    """Release a legal hold: what it covered may be deleted again."""
    with database.write() as session:
        hold = holds.release_hold(session, hold_id, now)
    write_holds(database, archive_root)
    log.info("retention.hold.released", hold=hold_id)
    return hold


def write_holds(database: Database, archive_root: Path) -> None:
    """Write the holds in force to the archive's folder."""
    with database.read() as session:
        active = holds.list_holds(session, active_only=True)
    text = json.dumps([asdict(hold) for hold in active], default=datetime.isoformat, indent=2)
    write_atomically(archive_root / HOLDS_NAME, text.encode())


def restore_holds(database: Database, archive_root: Path) -> int:
    """Store the holds of the archive's folder that the database lacks, and return how many; for a rebuild."""
    try:
        listed = json.loads((archive_root / HOLDS_NAME).read_bytes())
        found = [_hold(values) for values in listed]
    except FileNotFoundError:
        return 0
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(f"{archive_root / HOLDS_NAME} cannot be read: {error}") from error
    with database.write() as session:
        return sum(holds.restore_hold(session, hold) for hold in found)


def _hold(values: dict[str, object]) -> HoldView:
    target = values["target"]
    assert isinstance(target, dict)
    number, reason, created_at, created_by = (values[name] for name in ("id", "reason", "created_at", "created_by"))
    if not isinstance(number, int) or not isinstance(created_at, str):
        raise ValueError("a hold without its number or its date")
    moment = datetime.fromisoformat(created_at)
    return HoldView(number, HoldTarget(**target), str(reason), moment, str(created_by), None, None)
