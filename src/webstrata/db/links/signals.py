"""Link signals: link counts and PageRank of each page that was captured or is linked to."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Double,
    Engine,
    Table,
    bindparam,
    func,
    insert,
    literal_column,
    select,
    text,
    update,
)
from sqlalchemy.orm import Session

from webstrata.db.schema.base import utcnow
from webstrata.db.schema.link_tables import PageSignal
from webstrata.db.sql import ids
from webstrata.db.sql.bulk import ManyRows
from webstrata.db.sql.value_lists import Among, ManyColumns, gathered
from webstrata.model.search.linking import SignalChanges
from webstrata.model.search.pagerank import RankedPage

_LOCK = 7_316_004
"""The lock for changing links and signals: without it, two writers of the same counts could deadlock."""

_COMPARED_AT_ONCE = 1_000
_MOST_REMEMBERED = 100_000
_known_ids: "WeakKeyDictionary[Engine, dict[str, int]]" = WeakKeyDictionary()
"""A cache of the ids of pages: most pages of a site link to the same ones. Rows are never deleted."""

_SIGNALS = PageSignal.__table__
assert isinstance(_SIGNALS, Table)

_IDS = Among(
    "SELECT normalized_url_group, id FROM page_signals WHERE normalized_url_group IN <groups>", (("groups", "text"),)
)
_NEW: dict[str, ColumnElement[float]] = {
    name: literal_column("0") for name in ("inlink_count", "outlink_count", "pagerank", "rank_mass", "rank_residual")
}
_ADD = ManyColumns(
    ManyRows(
        insert(_SIGNALS).inline().values(**_NEW),
        {name: _SIGNALS.c[name] for name in ("normalized_url_group", "updated_at", "id")},
    ),
    "INSERT INTO page_signals (normalized_url_group, updated_at, id, inlink_count, outlink_count, pagerank, rank_mass,"
    " rank_residual) SELECT g, t, i, 0, 0, 0, 0, 0 FROM unnest(CAST(:normalized_url_group AS text[]),"
    " CAST(:updated_at AS timestamptz[]), CAST(:id AS bigint[])) AS given(g, t, i)",
)
_COUNT = ManyColumns(
    ManyRows(
        update(_SIGNALS)
        .where(_SIGNALS.c.id == bindparam("page", type_=BigInteger()))
        .values(
            inlink_count=_SIGNALS.c.inlink_count + bindparam("inlinks", type_=BigInteger()),
            rank_residual=_SIGNALS.c.rank_residual + bindparam("residual", type_=Double()),
            updated_at=bindparam("now", type_=_SIGNALS.c.updated_at.type),
        ),
        {
            "page": _SIGNALS.c.id,
            "inlinks": _SIGNALS.c.inlink_count,
            "residual": _SIGNALS.c.rank_residual,
            "now": _SIGNALS.c.updated_at,
        },
    ),
    "UPDATE page_signals SET inlink_count = inlink_count + n, rank_residual = rank_residual + r, updated_at = t"
    " FROM unnest(CAST(:page AS bigint[]), CAST(:inlinks AS integer[]), CAST(:residual AS double precision[]),"
    " CAST(:now AS timestamptz[])) AS given(page, n, r, t) WHERE id = page",
)
_LINK = ManyColumns(
    ManyRows(
        update(_SIGNALS)
        .where(_SIGNALS.c.id == bindparam("page", type_=BigInteger()))
        .values(
            snapshot_id=bindparam("snapshot", type_=BigInteger()),
            outlink_count=bindparam("outlinks", type_=BigInteger()),
            updated_at=bindparam("now", type_=_SIGNALS.c.updated_at.type),
        ),
        {
            "page": _SIGNALS.c.id,
            "snapshot": _SIGNALS.c.snapshot_id,
            "outlinks": _SIGNALS.c.outlink_count,
            "now": _SIGNALS.c.updated_at,
        },
    ),
    "UPDATE page_signals SET snapshot_id = s, outlink_count = n, updated_at = t"
    " FROM unnest(CAST(:page AS bigint[]), CAST(:snapshot AS bigint[]), CAST(:outlinks AS integer[]),"
    " CAST(:now AS timestamptz[])) AS given(page, s, n, t) WHERE id = page",
)
_HAND_ON = ManyColumns(
    ManyRows(
        update(_SIGNALS)
        .where(_SIGNALS.c.id == bindparam("page", type_=BigInteger()))
        .values(rank_mass=_SIGNALS.c.rank_mass + bindparam("mass", type_=Double())),
        {"page": _SIGNALS.c.id, "mass": _SIGNALS.c.rank_mass},
    ),
    "UPDATE page_signals SET rank_mass = rank_mass + m"
    " FROM unnest(CAST(:page AS bigint[]), CAST(:mass AS double precision[])) AS given(page, m) WHERE id = page",
)
_RANKED = Among(
    "SELECT id, rank_residual, snapshot_id IS NOT NULL FROM page_signals WHERE id IN <pages>", (("pages", "bigint"),)
)
_LINKS = Among(
    "SELECT page_signals.id, page_signals.updated_at, <all snapshot_outlinks.target_id> FROM page_signals"
    " JOIN snapshots ON snapshots.id = page_signals.snapshot_id"
    " JOIN snapshot_outlinks ON snapshot_outlinks.snapshot_id = snapshots.outlinks_from"
    " WHERE page_signals.id IN <pages> AND snapshot_outlinks.target_id <> page_signals.id"
    " GROUP BY page_signals.id, page_signals.updated_at",
    (("pages", "bigint"),),
)
_TOUCHED = Among("SELECT id, updated_at FROM page_signals WHERE id IN <pages>", (("pages", "bigint"),))


def lock_links(session: Session) -> None:
    """Wait until no other process changes links or signals; the lock ends with the transaction."""
    if session.get_bind().dialect.name == "postgresql":  # SQLite lets one write at a time anyway
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def ensure_pages(session: Session, groups: Collection[str]) -> dict[str, int]:
    """Return the ids of pages by their groups, adding missing rows; the caller holds the lock of `lock_links`."""
    remembered = _cached_ids(session)
    found = {group: remembered[group] for group in groups if group in remembered}
    requested = [group for group in groups if group not in found]
    if not requested:
        return found
    last = _last_before(session)
    stored = _ids(session, requested)
    missing = sorted(group for group in requested if group not in stored)
    stored |= _add_pages(session, missing)
    # Rows that this transaction added are not cached: a rollback would remove them.
    remembered.update((group, page_id) for group, page_id in stored.items() if page_id <= last)
    return found | stored


def _cached_ids(session: Session) -> dict[str, int]:
    engine = session.connection().engine
    known = _known_ids.setdefault(engine, {})
    if len(known) > _MOST_REMEMBERED:
        known.clear()
    return known


def _last_before(session: Session) -> int:
    """Return the highest page id at the first call in a session; rows up to it are committed."""
    if "last_page_signal" not in session.info:
        session.info["last_page_signal"] = session.scalar(select(func.max(PageSignal.id))) or 0
    return int(session.info["last_page_signal"])


def _ids(session: Session, groups: Collection[str]) -> dict[str, int]:
    return dict(_IDS.execute(session, {"groups": groups}).all())


def _add_pages(session: Session, groups: Sequence[str]) -> dict[str, int]:
    """Add the rows of pages and return their ids; the lock prevents others from taking ids meanwhile."""
    if session.get_bind().dialect.name == "sqlite":
        first = ids.highest(session, "page_signals") + 1
        free: Sequence[int] = range(first, first + len(groups))
    else:
        free = ids.reserve(session, "page_signals", len(groups))
    added, now = dict(zip(groups, free, strict=True)), utcnow()
    _ADD.execute(session, [(group, now, number) for group, number in added.items()])
    return added


def apply_changes(session: Session, changes: SignalChanges) -> None:
    """Write the changes of link counts, and the links of pages that changed; the caller holds the lock."""
    now = utcnow()
    inlinks, residuals = changes.inlinks, changes.residuals
    _COUNT.execute(session, [(page, inlinks.get(page, 0), residuals.get(page, 0.0), now) for page in changes.touched()])
    _LINK.execute(
        session,
        [
            (page.page_id, page.snapshot_id, len(page.targets), now)
            for page in sorted(changes.pages, key=lambda page: page.page_id)
        ],
    )


def unsettled_pages(session: Session, tolerance: float, limit: int) -> list[int]:
    """Return captured pages whose residual rank is above the tolerance."""
    return [
        *session.scalars(
            select(PageSignal.id)
            .where(PageSignal.snapshot_id.is_not(None), func.abs(PageSignal.rank_residual) > tolerance)
            .order_by(PageSignal.id)
            .limit(limit)
        )
    ]


def ranked_pages(session: Session, pages: Collection[int]) -> list[RankedPage]:
    """Return the residuals of pages."""
    return [RankedPage(*row) for row in _RANKED.execute(session, {"pages": pages}).all()]


def links_today(session: Session, pages: Collection[int]) -> dict[int, list[int]]:
    """Return the current link targets of pages, without links to themselves."""
    return {page: gathered(targets) for page, _, targets in _LINKS.execute(session, {"pages": pages}).all()}


@dataclass(frozen=True)
class LinksRead:
    """Reads the links of pages, and detects which may have changed after that."""

    _touched: dict[int, int] = field(default_factory=dict)
    """The time at which each page's row was last written, as a number; every change of its links updates it."""

    def of(self, session: Session, pages: Collection[int]) -> dict[int, list[int]]:
        """Return the current link targets of pages, without links to themselves."""
        rows = _LINKS.execute(session, {"pages": pages}).all()
        self._touched.update((page, hash(touched)) for page, touched, _ in rows)
        return {page: gathered(targets) for page, _, targets in rows}

    def touched_since(self, session: Session, pages: Collection[int]) -> list[int]:
        """Return the pages whose rows were written after they were read."""
        rows = _TOUCHED.execute(session, {"pages": pages})
        return [page for page, touched in rows if self._touched.get(page) != hash(touched)]


