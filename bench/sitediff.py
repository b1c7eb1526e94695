"""Site diff: two runs of 100,000 pages each, all with another menu, with the plans of its queries."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import event, text

from bench.databases import databases
from bench.report import Measurement
from webstrata.changes.site.comparing import SiteComparison
from webstrata.db.engine import Database
from webstrata.db.migrate import make_ready
from webstrata.db.watching.site_diff import CrawlDefaults

_PAGES = 100_000
_LINKS = 20
_NEW, _GONE, _EDITED = 500, 500, 1_000
_FIRST = datetime(2026, 5, 1, tzinfo=UTC)
_NUMBERS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {rows}) ",
    "postgresql": "WITH n(i) AS (SELECT generate_series(0, {rows} - 1)) ",
}
_PAGE = "'https://site.example/section/article-number-' || {number}"
_MOMENTS = ("created_at", "updated_at", "queued_at", "started_at", "finished_at")


def measure(folder: Path) -> list[Measurement]:
    """Return the time of a site diff on each database, with its query plans printed."""
    return [_measure(name, Database(url), folder) for name, url in databases(folder)]


def _measure(name: str, database: Database, folder: Path) -> Measurement:
    make_ready(database)
    for statement in _statements():
        _run(database, statement)
    with database.write() as session:
        session.execute(text("ANALYZE"))
    asked: list[tuple[str, object]] = []
    event.listen(database.engine, "before_cursor_execute", lambda _c, _u, sql, values, *_: asked.append((sql, values)))
    comparison = SiteComparison(database, folder, CrawlDefaults(20, 1_000_000))
    began = time.perf_counter()
    diff = comparison.compare("site")
    seconds = time.perf_counter() - began
    expected = {"added": _NEW, "removed": _GONE, "changed": _EDITED, "unlinked": 2}
    found = {kind: diff.counts[kind] for kind in expected}
    assert found == expected, diff.counts
    for line in _plans(database, asked):
        print(f"{name}: {line}")
    database.engine.dispose()
    return Measurement(f"site diff of two runs of {_PAGES:,} pages, {name}", seconds, "s", asked="≤ 2")


def _statements() -> list[tuple[int, str, dict[str, str]]]:
    """Return the rows: table, how many, and what its columns hold in the row of a number `i`."""
    number = f"(i % {_PAGES} + CASE WHEN i >= {_PAGES} THEN {_GONE} ELSE 0 END)"
    page = _PAGE.format(number=number)
    moment = f"CASE WHEN i < {_PAGES} THEN :first ELSE :second END"
    # Every page links to the ones after it; the newer run's pages have another menu, and none links to page 7,777 or
    # to its first page.
    linked = f"(i / {_LINKS} % {_PAGES} + i % {_LINKS} + 1)"
    lost = f"CASE WHEN i / {_LINKS} >= {_PAGES} AND {linked} + {_GONE} = 7777 THEN 1 ELSE {linked} END"
    shift = f"CASE WHEN i / {_LINKS} >= {_PAGES} THEN {_GONE} ELSE 0 END"
    rows = 2 * _PAGES
    return [
        (
            1,
            "sources",
            {
                "id": "1",
                "code": "'site'",
                "name": "'Site'",
                "base_url": "'https://site.example/'",
                "enabled": "true",
                "schedule_paused": "false",
                "group_version": "1",
                "created_at": ":first",
                "updated_at": ":first",
            },
        ),
        (
            2,
            "archive_jobs",
            {
                "id": "i + 1",
                "source_id": "1",
                "name": "'run'",
                "output_dir": "'run-' || i",
                "status": "'indexed'",
                "cleanup_status": "'none'",
                "retry_count": "0",
                "warc_file_count": "1",
                "indexed_page_count": str(_PAGES),
                "config": '\'{"seeds": ["https://site.example/"]}\'',
                **dict.fromkeys(_MOMENTS, ":first"),
            },
        ),
        (
            2,
            "warc_files",
            {
                "id": "i + 1",
                "job_id": "i + 1",
                "path": "i || '.warc.gz'",
                "created_at": ":first",
                "committed_bytes": "1",
                "indexed_bytes": "1",
            },
        ),
        (
            rows,
            "crawl_tasks",
            {
                "id": "i + 1",
                "job_id": f"1 + i / {_PAGES}",
                "url": page,
                "url_key": "'key-' || i",
                "host": "'site.example'",
                "depth": "3",
                "priority": "3",
                "task_type": "'page'",
                "status": "'finished'",
                "attempt_count": "1",
                "reclaim_count": "0",
                "next_run_at": ":first",
                "created_at": ":first",
                "updated_at": ":first",
            },
        ),
        (
            rows,
            "captures",
            {
                "id": "i + 1",
                "job_id": f"1 + i / {_PAGES}",
                "source_id": "1",
                "warc_file_id": f"1 + i / {_PAGES}",
                "warc_offset": "i",
                "warc_length": "1",
                "warc_record_id": "'<' || i || '>'",
                "record_type": "'response'",
                "url": page,
                "url_key": page,
                "capture_timestamp": moment,
                "status_code": "200",
            },
        ),
        (
            rows,
            "documents",
            {
                "id": "i + 1",
                "normalized_url_group": page,
                "text_hash": "'hash-' || i",
                "title": "'Article'",
                "text": "'Report ' || i || ' of series ' || (i * 7)",
                "fingerprint": f"i * {2**40 + 12345}",
            },
        ),
        (
            rows,
            "snapshots",
            {
                "id": "i + 1",
                "job_id": f"1 + i / {_PAGES}",
                "source_id": "1",
                "capture_id": "i + 1",
                "document_id": "i + 1",
                "outlinks_from": "i + 1",
                "url": page,
                "normalized_url_group": page,
                "title": "'Article'",
                "capture_timestamp": moment,
                "mime_type": "'text/html'",
                "status_code": "200",
                "quality": "1.0",
                "warc_path": "'0.warc.gz'",
                "content_hash": "'hash-' || i",
            },
        ),
        *_missing(rows),
        (
            _PAGES + _GONE + 50,
            "page_signals",
            {
                "id": "i + 1",
                "normalized_url_group": _PAGE.format(number="i"),
                "inlink_count": "1",
                "outlink_count": "1",
                "pagerank": "0.0",
                "rank_mass": "0.0",
                "rank_residual": "0.0",
                "updated_at": ":first",
            },
        ),
        (
            rows * _LINKS,
            "snapshot_outlinks",
            {"snapshot_id": f"1 + i / {_LINKS}", "target_id": f"1 + {lost} + {shift}"},
        ),
        (
            rows,
            "snapshot_changes",
            {
                "id": "i + 1",
                "source_id": "1",
                "normalized_url_group": page,
                "from_snapshot_id": f"CASE WHEN i >= {_PAGES} THEN i + 1 - {_PAGES} END",
                "to_snapshot_id": "i + 1",
                "to_job_id": f"1 + i / {_PAGES}",
                "to_capture_timestamp": moment,
                "change_type": f"CASE WHEN i < {_PAGES} THEN 'new_page' WHEN i - {_PAGES} < {_EDITED}"
                " THEN 'updated' ELSE 'unchanged' END",
                "significance": f"CASE WHEN i - {_PAGES} < {_EDITED} THEN 0.5 ELSE 0 END",
                "computed_at": ":first",
            },
        ),
    ]


def _missing(before: int) -> list[tuple[int, str, dict[str, str]]]:
    """Return the rows of the newer run's responses for the pages that are gone: 404."""
    page, number = _PAGE.format(number="i"), f"{before} + i + 1"
    response = {"id": number, "job_id": "2", "source_id": "1", "url": page, "capture_timestamp": ":second"}
    response["status_code"] = "404"
    capture = {
        "warc_file_id": "2",
        "warc_offset": number,
        "warc_length": "1",
        "warc_record_id": f"'<' || {number} || '>'",
    }
    snapshot = {"capture_id": number, "normalized_url_group": page, "title": "'Not found'", "mime_type": "'text/html'"}
    snapshot |= {"quality": "0.0", "quality_kind": "'error'", "warc_path": "'1.warc.gz'"}
    return [
        (_GONE, "captures", {**response, **capture, "url_key": page, "record_type": "'response'"}),
        (_GONE, "snapshots", {**response, **snapshot, "content_hash": "'gone'"}),
    ]


