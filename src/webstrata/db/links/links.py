"""Links of snapshots: a set of links is stored once, under the first snapshot of a page that has it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain

from sqlalchemy import BigInteger, Table, bindparam, select, text, update
from sqlalchemy.orm import Session

from webstrata.db.captures.snapshots import is_ok
from webstrata.db.links.signals import apply_changes, ensure_pages, lock_links
from webstrata.db.schema.link_tables import PageSignal
from webstrata.db.schema.tables import Snapshot
from webstrata.db.sql.bulk import ManyRows
from webstrata.db.sql.value_lists import Among, ManyColumns, gathered
from webstrata.model.search.linking import LinkedPage, SignalChanges

LinkSet = frozenset[int]
"""The pages that a page links to, by their ids."""


@dataclass(frozen=True)
class SnapshotLinks:
    """The links of a snapshot: the groups of pages, captured or not."""

    snapshot_id: int
    source_id: int
    normalized_url_group: str
    captured_at: datetime
    ok: bool
    targets: tuple[str, ...]
    same_as: int | None = None
    """The snapshot of the same page under which the same links are stored already; there are no targets then."""


def store_outlinks(session: Session, batch: Sequence[SnapshotLinks]) -> None:
    """Record the links of snapshots, and update the signals of all pages that they affect.

    A page's links are stored only when they differ from its earlier ones. Snapshots may be stored in any order, and
    repeatedly.
    """
    given = {links.snapshot_id: links for links in batch}
    if not given:
        return
    lock_links(session)
    snapshots = [*given.values()]
    pages = {links.normalized_url_group for links in snapshots}
    ids = ensure_pages(session, pages.union(*(links.targets for links in snapshots)))
    filing = _LinkBatch.begun(session, snapshots, ids)
    for links in snapshots:
        filing.file(links, ids[links.normalized_url_group])
    filing.finish(session)


def forget_outlinks(session: Session, snapshot_ids: Collection[int]) -> None:
    """Remove the links of snapshots that will be deleted or moved to another page, and their link signals."""
    if not snapshot_ids:
        return
    lock_links(session)
    before = _pages_linking_from(session, snapshot_ids)
    after = _without(session, before.values(), snapshot_ids)
    changes = SignalChanges()
    for page_id, page in before.items():
        changes.note(page, after[page_id])
    apply_changes(session, changes)
    _drop(session, snapshot_ids)


@dataclass
class _LinkBatch:
    """The links of a batch while it is stored: which snapshot has which set of links, and the pages' links before and
    after."""

    sets: dict[int, LinkSet]
    """The link targets of each snapshot of the batch."""
    filed: set[int]
    """The snapshots whose links are stored already."""
    holders: dict[int, dict[LinkSet, int]]
    """The snapshots under which a page's newest sets of links are stored."""
    before: dict[int, LinkedPage]
    after: dict[int, LinkedPage]
    pointers: list[tuple[int, int]] = field(default_factory=list)
    new: dict[int, LinkSet] = field(default_factory=dict)
    """The sets of links to be stored, by snapshot."""

    @classmethod
    def begun(cls, session: Session, batch: Sequence[SnapshotLinks], ids: dict[str, int]) -> "_LinkBatch":
        """Look up the stored links of a batch and its pages; links that have changed are dropped first."""
        shared = link_sets(session, {links.same_as for links in batch if links.same_as is not None})
        sets = {links.snapshot_id: _link_set(links, ids, shared) for links in batch}
        pages = {ids[links.normalized_url_group] for links in batch}
        own = _holders_of(session, sets)
        today = _today(session, pages)
        newest = _newest_holders(session, batch)
        holders = {*own.values(), *newest.values(), *(page.holder for page in today if page.holder)}
        stored = shared | link_sets(session, holders - shared.keys())
        changed = {snapshot for snapshot, holder in own.items() if stored.get(holder, frozenset()) != sets[snapshot]}
        before = {page.id: page.linked(stored) for page in today} | _pages_linking_from(session, own)
        belongs_to = {links.snapshot_id: ids[links.normalized_url_group] for links in batch}
        left = [page for page in before.values() if belongs_to.get(page.snapshot_id or 0, page.page_id) != page.page_id]
        after = before | _without(session, left, sets)
        _drop(session, changed)
        known: dict[int, dict[LinkSet, int]] = defaultdict(dict)
        at_hand = [(page.id, page.holder) for page in today if page.holder]
        at_hand += [(ids[group], holder) for group, holder in newest.items()]
        for page_id, holder in at_hand:
            if holder not in changed:
                known[page_id].setdefault(stored.get(holder, frozenset()), holder)
        return cls(sets, own.keys() - changed, known, before, after)

    def file(self, links: SnapshotLinks, page_id: int) -> None:
        """Note under which snapshot the links of another are stored, and whether they are the page's current ones."""
        snapshot_id, targets = links.snapshot_id, self.sets[links.snapshot_id]
        if snapshot_id not in self.filed:
            holder = self.holders[page_id].setdefault(targets, snapshot_id)
            self.pointers.append((snapshot_id, holder))
            if holder == snapshot_id:
                self.new[snapshot_id] = targets
        if links.ok:
            self.after[page_id] = self.after[page_id].with_capture(snapshot_id, links.captured_at, targets)

    def finish(self, session: Session) -> None:
        """Write the changes."""
        _add_sets(session, self.new)
        _POINT.execute(session, self.pointers)
        changes = SignalChanges()
        for page_id, page in self.before.items():
            changes.note(page, self.after[page_id])
        apply_changes(session, changes)


