"""The schedule: queues jobs of the sources that are due.

A source that was due while no worker ran gets one job, not one for each missed time. A source never has two jobs at a
time: the next waits for the end of the last. If several workers notice a due source, only one queues the job.
"""

from datetime import datetime
from pathlib import Path

import structlog

from webstrata.db.engine import Database
from webstrata.db.sources import sources
from webstrata.db.sources.sources import DueSource
from webstrata.errors import DatabaseError, WebstrataError
from webstrata.jobs.folders.manifest import write_manifest
from webstrata.jobs.sources.registry import create_job_for_source
from webstrata.model.jobs.schedules import next_run

log = structlog.get_logger()


def queue_due(database: Database, archive_root: Path, now: datetime) -> list[int]:
    """Queue a job of every source that is due and return the jobs.

    If no job can be made for a source (for example, because its folder cannot be written), the source stays due with
    the reason, and the others are processed.
    """
    with database.read() as session:
        due = sources.due_sources(session, now)
    return [job_id for source in due if (job_id := _take(database, archive_root, source, now)) is not None]


def _take(database: Database, archive_root: Path, due: DueSource, now: datetime) -> int | None:
    try:
        return _queue(database, archive_root, due, now)
    except DatabaseError:
        raise
    except WebstrataError as error:
        with database.write() as session:
            is_news = sources.note_schedule_error(session, due.id, str(error))
        if is_news:
            log.warning("schedule.refused", source=due.code, due_at=due.due_at.isoformat(), reason=str(error))
        return None


def _queue(database: Database, archive_root: Path, due: DueSource, now: datetime) -> int | None:
    with database.write() as session:
        if not sources.take_due_run(session, due, next_run(due.schedule, due.due_at, now)):
            return None
        job_id = create_job_for_source(due.code, session=session, archive_root=archive_root, now=now).id
    write_manifest(database, job_id, archive_root=archive_root)
    log.info("schedule.queued", source=due.code, job_id=job_id, due_at=due.due_at.isoformat())
    return job_id
