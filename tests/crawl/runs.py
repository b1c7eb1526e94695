"""Crawls of a test's own server, and what they leave in the database and on disk."""

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
import uvloop
from sqlalchemy import select

from tests.support.warcs import Record, records
from tests.support.web_server import Answer, Request, Script
from webstrata.content.html import PageLinks
from webstrata.content.reader.page_requests import ReadLinks
from webstrata.coordination.permits import DatabasePermits, HostPermits, Politeness
from webstrata.crawl.commit import CrawlTarget
from webstrata.crawl.engine import Crawl, CrawlEnd, CrawlRun
from webstrata.crawl.tally import CrawlProgress
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.db.schema.tables import Capture, WarcFile
from webstrata.fetch.choice import FetchOptions, fetcher_named, renderer_named
from webstrata.fetch.guard import NetworkGuard
from webstrata.model.crawl.crawl_config import CrawlConfig
from webstrata.model.crawl.scope import ScopeRules
from webstrata.model.crawl.tasks import TaskStatus
from webstrata.model.jobs.job import JobConfig, JobStatus
from webstrata.warc.cdxj import JOURNAL_NAME

NOT_MODIFIED = Answer(status=304, headers=(("ETag", '"same"'),))

GUARD = NetworkGuard((ip_network("127.0.0.0/8"),))

CONFIG = CrawlConfig(
    user_agent="tester/1",
    respect_robots=True,
    concurrency=4,
    per_host_delay=None,
    per_host_concurrency=None,
    max_crawl_delay=60,
    jitter=0.25,
    fetch_timeout=10,
    max_body_bytes=1_000_000,
    max_pages=1000,
    max_depth=20,
    max_retries=1,
    backoff_min=0.01,
    backoff_max=0.05,
    backoff_multiplier=2,
    lease_seconds=60,
    warc_max_bytes=100_000_000,
    max_seconds=None,
    max_bytes=None,
    fetcher="http",
)


@dataclass(frozen=True)
class Archive:
    """A database with one job, and the folder that the job's files go to."""

    database: Database
    target: CrawlTarget
    owner: str = "here:1:me"

    @property
    def job_id(self) -> int:
        return self.target.job_id

    def crawl_of(self, *seeds: str, **knobs: object) -> Crawl:
        """Return a run that has not begun, whatever stopped the last.

        Of the knobs, `rules` are its scope, `leads`, `progress` and `room` its own; all others are its configuration's.
        """
        with self.database.write() as session:
            jobs.set_job(session, self.job_id, stop_requested_at=None)
        rules = knobs.pop("rules", None)
        assert rules is None or isinstance(rules, ScopeRules)
        leads, progress = bool(knobs.pop("leads", True)), knobs.pop("progress", _unwatched)
        room = knobs.pop("room", _enough)
        config = replace(CONFIG, **knobs)  # type: ignore[arg-type]
        options = FetchOptions(
            GUARD,
            user_agent=config.user_agent,
            timeout=config.fetch_timeout,
            max_body_bytes=config.max_body_bytes,
            connections=config.concurrency,
            max_buffered_bytes=config.max_buffered_bytes,
        )
        fetcher, renderer = fetcher_named(config.fetcher, options), renderer_named(config.fetcher, options)
        scope = rules or ScopeRules.of(seeds)
        run = CrawlRun(self.target, seeds, scope, config, self.owner, datetime.now(UTC), leads)
        politeness = Politeness(config.per_host_delay, config.per_host_concurrency, config.jitter)
        permits = HostPermits(DatabasePermits(self.database), self.owner, politeness, hold=timedelta(minutes=1))
        return Crawl(self.database, run, fetcher, permits, progress, room=room, renderer=renderer)  # type: ignore[arg-type]

    def crawl(self, *seeds: str, **knobs: object) -> CrawlEnd:
        """Run a crawl to its end, as the product runs it."""
        return self.run(self.crawl_of(*seeds, **knobs))

    def run(self, crawl: Crawl) -> CrawlEnd:
        """Run a prepared crawl to its end."""
        return uvloop.run(crawl.run())

    def tasks(self) -> dict[str, CrawlTask]:
        """Return the job's tasks by their URL."""
        with self.database.read() as session:
            rows = session.scalars(select(CrawlTask).where(CrawlTask.job_id == self.job_id)).all()
            return {row.url: row for row in rows}

    def urls(self, status: TaskStatus) -> set[str]:
        """Return the URLs whose tasks stand there."""
        return {url for url, task in self.tasks().items() if task.status == status}

    def captures(self) -> list[Capture]:
        """Return what the database knows of the job's captures."""
        with self.database.read() as session:
            return list(session.scalars(select(Capture).where(Capture.job_id == self.job_id).order_by(Capture.id)))

    def statuses(self) -> dict[str, int | None]:
        """Return what the server answered, by URL."""
        return {capture.url: capture.status_code for capture in self.captures()}

    def warc_files(self) -> list[WarcFile]:
        """Return the job's files as the database knows them."""
        with self.database.read() as session:
            return list(session.scalars(select(WarcFile).where(WarcFile.job_id == self.job_id).order_by(WarcFile.id)))

    def path(self, file: WarcFile) -> Path:
        """Return where a file lies."""
        return self.target.archive_root / file.path

    def records(self) -> list[Record]:
        """Return every record of the job's files, in order."""
        return [record for file in self.warc_files() for record in records(self.path(file))]

    def responses(self) -> list[Record]:
        """Return the captured answers that are on disk."""
        return [record for record in self.records() if record.kind == "response"]


