"""The files of assets: kept once whatever refers to them, and let go when nothing does."""

from pathlib import Path

import structlog

from webstrata.db import assets
from webstrata.db.engine import Database
from webstrata.errors import NotFoundError, StorageError
from webstrata.storage.disk import DiskStore

log = structlog.get_logger()

_FOLDER = "assets"
_BATCH = 500


class AssetStore(DiskStore):
    """The blobs of all sources' assets, below the archive root."""

    def __init__(self, archive_root: Path) -> None:
        """Use the archive's folder for assets; it is made with the first blob."""
        super().__init__(archive_root / _FOLDER)

    def delete(self, digest: str) -> None:
        """Remove a blob; one that is gone already is none."""
        try:
            self._path(digest).unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"{digest}: {error.strerror or error}") from error


def read_version(database: Database, archive_root: Path, asset_id: int, version: int) -> bytes:
    """Return the bytes of one version of an asset; NotFoundError when there is no such version."""
    with database.read() as session:
        found = assets.version_of_asset(session, asset_id, version)
    if found is None:
        raise NotFoundError(f"there is no version {version} of asset {asset_id}")
    return AssetStore(archive_root).get(found.blob_digest)


def delete_unreferenced(database: Database, archive_root: Path) -> int:
    """Delete the files that no version of any source refers to, and return how many they were."""
    store, deleted = AssetStore(archive_root), 0
    with database.read() as session:
        candidates = assets.unreferenced_blobs(session)
    for digests in assets.batches(candidates, _BATCH):
        # The files go before the rows are committed: a row without its file is put right by the next pass, a file
        # without its row would stay for ever.
        with database.write() as session:
            for digest in assets.release_blobs(session, digests):
                store.delete(digest)
                deleted += 1
    log.info("assets.blobs.deleted", blobs=deleted)
    return deleted
