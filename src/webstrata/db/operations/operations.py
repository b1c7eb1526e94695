"""Counters of operations over all processes, for monitoring."""

from enum import StrEnum

from sqlalchemy import Table, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.schema.public_tables import OperationCount

_COUNTS = OperationCount.__table__
assert isinstance(_COUNTS, Table)


class Operation(StrEnum):
    """The counted operations."""

    TASK_LEASES_RECLAIMED = "task_leases_reclaimed"
    JOB_LEASES_RECLAIMED = "job_leases_reclaimed"
    HOST_TURN_WAITS = "host_turn_waits"
    HOST_TURN_WAIT_MS = "host_turn_wait_ms"
    CLEANUPS = "cleanups"
    CLEANUP_BYTES = "cleanup_bytes"


def count(session: Session, operation: Operation, more: int = 1) -> None:
    """Count an event.

    To be called last in a transaction, because all processes write the same row and its lock must be short.
    """
    if more <= 0:
        return
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    statement = dialect.insert(_COUNTS).values(name=operation.value, count=more)
    added = {"count": _COUNTS.c.count + statement.excluded["count"]}
    session.execute(statement.on_conflict_do_update(index_elements=["name"], set_=added))


def counted(session: Session) -> dict[Operation, int]:
    """Return the number of operations of each kind so far."""
    stored = {row.name: row.count for row in session.scalars(select(OperationCount))}
    return {operation: stored.get(operation, 0) for operation in Operation}