@dataclass(frozen=True)
class _PageToday:
    """A page's row, and where the links of its newest good capture are stored."""

    id: int
    snapshot_id: int | None
    rank_mass: float
    captured_at: datetime | None
    holder: int | None

    def linked(self, stored: dict[int, LinkSet]) -> LinkedPage:
        targets = stored.get(self.holder, frozenset()) if self.holder else frozenset()
        return LinkedPage(self.id, self.snapshot_id, self.captured_at, targets - {self.id}, self.rank_mass)


@dataclass(frozen=True)
class _GoodCapture:
    """A snapshot that may count for a page."""

    id: int
    page_id: int
    captured_at: datetime
    targets: LinkSet


def _link_set(links: SnapshotLinks, ids: dict[str, int], shared: Mapping[int, LinkSet]) -> LinkSet:
    if links.same_as is not None:
        return shared.get(links.same_as, frozenset())
    found, own = frozenset(map(ids.__getitem__, links.targets)), ids[links.normalized_url_group]
    # Hardly any page still links to itself, so the set is copied only if necessary.
    return found - {own} if own in found else found


def link_sets(session: Session, holders: Collection[int]) -> dict[int, LinkSet]:
    """Return the sets of links that are stored under snapshots; one without links is left out."""
    return {holder: frozenset(gathered(targets)) for holder, targets in _SETS.execute(session, {"holders": holders})}


def _add_sets(session: Session, sets: Mapping[int, LinkSet]) -> None:
    """Store sets of links; one row for each link would take SQLite three times as long."""
    filled = {holder: sorted(targets) for holder, targets in sorted(sets.items()) if targets}
    if not filled:
        return
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(_ADD_SET, [(holder, str(targets)) for holder, targets in filled.items()])
        return
    holders = [holder for holder, targets in filled.items() for _ in targets]
    connection.execute(_ADD_SETS, {"holders": holders, "targets": [*chain.from_iterable(filled.values())]})


def _holders_of(session: Session, snapshots: Collection[int]) -> dict[int, int]:
    return {row[0]: row[1] for row in _HOLDERS.execute(session, {"snapshots": snapshots})}


def _today(session: Session, pages: Collection[int]) -> list[_PageToday]:
    return [_PageToday(*row) for row in _TODAY.execute(session, {"pages": pages})]


def _newest_holders(session: Session, batch: Sequence[SnapshotLinks]) -> dict[str, int]:
    """Return under which snapshots the links of the pages' last snapshots before the batch are stored."""
    groups: dict[int, set[str]] = defaultdict(set)
    for links in batch:
        groups[links.source_id].add(links.normalized_url_group)
    return {
        row[0]: row[1]
        for source_id, of_source in groups.items()
        for row in _NEWEST.execute(session, {"groups": of_source}, source_id=source_id)
    }


def _pages_linking_from(session: Session, snapshots: Collection[int]) -> dict[int, LinkedPage]:
    """Return the pages whose current links are from one of these snapshots."""
    today = [_PageToday(*row) for row in _FROM.execute(session, {"snapshots": snapshots})]
    stored = link_sets(session, {page.holder for page in today if page.holder})
    return {page.id: page.linked(stored) for page in today}


def _without(session: Session, pages: Collection[LinkedPage], gone: Collection[int]) -> dict[int, LinkedPage]:
    """Return pages with their links after some snapshots are removed, from their remaining captures."""
    after = {page.page_id: page.without_captures() for page in pages}
    for capture in _good_captures(session, after.keys()) if after else ():
        if capture.id not in gone:
            page = after[capture.page_id]
            after[capture.page_id] = page.with_capture(capture.id, capture.captured_at, capture.targets)
    return after


