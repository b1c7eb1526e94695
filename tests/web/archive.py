"""An archive to look at: real WARC files, really indexed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path

from webstrata.app import App
from webstrata.db.captures import captures
from webstrata.db.operations import catalog
from webstrata.db.queue import jobs
from webstrata.index.pipeline import index_job
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.jobs.job import JobConfig, JobStatus
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter, new_warc_name

MAY = datetime(2024, 5, 3, 12, 5, 9, tzinfo=UTC)
SITE = "https://health.example/"


@dataclass(frozen=True)
class Answer:
    """What a server said on one day."""

    url: str
    title: str
    text: str
    at: datetime = MAY
    status: int = 200
    language: str = "en"

    @property
    def html(self) -> bytes:
        return (
            f'<!doctype html><html lang="{self.language}"><meta charset="utf-8"><title>{self.title}</title>'
            f"<body><h1>{self.title}</h1><p>{self.text}</p></body></html>"
        ).encode()


def queue(app: App, *, code: str = "health", name: str = "Health Agency", site: str = SITE) -> int:
    """Queue a job that nobody runs."""
    with app.database.write() as session:
        source = jobs.ensure_source(session, code, name=name, base_url=site)
        folder = app.archive_root / code / f"job-{datetime.now(UTC):%H%M%S%f}"
        config = JobConfig(seeds=(site,), crawl={"max_pages": 40})
        return jobs.add_job(
            session, source, name=f"{code}-20240503", output_dir=str(folder), config=config, queued_at=MAY
        )


def change(app: App, job_id: int, **columns: object) -> None:
    """Set some of a job's columns."""
    with app.database.write() as session:
        jobs.set_job(session, job_id, **columns)


def folder_of(app: App, job_id: int) -> Path:
    """Return where a job keeps its files, whether it is there or not."""
    with app.database.read() as session:
        return Path(jobs.load_job(session, job_id).output_dir)


def keep(
    app: App, answers: Sequence[Answer], *, code: str = "health", name: str = "Health Agency", site: str = SITE
) -> list[int]:
    """Archive answers in one job and index it; return the ids of the snapshots in their order."""
    job_id = queue(app, code=code, name=name, site=site)
    warc = f"{code}/{new_warc_name('test')}"
    size = write_warc(app.archive_root / warc, answers)
    with app.database.write() as session:
        captures.acknowledge(session, captures.add_warc_file(session, job_id, warc), size)
        jobs.set_job(
            session,
            job_id,
            status=JobStatus.COMPLETED,
            started_at=answers[0].at,
            finished_at=answers[-1].at,
            pages_crawled=len(answers),
            pages_total=len(answers),
        )
    assert index_job(job_id, database=app.database, archive_root=app.archive_root) == 0
    return snapshot_ids(app, job_id)


def snapshot_ids(app: App, job_id: int) -> list[int]:
    """Return the snapshots of a job in the order they were captured."""
    with app.database.read() as session:
        return [found.id for found in catalog.job_snapshots(session, job_id, limit=500, offset=0)]


def write_warc(path: Path, answers: Sequence[Answer]) -> int:
    """Write answers into a WARC file and return its size."""
    with WarcFileWriter(path) as writer:
        for answer in answers:
            writer.append(exchange(_fetched(answer), writer.warcinfo_id))
        writer.sync()
        return writer.size


def _fetched(answer: Answer) -> FetchResult:
    return FetchResult(
        url=answer.url,
        fetched_at=answer.at,
        request_head=b"GET / HTTP/1.1\r\n\r\n",
        status=answer.status,
        reason=HTTPStatus(answer.status).phrase,
        http_version="1.1",
        headers=((b"Content-Type", b"text/html; charset=utf-8"),),
        body=answer.html,
    )
