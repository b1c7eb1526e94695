"""Plugins on captures: what is still to do, what was begun, what became of it; every pair of the two once."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, bindparam, exists, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.tables import ArchiveJob, Capture, PluginRun, WarcFile
from webstrata.model.archive import RecordPlace
from webstrata.model.assets import SETTLED, FailedRun, RunStatus

_REVISIT = "revisit"
_NOT_MODIFIED = 304


@dataclass(frozen=True)
class PendingCapture:
    """A capture that some plugin has not settled; interrupted if a process ended while it worked on it."""

    id: int
    interrupted: bool


@dataclass(frozen=True)
class PlacedCapture:
    """A capture and where its record lies."""

    id: int
    url: str
    captured_at: datetime
    warc_path: str
    offset: int
    length: int
    output_dir: str
    """The folder of its job, in which an absolute path has to lie."""
    record_id: str

    @property
    def place(self) -> RecordPlace:
        """Return where its record lies."""
        return RecordPlace(
            warc_path=self.warc_path,
            offset=self.offset,
            length=self.length,
            record_id=self.record_id,
            url=self.url,
            captured_at=self.captured_at,
            output_dir=self.output_dir,
            capture_id=self.id,
        )


@dataclass(frozen=True)
class BegunRun:
    """A plugin that is about to work on a capture, for the how-manieth time."""

    capture_id: int
    plugin: str
    attempts: int


@dataclass(frozen=True)
class SettledRun:
    """What became of a plugin on a capture."""

    capture_id: int
    plugin: str
    plugin_version: str | None
    status: RunStatus
    asset_count: int = 0
    error: str | None = None


def pending_captures(
    session: Session, job_id: int, plugins: Collection[str], *, retry_failed: bool = False
) -> list[PendingCapture]:
    """Return the acknowledged captures of a job with content that some plugin has not settled, oldest first."""
    of_these = and_(PluginRun.capture_id == Capture.id, PluginRun.plugin.in_(plugins))
    settled = select(func.count()).where(of_these, PluginRun.status.in_(_final(retry_failed))).scalar_subquery()
    interrupted = exists().where(of_these, PluginRun.status == RunStatus.RUNNING)
    rows = session.execute(
        select(Capture.id, interrupted)
        .join(WarcFile, Capture.warc_file_id == WarcFile.id)
        .where(Capture.job_id == job_id, _acknowledged(), _holds_content(), settled < len(plugins))
        .order_by(Capture.capture_timestamp, Capture.id)
    )
    return [PendingCapture(row[0], row[1]) for row in rows]


def _final(retry_failed: bool) -> tuple[RunStatus, ...]:
    return tuple(status for status in SETTLED if not (retry_failed and status is RunStatus.FAILED))


def _acknowledged() -> ColumnElement[bool]:
    """Select what lies before the acknowledged end of its file: what is behind may yet be cut off."""
    return Capture.warc_offset + Capture.warc_length <= WarcFile.committed_bytes


def _holds_content() -> ColumnElement[bool]:
    """Select answers that are the thing itself; of a 304, its record says what it is the same as."""
    not_modified = and_(Capture.record_type == _REVISIT, Capture.status_code == _NOT_MODIFIED)
    return or_(Capture.status_code.is_(None), Capture.status_code.between(200, 299), not_modified)


def placed_captures(session: Session, capture_ids: Collection[int]) -> list[PlacedCapture]:
    """Return captures with their places, oldest first."""
    rows = session.execute(
        select(
            Capture.id,
            Capture.url,
            Capture.capture_timestamp,
            WarcFile.path,
            Capture.warc_offset,
            Capture.warc_length,
            ArchiveJob.output_dir,
            Capture.warc_record_id,
        )
        .join(WarcFile, Capture.warc_file_id == WarcFile.id)
        .join(ArchiveJob, WarcFile.job_id == ArchiveJob.id)
        .where(Capture.id.in_(capture_ids))
        .order_by(Capture.capture_timestamp, Capture.id)
    )
    return [PlacedCapture(*row) for row in rows]


def begin_runs(
    session: Session,
    capture_ids: Collection[int],
    plugins: Mapping[str, str | None],
    now: datetime,
    *,
    retry_failed: bool = False,
) -> list[BegunRun]:
    """Note that plugins, given with their versions, are about to work on captures; return what is not settled yet."""
    known = {
        (row.capture_id, row.plugin): row
        for row in session.scalars(select(PluginRun).where(PluginRun.capture_id.in_(capture_ids)))
    }
    final = _final(retry_failed)
    open_pairs = [
        (capture_id, plugin)
        for capture_id in capture_ids
        for plugin in plugins
        if (row := known.get((capture_id, plugin))) is None or row.status not in final
    ]
    begun = [BegunRun(*pair, attempts=_next_attempt(known.get(pair))) for pair in open_pairs]
    _write_begun(session, begun, plugins, now)
    return begun


def _next_attempt(row: PluginRun | None) -> int:
    return row.attempt_count + 1 if row is not None and row.status == RunStatus.RUNNING else 1


def _write_begun(
    session: Session, begun: Sequence[BegunRun], versions: Mapping[str, str | None], now: datetime
) -> None:
    if not begun:
        return
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    statement = dialect.insert(PluginRun)
    updated = {
        name: statement.excluded[name]
        for name in ("plugin_version", "status", "attempt_count", "asset_count", "error", "updated_at")
    }
    rows = [
        {
            "capture_id": run.capture_id,
            "plugin": run.plugin,
            "plugin_version": versions[run.plugin],
            "status": RunStatus.RUNNING.value,
            "attempt_count": run.attempts,
            "asset_count": 0,
            "error": None,
            "updated_at": now,
        }
        for run in begun
    ]
    session.execute(statement.on_conflict_do_update(index_elements=["capture_id", "plugin"], set_=updated), rows)


def open_runs(session: Session, capture_ids: Collection[int]) -> set[tuple[int, str]]:
    """Return the begun runs that nobody has settled meanwhile."""
    rows = session.execute(
        select(PluginRun.capture_id, PluginRun.plugin).where(
            PluginRun.capture_id.in_(capture_ids), PluginRun.status == RunStatus.RUNNING
        )
    )
    return {(row[0], row[1]) for row in rows}


_SETTLE = (
    update(PluginRun.__table__)  # type: ignore[arg-type]
    .where(PluginRun.capture_id == bindparam("of_capture"), PluginRun.plugin == bindparam("of_plugin"))
    .values(
        plugin_version=bindparam("new_version"),
        status=bindparam("new_status"),
        asset_count=bindparam("assets"),
        error=bindparam("reason"),
        updated_at=bindparam("now"),
    )
)


def settle_runs(session: Session, runs: Sequence[SettledRun], now: datetime) -> None:
    """Write what became of runs."""
    rows = [
        {
            "of_capture": run.capture_id,
            "of_plugin": run.plugin,
            "new_version": run.plugin_version,
            "new_status": run.status.value,
            "assets": run.asset_count,
            "reason": run.error,
            "now": now,
        }
        for run in runs
    ]
    if rows:
        session.connection().execute(_SETTLE, rows)


def run_counts(session: Session, job_id: int) -> dict[RunStatus, int]:
    """Return how many plugin runs of a job ended how."""
    rows = session.execute(
        select(PluginRun.status, func.count())
        .join(Capture, PluginRun.capture_id == Capture.id)
        .where(Capture.job_id == job_id)
        .group_by(PluginRun.status)
    )
    return {RunStatus(row[0]): row[1] for row in rows}


def failed_runs(session: Session, job_id: int, *, limit: int = 100) -> list[FailedRun]:
    """Return the captures of a job that plugins failed on, and why."""
    rows = session.execute(
        select(Capture.url, PluginRun.plugin, PluginRun.plugin_version, PluginRun.error)
        .join(Capture, PluginRun.capture_id == Capture.id)
        .where(Capture.job_id == job_id, PluginRun.status == RunStatus.FAILED)
        .order_by(Capture.capture_timestamp, Capture.id, PluginRun.plugin)
        .limit(limit)
    )
    return [FailedRun(row[0], row[1], row[2], row[3] or "") for row in rows]
