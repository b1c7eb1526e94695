"""Conditions on a table's source: rows of one source, or of all but the hidden one."""

from sqlalchemy import ColumnElement, SQLColumnExpression, false, select
from sqlalchemy.orm import Session

from webstrata.db.schema.tables import Source
from webstrata.db.sources.totals import HIDDEN_SOURCE
from webstrata.db.sql.planner_hints import exactly


def of_visible_source(
    session: Session, source_id: SQLColumnExpression[int] | SQLColumnExpression[int | None], code: str | None
) -> list[ColumnElement[bool]]:
    """Return the conditions under which rows are of the source with a code, or of any source; never the hidden one's.

    They compare numbers: a join with the sources would keep SQLite from indexes that begin with the source. Rows of one
    source are to be in an order that begins with it: see `exactly`.
    """
    asked = select(Source.code, Source.id).where(Source.code.in_((HIDDEN_SOURCE, code or HIDDEN_SOURCE)))
    ids = {row[0]: row[1] for row in session.execute(asked)}
    if code is not None:
        return [exactly(source_id, ids[code])] if code in ids and code != HIDDEN_SOURCE else [false()]
    return [source_id != ids[HIDDEN_SOURCE]] if HIDDEN_SOURCE in ids else []
