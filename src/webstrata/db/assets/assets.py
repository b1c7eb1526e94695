"""Assets of sources, their versions, and the blobs that versions refer to."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from itertools import islice
from typing import TypeVar

from sqlalchemy import Executable, Exists, bindparam, delete, exists, func, insert, select, text, tuple_, update
from sqlalchemy.orm import Session

from webstrata.db.assets.asset_contents import BlobPlace, hold_places
from webstrata.db.retention.retention import ExpiredCount
from webstrata.db.schema.asset_tables import Asset, AssetBlob, AssetVersion, PluginRun
from webstrata.db.schema.tables import Capture, Source
from webstrata.db.sql import ids
from webstrata.db.sql.bulk import ManyRows
from webstrata.model.assets import (
    AssetRecord,
    AssetState,
    KnownAsset,
    Sight,
    is_back,
    judge_sighting,
)

KEYS_AT_ONCE = 500
"""The number of values in one query: both databases allow many more, but plan them badly."""

AssetKey = tuple[str, str]
"""A plugin's name and the identifier that it gave: together they identify an asset of a source."""

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Sighting:
    """An asset that a plugin found in one capture."""

    plugin: str
    record: AssetRecord
    blob_digest: str
    blob_size: int
    capture_id: int
    url: str
    captured_at: datetime
    document_id: int | None = None
    """The document that the bytes are made from."""
    is_body: bool = False
    """Whether the bytes are the capture's body."""

    @property
    def blob_place(self) -> BlobPlace:
        """Return the size and the location of the bytes."""
        return BlobPlace(self.blob_size, self.document_id, self.capture_id if self.is_body else None)

    @property
    def key(self) -> AssetKey:
        """Return the asset's key within its source."""
        return self.plugin, self.record.identifier


def lock_source(session: Session, source_id: int) -> None:
    """Lock a source's assets for comparison; captures can still be added."""
    session.execute(select(Source.id).where(Source.id == source_id).with_for_update(key_share=True))


def known_assets(session: Session, source_id: int, keys: Iterable[AssetKey]) -> dict[AssetKey, KnownAsset]:
    """Return the newest versions of assets of a source."""
    return {key: row.known for key, row in _rows_of(session, source_id, keys).items()}


def record_sightings(
    session: Session, source_id: int, job_id: int, sightings: Sequence[Sighting]
) -> tuple[Counter[Sight], set[str]]:
    """Apply sightings, oldest first, to assets; return their counts, and the digests of blobs that must be written as
    files."""
    rows = _rows_of(session, source_id, (sighting.key for sighting in sightings))
    judged = [(sighting, *_apply(rows, sighting)) for sighting in sightings]
    fresh = [(sighting, number) for sighting, _, number in judged if number is not None]
    places = {sighting.blob_digest: sighting.blob_place for sighting, _ in fresh}
    hold_places(session, places, datetime.now(UTC))
    _write_rows(session, source_id, job_id, rows)
    _INSERT_VERSIONS.execute(
        session, [_version(rows[sighting.key].id, number, job_id, sighting) for sighting, number in fresh]
    )
    return Counter(sight for _, sight, _ in judged), {digest for digest, place in places.items() if place.has_file}


@dataclass
class _Row:
    """An asset's row while sightings are applied to it."""

    checksum: str
    last_seen_at: datetime
    missing_since: datetime | None
    version: int
    state: str
    asset_type: str
    source_url: str
    last_seen_url: str
    first_seen_at: datetime
    id: int = 0
    """0 for an asset that has no row yet."""
    is_changed: bool = False

    @classmethod
    def new(cls, sighting: Sighting) -> "_Row":
        """Return the row of an asset that is seen for the first time."""
        return cls(
            checksum=sighting.record.checksum,
            last_seen_at=sighting.captured_at,
            missing_since=None,
            version=1,
            state=AssetState.PRESENT.value,
            asset_type=sighting.record.asset_type,
            source_url=sighting.record.source_url,
            last_seen_url=sighting.url,
            first_seen_at=sighting.captured_at,
        )

    @property
    def known(self) -> KnownAsset:
        """Return the state of the newest version."""
        return KnownAsset(self.checksum, self.last_seen_at, self.missing_since)


