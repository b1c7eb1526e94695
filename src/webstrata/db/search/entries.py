"""Table of search entries: one narrow row per snapshot that can be found, updated together with the pages."""

from collections.abc import Collection

from sqlalchemy.orm import Session

from webstrata.db.sql.value_lists import Among
from webstrata.model.content_types import HTML_TYPES, PDF_TYPES, TEXT_TYPES


def _listed(types: Collection[str]) -> str:
    """Return content types as a list of SQL literals."""
    return ", ".join(f"'{name}'" for name in sorted(types))


# CROSS JOIN makes SQLite begin with the pages, and `coalesce` keeps it from using an index on the column
# (`db/sql/planner_hints.py`). Of captures of one page with the same content and status on one UTC day, all but the last
# count as repeated.
_ROWS = f"""
SELECT s.id, s.document_id, p.id, s.source_id, s.capture_timestamp,
       CASE WHEN s.status_code BETWEEN 200 AND 299 THEN 0 WHEN s.status_code BETWEEN 300 AND 399 THEN 1
            WHEN s.status_code IS NULL THEN 2 ELSE 3 END,
       CASE WHEN s.content_hash IS NOT NULL AND row_number() OVER (
                PARTITION BY p.id, s.content_hash, s.status_code, date(s.capture_timestamp)
                ORDER BY s.capture_timestamp DESC, s.id DESC) > 1 THEN 1 ELSE 0 END,
       CASE WHEN s.url LIKE '%?%utm!_%' ESCAPE '!' OR s.url LIKE '%?%clid=%' THEN 2
            WHEN s.url LIKE '%?%' THEN 1 ELSE 0 END,
       s.language,
       CASE WHEN s.mime_type IS NULL OR s.mime_type IN ({_listed(HTML_TYPES)}) THEN 'html'
            WHEN s.mime_type IN ({_listed(PDF_TYPES)}) THEN 'pdf'
            WHEN s.mime_type IN ({_listed(TEXT_TYPES)}) THEN 'text' ELSE 'other' END
FROM pages p CROSS JOIN snapshots s
WHERE s.normalized_url_group = p.normalized_url_group AND coalesce(s.source_id, s.source_id) = p.source_id
  AND s.document_id IS NOT NULL
"""  # noqa: S608 - constants of ours
_COLUMNS = (
    "document_id",
    "page_id",
    "source_id",
    "captured_at",
    "status_rank",
    "repeated",
    "url_cost",
    "language",
    "kind",
)
_INSERT = f"INSERT INTO search_entries (snapshot_id, {', '.join(_COLUMNS)})"
_REPLACE = (
    f"ON CONFLICT (snapshot_id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS)}"
    # Only changed rows are written: a page may have a thousand captures.
    f" WHERE {' OR '.join(f'search_entries.{name} IS DISTINCT FROM excluded.{name}' for name in _COLUMNS)}"
)
_REFRESH = Among(
    f"{_INSERT} {_ROWS} AND p.source_id = :source_id AND p.normalized_url_group IN <groups> {_REPLACE}",
    (("groups", "text"),),
)


def refresh_entries(session: Session, source_id: int, groups: Collection[str]) -> None:
    """Update the rows of some pages of a source to their current snapshots; rows of deleted snapshots are deleted."""
    _REFRESH.execute(session, {"groups": groups}, source_id=source_id)
