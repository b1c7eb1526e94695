"""Rows in a real database and records in a real WARC file, for the API to be asked about."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webstrata.db.captures.documents import ensure_documents
from webstrata.db.captures.snapshots import refresh_pages
from webstrata.db.engine import Database
from webstrata.db.schema.tables import ArchiveJob, Capture, Snapshot, Source, WarcFile
from webstrata.db.search.indexed_words import NewDocument
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.urls import surt, url_group
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter

NOON = datetime(2024, 5, 1, 12, 0, 0, tzinfo=UTC)
PAGE = b"<!doctype html><title>Flu</title><body class=a><p>Influenza vaccination begins.</p>"


@dataclass
class Archive:
    """Writes what the tests then read back through the API."""

    database: Database
    root: Path
    warcs: int = 0
    sources: dict[str, int] = field(default_factory=dict)

    def source(self, code: str, name: str | None = None, base_url: str | None = None) -> int:
        if code not in self.sources:
            with self.database.write() as session:
                row = Source(code=code, name=name or code.title(), base_url=base_url, description=f"All of {code}")
                session.add(row)
                session.flush()
                self.sources[code] = row.id
        return self.sources[code]

    def job(self, source: str | None = "health", **columns: Any) -> int:
        with self.database.write() as session:
            given = {"name": f"{source}-20240501", "output_dir": f"{source}/one", "status": "indexed"} | columns
            row = ArchiveJob(source_id=self.source(source) if source else None, **given)
            session.add(row)
            session.flush()
            return row.id

    def snapshot(
        self,
        url: str = "https://health.example/flu",
        at: datetime = NOON,
        *,
        source: str = "health",
        body: bytes = PAGE,
        content_type: str = "text/html; charset=utf-8",
        text: str = "Influenza vaccination begins in October.",
        **columns: Any,
    ) -> int:
        """Archive and index one page; returns the snapshot's id."""
        source_id = self.source(source)
        job_id = columns.pop("job_id", None) or self.job(source)
        status = columns.get("status_code", 200)
        headers = ((b"Content-Type", content_type.encode()),)
        result = FetchResult(url, at, b"GET / HTTP/1.1\r\n\r\n", status or 200, "OK", "1.1", headers, body)
        self.warcs += 1
        name = f"{source}/{self.warcs}.warc.gz"
        with WarcFileWriter(self.root / name) as writer:
            response, _ = exchange(result, writer.warcinfo_id)
            (extent,) = writer.append([response])
        group = url_group(url)
        title = columns.setdefault("title", "Flu")
        with self.database.write() as session:
            warc = WarcFile(job_id=job_id, path=name)
            session.add(warc)
            session.flush()
            place = {"warc_offset": extent.offset, "warc_length": extent.length, "warc_record_id": response.record_id}
            capture = Capture(
                job_id=job_id,
                source_id=source_id,
                warc_file_id=warc.id,
                record_type="response",
                url=url,
                url_key=surt(url),
                capture_timestamp=at,
                **place,
            )
            session.add(capture)
            document = NewDocument(group, title or "", text)
            document_id = ensure_documents(session, [document])[document.key]
            session.flush()
            row = Snapshot(
                job_id=job_id,
                source_id=source_id,
                capture_id=capture.id,
                document_id=document_id,
                url=url,
                normalized_url_group=group,
                capture_timestamp=at,
                **{"status_code": 200, "mime_type": "text/html", "language": "en", "snippet": text}
                | {"content_hash": f"{self.warcs:064}", "warc_path": name}
                | place
                | columns,
            )
            session.add(row)
            session.flush()
            refresh_pages(session, source_id, [group])
            return row.id
