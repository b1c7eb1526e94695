"""A folder of blobs: content-addressed and written atomically."""

import hashlib
import os
import tempfile
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from webstrata.errors import NotFoundError, StorageError
from webstrata.storage.paths import confined, without_links

_SYNCS_AT_ONCE = 8


class DiskStore:
    """Blobs on disk, each under its SHA-256; the same bytes are stored once."""

    def __init__(self, root: Path) -> None:
        """Use a folder; it is made with the first blob."""
        self.root = root

    def put(self, data: bytes) -> str:
        """Store bytes durably and return their digest; existing ones are not written again."""
        digest = hashlib.sha256(data).hexdigest()
        self.put_all({digest: data})
        return digest

    def put_all(self, contents: Mapping[str, bytes]) -> None:
        """Store many blobs, given by their digests, durably; existing ones are not written again."""
        paths = {self._path(digest): data for digest, data in contents.items()}
        write_all_atomically({path: data for path, data in paths.items() if not path.exists()})

    def get(self, digest: str) -> bytes:
        """Return the bytes of a digest; StorageError when they do not match."""
        with _as_storage_errors(digest):
            data = self._path(digest).read_bytes()
        if hashlib.sha256(data).hexdigest() != digest:
            raise StorageError(f"blob {digest} is damaged on disk")
        return data

    def exists(self, digest: str) -> bool:
        """Return whether a blob is there."""
        return self._path(digest).exists()

    def delete(self, digest: str) -> None:
        """Delete a blob if it exists."""
        with _as_storage_errors(digest):
            without_links(self.root, self._place(digest)).unlink(missing_ok=True)

    def _path(self, digest: str) -> Path:
        return confined(self.root, self._place(digest))

    def _place(self, digest: str) -> Path:
        return Path(digest[:2]) / digest[2:4] / digest


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically: readers never see a part of it, even after a crash."""
    write_all_atomically({path: data})


def write_all_atomically(files: Mapping[Path, bytes]) -> None:
    """Write files, each atomically.

    They are synced concurrently, as concurrent syncs share the file system's commits.
    """
    if not files:
        return
    written: dict[Path, Path] = {}
    shown = str(next(iter(files))) if len(files) == 1 else str(next(iter(files)).parent)
    with _as_storage_errors(shown), ThreadPoolExecutor(min(len(files), _SYNCS_AT_ONCE)) as threads:
        new_folders = _make_folders({path.parent for path in files})
        try:
            for path, data in files.items():
                written[path] = _write_beside(path, data)
            list(threads.map(_sync, written.values()))
            for path, temporary in written.items():
                temporary.replace(path)
        except BaseException:
            for temporary in written.values():
                temporary.unlink(missing_ok=True)
            raise
        list(threads.map(sync_folder, {path.parent for path in files} | new_folders))


def _make_folders(folders: Collection[Path]) -> set[Path]:
    """Make folders and missing parents; return the folders that have to be synced."""
    missing = {folder for start in folders for folder in (start, *start.parents) if not folder.is_dir()}
    for folder in sorted(missing):
        folder.mkdir(exist_ok=True)
    return {folder.parent for folder in missing}


def _write_beside(path: Path, data: bytes) -> Path:
    """Write bytes to a temporary file in a file's folder and return it."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".tmp-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a folder and missing parents durably: they survive a power cut."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that new names in it survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _as_storage_errors(what: str) -> Iterator[None]:
    """Translate OSError into StorageError."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(f"{what} is not in the store") from error
    except OSError as error:
        raise StorageError(f"{what}: {error.strerror or error}") from error
