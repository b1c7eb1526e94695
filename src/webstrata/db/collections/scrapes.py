"""Scrape metadata: every attempt to fetch a URL, written in batches by the crawl."""

from collections.abc import Sequence

import xxhash
from sqlalchemy import Table, insert, select
from sqlalchemy.orm import Session

from webstrata.db.schema.collection_tables import ScrapeRow
from webstrata.db.sql.bulk import ManyRows
from webstrata.model.crawl.scrapes import ScrapeRecord

_SCRAPES = ScrapeRow.__table__
assert isinstance(_SCRAPES, Table)

_ADDED = (
    *("source_id", "job_id", "created_at", "url", "url_hash", "status_code", "size_bytes", "elapsed_ms"),
    *("payload_digest", "is_blocked", "is_js_only", "error_kind"),
)
_ADD = ManyRows(insert(_SCRAPES).inline(), {name: _SCRAPES.c[name] for name in _ADDED})


def add_scrapes(session: Session, source_id: int, job_id: int, records: Sequence[ScrapeRecord]) -> None:
    """Record attempts of a job to fetch URLs."""
    _ADD.execute(session, [(source_id, job_id, *_values(record)) for record in records])


def scrapes_of_url(session: Session, url: str, *, limit: int) -> list[ScrapeRecord]:
    """Return the attempts to fetch a URL, newest first."""
    statement = select(ScrapeRow).where(ScrapeRow.url_hash == url_hash(url), ScrapeRow.url == url)
    return [_record(row) for row in session.scalars(statement.order_by(ScrapeRow.id.desc()).limit(limit))]


def url_hash(url: str) -> int:
    """Return the hash of a URL for the index, as a signed integer, as in databases."""
    return xxhash.xxh3_64_intdigest(url.encode("utf-8", "surrogatepass")) - 2**63


def _values(record: ScrapeRecord) -> tuple[object, ...]:
    return (
        record.created_at,
        record.url,
        url_hash(record.url),
        record.status_code,
        record.size_bytes,
        record.elapsed_ms,
        record.payload_digest,
        record.is_blocked,
        record.is_js_only,
        record.error_kind,
    )


def _record(row: ScrapeRow) -> ScrapeRecord:
    return ScrapeRecord(
        *(row.created_at, row.url, row.status_code, row.size_bytes, row.elapsed_ms, row.payload_digest),
        *(row.is_blocked, row.is_js_only, row.error_kind),
    )
