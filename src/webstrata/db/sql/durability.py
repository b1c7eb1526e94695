"""When a commit returns: for most after the disk has it, for rows that can be made again before."""

from sqlalchemy import text
from sqlalchemy.orm import Session

_DO_NOT_WAIT = text("SET LOCAL synchronous_commit TO off")


def commit_without_waiting(session: Session) -> None:
    """Let PostgreSQL commit this transaction without waiting for the disk; it is there before any later commit is.

    If the server crashes within a second, the transaction never happened. SQLite writes every commit to the disk.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(_DO_NOT_WAIT)