def _run(database: Database, rows: tuple[int, str, dict[str, str]]) -> None:
    count, table, columns = rows
    if table == "documents" and not database.is_sqlite:
        columns = {**columns, "search_vector": "''"}
    kind = "sqlite" if database.is_sqlite else "postgresql"
    statement = (
        f"INSERT INTO {table} ({', '.join(columns)}) "
        + _NUMBERS[kind].format(rows=count)
        + f"SELECT {', '.join(columns.values())} FROM n"
    )
    moments = {"first": _FIRST, "second": _FIRST + timedelta(days=7)}
    if database.is_sqlite:
        values = {name: moment.replace(tzinfo=None).isoformat(" ") + ".000000" for name, moment in moments.items()}
    else:
        values = moments  # type: ignore[assignment]
        for name in moments:
            statement = statement.replace(f":{name}", f"CAST(:{name} AS timestamptz)")
    used = {name: value for name, value in values.items() if f":{name}" in statement}
    with database.write() as session:
        session.execute(text(statement.replace('"seeds":', '"seeds"\\:')), used)


def _plans(database: Database, asked: list[tuple[str, object]]) -> list[str]:
    """Return the plans of the queries that compare the runs."""
    prefix = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
    lines = []
    with database.engine.connect() as connection:
        for sql, values in asked:
            if sql.startswith("WITH pages"):
                lines += [str(row[-1]) for row in connection.exec_driver_sql(prefix + sql, values)]  # type: ignore[arg-type]
    return lines
