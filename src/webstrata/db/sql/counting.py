"""Counts of the rows of lists that end at a limit, however many rows match."""

from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from webstrata.model.list_totals import MOST_COUNTED


def count_rows(session: Session, rows: Select[*tuple[Any, ...]]) -> int:
    """Return how many rows a query has, at most MOST_COUNTED + 1.

    Order the query as an index does: otherwise PostgreSQL may read the whole table.
    """
    first = rows.limit(MOST_COUNTED + 1).subquery()
    return session.scalar(select(func.count()).select_from(first)) or 0
