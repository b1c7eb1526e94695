"""Writing assets out as files: the newest version of each, under the path that its plugin gave it."""

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import structlog

from webstrata.assets.blobs import read_blob
from webstrata.db.assets import asset_contents
from webstrata.db.assets.asset_contents import ExportedAsset
from webstrata.db.engine import Database
from webstrata.errors import NotFoundError, StorageError, WarcError, WebstrataError
from webstrata.model.urls import url_key
from webstrata.storage.paths import confined

log = structlog.get_logger()

_BATCH = 200
_HASH_LENGTH = 12


@dataclass(frozen=True)
class ExportSummary:
    """The result of an export."""

    folder: Path
    files: int
    bytes: int
    unreadable: int
    """Assets whose bytes are not in the archive any more."""


@dataclass
class _Names:
    """The file names that an export has used, so that no file replaces another."""

    files: set[PurePosixPath] = field(default_factory=set)
    folders: set[PurePosixPath] = field(default_factory=set)

    def take(self, asset: ExportedAsset) -> PurePosixPath:
        """Return the name of an asset's file; without a name, or if it is used already, the file gets its own
        folder."""
        path = PurePosixPath(asset.source_code, asset.normalized_path)
        if not asset.normalized_path or not self._is_free(path):
            mark = url_key(f"{asset.plugin}\n{asset.identifier}")[:_HASH_LENGTH]
            path = PurePosixPath(asset.source_code, f"{asset.plugin}~{mark}", path.name)
        self.files.add(path)
        self.folders.update(path.parents)
        return path

    def _is_free(self, path: PurePosixPath) -> bool:
        return path not in self.files and path not in self.folders and self.files.isdisjoint(path.parents)


def export_assets(
    database: Database, archive_root: Path, folder: Path, *, source_code: str | None = None
) -> ExportSummary:
    """Write the newest version of every asset, of one source or of all, below a folder and return what was written.

    Files that are there already are replaced.
    """
    names, files, size, unreadable, last_id = _Names(), 0, 0, 0, 0
    while True:
        with database.read() as session:
            found = asset_contents.exported_assets(session, source_code, after_id=last_id, limit=_BATCH)
        if not found:
            return ExportSummary(folder, files, size, unreadable)
        last_id = found[-1].id
        for asset in found:
            written = _write(database, archive_root, asset, confined(folder, str(names.take(asset))))
            files, size = files + (written is not None), size + (written or 0)
            unreadable += written is None


def _write(database: Database, archive_root: Path, asset: ExportedAsset, path: Path) -> int | None:
    """Write an asset's file and return its size; None when its bytes cannot be read."""
    try:
        data = read_blob(database, archive_root, asset.blob)
    except (WarcError, NotFoundError, StorageError) as error:
        _log_unreadable(asset, error)
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.write_bytes(data)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}") from error


def _log_unreadable(asset: ExportedAsset, error: WebstrataError) -> None:
    log.warning("assets.export.unreadable", plugin=asset.plugin, identifier=asset.identifier, reason=str(error))
