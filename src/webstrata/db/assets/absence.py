"""Evidence that a job gives about assets that it did not find: responses, failures and the times of its captures."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.orm import Session

from webstrata.db.assets.assets import KEYS_AT_ONCE, batches
from webstrata.db.schema.asset_tables import Asset, PluginRun
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.db.schema.tables import ArchiveJob, Capture
from webstrata.db.sql.planner_hints import unindexed
from webstrata.model.assets import GONE_STATUSES, AssetResponse, AssetState, RunStatus, UnseenAsset
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.model.urls import surt, url_key


@dataclass(frozen=True)
class CaptureSpan:
    """The times of a job's first and last response."""

    first: datetime
    last: datetime


def capture_span(session: Session, job_id: int) -> CaptureSpan | None:
    """Return the times of a job's first and last capture; None without captures."""
    moment = Capture.capture_timestamp
    row = session.execute(select(func.min(moment), func.max(moment)).where(Capture.job_id == job_id)).one()
    first: datetime | None = row[0]
    return CaptureSpan(first, row[1]) if first is not None else None


def unseen_assets(
    session: Session, source_id: int, plugins: Collection[str], before: datetime, *, after_id: int
) -> list[UnseenAsset]:
    """Return the next present assets of plugins that were last seen before a moment."""
    rows = session.scalars(
        select(Asset)
        .where(Asset.source_id == source_id, Asset.state == AssetState.PRESENT, Asset.plugin.in_(plugins))
        .where(Asset.last_seen_at < before, Asset.id > after_id)
        .order_by(Asset.id)
        .limit(KEYS_AT_ONCE)
    )
    return [UnseenAsset(row.id, row.plugin, row.last_seen_url, row.last_seen_at, row.last_seen_job_id) for row in rows]


def responses_of(session: Session, job_id: int, urls: Collection[str]) -> dict[str, AssetResponse]:
    """Return the last response that a job received from each URL."""
    rows = session.execute(
        select(Capture.url, Capture.id, Capture.capture_timestamp, Capture.status_code)
        .where(unindexed(Capture.job_id) == job_id, Capture.url_key.in_({surt(url) for url in urls}))
        .where(Capture.url.in_(urls))
        .order_by(Capture.capture_timestamp, Capture.id)
    )
    return {row[0]: AssetResponse(row[1], row[2], row[3]) for row in rows}


def run_statuses(session: Session, capture_ids: Collection[int]) -> dict[tuple[int, str], RunStatus]:
    """Return the status of plugin runs on captures."""
    rows = session.execute(
        select(PluginRun.capture_id, PluginRun.plugin, PluginRun.status).where(PluginRun.capture_id.in_(capture_ids))
    )
    return {(row[0], row[1]): RunStatus(row[2]) for row in rows}


def tried_urls(session: Session, job_id: int, urls: Collection[str]) -> set[str]:
    """Return which URLs a job knew, with any result."""
    keys = {url_key(url): url for url in urls}
    found = session.scalars(select(CrawlTask.url_key).where(CrawlTask.job_id == job_id, CrawlTask.url_key.in_(keys)))
    return {keys[key] for key in found}


def lost_way(session: Session, source_id: int, job_id: int) -> str | None:
    """Return a URL that failed in a job, but responded in the previous one: its link targets do not count as absent."""
    captured = select(Capture.id).where(Capture.job_id == ArchiveJob.id).exists()
    earlier = session.scalar(
        select(ArchiveJob.id)
        .where(ArchiveJob.source_id == source_id, ArchiveJob.id < job_id, captured)
        .order_by(ArchiveJob.id.desc())
        .limit(1)
    )
    if earlier is None:
        return None
    for urls in batches(_failed_urls(session, job_id), KEYS_AT_ONCE):
        responses = responses_of(session, earlier, urls)
        lost = sorted(url for url, response in responses.items() if (response.status_code or 200) < 400)
        if lost:
            return lost[0]
    return None


def _failed_urls(session: Session, job_id: int) -> Iterator[str]:
    """Yield the URLs from which a job got no response, or one that proves nothing about the asset."""
    yield from session.scalars(
        select(CrawlTask.url).where(CrawlTask.job_id == job_id, CrawlTask.status == TaskStatus.ERROR)
    )
    yield from session.scalars(
        select(Capture.url).where(
            Capture.job_id == job_id, Capture.status_code >= 400, Capture.status_code.not_in(GONE_STATUSES)
        )
    )


def config_of(session: Session, job_id: int) -> dict[str, object]:
    """Return a job's configuration, as it is stored."""
    return dict(session.scalar(select(ArchiveJob.config).where(ArchiveJob.id == job_id)) or {})


def count_present(session: Session, source_id: int, plugins: Collection[str]) -> int:
    """Return the number of a source's assets by plugins."""
    return (
        session.scalar(
            select(func.count()).where(
                Asset.source_id == source_id, Asset.state == AssetState.PRESENT, Asset.plugin.in_(plugins)
            )
        )
        or 0
    )


_MARK_MISSING = (
    update(Asset.__table__)  # type: ignore[arg-type]
    .where(Asset.id == bindparam("asset"), Asset.last_seen_at <= bindparam("since"))
    .values(state=AssetState.MISSING.value, missing_since=bindparam("since"))
)


def mark_missing(session: Session, since: Mapping[int, datetime]) -> None:
    """Mark assets as missing since a time, except those that were seen later."""
    if since:
        rows = [{"asset": asset_id, "since": moment} for asset_id, moment in since.items()]
        session.connection().execute(_MARK_MISSING, rows)
