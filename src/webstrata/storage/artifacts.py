"""The folder of audits' artifacts: files under the paths that their rows name."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from webstrata.errors import OutsideRootError, StorageError
from webstrata.storage.disk import write_atomically
from webstrata.storage.paths import confined, without_links


@dataclass(frozen=True)
class StoredFile:
    """A file that was written: its path below the folder, its size and its SHA-256."""

    uri: str
    size_bytes: int
    checksum: str


class ArtifactFolder:
    """Files of artifacts below one folder; paths that lead out of it are refused."""

    def __init__(self, root: Path) -> None:
        """Use a folder; it is made with the first file."""
        self.root = root

    def put(self, uri: str, data: bytes) -> StoredFile:
        """Write a file atomically, and return its size and checksum."""
        write_atomically(self._path(uri), data)
        return StoredFile(uri, len(data), hashlib.sha256(data).hexdigest())

    def describe(self, uri: str) -> StoredFile:
        """Return the size and checksum of a file that is there; StorageError when it cannot be read."""
        try:
            with self._path(uri).open("rb") as file:
                checksum = hashlib.file_digest(file, "sha256").hexdigest()
                return StoredFile(uri, file.tell(), checksum)
        except OSError as error:
            raise StorageError(f"{uri}: {error.strerror or error}") from error

    def get(self, uri: str) -> bytes:
        """Return the bytes of a file; StorageError when it cannot be read."""
        try:
            return self._path(uri).read_bytes()
        except OSError as error:
            raise StorageError(f"{uri}: {error.strerror or error}") from error

    def delete(self, uri: str) -> int | None:
        """Delete a file and return its size; None when it was gone already, StorageError when it cannot be deleted."""
        self._path(uri)
        path = without_links(self.root, uri)
        try:
            size = path.lstat().st_size
            path.unlink()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"{uri}: {error.strerror or error}") from error
        return size

    def _path(self, uri: str) -> Path:
        if not uri.strip() or "\x00" in uri or Path(uri).is_absolute():
            raise OutsideRootError(f"{uri!r} is not a path below {self.root}")
        path = confined(self.root, uri)
        if path == self.root.resolve():
            raise OutsideRootError(f"{uri!r} is not a file below {self.root}")
        return path
