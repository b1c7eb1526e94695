"""Rows of sources and jobs as JSON values, for manifests and for the rebuild from them."""

from collections.abc import Mapping
from datetime import datetime
from typing import NoReturn

from sqlalchemy import JSON, Table, insert, select
from sqlalchemy.orm import Session

from webstrata.db.schema.base import Base
from webstrata.db.schema.tables import ArchiveJob, Source
from webstrata.db.sql import ids
from webstrata.db.types import PlainText, UtcDateTime
from webstrata.errors import NotFoundError, UsageError

Facts = dict[str, object]
"""A row's columns by name, as JSON values."""

SOURCE_FIELDS = (
    *("id", "code", "name", "base_url", "description", "enabled", "created_at"),
    *("job_config", "schedule", "schedule_paused", "next_run_at", "page_parameters", "group_version"),
)
JOB_FIELDS = (
    *("id", "name", "status", "status_reason", "created_at", "queued_at", "started_at", "finished_at", "retry_count"),
    *("sitemaps_read_at", "config", "crawler_exit_code", "crawler_status", "crawler_stage", "last_stats_json"),
    *("pages_crawled", "pages_total", "pages_failed", "responses_count", "response_bytes_total"),
    *("requisites_count",),
    *("warc_file_count", "indexed_page_count", "warc_bytes_total", "output_bytes_total", "tmp_bytes_total"),
    *("tmp_non_warc_bytes_total", "storage_scanned_at", "final_zim_path", "combined_log_path", "state_file_path"),
    *("cleanup_status", "cleaned_at"),
)


def source_facts(session: Session) -> list[Facts]:
    """Return the facts of every source for the manifest."""
    return [_facts(row, SOURCE_FIELDS) for row in session.scalars(select(Source).order_by(Source.id))]


def job_facts(session: Session, job_id: int) -> tuple[Facts, Facts | None, str]:
    """Return the facts of a job and of its source for the manifest, and its folder; NotFoundError without one."""
    job = session.get(ArchiveJob, job_id)
    if job is None:
        raise NotFoundError(f"there is no job {job_id}")
    source = _facts(job.source, SOURCE_FIELDS) if job.source is not None else None
    return _facts(job, JOB_FIELDS), source, job.output_dir


def checked_source(facts: Mapping[str, object]) -> Facts:
    """Return a source's facts converted to its columns' types; UsageError when one is invalid."""
    return _check_fields(Source, facts, SOURCE_FIELDS, ("code", "name"))


def checked_job(facts: Mapping[str, object]) -> Facts:
    """Return a job's facts converted to its columns' types; UsageError when one is invalid."""
    return _check_fields(ArchiveJob, facts, JOB_FIELDS, ("name",))


def known_sources(session: Session) -> dict[str, int]:
    """Return the ids of existing sources, by code."""
    return {row.code: row.id for row in session.execute(select(Source.code, Source.id))}


def known_jobs(session: Session) -> dict[int, str]:
    """Return the folders of existing jobs, by id."""
    return {row.id: row.output_dir for row in session.execute(select(ArchiveJob.id, ArchiveJob.output_dir))}


def add_source(session: Session, facts: Facts, source_id: int | None) -> int:
    """Restore a source's row, with the given id or else a new one."""
    return _add(session, Source, {**facts, "id": source_id})


def add_job(session: Session, facts: Facts, job_id: int | None, source_id: int, output_dir: str) -> int:
    """Restore a job's row, with the given id or else a new one."""
    return _add(session, ArchiveJob, {**facts, "id": job_id, "source_id": source_id, "output_dir": output_dir})


def _add(session: Session, kind: type[Base], facts: Facts) -> int:
    requested = facts.pop("id")
    given = facts if requested is None else {**facts, "id": requested}
    row_id = session.connection().execute(insert(_table(kind)).values(**given)).inserted_primary_key
    assert row_id is not None
    ids.lift(session, _table(kind).name, int(row_id[0]), autoincrement=False)
    return int(row_id[0])


def _facts(row: Base, fields: tuple[str, ...]) -> Facts:
    return {name: _plain(getattr(row, name)) for name in fields}


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def _check_fields(
    kind: type[Base], facts: Mapping[str, object], fields: tuple[str, ...], required: tuple[str, ...]
) -> Facts:
    """Read the known fields; a later version may have written more."""
    missing = [name for name in required if not facts.get(name)]
    if missing:
        raise UsageError(f"it has no {missing[0]}")
    found = {name: _value(kind, name, facts[name]) for name in fields if facts.get(name) is not None}
    if not isinstance(found.get("id", 1), int) or int(str(found.get("id", 1))) < 1:
        raise UsageError(f"its id cannot be {found['id']!r}")
    return found


def _value(kind: type[Base], name: str, value: object) -> object:
    column = _table(kind).c[name]
    if isinstance(column.type, UtcDateTime):
        return _moment(name, value)
    if isinstance(column.type, JSON):
        return value if isinstance(value, dict | list) else _refuse(name, value)
    requested = str if isinstance(column.type, PlainText) else column.type.python_type
    if not isinstance(value, requested) or (requested is int and isinstance(value, bool)):
        return _refuse(name, value)
    length = getattr(column.type, "length", None)
    return value if length is None or len(str(value)) <= length else _refuse(name, value)


def _moment(name: str, value: object) -> datetime:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    return moment if moment is not None and moment.tzinfo is not None else _refuse(name, value)


def _refuse(name: str, value: object) -> NoReturn:
    raise UsageError(f"its {name} cannot be {str(value)[:80]!r}")


def _table(kind: type[Base]) -> Table:
    table = kind.__table__
    assert isinstance(table, Table)
    return table
