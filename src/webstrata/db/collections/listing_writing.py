"""The writer of `listings`, `price_history` and `diagnostics`: what captures show of products and properties."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from webstrata.db.captures.packed_text import plain
from webstrata.db.collections.price_history import record_price, stored_money
from webstrata.db.schema.collection_tables import DiagnosticRow, ListingRow
from webstrata.db.schema.tables import Snapshot, Source
from webstrata.model.collections.listing import FoundValue, Listing
from webstrata.model.collections.prices import current_price, shown_amount
from webstrata.model.collections.seen_listings import SeenListing
from webstrata.model.urls import url_group

_GROUPS_AT_ONCE = 500


@dataclass(frozen=True)
class PlacedListing:
    """A listing that was seen, with its page and its snapshot; an unindexed capture has no snapshot."""

    seen: SeenListing
    group: str
    snapshot_id: int | None


def record_listings(session: Session, source_id: int, seen: Sequence[SeenListing], now: datetime) -> None:
    """Record the listings of a source's captures, in any order and repeatedly.

    The caller holds the lock of the source. Older captures do not change current facts.
    """
    if not seen:
        return
    placed = _place(session, source_id, sorted(seen, key=lambda one: (one.captured_at, one.capture_id)))
    rows = _known_rows(session, source_id, {one.group for one in placed})
    for one in placed:
        row = rows.get(one.group)
        if row is None:
            row = rows[one.group] = _new_row(session, source_id, one, now)
        _record(session, row, one, now)
    _trace(session, source_id, rows, placed, now)


def _place(session: Session, source_id: int, seen: Sequence[SeenListing]) -> list[PlacedListing]:
    columns = select(Snapshot.capture_id, Snapshot.id, Snapshot.normalized_url_group)
    found = session.execute(columns.where(Snapshot.capture_id.in_([one.capture_id for one in seen])))
    snapshots = {row.capture_id: row for row in found}
    parameters = session.scalar(select(Source.page_parameters).where(Source.id == source_id)) or ()
    placed = []
    for one in seen:
        row = snapshots.get(one.capture_id)
        group = (row.normalized_url_group if row else None) or url_group(one.url, tuple(parameters))
        placed.append(PlacedListing(one, group, row.id if row else None))
    return placed


def _known_rows(session: Session, source_id: int, groups: Collection[str]) -> dict[str, ListingRow]:
    rows: dict[str, ListingRow] = {}
    names = sorted(groups)
    for start in range(0, len(names), _GROUPS_AT_ONCE):
        some = names[start : start + _GROUPS_AT_ONCE]
        statement = select(ListingRow).where(
            ListingRow.source_id == source_id, ListingRow.normalized_url_group.in_(some)
        )
        rows |= {row.normalized_url_group: row for row in session.scalars(statement)}
    return rows


def _new_row(session: Session, source_id: int, placed: PlacedListing, now: datetime) -> ListingRow:
    seen = placed.seen
    row = ListingRow(
        source_id=source_id,
        normalized_url_group=placed.group,
        url=seen.url,
        kind=seen.listing.kind.value,
        first_snapshot_id=placed.snapshot_id,
        first_seen_at=seen.captured_at,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row


def _record(session: Session, row: ListingRow, placed: PlacedListing, now: datetime) -> None:
    """Write a price change, then the facts of a listing, unless a newer capture showed them already."""
    seen = placed.seen
    found = seen.listing.price
    if found is not None:
        record_price(session, row, found.value, placed.snapshot_id, seen, now)
    if row.first_seen_at is None or seen.captured_at < row.first_seen_at:
        row.first_seen_at, row.first_snapshot_id = seen.captured_at, placed.snapshot_id
    if row.last_seen_at is not None and seen.captured_at < row.last_seen_at:
        return
    row.last_seen_at, row.last_snapshot_id, row.url = seen.captured_at, placed.snapshot_id, seen.url
    _set_facts(row, seen.listing)


def _set_facts(row: ListingRow, listing: Listing) -> None:
    price = current_price(stored_money(row.price, row.currency), listing.price.value if listing.price else None)
    row.price = shown_amount(price.amount) if price else None
    row.currency = (price.currency if price else None) or _text(listing.currency)
    row.regular_price = shown_amount(listing.regular_price.value.amount) if listing.regular_price else None
    row.sale_price = shown_amount(listing.sale_price.value.amount) if listing.sale_price else None
    row.kind, row.name = listing.kind.value, _text(listing.name)
    row.availability = listing.stock.value
    row.sku, row.gtin, row.mpn = _text(listing.sku), _text(listing.gtin), _text(listing.mpn)
    row.brand, row.image_url = _text(listing.brand), _text(listing.image)
    row.address = plain(str(listing.address.value)) if listing.address else None
    row.rooms = _number(listing.rooms)
    row.fields, row.confidence = _fields(listing), listing.quality


def _fields(listing: Listing) -> dict[str, object]:
    """Return each field that a page states, with its sources and its confidence."""
    return {
        name: {
            "value": plain(str(found.value)),
            "sources": [source.value for source in found.sources],
            "confidence": found.confidence,
        }
        for name, found in listing.found_fields()
    }


def _text(found: FoundValue[str] | None) -> str | None:
    return plain(found.value) if found else None


def _number(found: FoundValue[Decimal] | None) -> float | None:
    return float(found.value) if found else None


def _trace(
    session: Session, source_id: int, rows: dict[str, ListingRow], placed: Sequence[PlacedListing], now: datetime
) -> None:
    """Write how each listing was extracted; the traces of an earlier extraction are replaced."""
    again = [one.snapshot_id for one in placed if one.snapshot_id is not None]
    session.execute(delete(DiagnosticRow).where(DiagnosticRow.snapshot_id.in_(again)))
    session.add_all(
        DiagnosticRow(
            source_id=source_id,
            listing_id=rows[one.group].id,
            snapshot_id=one.snapshot_id,
            normalized_url_group=one.group,
            url=one.seen.url,
            quality_score=one.seen.listing.quality,
            traces=_traces(one.seen.listing),
            created_at=now,
        )
        for one in placed
    )


def _traces(listing: Listing) -> list[dict[str, object]]:
    return [
        {name: plain(value) if isinstance(value, str) else value for name, value in asdict(trace).items()}
        for trace in listing.traces
    ]
