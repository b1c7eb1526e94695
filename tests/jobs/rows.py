"""Jobs as the database shows them."""

from sqlalchemy import select, update

from webstrata.db.engine import Database
from webstrata.db.schema.tables import ArchiveJob


def job_row(database: Database, job_id: int = 1) -> ArchiveJob:
    """Return a job's row."""
    with database.read() as session:
        return session.scalars(select(ArchiveJob).where(ArchiveJob.id == job_id)).one()


def status_of(database: Database, job_id: int = 1) -> str | None:
    """Return where a job stands, or None while there is none."""
    with database.read() as session:
        return session.scalar(select(ArchiveJob.status).where(ArchiveJob.id == job_id))


def set_row(database: Database, job_id: int = 1, **values: object) -> None:
    """Change a job's row behind everybody's back."""
    with database.write() as session:
        session.execute(update(ArchiveJob).where(ArchiveJob.id == job_id).values(**values))
