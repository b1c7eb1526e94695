"""Sources with jobs: real WARC files, their captures and tasks, for plugins to work on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path

from sqlalchemy import delete, update

from tests.support.stored_assets import AssetVersionView, AssetView, assets_of_source, read_version, versions_of_asset
from webstrata.assets.registry import PluginRegistry
from webstrata.assets.stage import run_plugins
from webstrata.db.assets import plugin_runs
from webstrata.db.captures import captures
from webstrata.db.captures.new_rows import NewCapture
from webstrata.db.engine import Database
from webstrata.db.queue import frontier, jobs
from webstrata.db.schema.crawl_tables import CrawlTask
from webstrata.index.pipeline import index_job
from webstrata.model.assets import AssetsSummary, FailedRun
from webstrata.model.captures import Original
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.crawl.tasks import Link, TaskStatus
from webstrata.model.jobs.job import JobConfig, JobStatus
from webstrata.model.urls import surt
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter

SITE = "https://site.example"
NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Got:
    """What a job got from a path."""

    path: str
    body: bytes = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    revisit: bool = False
    """A revisit: the record says only that the body is the one that was captured before."""

    @property
    def url(self) -> str:
        return SITE + self.path

    def fetched(self, moment: datetime) -> FetchResult:
        return FetchResult(
            url=self.url,
            fetched_at=moment,
            request_head=b"GET / HTTP/1.1\r\n\r\n",
            status=self.status,
            reason=HTTPStatus(self.status).phrase,
            http_version="1.1",
            headers=((b"Content-Type", self.content_type.encode()),),
            body=self.body,
        )


def html(path: str, text: str, *, title: str = "Title") -> Got:
    """Return a page."""
    page = f"<!doctype html><html lang=en><title>{title}</title><body><p>{text}</p></body></html>"
    return Got(path, page.encode())


def png(path: str, body: bytes) -> Got:
    """Return an image."""
    return Got(path, body, content_type="image/png")


def error(path: str, status: int) -> Got:
    """Return an answer that is not the page."""
    return Got(path, b"<title>No</title>", status=status)


@dataclass
class Archive:
    """A database and an archive root, filled job by job, a day apart."""

    database: Database
    root: Path
    days: int = 0
    sources: dict[str, int] = field(default_factory=dict)
    stored: dict[bytes | str, Original] = field(default_factory=dict)
    """The records that hold payloads, by what they hold and by their path."""

    def job(
        self,
        *answers: Got,
        source: str = "site",
        failed: Sequence[str] = (),
        pending: Sequence[str] = (),
        status: JobStatus = JobStatus.INDEXED,
        day: int | None = None,
        config: JobConfig | None = None,
    ) -> int:
        """Return a job that got these answers, and whose other paths failed or are still to be fetched."""
        self.days += 1
        moment = NEW_YEAR + DAY * (self.days if day is None else day)
        with self.database.write() as session:
            source_id = self.sources[source] = jobs.ensure_source(session, source, name=source, base_url=None)
            job_id = jobs.add_job(
                session,
                source_id,
                name=f"{source}-{self.days}",
                output_dir=str(self.root / source / str(self.days)),
                config=config or JobConfig((f"{SITE}/",)),
                queued_at=moment,
            )
            jobs.set_job(session, job_id, status=status)
        self._capture(job_id, source_id, answers, moment)
        self.settle(job_id, TaskStatus.FINISHED, [got.path for got in answers])
        self.settle(job_id, TaskStatus.ERROR, failed)
        self.settle(job_id, TaskStatus.PENDING, pending)
        return job_id

    def _capture(self, job_id: int, source_id: int, answers: Iterable[Got], moment: datetime) -> None:
        path = f"job-{job_id}/warcs/job.warc.gz"
        with WarcFileWriter(self.root / path) as writer, self.database.write() as session:
            warc_id = captures.add_warc_file(session, job_id, path)
            found = [self._append(writer, got, moment + timedelta(seconds=n)) for n, got in enumerate(answers)]
            captures.add_captures(session, job_id, source_id, warc_id, found)
            captures.acknowledge(session, warc_id, writer.size)

    def _append(self, writer: WarcFileWriter, got: Got, moment: datetime) -> NewCapture:
        answer = got.fetched(moment)
        nowhere = Original("<urn:uuid:of-nothing>", got.url, moment)
        original = self.stored.get(got.body or got.path, nowhere) if got.revisit else None
        record, request = exchange(answer, writer.warcinfo_id, original)
        if not got.revisit:
            self.stored[got.body] = self.stored[got.path] = Original(record.record_id, got.url, moment)
        extent, _ = writer.append([record, request])
        return NewCapture(
            offset=extent.offset,
            length=extent.length,
            record_id=record.record_id,
            record_type="revisit" if got.revisit else "response",
            url=got.url,
            url_key=surt(got.url),
            captured_at=moment,
            status_code=got.status,
            mime_type=got.content_type.partition(";")[0],
            payload_digest=record.payload_digest,
            refers_to=original.record_id if original else None,
        )

    def settle(self, job_id: int, status: TaskStatus, paths: Iterable[str]) -> None:
        """Let tasks of a job stand somewhere."""
        urls = [SITE + path for path in paths]
        with self.database.write() as session:
            frontier.add_links(session, job_id, [Link(url) for url in urls], 0, NEW_YEAR)
            of_these = (CrawlTask.job_id == job_id, CrawlTask.url.in_(urls))
            session.execute(update(CrawlTask).where(*of_these).values(status=status.value))

    def forget_tasks(self, job_id: int) -> None:
        """Make a job one that was not crawled here."""
        with self.database.write() as session:
            session.execute(delete(CrawlTask).where(CrawlTask.job_id == job_id))

    def run(self, job_id: int, *plugins: object, names: Sequence[str] | None = None, **options: bool) -> AssetsSummary:
        """Run the stage on a job with these plugins, or with the built-in ones."""
        registry = PluginRegistry(plugins) if plugins else PluginRegistry()
        return run_plugins(
            job_id,
            database=self.database,
            archive_root=self.root,
            registry=registry,
            plugins=names,
            **options,  # type: ignore[arg-type]
        )

    def index(self, job_id: int) -> int:
        """Index a job, as is done before the stage, and return it."""
        with self.database.write() as session:
            jobs.set_job(session, job_id, status=JobStatus.COMPLETED)
        assert index_job(job_id, database=self.database, archive_root=self.root, again=True) == 0
        return job_id

    def keep(self, *answers: Got) -> AssetsSummary:
        """Run the built-in plugins on a job with these answers."""
        return self.run(self.job(*answers))

    def assets(self, source: str = "site") -> dict[str, AssetView]:
        """Return a source's assets by the path they stand for, or by their identifier."""
        with self.database.read() as session:
            found = assets_of_source(session, self.sources[source], limit=10_000)
        return {asset.identifier.removeprefix(SITE): asset for asset in found}

    def asset(self, path: str, source: str = "site") -> AssetView:
        return self.assets(source)[path]

    def versions(self, path: str, source: str = "site") -> list[AssetVersionView]:
        with self.database.read() as session:
            return versions_of_asset(session, self.asset(path, source).id)

    def content(self, path: str, version: int, source: str = "site") -> bytes:
        return read_version(self.database, self.root, self.asset(path, source).id, version)

    def failures(self, job_id: int) -> list[FailedRun]:
        with self.database.read() as session:
            return plugin_runs.failed_runs(session, job_id)

    def blobs(self) -> set[str]:
        """Return the digests of the files that are on disk."""
        return {path.name for path in (self.root / "assets").rglob("*") if path.is_file()}
