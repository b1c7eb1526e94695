"""Assets of sources, their versions, and the blobs that versions refer to."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TypeVar

from sqlalchemy import Exists, delete, exists, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from webstrata.db.tables import Asset, AssetBlob, AssetVersion, Capture, PluginRun, Source
from webstrata.model.assets import (
    AssetRecord,
    AssetState,
    AssetVersionView,
    AssetView,
    KnownAsset,
    Sight,
    is_back,
    judge_sighting,
)

KEYS_AT_ONCE = 500
"""How many values one query names: both databases take many more, but plan them badly."""

AssetKey = tuple[str, str]
"""A plugin's name and the identifier that it gave: what tells the assets of a source apart."""

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Sighting:
    """An asset as one capture showed it."""

    plugin: str
    record: AssetRecord
    blob_digest: str
    blob_size: int
    capture_id: int
    url: str
    captured_at: datetime

    @property
    def key(self) -> AssetKey:
        """Return which asset of the source this is."""
        return self.plugin, self.record.identifier


def lock_source(session: Session, source_id: int) -> None:
    """Let only one process at a time judge what is new in a source; captures may be added meanwhile."""
    session.execute(select(Source.id).where(Source.id == source_id).with_for_update(key_share=True))


def known_assets(session: Session, source_id: int, keys: Iterable[AssetKey]) -> dict[AssetKey, KnownAsset]:
    """Return what is known of assets of a source."""
    return {key: _known(asset) for key, asset in _rows_of(session, source_id, keys).items()}


def record_sightings(
    session: Session, source_id: int, job_id: int, sightings: Sequence[Sighting]
) -> tuple[Counter[Sight], set[str]]:
    """Write what sightings, oldest first, make of assets; return their counts and the blobs that must be there now."""
    assets = _rows_of(session, source_id, (sighting.key for sighting in sightings))
    judged = [(sighting, _apply(session, assets, source_id, job_id, sighting)) for sighting in sightings]
    fresh = [(sighting, number) for sighting, (_, number) in judged if number is not None]
    hold_blobs(session, {sighting.blob_digest: sighting.blob_size for sighting, _ in fresh})
    session.flush()
    session.add_all(_version(assets[sighting.key].id, number, job_id, sighting) for sighting, number in fresh)
    return Counter(sight for _, (sight, _) in judged), {sighting.blob_digest for sighting, _ in fresh}


def _apply(
    session: Session, assets: dict[AssetKey, Asset], source_id: int, job_id: int, sighting: Sighting
) -> tuple[Sight, int | None]:
    """Bring an asset's row up to date; return what it was to it, and the number of the version that it makes."""
    asset = assets.get(sighting.key)
    known = _known(asset) if asset is not None else None
    sight = judge_sighting(known, sighting.record.checksum, sighting.captured_at)
    if asset is None or known is None:
        assets[sighting.key] = new = _new_asset(source_id, job_id, sighting)
        session.add(new)
        return sight, new.version
    if sight is Sight.LATE:
        return sight, None
    asset.asset_type, asset.source_url = sighting.record.asset_type, sighting.record.source_url
    asset.last_seen_at, asset.last_seen_url, asset.last_seen_job_id = sighting.captured_at, sighting.url, job_id
    if is_back(known, sighting.captured_at):
        asset.state, asset.missing_since = AssetState.PRESENT, None
    if sight is Sight.UNCHANGED:
        return sight, None
    asset.version, asset.checksum = asset.version + 1, sighting.record.checksum
    return sight, asset.version


def _rows_of(session: Session, source_id: int, keys: Iterable[AssetKey]) -> dict[AssetKey, Asset]:
    found: dict[AssetKey, Asset] = {}
    for some in batches(dict.fromkeys(keys), KEYS_AT_ONCE):
        rows = session.scalars(
            select(Asset).where(Asset.source_id == source_id, tuple_(Asset.plugin, Asset.identifier).in_(some))
        )
        found |= {(row.plugin, row.identifier): row for row in rows}
    return found


def _known(asset: Asset) -> KnownAsset:
    return KnownAsset(asset.checksum, asset.last_seen_at, asset.missing_since)


def _new_asset(source_id: int, job_id: int, sighting: Sighting) -> Asset:
    return Asset(
        source_id=source_id,
        plugin=sighting.plugin,
        identifier=sighting.record.identifier,
        asset_type=sighting.record.asset_type,
        source_url=sighting.record.source_url,
        state=AssetState.PRESENT,
        version=1,
        checksum=sighting.record.checksum,
        first_seen_at=sighting.captured_at,
        last_seen_at=sighting.captured_at,
        last_seen_url=sighting.url,
        last_seen_job_id=job_id,
    )


