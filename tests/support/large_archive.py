"""An archive of many rows, made by SQL in a moment: for looking at what queries read, not at what they return.

A third of the captures is one job's; a small later job has captured some of the same pages, and some hundred others
share the rest. Every other URL has a query, and one page has as many captures as there are jobs.
"""

from dataclasses import dataclass

from sqlalchemy import text

from webstrata.db.engine import Database
from webstrata.index.version import INDEX_VERSION

SOURCE, LARGE_JOB, SMALL_JOB, OTHER_JOB = 1, 1, 2, 5
"""The first source, its two jobs, and one of another source's."""

_NOW = "2026-01-01 00:00:00.000000"
_LATER = "2026-06-01 00:00:00.000000"
_NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {})"
_ANOTHER_JOB = "3 + i % ({jobs} - 2)"
_JOB = f"CASE WHEN i < {{large}} THEN 1 WHEN i < {{both}} THEN 2 ELSE {_ANOTHER_JOB} END"
_SOURCE = f"CASE WHEN i < {{both}} THEN 1 ELSE 2 + ({_ANOTHER_JOB}) % 2 END"
_FILE = (
    "CASE WHEN i < {large} THEN 1 + i % 10 WHEN i < {both} THEN 11 + i % 10"
    " ELSE 21 + ({jobs} - 2) * (i / ({jobs} - 2) % 3) + i % ({jobs} - 2) END"
)
_PAGE = "CASE WHEN i < {both} THEN i % {large} WHEN i < {both} + {jobs} THEN {both} ELSE i END"
_URL = f"'https://s.example/' || ({_PAGE})"
_IS_REVISIT = "i % 3 = 2"


@dataclass(frozen=True)
class _Rows:
    """Rows of a table: how many, and what its columns hold in the row of a number `i`."""

    count: str
    columns: dict[str, str]


