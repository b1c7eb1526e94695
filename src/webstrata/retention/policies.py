"""Retention policies: reading, setting and resetting them."""

from dataclasses import dataclass, field

from webstrata.db.engine import Database
from webstrata.db.retention import retention
from webstrata.errors import DatabaseError, UnreadablePolicyError
from webstrata.model.retention.rules import (
    DEFAULT_TTL_DAYS,
    FURTHER_TTL_DAYS,
    check_collection,
    check_ttl_days,
    effective_policies,
)


@dataclass(frozen=True)
class PolicyView:
    """The TTL in days of each collection that expires, or why the stored policies cannot be read."""

    ttl_days: dict[str, int]
    error: str | None = None
    further: dict[str, int | None] = field(default_factory=lambda: dict(FURTHER_TTL_DAYS))
    """The TTL of items that are not a collection; None means never."""


def load_policies(database: Database) -> dict[str, int]:
    """Return the TTL in days of each collection; UnreadablePolicyError when a stored one makes no sense."""
    try:
        with database.read() as session:
            stored = retention.stored_policies(session)
    except DatabaseError as error:
        raise UnreadablePolicyError(f"the stored policies cannot be read: {error}") from error
    return effective_policies(stored)


def show_policies(database: Database) -> PolicyView:
    """Return the policies for display: if the stored ones cannot be read, the defaults with an error."""
    try:
        days = load_policies(database)
    except UnreadablePolicyError as error:
        return PolicyView(dict(DEFAULT_TTL_DAYS), str(error))
    further = {name: days.get(name) for name in FURTHER_TTL_DAYS}
    return PolicyView({name: days[name] for name in DEFAULT_TTL_DAYS}, further=further)


def set_policy(database: Database, collection: object, ttl_days: object) -> None:
    """Set the TTL of a collection; PolicyError when the collection or the number of days is invalid."""
    name, days = check_collection(collection), check_ttl_days(ttl_days)
    with database.write() as session:
        retention.set_policy(session, name, days)


def reset_policies(database: Database) -> None:
    """Restore the defaults, even if the stored policies cannot be read."""
    with database.write() as session:
        retention.reset_policies(session)
