"""Translation of the operating system's errors: an OSError becomes a StorageError that names the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webstrata.errors import StorageError


@contextmanager
def as_storage_errors(path: Path) -> Iterator[None]:
    """Raise a StorageError in place of an OSError; it names the file that the system named, else this path."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{error.filename or path}: {error.strerror or error}") from error
