"""The only module that uses fastwarc: prepares its input, and translates its errors."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from fastwarc.warc import ArchiveIterator, WarcRecord

from webstrata.errors import RecordNotFoundError, WarcError

_MAX_HEAD_BYTES = 1_048_576
"""The same limit as in `verify`; fastwarc's own limit is only half of our fetcher's."""

NO_RECORD = "no WARC record here"
_REASONS = {"Invalid WARC header": NO_RECORD, "Gzip decompression error: data error": "damaged gzip data"}
"""Our messages for fastwarc's messages."""


class BrokenError(Exception):
    """The data cannot be read further; the message is fastwarc's."""


def parsed_records(stream: "IO[bytes] | BoundedFile") -> Iterator[WarcRecord]:
    """Yield every record of a stream with unchanged blocks; to be used inside `as_broken`."""
    return iter(ArchiveIterator(stream, parse_http=False, auto_decode="none", max_header_len=_MAX_HEAD_BYTES))


@contextmanager
def as_broken() -> Iterator[None]:
    """Translate fastwarc's exceptions to BrokenError, including panics, which are not subclasses of Exception."""
    try:
        yield
    except (OSError, EOFError, ValueError) as error:
        raise BrokenError(_REASONS.get(str(error), str(error))) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise BrokenError(f"the parser gave up: {error}") from error


@contextmanager
def opened(warc_path: Path) -> Iterator[IO[bytes]]:
    """Open a WARC file; system errors become WarcError."""
    try:
        with warc_path.open("rb") as file:
            yield file
    except FileNotFoundError as error:
        raise RecordNotFoundError(f"{warc_path} is not there") from error
    except OSError as error:
        raise WarcError(f"{warc_path}: {error.strerror or error}") from error


class BoundedFile(io.RawIOBase):
    """A file limited to its acknowledged bytes."""

    def __init__(self, file: IO[bytes], end: int) -> None:
        """Read a file up to a byte."""
        self._file = file
        self.end = end

    def readable(self) -> bool:
        """Return True: the part can be read."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return where the next byte lies."""
        return self._file.tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a byte."""
        if whence == io.SEEK_END:
            return self._file.seek(self.end + offset)
        return self._file.seek(offset, whence)

    def read(self, size: int = -1) -> bytes:
        """Return what lies before the end, up to a size."""
        left = max(0, self.end - self._file.tell())
        return self._file.read(left if size < 0 else min(size, left))
