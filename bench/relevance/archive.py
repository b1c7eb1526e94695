"""A collection as an archive: every page is captured once, with a menu above and a footer below its text."""

import hashlib
from datetime import UTC, datetime, timedelta

from bench.relevance.collection import Collection, Page
from webstrata.db.captures import captures, snapshots
from webstrata.db.captures.documents import store_documents
from webstrata.db.captures.new_rows import NewCapture
from webstrata.db.captures.snapshots import NewSnapshot
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.search.indexed_words import NewDocument, PreparedDocument, prepared
from webstrata.model.jobs.job import JobConfig
from webstrata.model.urls import surt

_SITE = "https://town.example"
_FIRST_DAY = datetime(2025, 1, 1, tzinfo=UTC)
_MENU = {
    "en": "Home Health Travel Taxes Housing Schools Transport Contact",
    "fr": "Accueil Santé Voyages Impôts Logement Écoles Transports Contact",
}


def store(database: Database, collection: Collection) -> dict[str, str]:
    """Store the pages and return the name of each by its address."""
    pages = collection.pages
    with database.write() as session:
        source_id = jobs.ensure_source(session, "town", name="Town", base_url=_SITE)
        job_id = jobs.add_job(
            session, source_id, name="town", output_dir="", config=JobConfig(()), queued_at=_FIRST_DAY
        )
        warc_id = captures.add_warc_file(session, job_id, "town.warc.gz")
        found = [_capture(page, number) for number, page in enumerate(pages, 1)]
        captures.add_captures(session, job_id, source_id, warc_id, found)
        capture_ids = captures.capture_ids(session, warc_id, [capture.offset for capture in found])
        documents = [_document(page, pages[number - 1], database.is_sqlite) for number, page in enumerate(pages)]
        ids = store_documents(session, documents)
        rows = [
            _snapshot(page, capture, (job_id, source_id, capture_ids[capture.offset], ids[document.key]))
            for page, capture, document in zip(pages, found, documents, strict=True)
        ]
        snapshots.save_snapshots(session, rows)
        snapshots.refresh_pages(
            session, source_id, {row.normalized_url_group for row in rows if row.normalized_url_group}
        )
    return {_address(page): page.name for page in pages}


def _address(page: Page) -> str:
    return f"{_SITE}/{page.language}/{hashlib.sha256(page.name.encode()).hexdigest()[:8]}"


def _document(page: Page, neighbour: Page, for_sqlite: bool) -> PreparedDocument:
    menu = _MENU.get(page.language, _MENU["en"])
    # A footer leads on to the page before, as many sites do.
    lines = [(menu, "L", "n"), (page.title, "1", "m"), (page.text, "p", "m"), (neighbour.title, "L", "e")]
    return prepared(
        NewDocument(_address(page), page.title, "\n".join(line for line, _, _ in lines), page.language),
        for_sqlite=for_sqlite,
        blocks="".join(kind for _, kind, _ in lines),
        regions="".join(region for _, _, region in lines),
    )


def _capture(page: Page, number: int) -> NewCapture:
    return NewCapture(
        offset=number,
        length=1,
        record_id=f"<urn:uuid:{number}>",
        record_type="response",
        url=_address(page),
        url_key=surt(_address(page)),
        captured_at=_FIRST_DAY + timedelta(minutes=number),
        status_code=200,
        mime_type="text/html",
        payload_digest=None,
    )


def _snapshot(page: Page, capture: NewCapture, filed: tuple[int, int, int, int]) -> NewSnapshot:
    job_id, source_id, capture_id, document_id = filed
    return NewSnapshot(
        job_id=job_id,
        source_id=source_id,
        capture_id=capture_id,
        document_id=document_id,
        url=_address(page),
        normalized_url_group=_address(page),
        capture_timestamp=capture.captured_at,
        mime_type="text/html",
        status_code=200,
        title=page.title,
        snippet=page.text[:100],
        language=page.language,
        warc_path="town.warc.gz",
        warc_record_id=capture.record_id,
        warc_offset=capture.offset,
        warc_length=1,
        content_hash=hashlib.sha256(page.text.encode()).hexdigest(),
    )
