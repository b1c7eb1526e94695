"""Jobs whose crawl has just ended, to be indexed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from tests.support.fetched import NOON, write_warc
from webstrata.db.captures import captures, problems
from webstrata.db.captures.problems import LocatedProblem
from webstrata.db.engine import Database
from webstrata.db.operations import catalog
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import Capture
from webstrata.index.pipeline import index_job
from webstrata.model.archive import JobView, SnapshotView
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.jobs.job import JobConfig, JobStatus

SITE = "https://example.org"


@dataclass(frozen=True)
class Job:
    """A crawled job, with what a test wants to do to it."""

    id: int
    database: Database
    root: Path

    def add_warc(self, answers: Sequence[FetchResult], name: str = "one.warc.gz") -> list[int]:
        """Write answers into a file of the job and return where each lies."""
        extents = write_warc(self.root / "hc" / name, answers)
        self.register(name)
        return [extent.offset for extent in extents]

    def register(self, name: str) -> None:
        path = f"hc/{name}"
        size = (self.root / path).stat().st_size
        with self.database.write() as session:
            captures.acknowledge(session, captures.add_warc_file(session, self.id, path), size)

    def index(self) -> int:
        return index_job(self.id, database=self.database, archive_root=self.root)

    def view(self) -> JobView:
        with self.database.read() as session:
            view = catalog.job(session, self.id)
        assert view is not None
        return view

    def set(self, **values: object) -> None:
        with self.database.write() as session:
            jobs.set_job(session, self.id, **values)

    def snapshots(self) -> list[SnapshotView]:
        with self.database.read() as session:
            return list(catalog.job_snapshots(session, self.id, limit=1_000, offset=0))

    def captures(self) -> list[Capture]:
        with self.database.read() as session:
            found = list(session.scalars(select(Capture).order_by(Capture.id)))
            session.expunge_all()
            return found

    def forget_how_far(self) -> None:
        with self.database.write() as session:
            for warc in captures.warc_files(session, self.id):
                captures.set_index_state(session, warc.id, indexed_bytes=0)

    def problems(self) -> list[LocatedProblem]:
        with self.database.read() as session:
            return problems.problems_of_job(session, self.id, limit=1_000)

    def journal(self) -> Path:
        return self.root / ".journals" / f"job-{self.id}" / "captures.cdxj"


def crawled_job(database: Database, root: Path, *, output_dir: str = "") -> Job:
    """Make a job whose crawl has ended."""
    with database.write() as session:
        source_id = jobs.ensure_source(session, "hc", name="Health", base_url=f"{SITE}/")
        job_id = jobs.add_job(
            session, source_id, name="hc", output_dir=output_dir, config=JobConfig(()), queued_at=NOON
        )
        jobs.set_job(session, job_id, status=JobStatus.COMPLETED)
    return Job(job_id, database, root)
