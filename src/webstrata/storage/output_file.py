"""Files for the user, which appear under their name when they are complete."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from webstrata.errors import ConflictError, StorageError

_ALL_MAY = 0o666


@contextmanager
def new_file(output: Path, *, force: bool = False) -> Iterator[IO[bytes]]:
    """Open a file for writing that gets its name when it is complete; after an error or interruption nothing is left.

    ConflictError when there is a file of that name, unless it is to be replaced.
    """
    _refuse_existing(output, force)
    try:
        descriptor, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.", suffix=".part")
    except OSError as error:
        raise StorageError(f"{output}: {error.strerror or error}") from error
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            os.fchmod(descriptor, _ALL_MAY & ~_umask())
            yield file
            file.flush()
            os.fsync(descriptor)
        _refuse_existing(output, force)
        temporary.replace(output)
    except OSError as error:
        raise StorageError(f"{output}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _refuse_existing(output: Path, force: bool) -> None:
    if output.is_dir():
        raise ConflictError(f"{output} is a folder: give the name of a file")
    if output.exists() and not force:
        raise ConflictError(f"{output} exists already: give another name, or --force to replace it")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
