"""Blobs of assets: stored once for all assets with the same bytes, and deleted when unreferenced."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import structlog

from webstrata.assets.reading import captured_content
from webstrata.db.assets import asset_contents, assets, plugin_runs
from webstrata.db.assets.asset_contents import StoredBlob
from webstrata.db.engine import Database
from webstrata.errors import NotFoundError, OutsideRootError, StorageError, WarcError
from webstrata.model.assets import checksum_of
from webstrata.storage.disk import DiskStore

log = structlog.get_logger()

_FOLDER = "assets"
_BATCH = 500


class AssetStore(DiskStore):
    """The blobs of all sources' assets, below the archive root."""

    def __init__(self, archive_root: Path) -> None:
        """Use the archive's folder for assets; it is made with the first blob."""
        super().__init__(archive_root / _FOLDER)


def read_blob(database: Database, archive_root: Path, blob: StoredBlob) -> bytes:
    """Return a blob's bytes from where they are stored; StorageError when they do not match their digest."""
    if blob.content is None and blob.capture_id is None:
        return AssetStore(archive_root).get(blob.digest)
    data = blob.content if blob.content is not None else _body_of(database, archive_root, blob)
    if checksum_of(data) != blob.digest:
        raise StorageError(f"the bytes of blob {blob.digest} do not match its digest")
    return data


def _body_of(database: Database, archive_root: Path, blob: StoredBlob) -> bytes:
    with database.read() as session:
        found = plugin_runs.placed_captures(session, [blob.capture_id or 0])
    if not found:
        raise NotFoundError(f"the capture {blob.capture_id} that holds blob {blob.digest} is not in the archive")
    return captured_content(database, archive_root, found[0]).body


def write_as_files(database: Database, archive_root: Path, job_id: int) -> int:
    """Write blobs that are stored in a job's WARC files as separate files, and return their number.

    Unreadable blobs are left unchanged.
    """
    store, written = AssetStore(archive_root), 0
    with database.read() as session:
        blobs = asset_contents.blobs_in_captures(session, job_id)
    for some in assets.batches(blobs.items(), _BATCH):
        readable = list(_readable(database, archive_root, dict(some), store))
        with database.write() as session:
            asset_contents.set_in_files(session, readable)
        written += len(readable)
    return written


def _readable(database: Database, archive_root: Path, blobs: Mapping[str, int], store: AssetStore) -> Iterator[str]:
    """Write blobs of captures to files, and yield those that exist."""
    for digest, capture_id in blobs.items():
        try:
            store.put(read_blob(database, archive_root, StoredBlob(digest, None, capture_id)))
        except (WarcError, NotFoundError, OutsideRootError) as error:
            log.warning("assets.blob.unreadable", digest=digest, capture_id=capture_id, reason=str(error))
            continue
        yield digest


def delete_unreferenced(database: Database, archive_root: Path) -> int:
    """Delete the files that no version of any source refers to, and return their number."""
    store, deleted = AssetStore(archive_root), 0
    with database.read() as session:
        candidates = assets.unreferenced_blobs(session)
    for digests in assets.batches(candidates, _BATCH):
        # Files are deleted before rows are committed: the next pass removes a row without its file, but a file without
        # a row would never be found.
        with database.write() as session:
            for digest in assets.release_blobs(session, digests):
                store.delete(digest)
                deleted += 1
    log.info("assets.blobs.deleted", blobs=deleted)
    return deleted
