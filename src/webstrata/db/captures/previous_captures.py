"""The capture before each snapshot: the last one of the same URL by another job of its source, updated while indexing.

It is looked up by URL and not by page, as a page may have thousands of URLs that differ in their query.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import BigInteger, Table, bindparam, update
from sqlalchemy.orm import Session

from webstrata.db.schema.tables import Snapshot
from webstrata.db.sql.bulk import ManyRows
from webstrata.db.sql.value_lists import Among, ManyColumns

# ruff: noqa: S608 - the parts of a statement are constants

_SNAPSHOTS = Snapshot.__table__
assert isinstance(_SNAPSHOTS, Table)

_TIMES = (("capture_timestamp", _SNAPSHOTS.c.capture_timestamp.type),)
_IDS = (("snapshots", "bigint"),)
_OF_SAME_URL = "{0}.source_id = x.source_id AND {0}.url = x.url AND {0}.job_id IS NOT NULL"
# CROSS JOIN fixes SQLite's join order: from the snapshots to their captures, and from there by URL and time.
_BESIDE_ON_SQLITE = (
    " FROM snapshots x CROSS JOIN captures own CROSS JOIN captures c CROSS JOIN snapshots s"
    " WHERE x.id IN <snapshots> AND own.id = x.capture_id AND c.url_key = own.url_key"
    " AND c.capture_timestamp = (SELECT near.capture_timestamp FROM captures near CROSS JOIN snapshots n"
    " WHERE near.url_key = own.url_key AND near.capture_timestamp {sign} own.capture_timestamp"
    f" AND n.capture_id = near.id AND {_OF_SAME_URL.format('n')}"
    " ORDER BY near.capture_timestamp {order} LIMIT 1)"
    f" AND s.capture_id = c.id AND {_OF_SAME_URL.format('s')}"
)
# The same order on PostgreSQL, which would join the whole tables while it has no statistics: OFFSET makes each step a
# subquery of its own.
_BESIDE_ON_POSTGRESQL = (
    " FROM unnest(CAST(:snapshots AS bigint[])) AS wanted(id) CROSS JOIN LATERAL"
    " (SELECT y.id, y.source_id, y.url, own.url_key, own.capture_timestamp AS moment"
    " FROM snapshots y JOIN captures own ON own.id = y.capture_id WHERE y.id = wanted.id OFFSET 0) AS x"
    " CROSS JOIN LATERAL (SELECT near.capture_timestamp AS moment FROM captures near JOIN snapshots n"
    " ON n.capture_id = near.id WHERE near.url_key = x.url_key AND near.capture_timestamp {sign} x.moment"
    f" AND {_OF_SAME_URL.format('n')} ORDER BY near.capture_timestamp {{order}} LIMIT 1) AS nearest"
    " CROSS JOIN LATERAL (SELECT t.* FROM captures c JOIN snapshots t ON t.capture_id = c.id"
    " WHERE c.url_key = x.url_key AND c.capture_timestamp = nearest.moment"
    f" AND {_OF_SAME_URL.format('t')} OFFSET 0) AS s"
)
_GIVEN = Among("SELECT id, job_id, previous_id, capture_timestamp FROM snapshots WHERE id IN <snapshots>", _IDS, _TIMES)


def _beside(selected: str, sign: str, order: str) -> dict[str, Among]:
    """Return the query for the neighbours before or after snapshots, for each database."""
    ways = {"sqlite": _BESIDE_ON_SQLITE, "postgresql": _BESIDE_ON_POSTGRESQL}
    return {name: Among(f"SELECT {selected}{way.format(sign=sign, order=order)}", _IDS) for name, way in ways.items()}


_BEFORE = _beside("x.id, s.id, s.job_id, s.previous_id", "<", "DESC")
_AFTER = _beside("DISTINCT s.id", ">", "ASC")
_SET = ManyColumns(
    ManyRows(
        update(_SNAPSHOTS)
        .where(_SNAPSHOTS.c.id == bindparam("snapshot", type_=BigInteger()))
        .values(previous_id=bindparam("previous", type_=BigInteger())),
        {"snapshot": _SNAPSHOTS.c.id, "previous": _SNAPSHOTS.c.previous_id},
    ),
    "UPDATE snapshots SET previous_id = previous FROM unnest(CAST(:snapshot AS bigint[]), CAST(:previous AS bigint[]))"
    " AS given(snapshot, previous) WHERE id = snapshot",
)


@dataclass(frozen=True)
class _Neighbour:
    """The snapshot directly before another one of the same URL."""

    id: int
    job_id: int
    previous_id: int | None


def link_previous(session: Session, snapshot_ids: Collection[int]) -> None:
    """Store the previous captures of some snapshots, and of the snapshots after them.

    Snapshots may be saved in any order, and repeatedly: when one changes, the next ones are updated, too.
    """
    pending = changed = set(snapshot_ids)
    while pending:
        changed = changed | _relink(session, pending)
        after = _AFTER[session.get_bind().dialect.name]
        pending = {row[0] for row in after.execute(session, {"snapshots": changed})} if changed else set()
        changed = set()


def _relink(session: Session, snapshot_ids: Collection[int]) -> set[int]:
    """Update the previous captures of snapshots, and return the snapshots that changed."""
    before = _neighbours_before(session, snapshot_ids)
    given = _GIVEN.execute(session, {"snapshots": snapshot_ids}).all()
    found: dict[int, int | None] = {}
    # Oldest first: the result for a snapshot may depend on that of the one before it.
    for row in sorted(given, key=lambda row: (row.capture_timestamp, row.id)):
        found[row.id] = _previous(row.job_id, before.get(row.id, []), found)
    changes = sorted((row.id, found[row.id]) for row in given if found[row.id] != row.previous_id)
    _SET.execute(session, changes)
    return {snapshot_id for snapshot_id, _ in changes}


def _neighbours_before(session: Session, snapshot_ids: Collection[int]) -> dict[int, list[_Neighbour]]:
    """Return the last snapshots before each of some snapshots: several if they were captured at the same moment."""
    found: dict[int, list[_Neighbour]] = {}
    before = _BEFORE[session.get_bind().dialect.name]
    for row in before.execute(session, {"snapshots": snapshot_ids}):
        found.setdefault(row[0], []).append(_Neighbour(*row[1:]))
    return found


def _previous(job_id: int, before: Sequence[_Neighbour], found: Mapping[int, int | None]) -> int | None:
    """Return the last neighbour by another job; without one, the neighbours' own previous capture."""
    others = [neighbour.id for neighbour in before if neighbour.job_id != job_id]
    if others:
        return max(others)
    return next((found.get(neighbour.id, neighbour.previous_id) for neighbour in before), None)
