"""What a disk refuses, told to those who can do something about it."""

from collections.abc import Iterator
from contextlib import contextmanager

from webstrata.errors import ConflictError, StorageError


@contextmanager
def told_plainly() -> Iterator[None]:
    """Answer an administrator with what a disk refuses; everybody else only learns that something broke."""
    try:
        yield
    except StorageError as error:
        raise ConflictError(str(error)) from error