_TABLES = {
    "sources": _Rows(
        "3",
        {
            "id": "i + 1",
            "code": "'source-' || (i + 1)",
            "name": "'Source'",
            "base_url": "'https://s.example/0'",
            "enabled": "true",
            "schedule_paused": "false",
            "group_version": "1",
            "created_at": ":now",
            "updated_at": ":now",
        },
    ),
    "source_totals": _Rows(
        "3",
        {
            "source_id": "i + 1",
            "snapshot_count": "9",
            "page_count": "9",
            "updated_at": ":now",
            "first_capture_timestamp": ":now",
            "last_capture_timestamp": ":now",
        },
    ),
    "archive_jobs": _Rows(
        "{jobs}",
        {
            "id": "i + 1",
            "source_id": "CASE WHEN i < 2 THEN 1 ELSE 2 + (i + 1) % 2 END",
            "name": "'job'",
            "output_dir": "'jobs/' || (i + 1)",
            "status": "'indexed'",
            "cleanup_status": "'none'",
            **dict.fromkeys(("created_at", "updated_at", "queued_at", "started_at", "finished_at"), ":now"),
            "retry_count": "0",
            "warc_file_count": "1",
            "indexed_page_count": "1",
            "pages_crawled": "1",
        },
    ),
    "warc_files": _Rows(
        "20 + 3 * ({jobs} - 2)",
        {
            "id": "i + 1",
            "path": "i || '.warc.gz'",
            "created_at": ":now",
            "index_version": "{version}",
            "job_id": "CASE WHEN i < 10 THEN 1 WHEN i < 20 THEN 2 ELSE 3 + (i - 20) % ({jobs} - 2) END",
            "committed_bytes": "1000000000",
            "indexed_bytes": "1000000000",
        },
    ),
    "crawl_tasks": _Rows(
        "{both}",
        {
            "id": "i + 1",
            "job_id": "1 + i / {large}",
            "url_key": "'key-' || i",
            "host": "'s.example'",
            "url": "'https://s.example/' || (i % {large}) || CASE WHEN i % 2 = 0 THEN '?q' ELSE '' END",
            "status": "CASE WHEN i % 1000 = 7 THEN 'error' ELSE 'finished' END",
            "depth": "3",
            "priority": "3",
            "task_type": "'page'",
            "attempt_count": "1",
            "reclaim_count": "0",
            "next_run_at": ":now",
            "created_at": ":now",
            "updated_at": ":now",
        },
    ),
    "captures": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "job_id": _JOB,
            "source_id": _SOURCE,
            "warc_file_id": _FILE,
            "warc_offset": "i * 1000",
            "warc_length": "1000",
            "warc_record_id": "'<' || i || '>'",
            "url": _URL,
            "url_key": _URL,
            "capture_timestamp": "{moment}",
            "status_code": "200",
            "mime_type": "'text/html'",
            "record_type": f"CASE WHEN {_IS_REVISIT} THEN 'revisit' ELSE 'response' END",
            "payload_digest": f"'sha1:' || ({_PAGE})",
            "refers_to": f"CASE WHEN {_IS_REVISIT} THEN '<' || (i - 1) || '>' END",
        },
    ),
    "documents": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "normalized_url_group": "'https://s.example/' || i",
            "text_hash": "'hash'",
            "title": "'Title'",
            "text": "'Some text'",
        },
    ),
    "snapshots": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "job_id": _JOB,
            "source_id": _SOURCE,
            "capture_id": "i + 1",
            "outlinks_from": "i + 1",
            "document_id": f"1 + ({_PAGE})",
            "url": _URL,
            "normalized_url_group": _URL,
            "title": "'Title'",
            "capture_timestamp": "{moment}",
            "mime_type": "'text/html'",
            "status_code": "200",
            "snippet": "'Some'",
            "warc_path": "'0.warc.gz'",
            "warc_record_id": "'<' || i || '>'",
            "content_hash": "'hash-' || i",
            "previous_id": "CASE WHEN i >= {large} AND i < {both} THEN i + 1 - {large} END",
        },
    ),
    "pages": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "source_id": _SOURCE,
            "normalized_url_group": "'https://s.example/' || i",
            **dict.fromkeys(("first_capture_timestamp", "last_capture_timestamp", "latest_ok_timestamp"), "{moment}"),
            "snapshot_count": "1",
            "latest_snapshot_id": "i + 1",
            "latest_ok_snapshot_id": "i + 1",
        },
    ),
    "search_entries": _Rows(
        "{n}",
        {
            "snapshot_id": "i + 1",
            "document_id": f"1 + ({_PAGE})",
            "page_id": f"1 + ({_PAGE})",
            "source_id": _SOURCE,
            "captured_at": "{moment}",
            "status_rank": "0",
            "repeated": "0",
            "url_cost": "0",
            "kind": "'html'",
        },
    ),
    "word_forms": _Rows("{n}", {"word": "'word' || i", "language": "'en'", "stem": "'word' || i"}),
    "page_signals": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "normalized_url_group": "'https://s.example/' || i",
            "snapshot_id": "i + 1",
            "inlink_count": "i % 9",
            "outlink_count": "2",
            "pagerank": "0.00001",
            "rank_mass": "1.0",
            "rank_residual": "0.0",
            "updated_at": ":now",
        },
    ),
    "snapshot_outlinks": _Rows("2 * {n}", {"snapshot_id": "1 + i / 2", "target_id": "1 + (i * 7) % {n}"}),
    "pending_changes": _Rows("{both}", {"snapshot_id": "i + 1", "source_id": "1", "is_announced": "true"}),
    "snapshot_changes": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "source_id": _SOURCE,
            "normalized_url_group": _URL,
            "from_snapshot_id": "CASE WHEN i >= {large} AND i < {both} THEN i + 1 - {large} END",
            "to_snapshot_id": "i + 1",
            "to_job_id": _JOB,
            "to_capture_timestamp": "{moment}",
            "change_type": "CASE WHEN i < {large} THEN 'new_page' WHEN i % 50 = 0 THEN 'updated' ELSE 'unchanged' END",
            "significance": "CASE WHEN i % 1000 = 0 THEN 0.5 ELSE 0 END",
            "computed_at": ":now",
        },
    ),
    "job_templates": _Rows("{jobs}", {"job_id": "i + 1", "pages": "9", "lines": "'[]'"}),
    "record_problems": _Rows(
        "{few}",
        {
            "id": "i + 1",
            "job_id": _ANOTHER_JOB,
            "warc_file_id": f"18 + {_ANOTHER_JOB}",
            "warc_offset": "i",
            "reason": "'damaged'",
            "created_at": ":now",
        },
    ),
    "plugin_runs": _Rows(
        "{n}",
        {
            "capture_id": "i + 1",
            "plugin": "'page'",
            "status": "'done'",
            "attempt_count": "1",
            "asset_count": "1",
            "updated_at": ":now",
        },
    ),
    "asset_blobs": _Rows("{n}", {"digest": "'digest-' || i", "size": "1000", "created_at": ":now"}),
    "assets": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "source_id": _SOURCE,
            "plugin": "'page'",
            "identifier": "'asset-' || i",
            "version": "1",
            "asset_type": "'page'",
            "source_url": _URL,
            "state": "'present'",
            "checksum": "'sum'",
            "first_seen_at": "{moment}",
            "last_seen_at": "{moment}",
            "last_seen_url": _URL,
            "last_seen_job_id": _JOB,
        },
    ),
    "asset_versions": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "asset_id": "i + 1",
            "version": "1",
            "checksum": "'sum'",
            "job_id": _JOB,
            "capture_id": "i + 1",
            "captured_at": "{moment}",
            "normalized_path": "'path'",
            "tags": "'[]'",
            "blob_digest": "'digest-' || i",
            "metadata": "'{{}}'",
        },
    ),
    "audit_log": _Rows(
        "{few}",
        {
            "id": "i + 1",
            "at": ":now",
            "actor": "'person-' || (i % 50)",
            "action": "'action-' || (i % 50)",
            "target": "'job:' || (i % 50)",
        },
    ),
    "issue_reports": _Rows(
        "{few}",
        {
            "id": "i + 1",
            "category": "'other'",
            "description": "'Wrong'",
            "status": "'resolved'",
            "created_at": ":now",
            "updated_at": ":now",
        },
    ),
    "host_permits": _Rows("{few}", {"host": "'h' || i", "slot": "0", "owner": "'somebody'", "free_at": ":now"}),
    "notification_targets": _Rows(
        "1",
        {
            "id": "i + 1",
            "name": "'hook'",
            "kind": "'webhook'",
            "address": "'https://s.example/hook'",
            "shown": "'https://s.example'",
            "created_at": ":now",
            "paused": "false",
        },
    ),
    "subscriptions": _Rows(
        "3",
        {
            "id": "i + 1",
            "target_id": "1",
            "source_id": "i + 1",
            "min_significance": "0.3",
            "digest": "true",
            "created_at": ":now",
        },
    ),
    "outbox": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "subscription_id": "1 + i % 3",
            "event_key": "'change-0-' || i",
            "kind": "'change'",
            "payload": "'{{}}'",
            "created_at": ":now",
            "due_at": ":now",
            "attempts": "1",
            "delivered_at": ":now",
        },
    ),
    "watches": _Rows(
        "{few}",
        {
            "id": "i + 1",
            "source_id": "1 + i % 3",
            "url": "'https://s.example/' || i",
            "scope": "'page'",
            "page": "'https://s.example/' || i",
            "min_significance": "0.3",
            "schedule": "'1d'",
            "paused": "false",
            "next_run_at": ":later",
            "created_at": ":now",
            "first_job_id": "1",
            "last_job_id": "1 + i % {jobs}",
        },
    ),
    "watch_events": _Rows(
        "{n}", {"watch_id": "1 + i % {few}", "to_snapshot_id": "i + 1", "significance": "0.5", "summary": "'Other'"}
    ),
    "site_comparisons": _Rows("{jobs}", {"to_job_id": "i + 1", "from_job_id": "i", "compared_at": ":now"}),
    "site_events": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "event_key": "'removed-' || i",
            "source_id": "1 + i % 3",
            "from_job_id": "i % {jobs}",
            "to_job_id": "1 + i % {jobs}",
            "kind": "'removed'",
            "page": "'https://s.example/' || i",
            "title": "'Page'",
            "summary": "'status 404'",
            "replaces": "'[]'",
            "at": "{moment}",
        },
    ),
    "watch_site_events": _Rows("{n}", {"watch_id": "1 + i % {few}", "site_event_id": "i + 1"}),
    "audit_sessions": _Rows(
        "{n}",
        {
            "id": "'00000000-0000-0000-0000-' || (100000000000 + i)",
            "url": "'https://shop' || (i % {few}) || '.example/'",
            "domain": "'shop' || (i % {few}) || '.example'",
            "status": "'completed'",
            "created_at": "{moment}",
            "mode": "'standard'",
            "retention_policy": "'standard'",
            "attempts": "1",
            "crawl_policy_version": "'1'",
            "config_snapshot": "'{{}}'",
            "low_confidence": "false",
            "next_run_at": ":now",
        },
    ),
    "audit_schedules": _Rows(
        "{few}",
        {
            "id": "i + 1",
            "url": "'https://shop' || i || '.example/'",
            "mode": "'standard'",
            "schedule": "'7d'",
            "paused": "false",
            "next_run_at": "'2030-01-01 00:00:00.000000'",
            "created_at": ":now",
        },
    ),
    "scraper_health": _Rows(
        "{jobs}",
        {
            "id": "i + 1",
            "source_id": "CASE WHEN i < 2 THEN 1 ELSE 2 END",
            "job_id": "i + 1",
            "status": "'indexed'",
            "pages_fetched": "9",
            "pages_failed": "0",
            "created_at": ":now",
        },
    ),
    "listings": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "last_snapshot_id": "i + 1",
            "source_id": _SOURCE,
            "normalized_url_group": "'https://s.example/' || i",
            "url": "'https://s.example/' || i",
            "kind": "'product'",
            "name": "'Teapot'",
            "price": "'12.00'",
            "currency": "'EUR'",
            "last_seen_at": "{moment}",
            "created_at": "{moment}",
            "updated_at": ":now",
        },
    ),
    "price_history": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "listing_id": "1 + i % {few}",
            "source_id": "1",
            "price": "'12.00'",
            "currency": "'EUR'",
            "captured_at": "{moment}",
            "created_at": "{moment}",
        },
    ),
    "diagnostics": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "source_id": _SOURCE,
            "listing_id": "1 + i % {few}",
            "snapshot_id": "i + 1",
            "url": "'https://s.example/' || i",
            "created_at": "{moment}",
        },
    ),
    "scrape_metadata": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "created_at": ":now",
            "source_id": _SOURCE,
            "job_id": _JOB,
            "url": _URL,
            "url_hash": "i",
            "is_blocked": "false",
            "is_js_only": "false",
        },
    ),
    "hauls": _Rows("{few}", {"id": "'haul-' || i", "created_at": "{moment}", "name": "'Haul'", "actor": "'me'"}),
    "haul_captures": _Rows("{n}", {"haul_id": "'haul-' || (i % {few})", "position": "i", "snapshot_id": "i + 1"}),
    "tombstones": _Rows(
        "{n}",
        {
            "snapshot_id": "{n} + i + 1",
            "url": _URL,
            "captured_at": "{moment}",
            "warc_filename": "(i / 100) || '-gone.warc.gz'",
            "warc_offset": "i",
            "reason": "'order'",
            "created_at": ":now",
            "created_by": "'me'",
        },
    ),
    "artifacts": _Rows(
        "{n}",
        {
            "id": "i + 1",
            "session_id": "'00000000-0000-0000-0000-' || (100000000000 + i)",
            "type": "'screenshot'",
            "storage_uri": "'artifact-' || i",
            "size_bytes": "1",
            "checksum": "'sum'",
            "created_at": ":now",
        },
    ),
}
_MOMENT = {
    "sqlite": "datetime('2020-01-01', (i * 60) || ' seconds') || '.000000'",
    "postgresql": "timestamptz '2020-01-01 00:00:00Z' + i * interval '60 seconds'",
}


def fill(database: Database, captures: int) -> None:
    """Store so many captures, and what belongs to them."""
    kind = database.url.get_backend_name()
    sizes = {"n": captures, "large": captures // 3, "jobs": captures // 100, "few": captures // 10}
    words = {**sizes, "both": captures // 3 + 30, "moment": _MOMENT[kind], "version": INDEX_VERSION}
    with database.write() as session:
        for table, rows in _TABLES.items():
            columns = rows.columns
            if table == "documents" and kind == "postgresql":
                columns = columns | {"search_vector": "CAST('some' AS tsvector)"}
            values = ", ".join(columns.values()).format(**words)
            numbers = _NUMBERS.format(rows.count.format(**words))
            session.execute(
                text(f"INSERT INTO {table} ({', '.join(columns)}) {numbers} SELECT {values} FROM n"),
                {"now": _NOW, "later": _LATER} if ":later" in values else {"now": _NOW},
            )
            if kind == "postgresql" and columns.get("id", "").startswith("i"):
                session.execute(text(f"SELECT setval('{table}_id_seq', max(id)) FROM {table}"))
