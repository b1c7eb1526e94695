"""The commit protocol: records on disk and synced, then one transaction that says so.

Kill the process anywhere: bytes without a row lie behind the acknowledged end of their file and are cut off; a row
without its bytes cannot be.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog

from webstrata.crawl.answers import append_answers, payload_digest
from webstrata.crawl.outcome import Outcome
from webstrata.db import captures, frontier
from webstrata.db.captures import NewCapture
from webstrata.db.engine import Database, Session
from webstrata.errors import DatabaseError, LeaseLostError
from webstrata.model.tasks import Link, Task
from webstrata.storage.paths import confined
from webstrata.warc.writer import WarcFileWriter, cut_tail, new_warc_name

log = structlog.get_logger()

_MOST_REMEMBERED = 1_000_000
"""URLs that a run remembers to have recorded, to spare the database; forgetting them costs only time."""


@dataclass(frozen=True)
class CrawlTarget:
    """Whose captures these are and where their files go."""

    job_id: int
    job_name: str
    source_id: int
    source_code: str
    archive_root: Path
    folder: str
    """The folder of the job's WARC files, relative to the archive root."""


@dataclass(frozen=True)
class Claim:
    """A wish for work: who wants how much of it, for how long, and which hosts are to be left alone."""

    owner: str
    limit: int
    lease: timedelta
    resting_hosts: frozenset[str] = frozenset()


class _StaleTasksError(LeaseLostError):
    """Some of a batch's tasks belong to another worker by now."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        super().__init__(f"{len(tasks)} tasks were taken over by another worker")
        self.task_ids = {task.id for task in tasks}


class Committer:
    """Settles batches of outcomes, one after the other."""

    def __init__(self, database: Database, target: CrawlTarget, warc_max_bytes: int) -> None:
        """Begin with no file: the first capture opens one."""
        self._database = database
        self._target = target
        self._warc_max_bytes = warc_max_bytes
        self._writer: WarcFileWriter | None = None
        self._warc_file_id = 0
        self._recorded: set[str] = set()
        self._history: bool | None = None

    def commit(self, outcomes: Sequence[Outcome], claim: Claim | None = None) -> list[Task]:
        """Make outcomes last and lease what to do next, in one transaction.

        Outcomes whose lease was lost are dropped, and leave nothing behind.
        """
        while True:
            try:
                claimed = self._commit_all(outcomes, claim)
            except _StaleTasksError as stale:
                log.warning("crawl.lease.lost", tasks=sorted(stale.task_ids))
                outcomes = [outcome for outcome in outcomes if outcome.task.id not in stale.task_ids]
            else:
                self._remember(outcomes)
                return claimed

    def close(self) -> None:
        """Let go of the open file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _commit_all(self, outcomes: Sequence[Outcome], claim: Claim | None) -> list[Task]:
        digests = {payload_digest(outcome.result) for outcome in outcomes if outcome.result is not None}
        if not digests:
            return self._record(outcomes, [], claim)
        with self._database.read() as session:
            stored = captures.originals(session, self._target.source_id, {key for key in digests if key})
        writer = self._open_writer()
        acknowledged = writer.size
        try:
            new_captures = append_answers(writer, outcomes, stored)
            writer.sync()
            return self._record(outcomes, new_captures, claim)
        except DatabaseError:
            # The commit may have happened and only the news of it got lost; recovery, later, knows where to cut.
            self.close()
            raise
        except BaseException:
            writer.cut_back(acknowledged)
            raise

    def _record(
        self, outcomes: Sequence[Outcome], new_captures: Sequence[NewCapture], claim: Claim | None
    ) -> list[Task]:
        """Tell the database, in one transaction, what is on disk and what was found; lease what is next."""
        now, target = datetime.now(UTC), self._target
        with self._database.write() as session:
            stale = frontier.settle(session, [outcome.task for outcome in outcomes], now)
            if stale:
                raise _StaleTasksError(stale)
            for depth, links in self._new_links(outcomes).items():
                frontier.add_links(session, target.job_id, links, depth, now)
            if new_captures and self._writer is not None:
                captures.add_captures(session, target.job_id, target.source_id, self._warc_file_id, new_captures)
                captures.acknowledge(session, self._warc_file_id, self._writer.size)
            if claim is None or claim.limit <= 0:
                return []
            return self._claimed(session, claim, now)

    def _claimed(self, session: Session, claim: Claim, now: datetime) -> list[Task]:
        """Lease tasks, each with what was captured of its URL before."""
        target = self._target
        tasks = frontier.claim(
            session,
            target.job_id,
            claim.owner,
            limit=claim.limit,
            now=now,
            lease=claim.lease,
            resting_hosts=claim.resting_hosts,
        )
        if not tasks or not self._has_history(session):
            return tasks
        urls = [task.url for task in tasks]
        earlier = captures.earlier_captures(session, target.source_id, target.job_id, urls)
        return [replace(task, earlier=earlier.get(task.url)) for task in tasks]

    def _has_history(self, session: Session) -> bool:
        if self._history is None:
            self._history = captures.has_other_jobs(session, self._target.source_id, self._target.job_id)
        return self._history

    def _new_links(self, outcomes: Sequence[Outcome]) -> dict[int, list[Link]]:
        """Return links by their depth, without those recorded before: most of a site's links are to pages it knows."""
        found: dict[int, list[Link]] = {}
        taken: set[str] = set()
        for outcome in outcomes:
            fresh = [link for link in outcome.links if link.url not in self._recorded and link.url not in taken]
            taken.update(link.url for link in fresh)
            found.setdefault(outcome.task.depth + 1, []).extend(fresh)
        return found

    def _remember(self, outcomes: Sequence[Outcome]) -> None:
        if len(self._recorded) > _MOST_REMEMBERED:
            self._recorded.clear()
        self._recorded.update(link.url for outcome in outcomes for link in outcome.links)

    def _open_writer(self) -> WarcFileWriter:
        """Return the file to append to; a full one is followed by a new one.

        The row comes before the file: a file that no row knows could never be cut back after a crash.
        """
        if self._writer is not None and self._writer.size < self._warc_max_bytes:
            return self._writer
        self.close()
        target = self._target
        path = f"{target.folder}/{new_warc_name(target.source_code)}"
        with self._database.write() as session:
            self._warc_file_id = captures.add_warc_file(session, target.job_id, path)
        fields = [("isPartOf", target.source_code), ("description", f"job {target.job_id}: {target.job_name}")]
        self._writer = WarcFileWriter(confined(target.archive_root, path), fields)
        return self._writer


def recover(database: Database, target: CrawlTarget) -> None:
    """Cut a job's files back to what was acknowledged; only for a job without a living worker."""
    with database.read() as session:
        known = captures.warc_files(session, target.job_id)
    for warc in known:
        path = confined(target.archive_root, warc.path)
        if warc.committed_bytes == 0:
            path.unlink(missing_ok=True)
            with database.write() as session:
                captures.forget_warc_file(session, warc.id)
        elif (cut := cut_tail(path, warc.committed_bytes)) > 0:
            log.info("crawl.recover.cut", file=warc.path, bytes=cut)
