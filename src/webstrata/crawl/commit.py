"""The commit protocol: records are written and synced to disk, then one transaction records them.

The process may be killed at any time: bytes without a row are after the acknowledged end of their file and are removed;
a row without its bytes cannot exist.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path

import structlog

from webstrata.crawl.outcome import Outcome
from webstrata.crawl.scraping import scrape_records
from webstrata.crawl.warc_records import append_responses, new_links, payload_digest, referable_files, referred_files
from webstrata.db.captures import captures
from webstrata.db.captures.new_rows import NewCapture, NewLinks
from webstrata.db.collections import scrapes
from webstrata.db.engine import Database, Session
from webstrata.db.links import capture_links
from webstrata.db.queue import frontier, leases
from webstrata.db.queue.leases import JobUsage
from webstrata.db.replay import captured_requisites
from webstrata.errors import DatabaseError, LeaseLostError, StorageError, WebstrataError
from webstrata.model.captures import Original
from webstrata.model.crawl.crawl_config import CrawlConfig
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.crawl.tasks import Link, Task, TaskStatus, TaskType
from webstrata.storage.paths import PresentFiles, confined
from webstrata.warc.writer import WarcFileWriter, cut_tail, new_warc_name

log = structlog.get_logger()

_MOST_REMEMBERED = 200_000
"""The size of the cache of recorded URLs, which saves queries; clearing it only costs time."""


@dataclass(frozen=True)
class CrawlTarget:
    """The job and source of captures, and the folder of their files."""

    job_id: int
    job_name: str
    source_id: int
    source_code: str
    archive_root: Path
    folder: str
    """The folder of the job's WARC files, relative to the archive root."""


@dataclass(frozen=True)
class Claim:
    """A request for work: how many tasks, for how long, within which limits, and which hosts to leave out."""

    limit: int
    lease: timedelta
    max_pages: int
    max_requisites: int = CrawlConfig.max_requisites
    max_bytes: int | None = None
    resting_hosts: frozenset[str] = frozenset()
    alone: bool = True
    """Whether the worker has no other task."""


@dataclass(frozen=True)
class Committed:
    """The result of a commit: claimed tasks, unless the job has reached a limit."""

    tasks: list[Task]
    limit: str | None = None
    """The limit that was reached, if one was."""
    outcomes: Sequence[Outcome] = ()
    """The outcomes that were stored: all except those whose lease was lost."""


