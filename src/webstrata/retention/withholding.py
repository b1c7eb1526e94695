"""Withholding of captures: a tombstone replaces the snapshot; its WARC record is not changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog

from webstrata.db.engine import Database
from webstrata.db.operations import audit_log
from webstrata.db.retention import holds, tombstones
from webstrata.db.sources.totals import totals
from webstrata.errors import ConflictError, NotFoundError, UsageError
from webstrata.model.retention.holds import check_reason
from webstrata.model.retention.rules import is_mass_disappearance
from webstrata.model.retention.tombstones import WithheldCapture
from webstrata.warc.cdxj import journal_folder
from webstrata.warc.withheld import write_withheld

log = structlog.get_logger()

MOST_AT_ONCE = 10_000


@dataclass(frozen=True)
class WithholdRequest:
    """Which snapshots are to be withheld, and why; `confirmed` allows more of a source than the guard does."""

    snapshot_ids: Sequence[int]
    reason: str
    confirmed: bool = False


def withhold_snapshots(
    database: Database, archive_root: Path, request: WithholdRequest, now: datetime, *, max_share: float
) -> list[WithheldCapture]:
    """Withhold snapshots, including those of the same records in imported files, and return their tombstones.

    ConflictError when one is under a legal hold, or when too much of a source would disappear without confirmation.
    Tombstones are written to disk before the database changes; after a kill in between, the same command can be
    repeated.
    """
    named = sorted(set(request.snapshot_ids))
    if not named or len(named) > MOST_AT_ONCE:
        raise UsageError(f"give the ids of 1 to {MOST_AT_ONCE} snapshots")
    reason = check_reason(request.reason)
    with database.read() as session:
        requested = sorted(tombstones.with_copies(session, named))
        described = tombstones.describe(session, requested, reason, database.actor.name, now)
        known = {number for number in requested if tombstones.tombstone_of(session, number) is not None}
    _refuse_unknown(requested, described, known)
    _refuse_mass(database, list(described), request.confirmed, max_share)
    _refuse_held(database, requested)
    _write_beside(archive_root, described)
    for capture in described:
        _withhold(database, capture)
    return list(described)


def _refuse_unknown(requested: Sequence[int], described: dict[WithheldCapture, str], known: set[int]) -> None:
    found = {capture.snapshot_id for capture in described}
    missing = [number for number in requested if number not in found | known]
    if missing:
        raise NotFoundError(f"there is no snapshot {missing[0]}")


def _refuse_held(database: Database, requested: Sequence[int]) -> None:
    with database.read() as session:
        held = holds.held_among(session, requested)
    if held:
        raise ConflictError(f"snapshot {held[0].snapshot_id} must be kept ({held[0].reason})")


def _refuse_mass(database: Database, going: Sequence[WithheldCapture], confirmed: bool, max_share: float) -> None:
    """Refuse to remove most of a source by accident."""
    if confirmed:
        return
    codes = [capture.source_code for capture in going if capture.source_code]
    with database.read() as session:
        in_all = {total.code: total.snapshots for total in totals(session)}
    for code in sorted(set(codes)):
        count = codes.count(code)
        if count > 1 and is_mass_disappearance(count, in_all.get(code, 0), max_share):
            raise ConflictError(
                f"{count} of {in_all[code]} snapshots of source {code} would disappear, more than "
                f"{max_share:.0%}: confirm it to continue"
            )


def _write_beside(archive_root: Path, described: dict[WithheldCapture, str]) -> None:
    by_folder: dict[Path, list[WithheldCapture]] = {}
    for capture, output_dir in described.items():
        folder = journal_folder(capture.job_id or 0, output_dir, archive_root)
        by_folder.setdefault(folder, []).append(capture)
    for folder, captures in by_folder.items():
        write_withheld(folder, captures)


def _withhold(database: Database, capture: WithheldCapture) -> None:
    with database.write() as session:
        # Checked again in the transaction: a hold may have been placed meanwhile.
        held = holds.held_among(session, [capture.snapshot_id])
        if held:
            raise ConflictError(f"snapshot {capture.snapshot_id} must be kept ({held[0].reason})")
        if tombstones.withhold(session, capture):
            target = f"snapshot:{capture.snapshot_id}"
            audit_log.record(session, "snapshot.withhold", target, url=capture.url, reason=capture.reason)
    log.info("retention.snapshot.withheld", snapshot_id=capture.snapshot_id)
