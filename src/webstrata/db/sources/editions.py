"""Public views of sources: the front page, and the editions, one for each job."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from webstrata.db.captures.snapshots import is_ok
from webstrata.db.schema.link_tables import PageSignal, SnapshotOutlink
from webstrata.db.schema.tables import ArchiveJob, Snapshot, Source
from webstrata.db.sources.totals import HIDDEN_SOURCE
from webstrata.db.sql.planner_hints import unindexed
from webstrata.errors import UsageError
from webstrata.model.jobs.job import EDITIONS
from webstrata.model.urls import url_group


@dataclass(frozen=True)
class PublicSource:
    """A public source, and the name of its front page, if it has one."""

    id: int
    code: str
    name: str
    front_group: str | None


@dataclass(frozen=True)
class Edition:
    """A source as one job captured it."""

    job_id: int
    job_name: str
    record_count: int
    first_capture: datetime
    last_capture: datetime
    entry_record_id: int | None


def public_source(session: Session, code: str) -> PublicSource | None:
    """Return a source by its code, unless it is hidden."""
    found = session.scalars(select(Source).where(Source.code == code, Source.code != HIDDEN_SOURCE)).first()
    return None if found is None else PublicSource(found.id, found.code, found.name, front_group(found))


def front_group(source: Source) -> str | None:
    """Return the name of the page at a source's base address; None when that is no web address."""
    try:
        return url_group(source.base_url or "", tuple(source.page_parameters or ()))
    except UsageError:
        return None


def front_page_in(session: Session, code: str, language: str) -> int | None:
    """Return the newest good capture of a source's front page in a language, in any region.

    If the front page was never captured in that language, return a page that it links to, at about the same depth.
    """
    source = public_source(session, code)
    if source is None or source.front_group is None:
        return None
    fronts = (
        select(Snapshot.id, Snapshot.url, Snapshot.outlinks_from)
        .where(unindexed(Snapshot.source_id) == source.id, Snapshot.normalized_url_group == source.front_group, is_ok())
        .order_by(Snapshot.capture_timestamp.desc(), Snapshot.id.desc())
        .limit(1)
    )
    if (front := session.execute(fronts.where(_is_in(language))).first()) is not None:
        return int(front.id)
    front = session.execute(fronts).first()
    return None if front is None else _counterpart(session, source.id, front.outlinks_from, front.url, language)


def _counterpart(session: Session, source_id: int, links: int | None, front_url: str, language: str) -> int | None:
    """Return the newest good capture of the front page's counterpart in another language."""
    led_to = session.execute(
        select(Snapshot.id, Snapshot.url, PageSignal.inlink_count)
        .join(PageSignal, PageSignal.snapshot_id == Snapshot.id)
        .join(SnapshotOutlink, SnapshotOutlink.target_id == PageSignal.id)
        .where(SnapshotOutlink.snapshot_id == links, Snapshot.source_id == source_id, is_ok(), _is_in(language))
    ).all()
    depth = _depth(front_url)
    best = min(led_to, key=lambda row: (abs(_depth(row.url) - depth), -row.inlink_count, row.id), default=None)
    return None if best is None else int(best.id)


def _depth(url: str) -> int:
    return len([part for part in urlsplit(url).path.split("/") if part])


def _is_in(language: str) -> ColumnElement[bool]:
    spoken = func.lower(Snapshot.language)
    return or_(spoken == language, spoken.startswith(f"{language}-", autoescape=True))


def front_page_of_job(session: Session, source: PublicSource, job_id: int) -> int | None:
    """Return the newest good capture of a source's front page by a job."""
    if source.front_group is None:
        return None
    return session.scalars(
        select(Snapshot.id)
        .where(unindexed(Snapshot.job_id) == job_id, unindexed(Snapshot.source_id) == source.id, is_ok())
        .where(Snapshot.normalized_url_group == source.front_group)
        .order_by(Snapshot.capture_timestamp.desc(), Snapshot.id.desc())
        .limit(1)
    ).first()


def editions_of(session: Session, source: PublicSource) -> list[Edition]:
    """Return a source's finished jobs with a snapshot, in any final status, newest first."""
    at = Snapshot.capture_timestamp
    captured = select(at).where(Snapshot.job_id == ArchiveJob.id).correlate(ArchiveJob).limit(1)
    first, last = captured.order_by(at).scalar_subquery(), captured.order_by(at.desc()).scalar_subquery()
    rows = session.execute(
        select(ArchiveJob.id, ArchiveJob.name, ArchiveJob.indexed_page_count, first, last)
        .where(ArchiveJob.source_id == source.id, ArchiveJob.status.in_(EDITIONS), first.is_not(None))
        .order_by(ArchiveJob.id.desc())
    ).all()
    entries = _entries_by_job(session, source)
    return [Edition(*row, entries.get(row[0])) for row in rows]


def _entries_by_job(session: Session, source: PublicSource) -> dict[int | None, int]:
    if source.front_group is None:
        return {}
    rows = session.execute(
        select(Snapshot.job_id, Snapshot.id)
        .where(unindexed(Snapshot.source_id) == source.id, Snapshot.normalized_url_group == source.front_group, is_ok())
        .order_by(Snapshot.capture_timestamp, Snapshot.id)
    )
    return {row[0]: row[1] for row in rows}