def _unwatched(_progress: CrawlProgress) -> None:
    pass


def _enough() -> None:
    pass


def new_archive(database: Database, root: Path) -> Archive:
    """Return an archive with a job that has not begun."""
    with database.write() as session:
        source_id = jobs.ensure_source(session, "site", name="Site", base_url=None)
        job_id = jobs.add_job(
            session,
            source_id,
            name="site-1",
            output_dir=str(root / "site" / "job"),
            config=JobConfig(()),
            queued_at=datetime.now(UTC),
        )
        jobs.set_job(session, job_id, status=JobStatus.RUNNING)
    (root / "site" / "job").mkdir(parents=True)
    return Archive(database, CrawlTarget(job_id, "site-1", source_id, "site", root, "site/job/warcs"))


def archive_of(database: Database, root: Path, job_id: int) -> Archive:
    """Return the archive of a job that the program made."""
    with database.read() as session:
        job = jobs.load_job(session, job_id)
    folder = Path(job.output_dir, "warcs").relative_to(root).as_posix()
    return Archive(database, CrawlTarget(job.id, job.name, job.source_id, job.source_code, root, folder))


def answering_conditions(answer: Answer) -> Script:
    """Send an answer with a validator, and 304 to whoever has it."""
    tag = f'"{hashlib.sha256(answer.body).hexdigest()[:12]}"'
    tagged = replace(answer, headers=(*answer.headers, ("ETag", tag)))

    def answered(request: Request) -> Answer:
        return NOT_MODIFIED if request.header("If-None-Match") == tag else tagged

    return answered


def next_job(archive: Archive) -> Archive:
    """Return the archive with another job of the same source."""
    target = archive.target
    folder = f"site/job-{archive.job_id + 1}"
    (target.archive_root / folder).mkdir(parents=True)
    with archive.database.write() as session:
        job_id = jobs.add_job(
            session,
            target.source_id,
            name="again",
            output_dir=str(target.archive_root / folder),
            config=JobConfig(()),
            queued_at=datetime.now(UTC),
        )
        jobs.set_job(session, job_id, status=JobStatus.RUNNING)
    return Archive(archive.database, replace(target, job_id=job_id, folder=f"{folder}/warcs"))


def make_unreadable(patch: pytest.MonkeyPatch, path: str) -> None:
    """Let the reading of a page fail as nobody foresaw."""
    really_read = ReadLinks.read

    def reader(request: ReadLinks) -> PageLinks:
        if request.url.endswith(path):
            raise RuntimeError("a page from hell")
        return really_read(request)

    patch.setattr(ReadLinks, "read", reader)


def assert_sound(archive: Archive) -> None:
    """Make sure that disk and database tell the same: whole records only, each where its row says, one for a URL."""
    on_disk: Counter[tuple[int, int, int, str, str]] = Counter()
    for file in archive.warc_files():
        path = archive.path(file)
        assert path.stat().st_size == file.committed_bytes, f"{path} has bytes that nobody acknowledged"
        for record in records(path):
            if record.kind in ("response", "revisit"):
                on_disk[(file.id, record.offset, record.length, record.headers["WARC-Record-ID"], record.url)] += 1
    captures = archive.captures()
    rows = Counter((c.warc_file_id, c.warc_offset, c.warc_length, c.warc_record_id, c.url) for c in captures)
    assert rows == on_disk
    folder = archive.target.archive_root / archive.target.folder
    known = {folder / JOURNAL_NAME, *(archive.path(file) for file in archive.warc_files())}
    assert set(folder.glob("*")) <= known, "a file that no row knows"
    captured = Counter(capture.url for capture in captures)
    assert set(captured.values()) <= {1}, "a URL with two records"
    assert set(captured) == archive.urls(TaskStatus.FINISHED)
