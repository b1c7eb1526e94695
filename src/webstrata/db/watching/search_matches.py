"""Captures that a saved search matches: those among some, and the newest that are new or changed."""

from collections.abc import Collection

from sqlalchemy.orm import Session

from webstrata.db.search.question import Question, scope_of
from webstrata.db.search.time_order import MOST_COUNTED, counted
from webstrata.db.sql.value_lists import as_list
from webstrata.model.changes.values import ChangeType
from webstrata.model.search.values import walks

# ruff: noqa: S608 - the parts of a statement are constants; users' input is passed as parameters

_SILENT = ", ".join(f"'{kind.value}'" for kind in (ChangeType.UNCHANGED, ChangeType.ERROR))
# Not written as EXISTS: PostgreSQL would turn it into a join and read every change.
_IS_CHANGED = (
    " AND (SELECT 1 FROM snapshot_changes c WHERE c.to_snapshot_id = e.snapshot_id"
    f" AND c.change_type NOT IN ({_SILENT})) IS NOT NULL"
)
_AMONG = {
    "sqlite": " AND e.snapshot_id IN (SELECT value FROM json_each(:among))",
    "postgresql": " AND e.snapshot_id = ANY(CAST(:among AS bigint[]))",
}


def matching_among(session: Session, question: Question, snapshot_ids: Collection[int]) -> list[int]:
    """Return those of some captures that a question finds."""
    scope = scope_of(session, question)
    if scope is None or not snapshot_ids:
        return []
    found = f"SELECT e.snapshot_id, e.captured_at {scope.walked()}{_AMONG[scope.dialect]} ORDER BY e.snapshot_id"
    rows = scope.execute(session, found, among=as_list(scope.dialect, snapshot_ids))
    return [int(row.snapshot_id) for row in rows]


def newest_changed(session: Session, question: Question, most: int) -> list[int]:
    """Return the newest captures that a question finds and that are new or changed."""
    scope = scope_of(session, question)
    if scope is None:
        return []
    count = counted(session, scope, MOST_COUNTED)
    captures = scope.walked() if walks(most, count.total, scope.captures) else scope.gathered()
    found = f"SELECT e.snapshot_id, e.captured_at {captures}{_IS_CHANGED}"
    rows = scope.execute(session, f"{found} ORDER BY e.captured_at DESC, e.snapshot_id DESC LIMIT :most", most=most)
    return [int(row.snapshot_id) for row in rows]


def has_pages(session: Session, question: Question) -> bool:
    """Return whether the archive knows a page at the address that a question is about."""
    scope = scope_of(session, question)
    return scope is not None and bool(scope.pages)
