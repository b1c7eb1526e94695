"""Jobs as an older crawler left them: temporary folders with WARC files, a state file, and rows in a database."""

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select

from tests.support.fetched import NOON, fetched, write_warc
from webstrata.db.captures import warc_folders
from webstrata.db.captures.warc_folders import FoundWarc
from webstrata.db.engine import Database, Session
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import ArchiveJob, Capture, Snapshot, WarcFile
from webstrata.model.jobs.job import JobConfig, JobStatus
from webstrata.model.urls import surt
from webstrata.replay.raw import raw_page
from webstrata.storage.paths import recorded_as

ARCHIVE = "collections/crawl-1/archive"
STATE = ".archive_state.json"


@dataclass(frozen=True)
class CrawledFolder:
    """A job whose folder is made by hand, indexed by hand."""

    database: Database
    root: Path
    output: Path
    job_id: int

    @classmethod
    def made(
        cls, database: Database, root: Path, output: Path, *, source: str = "hc", status: JobStatus = JobStatus.INDEXED
    ) -> "CrawledFolder":
        """Make a job with an empty folder."""
        output.mkdir(parents=True)
        with database.write() as session:
            source_id = jobs.ensure_source(session, source, name=source, base_url=None)
            job_id = jobs.add_job(
                session, source_id, name="job", output_dir=str(output), config=JobConfig(()), queued_at=NOON
            )
            jobs.set_job(session, job_id, status=status, state_file_path=str(output / STATE))
        return cls(database, root, output, job_id)

    def warc(self, relative: str, *urls: str, body: str = "<p>text") -> list[int]:
        """Write a file with pages, record it as indexed, and return its snapshots."""
        path = self.output / relative
        extents = write_warc(path, [fetched(url, body) for url in urls], requests=False)
        with self.database.write() as session:
            name = recorded_as(self.root, path)
            warc_folders.adopt_warc_files(session, self.job_id, [FoundWarc(name, path.stat().st_size)])
            file = session.scalars(select(WarcFile).where(WarcFile.path == name)).one()
            return [
                self.record(session, file, url, extent.offset, extent.length)
                for url, extent in zip(urls, extents, strict=True)
            ]

    def record(self, session: Session, file: WarcFile, url: str, offset: int, length: int) -> int:
        """Add the rows of one page and return its snapshot."""
        source_id = session.get_one(ArchiveJob, self.job_id).source_id
        assert source_id is not None
        capture = Capture(
            job_id=self.job_id,
            source_id=source_id,
            warc_file_id=file.id,
            warc_offset=offset,
            warc_length=length,
            warc_record_id=f"<urn:record:{self.job_id}:{file.id}:{offset}>",
            record_type="response",
            url=url,
            url_key=surt(url),
            capture_timestamp=NOON,
            status_code=200,
            mime_type="text/html",
            payload_digest=f"sha1:{url}",
        )
        session.add(capture)
        session.flush()
        snapshot = Snapshot(
            job_id=self.job_id,
            source_id=source_id,
            capture_id=capture.id,
            url=url,
            normalized_url_group=url,
            capture_timestamp=NOON,
            warc_path=file.path,
            warc_offset=offset,
            warc_length=length,
        )
        session.add(snapshot)
        session.flush()
        return snapshot.id

    def revisit(self, session: Session, refers_to: str | None, digest: str = "sha1:other") -> None:
        """Add a revisit to the job's only file."""
        file = session.scalars(select(WarcFile).where(WarcFile.job_id == self.job_id)).one()
        session.add(
            Capture(
                job_id=self.job_id,
                source_id=session.get_one(ArchiveJob, self.job_id).source_id,
                warc_file_id=file.id,
                warc_offset=10**9,
                warc_length=1,
                warc_record_id="<urn:record:revisit>",
                record_type="revisit",
                url="https://example.org/again",
                url_key="org,example)/again",
                capture_timestamp=NOON,
                payload_digest=digest,
                refers_to=refers_to,
            )
        )

    def state(self, *temp_dirs: str) -> None:
        """Write a state file that tracks temporary folders."""
        paths = [str(self.output / name) for name in temp_dirs]
        (self.output / STATE).write_text(json.dumps({"current_workers": 1, "temp_dirs_host_paths": paths}))

    def row(self) -> ArchiveJob:
        """Return the job's row."""
        with self.database.read() as session:
            return session.scalars(select(ArchiveJob).where(ArchiveJob.id == self.job_id)).one()

    def cleaned_at(self) -> datetime | None:
        """Return when the job was cleaned up."""
        return self.row().cleaned_at

    def set(self, **values: object) -> None:
        """Change the job's row."""
        with self.database.write() as session:
            jobs.set_job(session, self.job_id, **values)

    def warc_paths(self) -> list[str]:
        """Return which files the database has of the job."""
        with self.database.read() as session:
            return list(session.scalars(select(WarcFile.path).where(WarcFile.job_id == self.job_id).order_by("id")))

    def shown(self, snapshot_id: int) -> bytes:
        """Return a snapshot's page as a reader gets it."""
        return raw_page(self.database, self.root, snapshot_id).content

    def files(self) -> list[str]:
        """Return everything that lies in the folder."""
        return sorted(
            path.relative_to(self.output).as_posix()
            for path in self.output.rglob("*")
            if path.is_symlink() or not path.is_dir()
        )
