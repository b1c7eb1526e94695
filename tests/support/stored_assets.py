"""Assets and their versions as the database has them, for tests to look at."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from webstrata.assets.blobs import read_blob
from webstrata.db.assets import asset_contents
from webstrata.db.engine import Database
from webstrata.db.schema.asset_tables import Asset, AssetVersion
from webstrata.errors import NotFoundError
from webstrata.model.assets import AssetState


@dataclass(frozen=True)
class AssetView:
    """An asset as a reader meets it."""

    id: int
    source_id: int
    plugin: str
    identifier: str
    asset_type: str
    source_url: str
    state: AssetState
    version: int
    checksum: str
    first_seen_at: datetime
    last_seen_at: datetime
    missing_since: datetime | None


@dataclass(frozen=True)
class AssetVersionView:
    """One version of an asset; its bytes are the blob of that digest."""

    asset_id: int
    version: int
    checksum: str
    job_id: int | None
    captured_at: datetime
    normalized_path: str
    blob_digest: str
    tags: tuple[str, ...]
    metadata: Mapping[str, object]


def assets_of_source(session: Session, source_id: int, *, limit: int = 100) -> list[AssetView]:
    """Return assets of a source by plugin and identifier."""
    statement = select(Asset).where(Asset.source_id == source_id)
    rows = session.scalars(statement.order_by(Asset.plugin, Asset.identifier).limit(limit))
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


def read_version(database: Database, archive_root: Path, asset_id: int, version: int) -> bytes:
    """Return the bytes of one version of an asset; NotFoundError when there is no such version."""
    with database.read() as session:
        found = version_of_asset(session, asset_id, version)
        if found is None:
            raise NotFoundError(f"there is no version {version} of asset {asset_id}")
        blob = asset_contents.stored_blob(session, found.blob_digest)
    return read_blob(database, archive_root, blob)


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
