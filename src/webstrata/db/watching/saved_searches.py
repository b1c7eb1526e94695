"""Saved searches: added, listed, removed."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from webstrata.db.schema.notification_tables import SubscriptionRow
from webstrata.db.schema.watching_tables import SavedSearchRow
from webstrata.db.sql import ids
from webstrata.errors import ConflictError, NotFoundError
from webstrata.model.watching.saved_searches import SavedSearch


def add_search(session: Session, name: str, parameters: Mapping[str, str], now: datetime) -> SavedSearch:
    """Store a search; ConflictError when its name is taken."""
    if session.scalar(select(SavedSearchRow.id).where(SavedSearchRow.name == name)) is not None:
        raise ConflictError(f"there is a saved search {name!r} already", command="webstrata saved-searches")
    row = SavedSearchRow(name=name, parameters=dict(parameters), created_at=now)
    session.add(row)
    session.flush()
    return _search(row)


def list_searches(session: Session) -> list[SavedSearch]:
    """Return every saved search, by name."""
    return [_search(row) for row in session.scalars(select(SavedSearchRow).order_by(SavedSearchRow.name))]


def subscribed_searches(session: Session) -> list[SavedSearch]:
    """Return the saved searches that an address is notified of."""
    wanted = select(SubscriptionRow.saved_search_id).where(SubscriptionRow.saved_search_id.is_not(None))
    rows = session.scalars(select(SavedSearchRow).where(SavedSearchRow.id.in_(wanted)).order_by(SavedSearchRow.id))
    return [_search(row) for row in rows]


def load_search(session: Session, name_or_id: str) -> SavedSearch:
    """Return a saved search by its name or its number; NotFoundError when there is none."""
    is_id = name_or_id.isascii() and name_or_id.isdecimal() and len(name_or_id) < 10
    key = SavedSearchRow.id == int(name_or_id) if is_id else SavedSearchRow.name == name_or_id
    row = session.scalars(select(SavedSearchRow).where(key)).first()
    if row is None:
        raise NotFoundError(f"there is no saved search {name_or_id[:80]!r}", command="webstrata saved-searches")
    return _search(row)


def remove_search(session: Session, search_id: int) -> None:
    """Remove a saved search."""
    session.execute(delete(SavedSearchRow).where(SavedSearchRow.id == search_id))


def restore_search(session: Session, search: SavedSearch) -> bool:
    """Store a saved search with its id, unless that or its name is taken; return whether it was stored."""
    taken = select(SavedSearchRow.id).where((SavedSearchRow.id == search.id) | (SavedSearchRow.name == search.name))
    if session.scalar(taken) is not None:
        return False
    row = SavedSearchRow(
        id=search.id, name=search.name, parameters=dict(search.parameters), created_at=search.created_at
    )
    session.add(row)
    session.flush()
    ids.lift(session, SavedSearchRow.__tablename__, search.id)
    return True


def _search(row: SavedSearchRow) -> SavedSearch:
    parameters = {str(name): str(value) for name, value in row.parameters.items()}
    return SavedSearch(row.id, row.name, parameters, row.created_at)
