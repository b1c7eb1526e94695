"""Regrouping of listings, when the rule that groups URLs or a source's page parameters change."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from webstrata.db.captures.page_metadata import load_listings
from webstrata.db.collections.listing_writing import record_listings
from webstrata.db.collections.price_history import stored_money
from webstrata.db.schema.collection_tables import DiagnosticRow, ListingRow, PriceRow
from webstrata.db.schema.tables import Snapshot
from webstrata.model.collections.listing_json import listing_from_json
from webstrata.model.collections.prices import has_price_changed
from webstrata.model.collections.seen_listings import SeenListing

_CAPTURES_AT_ONCE = 200
_IDENTITY = frozenset({"id", "source_id", "normalized_url_group", "created_at", "first_snapshot_id", "first_seen_at"})

GroupOf = Callable[[str, str], str]
"""A function that returns the new page of a URL, given the URL and its old page."""


def regroup_listings(session: Session, source_id: int, group_of: GroupOf, now: datetime) -> int:
    """Move the listings of a source to their new pages, and return how many changed; to be called after the snapshots
    were moved.

    Listings of the same new page are merged: their histories, and the newest facts. If a page was split, each new page
    gets its own listing, from the listings that the index read.
    """
    rows = session.scalars(select(ListingRow).where(ListingRow.source_id == source_id).order_by(ListingRow.id)).all()
    by_group: dict[str, list[ListingRow]] = {}
    for row in rows:
        by_group.setdefault(group_of(row.url, row.normalized_url_group), []).append(row)
    changing = {
        group: members
        for group, members in by_group.items()
        if len(members) > 1 or members[0].normalized_url_group != group
    }
    moving = [row for members in changing.values() for row in members]
    for row in moving:
        # A temporary name, as the new name of one page may be the old name of another.
        row.normalized_url_group = f"moving {row.id}"
    session.flush()
    for group, members in changing.items():
        _join(session, group, members)
    return len(moving) + _split(session, source_id, now)


def _join(session: Session, group: str, members: Sequence[ListingRow]) -> None:
    """Merge the listings of one new page; the result has the id of the first."""
    first, *others = members
    newest = max(members, key=lambda row: (row.last_seen_at is not None, row.last_seen_at, row.id))
    earliest = min(members, key=lambda row: (row.first_seen_at is None, row.first_seen_at, row.id))
    facts = {} if newest is first else {name: getattr(newest, name) for name in _facts()}
    seen = earliest.first_snapshot_id, earliest.first_seen_at
    ids = [row.id for row in members]
    for table in (PriceRow, DiagnosticRow):
        values = {"listing_id": first.id, "normalized_url_group": group}
        session.execute(update(table).where(table.listing_id.in_(ids)).values(**values))
    session.execute(delete(ListingRow).where(ListingRow.id.in_([row.id for row in others])))
    first.normalized_url_group = group
    first.first_snapshot_id, first.first_seen_at = seen
    for name, value in facts.items():
        setattr(first, name, value)
    session.flush()
    if others:
        _link_prices(session, first.id)


def _facts() -> list[str]:
    return [column.key for column in ListingRow.__table__.columns if column.key not in _IDENTITY]


def _link_prices(session: Session, listing_id: int) -> None:
    """Set the previous price of each row of a listing's history; rows without a change are deleted."""
    wanted = select(PriceRow).where(PriceRow.listing_id == listing_id).order_by(PriceRow.captured_at, PriceRow.id)
    before: PriceRow | None = None
    for row in session.scalars(wanted).all():
        if before is None:
            before = row
            continue
        if not has_price_changed(stored_money(before.price, before.currency), stored_money(row.price, row.currency)):
            session.delete(row)
            continue
        row.previous_price, row.previous_currency = before.price, before.currency
        before = row
    session.flush()


def _split(session: Session, source_id: int, now: datetime) -> int:
    """Make listings for pages whose captures are recorded in another page's listing; return how many."""
    strays = {
        (row.listing_id, row.normalized_url_group)
        for table in (PriceRow, DiagnosticRow)
        for row in session.execute(
            select(table.listing_id, Snapshot.normalized_url_group)
            .join(Snapshot, Snapshot.id == table.snapshot_id)
            .join(ListingRow, ListingRow.id == table.listing_id)
            .where(ListingRow.source_id == source_id, Snapshot.normalized_url_group.is_not(None))
            .where(Snapshot.normalized_url_group != ListingRow.normalized_url_group)
            .distinct()
        )
    }
    readable = {listing_id for listing_id, _ in strays if _is_readable(session, listing_id)}
    groups = {group for listing_id, group in strays if listing_id in readable}
    for listing_id in sorted(readable):
        groups.add(_begin_again(session, listing_id))
    for group in sorted(groups):
        _record_again(session, source_id, group, now)
    return len(groups)


def _is_readable(session: Session, listing_id: int) -> bool:
    """Return whether the index has the listing of a listing's newest capture; otherwise splitting would lose data."""
    last = select(ListingRow.last_snapshot_id).where(ListingRow.id == listing_id).scalar_subquery()
    capture_id = session.scalar(select(Snapshot.capture_id).where(Snapshot.id == last))
    return capture_id is not None and bool(load_listings(session, [capture_id]).get(capture_id))


def _begin_again(session: Session, listing_id: int) -> str:
    """Clear a listing with the history of several pages, and return the page to which it still belongs."""
    for table in (PriceRow, DiagnosticRow):
        session.execute(delete(table).where(table.listing_id == listing_id))
    listing = session.get_one(ListingRow, listing_id)
    listing.price = listing.first_seen_at = listing.last_seen_at = None
    session.flush()
    return listing.normalized_url_group


def _record_again(session: Session, source_id: int, group: str, now: datetime) -> None:
    """Record the listings of a page's captures again, as the index read them."""
    wanted = (
        select(Snapshot.capture_id, Snapshot.capture_timestamp, Snapshot.url)
        .where(Snapshot.source_id == source_id, Snapshot.normalized_url_group == group)
        .order_by(Snapshot.capture_timestamp, Snapshot.id)
    )
    captures = [row for row in session.execute(wanted) if row.capture_id is not None]
    for start in range(0, len(captures), _CAPTURES_AT_ONCE):
        some = captures[start : start + _CAPTURES_AT_ONCE]
        stored = load_listings(session, [row.capture_id for row in some])
        seen = [
            SeenListing(row.capture_id, row.capture_timestamp, row.url, listing_from_json(listing))
            for row in some
            if (listing := stored.get(row.capture_id))
        ]
        record_listings(session, source_id, seen, now)
