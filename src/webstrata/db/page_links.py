"""Links of a captured page, and the capture of each target that is closest in time."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, ScalarSelect, func, or_, select
from sqlalchemy.orm import Session

from webstrata.db.catalog import HIDDEN_SOURCE, snapshot_rows, to_view
from webstrata.db.snapshots import is_ok
from webstrata.db.tables import PageSignal, Snapshot, SnapshotOutlink, Source
from webstrata.model.archive import SnapshotView


@dataclass(frozen=True)
class PageLink:
    """A page that another one links to."""

    address: str
    """The name of the page: its address without what does not tell pages apart."""
    capture: SnapshotView | None
    """Its good capture that is closest in time; None when it has none."""


@dataclass(frozen=True)
class PageLinks:
    """Some links of a captured page, archived ones first, and how many there are in all."""

    shown: tuple[PageLink, ...]
    total: int


def links_of(session: Session, of: SnapshotView, *, most: int) -> PageLinks:
    """Return what a capture links to, with the captures of those pages that are closest to it in time."""
    holder = select(Snapshot.outlinks_from).where(Snapshot.id == of.id).scalar_subquery()
    linked = SnapshotOutlink.snapshot_id == holder
    total = session.scalar(select(func.count()).select_from(SnapshotOutlink).where(linked)) or 0
    rows = session.execute(
        select(PageSignal.normalized_url_group, _nearest(of, before=True), _nearest(of, before=False))
        .join(SnapshotOutlink, SnapshotOutlink.target_id == PageSignal.id)
        .where(linked)
        .order_by(PageSignal.snapshot_id.is_(None), PageSignal.normalized_url_group)
        .limit(most)
    ).all()
    views = _views(session, {number for row in rows for number in row[1:]})
    shown = (PageLink(row[0], closest(of.captured_at, [views[n] for n in row[1:] if n in views])) for row in rows)
    return PageLinks(tuple(shown), total)


def closest(moment: datetime, captures: Sequence[SnapshotView]) -> SnapshotView | None:
    """Return the capture that is closest to a moment."""
    return min(captures, key=lambda capture: abs(capture.captured_at - moment), default=None)


def _nearest(of: SnapshotView, *, before: bool) -> ScalarSelect[int]:
    """Select a page's last good capture before a capture, or its first one after."""
    at = Snapshot.capture_timestamp
    return (
        select(Snapshot.id)
        .where(
            Snapshot.normalized_url_group == PageSignal.normalized_url_group,
            at <= of.captured_at if before else at > of.captured_at,
            is_ok(),
            _is_public_beside(of),
        )
        .order_by(at.desc() if before else at)
        .limit(1)
        .correlate(PageSignal)
        .scalar_subquery()
    )


def _is_public_beside(of: SnapshotView) -> ColumnElement[bool]:
    """Select captures that the readers of one may see: those of the hidden source only beside its own."""
    hidden = select(Source.id).where(Source.code == HIDDEN_SOURCE, Source.code != of.source_code).scalar_subquery()
    return or_(hidden.is_(None), Snapshot.source_id != hidden)


def _views(session: Session, ids: Collection[int]) -> dict[int, SnapshotView]:
    rows = session.execute(snapshot_rows().where(Snapshot.id.in_(ids)))
    return {view.id: view for view in map(to_view, rows)}