def _good_captures(session: Session, pages: Collection[int]) -> Iterable[_GoodCapture]:
    rows = session.execute(
        select(Snapshot.id, PageSignal.id, Snapshot.capture_timestamp, Snapshot.outlinks_from)
        .join(PageSignal, PageSignal.normalized_url_group == Snapshot.normalized_url_group)
        .where(PageSignal.id.in_(pages), is_ok())
        .order_by(Snapshot.capture_timestamp, Snapshot.id)
    ).all()
    stored = link_sets(session, {holder for *_, holder in rows if holder})
    for snapshot_id, page_id, captured_at, holder in rows:
        targets = stored.get(holder, frozenset()) if holder else frozenset()
        yield _GoodCapture(snapshot_id, page_id, captured_at, targets - {page_id})


def _drop(session: Session, snapshots: Collection[int]) -> None:
    """Remove links from snapshots; other snapshots that share them get their own copy."""
    if not snapshots:
        return
    heirs: dict[int, int] = {}
    moved = []
    for sharing, holder in _SHARING.execute(session, {"holders": snapshots}):
        if sharing not in snapshots:
            moved.append((sharing, heirs.setdefault(holder, sharing)))
    stored = link_sets(session, heirs)
    _add_sets(session, {heir: stored.get(holder, frozenset()) for holder, heir in heirs.items()})
    _POINT.execute(session, moved)
    _DELETE.execute(session, {"holders": snapshots})
    _UNPOINT.execute(session, {"snapshots": snapshots})


_SNAPSHOTS = Snapshot.__table__
assert isinstance(_SNAPSHOTS, Table)

_ADD_SET = "INSERT INTO snapshot_outlinks (snapshot_id, target_id) SELECT ?, value FROM json_each(?)"
_ADD_SETS = text(
    "INSERT INTO snapshot_outlinks (snapshot_id, target_id)"
    " SELECT * FROM unnest(CAST(:holders AS bigint[]), CAST(:targets AS bigint[]))"
)
_POINT = ManyColumns(
    ManyRows(
        update(_SNAPSHOTS)
        .where(_SNAPSHOTS.c.id == bindparam("snapshot", type_=BigInteger()))
        .values(outlinks_from=bindparam("holder", type_=BigInteger())),
        {"snapshot": _SNAPSHOTS.c.id, "holder": _SNAPSHOTS.c.outlinks_from},
    ),
    "UPDATE snapshots SET outlinks_from = holder FROM unnest(CAST(:snapshot AS bigint[]), CAST(:holder AS bigint[]))"
    " AS given(snapshot, holder) WHERE id = snapshot",
)
_DELETE = Among("DELETE FROM snapshot_outlinks WHERE snapshot_id IN <holders>", (("holders", "bigint"),))
_UNPOINT = Among("UPDATE snapshots SET outlinks_from = NULL WHERE id IN <snapshots>", (("snapshots", "bigint"),))
_SETS = Among(
    "SELECT snapshot_id, <all target_id> FROM snapshot_outlinks WHERE snapshot_id IN <holders> GROUP BY snapshot_id",
    (("holders", "bigint"),),
)
_HOLDERS = Among(
    "SELECT id, outlinks_from FROM snapshots WHERE id IN <snapshots> AND outlinks_from IS NOT NULL",
    (("snapshots", "bigint"),),
)
_SHARING = Among(
    "SELECT id, outlinks_from FROM snapshots WHERE outlinks_from IN <holders> AND outlinks_from <> id ORDER BY id",
    (("holders", "bigint"),),
)
_NEWEST = Among(
    "SELECT pages.normalized_url_group, snapshots.outlinks_from"
    " FROM pages JOIN snapshots ON snapshots.id = pages.latest_snapshot_id"
    " WHERE pages.source_id = :source_id AND pages.normalized_url_group IN <groups>"
    " AND snapshots.outlinks_from IS NOT NULL",
    (("groups", "text"),),
)
_ROWS = (
    "SELECT page_signals.id, page_signals.snapshot_id, page_signals.rank_mass,"
    " snapshots.capture_timestamp, snapshots.outlinks_from"
    " FROM page_signals LEFT JOIN snapshots ON snapshots.id = page_signals.snapshot_id"
)
_TIMES = (("capture_timestamp", _SNAPSHOTS.c.capture_timestamp.type),)
_TODAY = Among(f"{_ROWS} WHERE page_signals.id IN <pages>", (("pages", "bigint"),), _TIMES)
_FROM = Among(f"{_ROWS} WHERE page_signals.snapshot_id IN <snapshots>", (("snapshots", "bigint"),), _TIMES)
