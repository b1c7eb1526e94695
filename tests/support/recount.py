"""Recount of all signals from the stored links: slow, exact, and the reference for the incremental counts."""

from sqlalchemy import Select, Subquery, case, func, insert, null, select, update

from webstrata.db.captures.snapshots import is_ok
from webstrata.db.engine import Database, Session
from webstrata.db.links.signals import lock_links
from webstrata.db.schema.base import utcnow
from webstrata.db.schema.link_tables import PageSignal, SnapshotOutlink
from webstrata.db.schema.tables import Snapshot
from webstrata.model.search.pagerank import DAMPING, TELEPORT


def recount_signals(database: Database) -> None:
    """Recount for every page which capture counts, how many pages link to it and how many it links to.

    What pages have to hand on of their rank is set right as well; `refresh_pagerank` then settles it.
    """
    with database.write() as session:
        lock_links(session)
        _add_missing_pages(session)
        _reset(session)
        _choose_captures(session)
        _count_links(session)
        _count_residuals(session)


def _add_missing_pages(session: Session) -> None:
    known = select(PageSignal.id).where(PageSignal.normalized_url_group == Snapshot.normalized_url_group).exists()
    missing = select(Snapshot.normalized_url_group).where(Snapshot.normalized_url_group.is_not(None), ~known)
    rows = [{"normalized_url_group": group, "updated_at": utcnow()} for group in session.scalars(missing.distinct())]
    if rows:
        session.execute(insert(PageSignal), rows)


def _reset(session: Session) -> None:
    session.execute(update(PageSignal).values(snapshot_id=null(), inlink_count=0, outlink_count=0, updated_at=utcnow()))


def _choose_captures(session: Session) -> None:
    place = func.row_number().over(
        partition_by=Snapshot.normalized_url_group, order_by=(Snapshot.capture_timestamp.desc(), Snapshot.id.desc())
    )
    ranked = select(Snapshot.id, Snapshot.normalized_url_group, place.label("place")).where(is_ok()).subquery()
    session.execute(
        update(PageSignal)
        .values(snapshot_id=ranked.c.id)
        .where(PageSignal.normalized_url_group == ranked.c.normalized_url_group, ranked.c.place == 1)
        .execution_options(synchronize_session=False)
    )


def _count_links(session: Session) -> None:
    links = _links_today().subquery()
    outlinks = select(links.c.page, func.count().label("n")).group_by(links.c.page).subquery()
    inlinks = select(links.c.target, func.count().label("n")).group_by(links.c.target).subquery()
    for column, counted, key in (("outlink_count", outlinks, "page"), ("inlink_count", inlinks, "target")):
        _set_from(session, column, counted, key)


def _links_today() -> Select[*tuple[int, int]]:
    return (
        select(PageSignal.id.label("page"), SnapshotOutlink.target_id.label("target"))
        .join(Snapshot, Snapshot.id == PageSignal.snapshot_id)
        .join(SnapshotOutlink, SnapshotOutlink.snapshot_id == Snapshot.outlinks_from)
        .where(SnapshotOutlink.target_id != PageSignal.id)
    )


def _set_from(session: Session, column: str, counted: Subquery, key: str) -> None:
    session.execute(
        update(PageSignal)
        .values({column: counted.c.n})
        .where(PageSignal.id == counted.c[key])
        .execution_options(synchronize_session=False)
    )


def _count_residuals(session: Session) -> None:
    """Work out what pages were given and what of it they have."""
    given = case((PageSignal.snapshot_id.is_not(None), TELEPORT), else_=0.0)
    session.execute(update(PageSignal).values(rank_residual=given - PageSignal.rank_mass))
    links = _links_today().add_columns((PageSignal.rank_mass / PageSignal.outlink_count).label("part")).subquery()
    received = select(links.c.target, (DAMPING * func.sum(links.c.part)).label("n")).group_by(links.c.target).subquery()
    session.execute(
        update(PageSignal)
        .values(rank_residual=PageSignal.rank_residual + received.c.n)
        .where(PageSignal.id == received.c.target)
        .execution_options(synchronize_session=False)
    )
