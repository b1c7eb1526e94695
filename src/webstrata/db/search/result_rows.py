"""Reads the captures of a page of results with all columns that are displayed, in the statement that finds them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

from webstrata.db.captures.packed_text import unpacked
from webstrata.db.search.question import Hit, Question
from webstrata.db.search.scope import SearchScope
from webstrata.model.archive import SnapshotView
from webstrata.model.search.values import View

# ruff: noqa: S608 - the parts of a statement are constants; users' input is passed as parameters

GOOD_FIRST, BEST_FIRST = "status_rank", "score DESC"
NEWEST_FIRST = ("captured_at DESC", "snapshot_id DESC")


def fetch_hits(
    session: Session,
    question: Question,
    scope: SearchScope,
    found: str,
    order: Sequence[str],
    most: int,
    **given: object,
) -> tuple[Hit, ...]:
    """Return `most` captures in order for display, after the first `skip`.

    `found` is the SQL that selects each capture's `snapshot_id` and its sort columns.
    """
    # The limit is a literal in the statement: otherwise PostgreSQL would plan for thousands and read every snapshot.
    first = f"{found} ORDER BY {', '.join(order)} LIMIT {most} OFFSET :skip"
    # CROSS JOIN makes SQLite begin with the captures that were found.
    rows = scope.execute(
        session,
        f"SELECT {_view(question)}, {'d.text, d.blocks' if question.expression else 'NULL, NULL'},"
        f" {'f.score' if BEST_FIRST in order else '0'} FROM ({first}) AS f"
        " CROSS JOIN snapshots s JOIN sources o ON o.id = s.source_id LEFT JOIN archive_jobs j ON j.id = s.job_id"
        f"{' LEFT JOIN documents d ON d.id = s.document_id' if question.expression else ''}"
        f" WHERE s.id = f.snapshot_id ORDER BY {', '.join(f'f.{one}' for one in order)}",
        **given,
    )
    return tuple(_hit(row) for row in rows)


def _view(question: Question) -> str:
    """Return the columns of `SnapshotView`, in its order."""
    return (
        "s.id, s.url, s.normalized_url_group, s.title, s.snippet, s.language, s.capture_timestamp AS captured_at,"
        " s.mime_type, s.status_code, s.content_hash, o.code, o.name, s.job_id, j.name,"
        " s.quality, s.quality_kind, s.quality_reasons,"
        f" {_captures_of_page(question)}"
    )


def _captures_of_page(question: Question) -> str:
    """Return the number of captures of a page, up to the requested time if there is one."""
    if question.request.view is not View.PAGES:
        return "NULL"
    of_page = "p.source_id = s.source_id AND p.normalized_url_group = s.normalized_url_group"
    if question.request.as_of is not None:
        return f"(SELECT count(*) FROM snapshots p WHERE {of_page} AND p.capture_timestamp < :then)"
    # A subquery per column instead of a join gives PostgreSQL less to plan.
    return f"(SELECT p.snapshot_count FROM pages p WHERE {of_page})"


def _hit(row: Sequence[Any]) -> Hit:
    *seen, stored, blocks, score = row
    view = SnapshotView(*seen)
    return Hit(
        view if view.normalized_url_group else replace(view, normalized_url_group=view.url),
        unpacked(stored or ""),
        blocks,
        score,
    )
