"""Totals of each source: updated with every change of its pages, so that no query needs to count."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.schema.base import utcnow
from webstrata.db.schema.public_tables import SourceTotals
from webstrata.db.schema.tables import Page, Snapshot, Source

HIDDEN_SOURCE = "test"
"""The code of a source for experiments, which is not in public lists and counts."""


@dataclass(frozen=True)
class SourceTotal:
    """How much there is of a source; without a snapshot there is no capture, either."""

    source_id: int
    code: str
    name: str
    snapshots: int
    pages: int
    first_capture: datetime | None
    last_capture: datetime | None
    latest_snapshot_id: int | None


@dataclass(frozen=True)
class PageSums:
    """Some pages of a source, added up."""

    snapshots: int
    pages: int


def totals(session: Session, *, public: bool = False) -> list[SourceTotal]:
    """Return every source's totals, by code; the public does not see the hidden source's."""
    statement = select(
        SourceTotals.source_id,
        Source.code,
        Source.name,
        SourceTotals.snapshot_count,
        SourceTotals.page_count,
        SourceTotals.first_capture_timestamp,
        SourceTotals.last_capture_timestamp,
        SourceTotals.latest_snapshot_id,
    ).join(Source, SourceTotals.source_id == Source.id)
    if public:
        statement = statement.where(Source.code != HIDDEN_SOURCE)
    return [SourceTotal(*row) for row in session.execute(statement.order_by(Source.code))]


def hold_totals(session: Session, source_id: int) -> None:
    """Block other writers of this source's pages until the transaction ends; to be called before anything is written.

    Otherwise two concurrent counts of a page would each miss the other's new snapshots, and two deletions of the same
    page's snapshots could deadlock. SQLite has one writer anyway.
    """
    if session.get_bind().dialect.name == "sqlite":
        return
    nothing = {"source_id": source_id, "snapshot_count": 0, "page_count": 0, "updated_at": utcnow()}
    session.execute(postgresql.insert(SourceTotals).values(nothing).on_conflict_do_nothing())
    session.execute(select(SourceTotals.source_id).where(SourceTotals.source_id == source_id).with_for_update())


def page_sums(session: Session, source_id: int, groups: Collection[str]) -> PageSums:
    """Return the current sums of some pages of a source."""
    snapshots, pages = session.execute(
        select(func.coalesce(func.sum(Page.snapshot_count), 0), func.count()).where(
            Page.source_id == source_id, Page.normalized_url_group.in_(groups)
        )
    ).one()
    return PageSums(int(snapshots), pages)


def move_totals(session: Session, source_id: int, before: PageSums, after: PageSums) -> None:
    """Update a source's totals by the difference between the old and the new sums of some of its pages."""
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    newest = session.execute(_ends(source_id, newest_first=True)).first()
    oldest = session.execute(_ends(source_id, newest_first=False)).first()
    now = {
        "first_capture_timestamp": oldest[0] if oldest else None,
        "last_capture_timestamp": newest[0] if newest else None,
        "latest_snapshot_id": newest[1] if newest else None,
        "updated_at": utcnow(),
    }
    snapshots, pages = after.snapshots - before.snapshots, after.pages - before.pages
    statement = dialect.insert(SourceTotals).values(
        source_id=source_id, snapshot_count=snapshots, page_count=pages, **now
    )
    counts = {
        "snapshot_count": SourceTotals.snapshot_count + snapshots,
        "page_count": SourceTotals.page_count + pages,
    }
    session.execute(statement.on_conflict_do_update(index_elements=["source_id"], set_=counts | now))


def _ends(source_id: int, *, newest_first: bool) -> Select[datetime, int]:
    """Select the time and id of a source's newest or oldest snapshot, from an index."""
    at, identity = Snapshot.capture_timestamp, Snapshot.id
    order = (at.desc(), identity.desc()) if newest_first else (at.asc(), identity.asc())
    return select(at, identity).where(Snapshot.source_id == source_id).order_by(*order).limit(1)
