"""Storage errors in responses: administrators get the reason."""

from collections.abc import Iterator
from contextlib import contextmanager

from webstrata.errors import ConflictError, StorageError


@contextmanager
def told_plainly() -> Iterator[None]:
    """Respond to an administrator with the reason of a storage error; other clients only learn that
    something failed.
    """
    try:
        yield
    except StorageError as error:
        raise ConflictError(str(error)) from error