def _version(asset_id: int, number: int, job_id: int, sighting: Sighting) -> AssetVersion:
    return AssetVersion(
        asset_id=asset_id,
        version=number,
        checksum=sighting.record.checksum,
        job_id=job_id,
        capture_id=sighting.capture_id,
        captured_at=sighting.captured_at,
        normalized_path=sighting.record.normalized_path,
        blob_digest=sighting.blob_digest,
        tags=list(sighting.record.tags),
        metadata_=dict(sighting.record.metadata),
    )


def hold_blobs(session: Session, sizes: Mapping[str, int]) -> None:
    """Name blobs, before their files are written and again with what refers to them; nobody deletes them meanwhile."""
    if not sizes:
        return
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    statement = dialect.insert(AssetBlob)
    # Two processes that hold the same blobs in another order would wait for each other.
    rows = [{"digest": digest, "size": sizes[digest]} for digest in sorted(sizes)]
    session.execute(
        statement.on_conflict_do_update(index_elements=["digest"], set_={"size": statement.excluded.size}), rows
    )


def unreferenced_blobs(session: Session) -> list[str]:
    """Return the blobs that no version of any source refers to."""
    return list(session.scalars(select(AssetBlob.digest).where(~_is_referenced()).order_by(AssetBlob.digest)))


def release_blobs(session: Session, digests: Collection[str]) -> list[str]:
    """Forget those of the blobs that still nothing refers to, and return them: their files may go now."""
    session.execute(
        select(AssetBlob.digest).where(AssetBlob.digest.in_(digests)).order_by(AssetBlob.digest).with_for_update()
    )
    # A query of its own: what others committed while we waited for the locks is visible only to the next one.
    going = session.scalars(select(AssetBlob.digest).where(AssetBlob.digest.in_(digests), ~_is_referenced())).all()
    session.execute(delete(AssetBlob).where(AssetBlob.digest.in_(going)))
    return list(going)


def _is_referenced() -> Exists:
    return exists().where(AssetVersion.blob_digest == AssetBlob.digest)


def forget_source(session: Session, source_id: int) -> None:
    """Drop a source's assets, versions and plugin runs; its blobs stay until nothing refers to them."""
    of_source = select(Capture.id).where(Capture.source_id == source_id)
    session.execute(delete(PluginRun).where(PluginRun.capture_id.in_(of_source)))
    mine = select(Asset.id).where(Asset.source_id == source_id)
    session.execute(delete(AssetVersion).where(AssetVersion.asset_id.in_(mine)))
    session.execute(delete(Asset).where(Asset.source_id == source_id))


def assets_of_source(
    session: Session, source_id: int, *, state: AssetState | None = None, limit: int = 100, offset: int = 0
) -> list[AssetView]:
    """Return assets of a source by plugin and identifier."""
    wanted = select(Asset).where(Asset.source_id == source_id)
    if state is not None:
        wanted = wanted.where(Asset.state == state)
    rows = session.scalars(wanted.order_by(Asset.plugin, Asset.identifier).limit(limit).offset(offset))
    return [_asset_view(row) for row in rows]


def versions_of_asset(session: Session, asset_id: int) -> list[AssetVersionView]:
    """Return an asset's versions, the first one first."""
    rows = session.scalars(select(AssetVersion).where(AssetVersion.asset_id == asset_id).order_by(AssetVersion.version))
    return [_version_view(row) for row in rows]


def version_of_asset(session: Session, asset_id: int, version: int) -> AssetVersionView | None:
    """Return one version of an asset."""
    row = session.scalars(
        select(AssetVersion).where(AssetVersion.asset_id == asset_id, AssetVersion.version == version)
    ).first()
    return _version_view(row) if row else None


def batches(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """Yield items in lists of a size, the last one shorter."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


def _asset_view(row: Asset) -> AssetView:
    return AssetView(
        id=row.id,
        source_id=row.source_id,
        plugin=row.plugin,
        identifier=row.identifier,
        asset_type=row.asset_type,
        source_url=row.source_url,
        state=AssetState(row.state),
        version=row.version,
        checksum=row.checksum,
        first_seen_at=row.first_seen_at,
        last_seen_at=row.last_seen_at,
        missing_since=row.missing_since,
    )


def _version_view(row: AssetVersion) -> AssetVersionView:
    return AssetVersionView(
        asset_id=row.asset_id,
        version=row.version,
        checksum=row.checksum,
        job_id=row.job_id,
        captured_at=row.captured_at,
        normalized_path=row.normalized_path,
        blob_digest=row.blob_digest,
        tags=tuple(row.tags),
        metadata=row.metadata_,
    )