_READ = ("id", *(field.name for field in fields(_Row) if field.name not in {"id", "is_changed"}))
_COLUMNS_READ = tuple(Asset.__table__.c[name] for name in ("plugin", "identifier", *_READ))
# A list of pairs would lead SQLite to all assets of the source; CROSS JOIN has it begin with the keys.
_SQLITE_ROWS = text(
    f"SELECT {', '.join(f'a.{column.name}' for column in _COLUMNS_READ)}"  # noqa: S608 - contains no input
    " FROM json_each(:keys) AS k CROSS JOIN assets AS a ON a.source_id = :source_id"
    " AND a.plugin = json_extract(k.value, '$[0]') AND a.identifier = json_extract(k.value, '$[1]')"
).columns(*_COLUMNS_READ)


def _apply(rows: dict[AssetKey, _Row], sighting: Sighting) -> tuple[Sight, int | None]:
    """Update an asset's row; return the effect of the sighting, and the number of the new version, if any."""
    row = rows.get(sighting.key)
    known = None if row is None else row.known
    sight = judge_sighting(known, sighting.record.checksum, sighting.captured_at)
    if row is None or known is None:
        rows[sighting.key] = _Row.new(sighting)
        return sight, 1
    if sight is Sight.LATE:
        return sight, None
    row.is_changed = True
    row.asset_type, row.source_url = sighting.record.asset_type, sighting.record.source_url
    row.last_seen_at, row.last_seen_url = sighting.captured_at, sighting.url
    if is_back(known, sighting.captured_at):
        row.state, row.missing_since = AssetState.PRESENT.value, None
    if sight is Sight.UNCHANGED:
        return sight, None
    row.version, row.checksum = row.version + 1, sighting.record.checksum
    return sight, row.version


def _rows_of(session: Session, source_id: int, keys: Iterable[AssetKey]) -> dict[AssetKey, _Row]:
    found: dict[AssetKey, _Row] = {}
    for some in batches(dict.fromkeys(keys), KEYS_AT_ONCE):
        rows = session.execute(_chosen(session, source_id, some))
        found |= {(row[0], row[1]): _Row(**dict(zip(_READ, row[2:], strict=True))) for row in rows}
    return found


def _chosen(session: Session, source_id: int, keys: list[AssetKey]) -> Executable:
    if session.get_bind().dialect.name == "sqlite":
        return _SQLITE_ROWS.bindparams(keys=json.dumps(keys), source_id=source_id)
    is_one = tuple_(Asset.plugin, Asset.identifier).in_(keys)
    return select(*_COLUMNS_READ).where(Asset.source_id == source_id, is_one)


def _write_rows(session: Session, source_id: int, job_id: int, rows: Mapping[AssetKey, _Row]) -> None:
    """Insert new assets and update existing ones."""
    new = {key: row for key, row in rows.items() if not row.id}
    changed = [row for row in rows.values() if row.id and row.is_changed]
    for row, number in zip(new.values(), ids.next_ids(session, "assets", len(new)), strict=True):
        row.id = number
    _UPDATE_ASSETS.execute(session, [(*(getattr(row, name) for name in _UPDATED), job_id, row.id) for row in changed])
    _INSERT_ASSETS.execute(
        session,
        [
            (source_id, *key, row.first_seen_at, *(getattr(row, name) for name in _UPDATED), job_id, row.id)
            for key, row in new.items()
        ],
    )


def _version(asset_id: int, number: int, job_id: int, sighting: Sighting) -> tuple[object, ...]:
    record = sighting.record
    return (
        *(asset_id, number, record.checksum, job_id, sighting.capture_id, sighting.captured_at),
        *(record.normalized_path, sighting.blob_digest, list(record.tags), dict(record.metadata)),
    )


