"""An archive without crawling: pages put straight into a database, as crawl and index would have."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

from sqlalchemy import select
from sqlalchemy.orm import Session

from webstrata.db.captures import captures, snapshots
from webstrata.db.captures.documents import store_documents
from webstrata.db.captures.new_rows import NewCapture
from webstrata.db.captures.snapshots import NewSnapshot
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import Snapshot
from webstrata.db.search.indexed_words import NewDocument, prepared
from webstrata.model.jobs.job import JobConfig
from webstrata.model.urls import surt, url_group


@dataclass
class Shelf:
    """Adds pages to a database, one source and one job after the other."""

    database: Database
    _files: dict[int, tuple[int, int]] = field(default_factory=dict)
    _offsets: Iterator[int] = field(default_factory=lambda: count(1))

    def job(self, source: str = "hc", *, base_url: str | None = None, queued_at: datetime | None = None) -> int:
        """Add a job, and its source when it is new."""
        with self.database.write() as session:
            source_id = jobs.ensure_source(session, source, name=source.upper(), base_url=base_url)
            moment = queued_at or datetime.fromisoformat("2026-01-01T00:00:00Z")
            job_id = jobs.add_job(
                session, source_id, name=f"{source}-job", output_dir="", config=JobConfig(()), queued_at=moment
            )
            warc_id = captures.add_warc_file(session, job_id, f"{source}/{job_id}.warc.gz")
            self._files[job_id] = (source_id, warc_id)
        return job_id

    def page(
        self,
        job_id: int,
        url: str,
        at: str,
        text: str = "",
        *,
        title: str = "",
        status: int | None = 200,
        content: str | None = None,
        language: str = "en",
        blocks: str | None = None,
    ) -> int:
        """Add a captured page and return its snapshot; captures of equal `content` are the same bytes."""
        source_id, warc_id = self._files[job_id]
        captured_at = datetime.fromisoformat(f"{at}Z" if "T" in at else f"{at}T12:00:00Z")
        with self.database.write() as session:
            capture_id = self._capture(session, job_id, url, captured_at, status)
            document = NewDocument(url_group(url), title, text, language)
            ids = store_documents(session, [prepared(document, for_sqlite=self.database.is_sqlite, blocks=blocks)])
            snapshots.save_snapshots(
                session,
                [
                    NewSnapshot(
                        job_id=job_id,
                        source_id=source_id,
                        capture_id=capture_id,
                        document_id=ids[document.key],
                        url=url,
                        normalized_url_group=document.normalized_url_group,
                        capture_timestamp=captured_at,
                        mime_type="text/html",
                        status_code=status,
                        title=title,
                        snippet=text[:100],
                        language=language,
                        warc_path=f"{warc_id}.warc.gz",
                        warc_record_id=f"<urn:uuid:{capture_id}>",
                        warc_offset=capture_id,
                        warc_length=1,
                        content_hash=hashlib.sha256((content or title + text).encode()).hexdigest(),
                    )
                ],
            )
            snapshots.refresh_pages(session, source_id, [document.normalized_url_group])
            return session.scalars(select(Snapshot.id).where(Snapshot.capture_id == capture_id)).one()

    def _capture(self, session: Session, job_id: int, url: str, at: datetime, status: int | None) -> int:
        source_id, warc_id = self._files[job_id]
        offset = next(self._offsets)
        capture = NewCapture(
            offset=offset,
            length=1,
            record_id=f"<urn:uuid:{job_id}-{offset}>",
            record_type="response",
            url=url,
            url_key=surt(url),
            captured_at=at,
            status_code=status,
            mime_type="text/html",
            payload_digest=None,
        )
        captures.add_captures(session, job_id, source_id, warc_id, [capture])
        return captures.capture_ids(session, warc_id, [offset])[offset]