class _StaleTasksError(LeaseLostError):
    """Some tasks of a batch have been taken over by another worker."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        super().__init__(f"{len(tasks)} tasks were taken over by another worker")
        self.leases = {(task.id, task.lease_token) for task in tasks}


class _StoredMeanwhileError(WebstrataError):
    """Another worker stored a payload of the batch after we checked."""


class _DeletedMeanwhileError(WebstrataError):
    """A file that a revisit of the batch refers to is being deleted."""


class Committer:
    """Commits batches of one worker's outcomes, one after the other."""

    def __init__(self, database: Database, target: CrawlTarget, owner: str, warc_max_bytes: int) -> None:
        """Begin with no file: the first capture opens one."""
        self._database = database
        self._target = target
        self._owner = owner
        self._warc_max_bytes = warc_max_bytes
        self._writer: WarcFileWriter | None = None
        self._warc_file_id = 0
        self._recorded: set[str] = set()
        self._shown: set[str] = set()
        self._history: bool | None = None

    def commit(self, outcomes: Sequence[Outcome], claim: Claim | None = None) -> Committed:
        """Make outcomes durable and lease the next tasks, in one transaction.

        Outcomes whose lease was lost are dropped and leave nothing on disk.
        """
        while True:
            try:
                committed = self._commit_all(outcomes, claim)
            except _StoredMeanwhileError:
                log.info("crawl.payload.stored_meanwhile")
            except _DeletedMeanwhileError:
                log.info("crawl.payload.deleted_meanwhile")
            except _StaleTasksError as stale:
                log.warning("crawl.lease.lost", tasks=sorted(task_id for task_id, _ in stale.leases))
                outcomes = [o for o in outcomes if (o.task.id, o.task.lease_token) not in stale.leases]
            else:
                self._remember(outcomes)
                return replace(committed, outcomes=outcomes)

    def close(self) -> None:
        """Close the open file; it may be longer than what was acknowledged until `recover` is called."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _commit_all(self, outcomes: Sequence[Outcome], claim: Claim | None) -> Committed:
        resources = self._new_resources(outcomes)
        results = [outcome.result for outcome in outcomes if outcome.result is not None]
        digests = {payload_digest(result) for result in (*results, *resources)}
        if not digests:
            return self._record(outcomes, [], claim)
        requested = {key for key in digests if key}
        stored = self._originals(requested)
        fresh = requested - stored.keys()
        writer = self._open_writer()
        acknowledged = writer.size
        earlier_files = referable_files(outcomes, stored)
        try:
            new_captures = append_responses(writer, outcomes, stored, resources)
            writer.sync()
            links = new_links(outcomes, new_captures, stored, self._warc_file_id)
            referred = referred_files(new_captures, earlier_files)
            return self._record(outcomes, new_captures, claim, fresh, links, referred, resources=resources)
        except DatabaseError:
            # The commit may have succeeded although its confirmation was lost, so recovery truncates the file later.
            self.close()
            raise
        except BaseException:
            self._cut_back(acknowledged)
            raise

    def _new_resources(self, outcomes: Sequence[Outcome]) -> list[FetchResult]:
        """Return the resources that the batch's pages loaded and the job has not captured yet, one per URL."""
        loaded = {resource.capture_url: resource for outcome in reversed(outcomes) for resource in outcome.resources}
        if not loaded:
            return []
        with self._database.read() as session:
            taken = captured_requisites.taken_urls(session, self._target.job_id, loaded)
        return [resource for url, resource in loaded.items() if url not in taken]

    def _finish_resources(self, session: Session, resources: Sequence[FetchResult], now: datetime) -> None:
        """Mark loaded resources as fetched; another worker may have captured some of them meanwhile."""
        urls = [resource.capture_url for resource in resources]
        if urls and captured_requisites.taken_urls(session, self._target.job_id, urls):
            raise _StoredMeanwhileError
        captured_requisites.finish_requisites(session, self._target.job_id, urls, now)

    def _originals(self, digests: Collection[str]) -> dict[str, Original]:
        """Return the payloads that the source has stored already; nothing is looked up for a batch of unchanged
        pages."""
        if not digests:
            return {}
        with self._database.read() as session:
            return captures.originals(session, self._target.source_id, digests, self._files().has)

    def _files(self) -> PresentFiles:
        """Return a new view of which files exist: a revisit must not refer to a record in a file that is gone."""
        return PresentFiles(self._target.archive_root)

    def _cut_back(self, size: int) -> None:
        """Truncate the file to a size; if that fails, the file is not written to any more."""
        assert self._writer is not None
        try:
            self._writer.cut_back(size)
        except StorageError as error:
            log.error("crawl.cut_back.failed", reason=str(error))
            self.close()

    def _record(
        self,
        outcomes: Sequence[Outcome],
        new_captures: Sequence[NewCapture],
        claim: Claim | None,
        fresh: Collection[str] = (),
        links_read: Sequence[NewLinks] = (),
        referred: Collection[int] = (),
        *,
        resources: Sequence[FetchResult] = (),
    ) -> Committed:
        """Record captures and links of the batch, and lease the next tasks, in one transaction."""
        now, target = datetime.now(UTC), self._target
        answered = sum(outcome.task.status is TaskStatus.FINISHED for outcome in outcomes) + len(resources)
        size = sum(len(outcome.result.body) for outcome in outcomes if outcome.result is not None)
        size += sum(len(resource.body) for resource in resources)
        requisites = _requisites(outcomes) + len(resources)
        with self._database.write() as session:
            spent = leases.spend(session, target.job_id, answered, size, requisites=requisites)
            stale = frontier.settle(session, [outcome.task for outcome in outcomes], now)
            if stale:
                raise _StaleTasksError(stale)
            # Before the links are added: a loaded resource that the page also links to need not be fetched.
            self._finish_resources(session, resources, now)
            scrapes.add_scrapes(session, target.source_id, target.job_id, scrape_records(outcomes, now))
            for depth, links in self._new_links(outcomes).items():
                frontier.add_links(session, target.job_id, links, depth, now)
            for depth, urls in self._linked_requisites(outcomes).items():
                frontier.make_pages(session, target.job_id, urls, depth)
            if new_captures and self._writer is not None:
                self._refuse_twins(session, fresh)
                _refuse_deleted(session, outcomes, referred)
                captures.add_captures(session, target.job_id, target.source_id, self._warc_file_id, new_captures)
                capture_links.add_links(session, links_read)
                captures.acknowledge(session, self._warc_file_id, self._writer.size)
            return self._claim_tasks(session, claim, spent, now) if claim is not None else Committed([])

    def _refuse_twins(self, session: Session, fresh: Collection[str]) -> None:
        """Check, while holding the lock, that no other worker stored the same payloads in the meantime."""
        if fresh and captures.originals(session, self._target.source_id, fresh, self._files().has):
            raise _StoredMeanwhileError

    def _claim_tasks(self, session: Session, claim: Claim, spent: JobUsage, now: datetime) -> Committed:
        """Lease as many tasks as the limits allow, each with the earlier capture of its URL."""
        limit = self._limit_reached(session, claim, spent)
        if limit is not None:
            return Committed([], limit)
        kind, room = self._room(session, claim, spent)
        if min(claim.limit, room) <= 0:
            return Committed([])
        tasks = frontier.claim(
            session,
            self._target.job_id,
            self._owner,
            limit=min(claim.limit, room),
            now=now,
            lease=claim.lease,
            resting_hosts=claim.resting_hosts,
            alone=claim.alone,
            kind=kind,
        )
        return Committed(self._with_history(session, tasks))

    def _limit_reached(self, session: Session, claim: Claim, spent: JobUsage) -> str | None:
        """Return the limit that ends the crawl; None while one kind of task may still be leased."""
        if claim.max_bytes is not None and spent.bytes >= claim.max_bytes:
            return "byte limit"
        pages, requisites = spent.pages >= claim.max_pages, spent.requisites >= claim.max_requisites
        job_id = self._target.job_id
        if pages and (requisites or not frontier.has_waiting(session, job_id, TaskType.MEDIA)):
            return "page limit"
        if requisites and not frontier.has_waiting(session, job_id, TaskType.PAGE):
            return "requisite limit"
        return None

    def _room(self, session: Session, claim: Claim, spent: JobUsage) -> tuple[TaskType | None, int]:
        """Return the type of tasks that the limits still allow (None for both), and their number."""
        # Tasks of other workers count, as all may succeed.
        under_way = frontier.under_way_by_kind(session, self._target.job_id)
        pages = claim.max_pages - spent.pages - under_way[TaskType.PAGE]
        requisites = claim.max_requisites - spent.requisites - under_way[TaskType.MEDIA]
        if pages > 0 and requisites > 0:
            return None, min(pages, requisites)
        return (TaskType.PAGE, pages) if pages > 0 else (TaskType.MEDIA, requisites)

    def _with_history(self, session: Session, tasks: list[Task]) -> list[Task]:
        if not tasks or not self._has_history(session):
            return tasks
        target, urls = self._target, [task.url for task in tasks]
        is_there = self._files().has
        earlier = captures.earlier_captures(session, target.source_id, target.job_id, urls, is_there)
        return [replace(task, earlier=earlier.get(task.url)) for task in tasks]

    def _has_history(self, session: Session) -> bool:
        if self._history is None:
            self._history = captures.has_other_jobs(session, self._target.source_id, self._target.job_id)
        return self._history

    def _new_links(self, outcomes: Sequence[Outcome]) -> dict[int, list[Link]]:
        """Return new links by depth; most links of a site are recorded already."""
        found: dict[int, list[Link]] = {}
        taken: set[str] = set()
        for outcome in outcomes:
            is_page = outcome.task.task_type is TaskType.PAGE
            fresh = [link for link in outcome.links if link.url not in self._recorded and link.url not in taken]
            taken.update(link.url for link in fresh)
            for link in fresh:
                depth = 1 if is_page and link.task_type is TaskType.MEDIA else outcome.task.depth + 1
                found.setdefault(depth, []).append(link)
        return found

    def _linked_requisites(self, outcomes: Sequence[Outcome]) -> dict[int, list[str]]:
        """Return the URLs that one page links to and another shows, by depth: they are visited as pages."""
        shown = {link.url for o in outcomes for link in o.links if link.task_type is TaskType.MEDIA} | self._shown
        found: dict[int, list[str]] = {}
        for outcome in outcomes if shown else ():
            linked = [link.url for link in outcome.links if link.task_type is TaskType.PAGE and link.url in shown]
            if linked:
                found.setdefault(outcome.task.depth + 1, []).extend(linked)
        return found

    def _remember(self, outcomes: Sequence[Outcome]) -> None:
        if len(self._recorded) > _MOST_REMEMBERED:
            self._recorded.clear()
            self._shown.clear()
        self._recorded.update(link.url for outcome in outcomes for link in outcome.links)
        links = (link for outcome in outcomes for link in outcome.links)
        self._shown.update(link.url for link in links if link.task_type is TaskType.MEDIA)

    def _open_writer(self) -> WarcFileWriter:
        """Return the file to append to; a full one is followed by a new one.

        The row is stored before the file is made: a file without a row could not be truncated after a crash.
        """
        if self._writer is not None and self._writer.size < self._warc_max_bytes:
            return self._writer
        self.close()
        target = self._target
        path = f"{target.folder}/{new_warc_name(target.source_code)}"
        with self._database.write() as session:
            self._warc_file_id = captures.add_warc_file(session, target.job_id, path, self._owner)
        fields = [("isPartOf", target.source_code), ("description", f"job {target.job_id}: {target.job_name}")]
        self._writer = WarcFileWriter(confined(target.archive_root, path), fields)
        return self._writer


