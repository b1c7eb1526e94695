"""Tasks of requisites that were captured with their page and are not fetched again."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from webstrata.db.queue import frontier
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.model.crawl.tasks import Link, TaskStatus, TaskType
from webstrata.model.urls import url_key

_FREE = (TaskStatus.PENDING, TaskStatus.ERROR)


def taken_urls(session: Session, job_id: int, urls: Collection[str]) -> set[str]:
    """Return which URLs are captured already, are being fetched, or are pages that are visited by themselves."""
    by_key = {url_key(url): url for url in urls}
    taken = or_(CrawlTask.task_type != TaskType.MEDIA, CrawlTask.status.not_in(_FREE))
    known = select(CrawlTask.url_key).where(CrawlTask.job_id == job_id, CrawlTask.url_key.in_(by_key))
    return {by_key[key] for key in session.scalars(known.where(taken))}


def finish_requisites(session: Session, job_id: int, urls: Sequence[str], now: datetime) -> None:
    """Record that requisites are captured; `taken_urls` was asked in the same transaction."""
    if not urls:
        return
    frontier.add_links(session, job_id, [Link(url, TaskType.MEDIA) for url in urls], 1, now)
    session.execute(
        update(CrawlTask)
        .where(CrawlTask.job_id == job_id, CrawlTask.url_key.in_([url_key(url) for url in urls]))
        .values(status=TaskStatus.FINISHED, attempt_count=CrawlTask.attempt_count + 1, last_error=None, updated_at=now)
        .execution_options(synchronize_session=False)
    )
