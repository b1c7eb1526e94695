"""A folder of blobs: content-addressed, written whole or not at all."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webstrata.errors import NotFoundError, StorageError
from webstrata.storage.paths import confined


class DiskStore:
    """Blobs on disk, each under its SHA-256; the same bytes are kept once."""

    def __init__(self, root: Path) -> None:
        """Use a folder; it is made with the first blob."""
        self.root = root

    def put(self, data: bytes) -> str:
        """Keep bytes for good and return their digest; what is there already is not written again."""
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        if not path.exists():
            write_atomically(path, data)
        return digest

    def get(self, digest: str) -> bytes:
        """Return the bytes of a digest; StorageError when they are not what was put."""
        with _as_storage_errors(digest):
            data = self._path(digest).read_bytes()
        if hashlib.sha256(data).hexdigest() != digest:
            raise StorageError(f"blob {digest} is damaged on disk")
        return data

    def exists(self, digest: str) -> bool:
        """Tell whether a blob is there."""
        return self._path(digest).exists()

    def _path(self, digest: str) -> Path:
        return confined(self.root, Path(digest[:2]) / digest[2:4] / digest)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader, or a crash at any moment, finds the whole of it or none."""
    with _as_storage_errors(str(path)):
        make_folder(path.parent)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".tmp-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, so that a power cut does not take them away again."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _as_storage_errors(what: str) -> Iterator[None]:
    """Turn the system's refusals into ours, in this one place."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(f"{what} is not in the store") from error
    except OSError as error:
        raise StorageError(f"{what}: {error.strerror or error}") from error