def _refuse_deleted(session: Session, outcomes: Sequence[Outcome], referred: Collection[int]) -> None:
    """Refuse revisits of a batch that refer to files being deleted; URLs with 304 responses are fetched again."""
    deleting = captures.files_being_deleted(session, referred) if referred else set()
    if not deleting:
        return
    bodiless = [
        outcome.task
        for outcome in outcomes
        if outcome.result is not None
        and outcome.result.status == HTTPStatus.NOT_MODIFIED
        and outcome.task.earlier is not None
        and outcome.task.earlier.original.warc_file_id in deleting
    ]
    raise _StaleTasksError(bodiless) if bodiless else _DeletedMeanwhileError


def _requisites(outcomes: Sequence[Outcome]) -> int:
    tasks = (outcome.task for outcome in outcomes)
    return sum(task.status is TaskStatus.FINISHED and task.task_type is TaskType.MEDIA for task in tasks)


def recover(database: Database, archive_root: Path, owner: str) -> None:
    """Truncate the files of a worker that died or is leaving to their acknowledged length."""
    with database.read() as session:
        left = captures.warc_files_of(session, owner)
    for warc in left:
        path = confined(archive_root, warc.path)
        if warc.committed_bytes == 0:
            path.unlink(missing_ok=True)
        elif (cut := cut_tail(path, warc.committed_bytes)) > 0:
            log.info("crawl.recover.cut", file=warc.path, bytes=cut)
        with database.write() as session:
            captures.forget_warc_file(session, warc.id)
            captures.disown_warc_file(session, warc.id)
