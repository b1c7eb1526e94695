"""Legal holds: what must not be deleted by any policy or administrator."""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, and_, or_, select
from sqlalchemy.orm import Session

from webstrata.db.assets.assets import batches
from webstrata.db.engine import ACTOR
from webstrata.db.operations import audit_log
from webstrata.db.schema.collection_tables import HaulCapture
from webstrata.db.schema.retention_tables import LegalHold
from webstrata.db.schema.tables import Snapshot, Source
from webstrata.errors import ConflictError, NotFoundError
from webstrata.model.actors import PROGRAM, Actor
from webstrata.model.retention.holds import HoldTarget

_PATHS_AT_ONCE = 500


@dataclass(frozen=True)
class HoldView:
    """A legal hold as it is stored."""

    id: int
    target: HoldTarget
    reason: str
    created_at: datetime
    created_by: str
    released_at: datetime | None
    released_by: str | None


@dataclass(frozen=True)
class KeptSnapshot:
    """A snapshot that must not be deleted, and why."""

    snapshot_id: int
    reason: str


def add_hold(session: Session, target: HoldTarget, reason: str, now: datetime) -> HoldView:
    """Place a hold and record it in the audit log; NotFoundError when there is no such source or snapshot."""
    source_id = _source_id(session, target.source_code) if target.source_code else None
    if target.snapshot_id is not None and session.get(Snapshot, target.snapshot_id) is None:
        raise NotFoundError(f"there is no snapshot {target.snapshot_id}")
    row = LegalHold(
        scope=target.scope,
        source_id=source_id,
        normalized_url_group=target.url_group,
        snapshot_id=target.snapshot_id,
        session_id=target.session_id,
        reason=reason,
        created_at=now,
        created_by=_actor(session),
    )
    session.add(row)
    session.flush()
    audit_log.record(session, "hold.add", f"hold:{row.id}", reason=reason, **asdict(target))
    return _view(row, target.source_code)


def release_hold(session: Session, hold_id: int, now: datetime) -> HoldView:
    """Release a hold and record it in the audit log; ConflictError when it was released before."""
    found = session.execute(_holds().where(LegalHold.id == hold_id).with_for_update(of=LegalHold)).first()
    if found is None:
        raise NotFoundError(f"there is no legal hold {hold_id}")
    row, code = found
    if row.released_at is not None:
        raise ConflictError(f"legal hold {hold_id} was released on {row.released_at:%Y-%m-%d}")
    row.released_at, row.released_by = now, _actor(session)
    audit_log.record(session, "hold.release", f"hold:{hold_id}", reason=row.reason)
    return _view(row, code)


def list_holds(session: Session, *, active_only: bool = False) -> list[HoldView]:
    """Return the holds, newest first: all, or those in force."""
    statement = _holds().order_by(LegalHold.id.desc())
    rows = session.execute(statement.where(LegalHold.released_at.is_(None)) if active_only else statement)
    return [_view(*row) for row in rows]


def restore_hold(session: Session, hold: HoldView) -> bool:
    """Store a hold that was read from a file, unless it is there; False when it is, or its source is gone."""
    if session.get(LegalHold, hold.id) is not None:
        return False
    source_id = None
    if hold.target.source_code:
        source_id = session.scalar(select(Source.id).where(Source.code == hold.target.source_code))
        if source_id is None:
            return False
    target = hold.target
    session.add(
        LegalHold(
            id=hold.id,
            scope=target.scope,
            source_id=source_id,
            normalized_url_group=target.url_group,
            snapshot_id=target.snapshot_id,
            session_id=target.session_id,
            reason=hold.reason,
            created_at=hold.created_at,
            created_by=hold.created_by,
        )
    )
    session.flush()
    return True


def held_among(session: Session, snapshot_ids: Collection[int]) -> list[KeptSnapshot]:
    """Return which of some snapshots are under a legal hold, and its reason."""
    return _held_snapshots(session, Snapshot.id.in_(snapshot_ids))


def kept_among(session: Session, snapshot_ids: Collection[int]) -> list[KeptSnapshot]:
    """Return a few of some snapshots that are under a legal hold, or part of a haul."""
    which = Snapshot.id.in_(snapshot_ids)
    return _held_snapshots(session, which) or _in_hauls(session, which)


def held_in_files(session: Session, job_id: int, paths: Collection[str]) -> list[KeptSnapshot]:
    """Return a few of the snapshots in some files of a job that are under a legal hold, or part of a haul."""
    for part in batches(paths, _PATHS_AT_ONCE):
        lying = and_(Snapshot.job_id == job_id, Snapshot.warc_path.in_(part))
        if found := _held_snapshots(session, lying) or _in_hauls(session, lying):
            return found
    return []


def _in_hauls(session: Session, which: ColumnElement[bool]) -> list[KeptSnapshot]:
    statement = select(HaulCapture.snapshot_id).join(Snapshot, Snapshot.id == HaulCapture.snapshot_id).where(which)
    return [KeptSnapshot(number, "it is part of a haul") for number in session.scalars(statement.limit(1))]


def _held_snapshots(session: Session, which: ColumnElement[bool]) -> list[KeptSnapshot]:
    of_source = and_(LegalHold.scope == "source", LegalHold.source_id == Snapshot.source_id)
    of_page = and_(
        LegalHold.scope == "page",
        LegalHold.normalized_url_group == Snapshot.normalized_url_group,
        or_(LegalHold.source_id.is_(None), LegalHold.source_id == Snapshot.source_id),
    )
    of_snapshot = and_(LegalHold.scope == "snapshot", LegalHold.snapshot_id == Snapshot.id)
    rows = session.execute(
        select(Snapshot.id, LegalHold.reason)
        .join(LegalHold, or_(of_source, of_page, of_snapshot))
        .where(LegalHold.released_at.is_(None), which)
        .order_by(Snapshot.id)
        .limit(10)
    )
    return [KeptSnapshot(row.id, f"legal hold: {row.reason}") for row in rows]


def _holds() -> Select[LegalHold, str]:
    return select(LegalHold, Source.code).outerjoin(Source, LegalHold.source_id == Source.id)


def _view(row: LegalHold, source_code: str | None) -> HoldView:
    target = HoldTarget(row.scope, source_code, row.normalized_url_group, row.snapshot_id, row.session_id)
    return HoldView(row.id, target, row.reason, row.created_at, row.created_by, row.released_at, row.released_by)


def _source_id(session: Session, code: str) -> int:
    found = session.scalar(select(Source.id).where(Source.code == code))
    if found is None:
        raise NotFoundError(f"there is no source {code}")
    return found


def _actor(session: Session) -> str:
    actor = session.info.get(ACTOR, PROGRAM)
    assert isinstance(actor, Actor)
    return actor.name
