"""Pages that link to each other, put straight into a database."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, select

from webstrata.db.captures import snapshots
from webstrata.db.engine import Database, Session
from webstrata.db.links import signals
from webstrata.db.links.links import SnapshotLinks, forget_outlinks, store_outlinks
from webstrata.db.links.signals import links_today
from webstrata.db.queue import jobs
from webstrata.db.schema.link_tables import PageSignal, SnapshotOutlink
from webstrata.db.schema.tables import Page, Snapshot

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)


def group(name: str) -> str:
    """Return the group of the page of a name."""
    return f"https://example.org/{name}"


@dataclass(frozen=True)
class Arrival:
    """A capture of a page that comes to be indexed."""

    page: str
    links: Sequence[str] = ()
    day: int = 0
    status: int | None = 200
    source: str = "hc"


@dataclass
class LinkedArchive:
    """An archive of pages named by letters."""

    database: Database
    _sources: dict[str, int] = field(default_factory=dict)

    def add(self, *arrivals: Arrival) -> list[int]:
        """Index captures, in one transaction, as the index does, and return their snapshots."""
        with self.database.write() as session:
            return self.add_in(session, *arrivals)

    def add_in(self, session: Session, *arrivals: Arrival) -> list[int]:
        """Index captures in a transaction that may come to nothing."""
        added = [self._snapshot(session, arrival) for arrival in arrivals]
        store_outlinks(session, [_links(row, arrival) for row, arrival in zip(added, arrivals, strict=True)])
        self._refresh_pages(session, added)
        return [row.id for row in added]

    def again(self, snapshot_id: int, links: Iterable[str]) -> None:
        """Index a capture again, with other links than were seen in it before."""
        with self.database.write() as session:
            row = session.get_one(Snapshot, snapshot_id)
            status = row.status_code
            assert row.normalized_url_group is not None
            name = row.normalized_url_group.removeprefix(group(""))
            store_outlinks(session, [_links(row, Arrival(name, [*links], status=status))])

    def regrouped(self, snapshot_id: int, page: str, links: Iterable[str]) -> None:
        """Index a capture again under another page's name."""
        with self.database.write() as session:
            row = session.get_one(Snapshot, snapshot_id)
            before = str(row.normalized_url_group)
            row.normalized_url_group = group(page)
            session.flush()
            store_outlinks(session, [_links(row, Arrival(page, [*links], status=row.status_code))])
            for source_id in self._sources.values():
                snapshots.refresh_pages(session, source_id, {before, group(page)})

    def delete(self, ids: Collection[int]) -> None:
        """Delete snapshots, as a retention policy does."""
        with self.database.write() as session:
            forget_outlinks(session, ids)
            rows = session.scalars(select(Snapshot).where(Snapshot.id.in_(ids))).all()
            session.execute(delete(Snapshot).where(Snapshot.id.in_(ids)))
            self._refresh_pages(session, rows)

    def clear(self) -> None:
        """Begin anew, as nobody else does: rows of pages stay where they are, and their ids are remembered."""
        signals._known_ids.clear()
        with self.database.write() as session:
            for table in (SnapshotOutlink, PageSignal, Page, Snapshot):
                session.execute(delete(table))

    def signals(self) -> dict[str, PageSignal]:
        """Return what is known of every page."""
        with self.database.read() as session:
            rows = session.scalars(select(PageSignal)).all()
            session.expunge_all()
        return {row.normalized_url_group.removeprefix(group("")): row for row in rows}

    def counts(self, page: str) -> tuple[int, int]:
        """Return how many pages link to a page, and to how many it links."""
        row = self.signals()[page]
        return row.inlink_count, row.outlink_count

    def links(self) -> dict[str, set[str]]:
        """Return which pages link to which today."""
        names = {row.id: name for name, row in self.signals().items()}
        with self.database.read() as session:
            found = links_today(session, names)
        return {names[page]: {names[target] for target in targets} for page, targets in found.items()}

    def _snapshot(self, session: Session, arrival: Arrival) -> Snapshot:
        if arrival.source not in self._sources:
            self._sources[arrival.source] = jobs.ensure_source(session, arrival.source, name="-", base_url=None)
        row = Snapshot(
            source_id=self._sources[arrival.source],
            url=group(arrival.page),
            normalized_url_group=group(arrival.page),
            capture_timestamp=MONDAY + timedelta(days=arrival.day),
            status_code=arrival.status,
            warc_path="",
        )
        session.add(row)
        session.flush()
        return row

    def _refresh_pages(self, session: Session, rows: Iterable[Snapshot]) -> None:
        for source_id in self._sources.values():
            groups = {row.normalized_url_group for row in rows if row.source_id == source_id}
            snapshots.refresh_pages(session, source_id, {name for name in groups if name})


def _links(row: Snapshot, arrival: Arrival) -> SnapshotLinks:
    assert row.source_id is not None
    return SnapshotLinks(
        snapshot_id=row.id,
        source_id=row.source_id,
        normalized_url_group=group(arrival.page),
        captured_at=row.capture_timestamp,
        ok=arrival.status is None or 200 <= arrival.status < 300,
        targets=tuple(group(name) for name in arrival.links),
    )