_ASSETS, _VERSIONS = Asset.__table__.c, AssetVersion.__table__.c
_UPDATED = (
    *("asset_type", "source_url", "last_seen_at", "last_seen_url"),
    *("state", "missing_since", "version", "checksum"),
)
_INSERT_ASSETS = ManyRows(
    insert(Asset.__table__).inline(),  # type: ignore[arg-type]
    {
        name: _ASSETS[name]
        for name in ("source_id", "plugin", "identifier", "first_seen_at", *_UPDATED, "last_seen_job_id", "id")
    },
)
_UPDATE_ASSETS = ManyRows(
    update(Asset.__table__)  # type: ignore[arg-type]
    .where(_ASSETS.id == bindparam("of_asset"))
    .values({name: bindparam(f"new_{name}") for name in (*_UPDATED, "last_seen_job_id")}),
    {f"new_{name}": _ASSETS[name] for name in (*_UPDATED, "last_seen_job_id")} | {"of_asset": _ASSETS.id},
)
_INSERT_VERSIONS = ManyRows(
    insert(AssetVersion.__table__).inline(),  # type: ignore[arg-type]
    {
        name: _VERSIONS[name]
        for name in (
            *("asset_id", "version", "checksum", "job_id", "capture_id", "captured_at"),
            *("normalized_path", "blob_digest", "tags", "metadata"),
        )
    },
)


def hold_blobs(session: Session, sizes: Mapping[str, int]) -> None:
    """Add or lock the rows of blobs, first before their files are written and again with the references; so they cannot
    be deleted."""
    hold_places(session, {digest: BlobPlace(size) for digest, size in sizes.items()}, datetime.now(UTC))


def unreferenced_blobs(
    session: Session, before: datetime | None = None, most: int | None = None, skipped: int = 0
) -> list[str]:
    """Return the blobs that no version of any source refers to, all or some that were stored before a time."""
    wanted = select(AssetBlob.digest).where(~_is_referenced())
    if before is not None:
        wanted = wanted.where(AssetBlob.created_at < before).order_by(AssetBlob.created_at)
    return list(session.scalars(wanted.order_by(AssetBlob.digest).limit(most).offset(skipped)))


def count_unreferenced(session: Session, before: datetime) -> ExpiredCount:
    """Count the blobs that no version of any source refers to and that were stored before a time."""
    wanted = select(func.count()).select_from(AssetBlob).where(AssetBlob.created_at < before, ~_is_referenced())
    return ExpiredCount(session.scalar(wanted) or 0, 0)


def release_blobs(session: Session, digests: Collection[str]) -> list[str]:
    """Delete the rows of blobs that are still unreferenced, and return them: their files may be deleted now."""
    session.execute(
        select(AssetBlob.digest).where(AssetBlob.digest.in_(digests)).order_by(AssetBlob.digest).with_for_update()
    )
    # A second query, which sees what others committed while we waited for the locks.
    going = session.scalars(select(AssetBlob.digest).where(AssetBlob.digest.in_(digests), ~_is_referenced())).all()
    session.execute(delete(AssetBlob).where(AssetBlob.digest.in_(going)))
    return list(going)


def _is_referenced() -> Exists:
    return exists().where(AssetVersion.blob_digest == AssetBlob.digest)


def forget_source(session: Session, source_id: int) -> None:
    """Delete a source's assets, versions and plugin runs; blobs remain until they are unreferenced."""
    of_source = select(Capture.id).where(Capture.source_id == source_id)
    session.execute(delete(PluginRun).where(PluginRun.capture_id.in_(of_source)))
    mine = select(Asset.id).where(Asset.source_id == source_id)
    session.execute(delete(AssetVersion).where(AssetVersion.asset_id.in_(mine)))
    session.execute(delete(Asset).where(Asset.source_id == source_id))


def batches(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """Yield items in lists of a size, the last one shorter."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