def hand_on(
    session: Session,
    handed_on: Mapping[int, float],
    residuals: Mapping[int, float],
    links: Callable[[int], list[int]],
    read: LinksRead,
) -> None:
    """Write the rank that pages passed on, and the changed residuals.

    Pages whose links changed after the computation pass the same rank on to their current targets.
    """
    lock_links(session)
    changes = SignalChanges()
    changes.residuals.update(residuals)
    pages = sorted(handed_on)
    for start in range(0, len(pages), _COMPARED_AT_ONCE):
        touched = read.touched_since(session, pages[start : start + _COMPARED_AT_ONCE])
        now_linked = links_today(session, touched)
        for page in touched:
            before, after = links(page), now_linked.get(page, [])
            if before != after and {*before} != {*after}:
                changes.note_rank(handed_on[page], frozenset(before), frozenset(after))
    _HAND_ON.execute(session, sorted(handed_on.items()))
    apply_changes(session, changes)


def total_mass(session: Session) -> float:
    """Return the rank mass of all captured pages."""
    captured = PageSignal.snapshot_id.is_not(None)
    return float(session.scalar(select(func.coalesce(func.sum(PageSignal.rank_mass), 0.0)).where(captured)) or 0.0)


def last_page(session: Session) -> int:
    """Return the highest id among the pages."""
    return session.scalar(select(func.max(PageSignal.id))) or 0


def spread_rank(session: Session, total: float, tolerance: float, ids: range) -> int:
    """Write the PageRank of pages for which it differs from the stored one; return their number."""
    lock_links(session)
    written = session.connection().execute(
        _SPREAD, {"total": total, "tolerance": tolerance, "first": ids.start, "behind": ids.stop, "now": utcnow()}
    )
    return written.rowcount


_RANK = "CASE WHEN snapshot_id IS NULL THEN 0.0 ELSE rank_mass / :total END"
_SPREAD = text(
    f"UPDATE page_signals SET pagerank = {_RANK}, updated_at = :now"  # noqa: S608 - contains no input
    f" WHERE id >= :first AND id < :behind AND abs(pagerank - {_RANK}) > :tolerance * abs({_RANK})"
).bindparams(bindparam("now", type_=_SIGNALS.c.updated_at.type), bindparam("total", type_=Double()))
