"""The schedule of watches: jobs that check the watches that are due.

Due watches of single pages of one source share a job. While a source has a running job, its watches wait: a source
never has two jobs at a time.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import structlog

from webstrata.db.engine import Database, Session
from webstrata.db.queue import jobs
from webstrata.db.sources import sources
from webstrata.db.watching import watches
from webstrata.db.watching.watches import DueWatch
from webstrata.errors import DatabaseError, WebstrataError
from webstrata.jobs.sources.registry import new_folder
from webstrata.model.jobs.job import JobConfig
from webstrata.model.jobs.registry import SourceJobConfig, generate_job_name
from webstrata.model.jobs.schedules import next_run
from webstrata.model.watching.watches import Watch, WatchScope, folder_of

log = structlog.get_logger()

AT_ONCE = 50
"""The most sources per transaction, so that no other writer waits for more than a fraction of a second."""

_SINGLE_PAGES = {"max_depth": 0, "use_sitemaps": False, "capture_requisites": True}
_TRY_AGAIN = timedelta(minutes=5)


def queue_due_watches(database: Database, archive_root: Path, now: datetime) -> list[int]:
    """Queue jobs that check the watches that are due, and return the jobs.

    If no job can be made for a watch, the reason is stored and the watch is tried again later.
    """
    queued: list[int] = []
    while True:
        with database.read() as session:
            is_due = watches.is_any_due(session, now)
        if not is_due:
            return queued
        with database.write() as session:
            due = watches.due_watches(session, now, AT_ONCE)
            made = [job_id for group in _groups(due) for job_id in _queue(session, archive_root, group, now)]
        queued += made
        if not due:
            return queued


def _groups(due: Sequence[DueWatch]) -> list[list[DueWatch]]:
    """Return groups of watches to be checked by one job each: per source the watch that is longest due, and similar
    ones."""
    by_source: dict[int, list[DueWatch]] = defaultdict(list)
    for one in due:
        by_source[one.watch.source_id].append(one)
    return [_alike(listed) for listed in by_source.values()]


def _alike(listed: list[DueWatch]) -> list[DueWatch]:
    first = listed[0]
    if first.watch.scope is not WatchScope.PAGE:
        return [first]
    return [one for one in listed if one.watch.scope is WatchScope.PAGE]


def _queue(session: Session, archive_root: Path, group: Sequence[DueWatch], now: datetime) -> list[int]:
    chosen = [one.watch for one in group]
    try:
        job_id = queue_check(session, archive_root, group[0].source_code, chosen, now)
    except DatabaseError:
        raise
    except WebstrataError as error:
        watches.note_errors(session, [watch.id for watch in chosen], str(error), now + _TRY_AGAIN)
        log.warning("watch.refused", source=group[0].source_code, reason=str(error))
        return []
    log.info("watch.queued", source=group[0].source_code, job_id=job_id, watches=len(chosen))
    return [job_id]


def queue_check(session: Session, archive_root: Path, code: str, chosen: Sequence[Watch], now: datetime) -> int:
    """Queue a job that checks watches of one source, and return it; if there are several, all are of single pages."""
    entry = sources.own_entry(session, code) or SourceJobConfig.plain(code, ())
    name = generate_job_name(SourceJobConfig.plain(code, ()), now)
    folder = str(new_folder(archive_root, code, name, now))
    config = _config(entry, chosen)
    job_id = jobs.add_job(session, chosen[0].source_id, name=name, output_dir=folder, config=config, queued_at=now)
    # A manual check counts as the next scheduled one.
    turns = {one.id: next_run(one.schedule, min(one.next_run_at, now), now) for one in chosen}
    watches.take_due_runs(session, job_id, turns)
    return job_id


def _config(entry: SourceJobConfig, chosen: Sequence[Watch]) -> JobConfig:
    """Return the configuration of a job that checks watches: the source's own, narrowed to what is watched."""
    seeds = tuple(dict.fromkeys(watch.url for watch in chosen))
    scope: dict[str, object] = {name: tuple(words) for name, words in entry.scope.items()}
    crawl = dict(entry.crawl)
    if chosen[0].scope is WatchScope.PAGE:
        crawl |= {**_SINGLE_PAGES, "max_pages": len(seeds)}
    elif chosen[0].scope is WatchScope.FOLDER:
        scope["allow_paths"] = (folder_of(chosen[0].url),)
    plugins = None if entry.plugins is None else tuple(entry.plugins)
    return JobConfig(seeds, crawl, scope, plugins)
