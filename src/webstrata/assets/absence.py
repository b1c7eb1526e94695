"""Decides the state of assets that a finished job did not find: gone, absent, or unknown."""

from collections.abc import Collection, Iterator
from datetime import datetime

import structlog

from webstrata.db.assets import absence
from webstrata.db.assets.absence import CaptureSpan
from webstrata.db.engine import Database
from webstrata.db.queue import frontier
from webstrata.db.queue.frontier import FrontierCounts
from webstrata.db.queue.jobs import StoredJob
from webstrata.model.assets import Fate, UnseenAsset, judge_unseen, same_reach, too_many_at_once
from webstrata.model.jobs.job import JobStatus

log = structlog.get_logger()

_ENDED_WELL = (JobStatus.COMPLETED, JobStatus.INDEXING, JobStatus.INDEXED)


def mark_missing(
    database: Database, job: StoredJob, plugins: Collection[str], *, believe_absence: bool = False
) -> tuple[int, int]:
    """Mark the assets that a job proves to be missing; return their number, and the number of uncertain ones.

    A job that did not complete proves nothing.
    """
    with database.read() as session:
        span = absence.capture_span(session, job.id)
        if span is None or not _ran_to_its_end(job, frontier.counts(session, job.id)):
            return 0, 0
    gone: dict[int, datetime] = {}
    absent: list[UnseenAsset] = []
    for asset, fate, since in _fates(database, job, plugins, span):
        if fate is Fate.GONE:
            gone[asset.id] = since
        elif fate is Fate.ABSENT:
            absent.append(asset)
    proven = _proven(database, job, plugins, absent, believe_absence)
    gone |= {asset.id: span.last for asset in proven}
    with database.write() as session:
        absence.mark_missing(session, gone)
    return len(gone), len(absent) - len(proven)


def _ran_to_its_end(job: StoredJob, counts: FrontierCounts) -> bool:
    """Return whether a job visited all its URLs; False for a crawler whose URLs are not in our database."""
    return job.status in _ENDED_WELL and counts.finished > 0 and counts.pending == counts.in_progress == 0


def _fates(
    database: Database, job: StoredJob, plugins: Collection[str], span: CaptureSpan
) -> Iterator[tuple[UnseenAsset, Fate, datetime]]:
    """Yield the state of each asset that the job did not find, with the time from which on."""
    last_id = 0
    while True:
        with database.read() as session:
            assets = absence.unseen_assets(session, job.source_id, plugins, span.first, after_id=last_id)
            urls = {asset.url for asset in assets}
            responses = absence.responses_of(session, job.id, urls)
            runs = absence.run_statuses(session, {response.capture_id for response in responses.values()})
            tried = absence.tried_urls(session, job.id, urls)
        for asset in assets:
            response = responses.get(asset.url)
            run = runs.get((response.capture_id, asset.plugin)) if response else None
            fate = judge_unseen(asset, response, run, tried=asset.url in tried)
            yield asset, fate, response.captured_at if response else span.last
        if not assets:
            return
        last_id = assets[-1].id


def _proven(
    database: Database, job: StoredJob, plugins: Collection[str], absent: list[UnseenAsset], believe: bool
) -> list[UnseenAsset]:
    """Return the absent assets that count as gone, and log why the others do not."""
    if not absent or believe:
        return absent
    with database.read() as session:
        lost = absence.lost_way(session, job.source_id, job.id)
        present = absence.count_present(session, job.source_id, plugins)
        requested = absence.config_of(session, job.id)
        seen_by = {asset.last_seen_job_id for asset in absent if asset.last_seen_job_id is not None}
        alike = {job_id for job_id in seen_by if same_reach(absence.config_of(session, job_id), requested)}
    if lost is not None:
        log.warning("assets.absence.unproven", assets=len(absent), reason=f"{lost} answered before and failed now")
        return []
    if too_many_at_once(len(absent), present):
        reason = f"{len(absent)} of {present} at once look like an outage"
        log.warning("assets.absence.unproven", assets=len(absent), reason=reason)
        return []
    proven = [asset for asset in absent if asset.last_seen_job_id in alike]
    if len(proven) < len(absent):
        reason = "they were seen by a job with another scope"
        log.info("assets.absence.unproven", assets=len(absent) - len(proven), reason=reason)
    return proven
