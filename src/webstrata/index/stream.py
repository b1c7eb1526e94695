"""One stream of the parts of all files of a job: readers may be ahead of the writer, even in the next file."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from webstrata.errors import WebstrataError
from webstrata.index.readers import PartItems, Readers
from webstrata.index.reading import Item, PartEnd, PartStart, Portion, ReadingOptions, WarcPart, parts_of


@dataclass(frozen=True)
class FilePart:
    """The part of a file to be read: from the beginning of a record to the acknowledged end of the file."""

    path: Path
    start: int
    end: int


class PartStream:
    """Yields the portions of files in order, each file in turn."""

    def __init__(self, readers: Readers, files: Sequence[FilePart], kind: ReadingOptions) -> None:
        """Begin to read."""
        self._readers = readers
        self._parts = [parts_of(file.path, kind, file.start, file.end, readers.part_bytes) for file in files]
        self._given_up: set[int] = set()
        self.is_ending = False
        """Whether the readers have begun the last part."""
        self._stream: Iterator[PartItems] = readers.read(self._wanted())

    def portions(self, number: int) -> Generator[Portion, None, None]:
        """Yield the portions of a file; WarcError when it cannot be read. Files are requested in their order.

        The start of a part is guessed from bytes that look like a record; a part is read again if the part before it
        ends elsewhere. A record may contain such bytes, for example a stored WARC file.
        """
        expected = self._parts[number][0].span.start
        for part in self._parts[number]:
            items = self._taken(part)
            if part.span.stop <= expected < part.span.end:
                _drain(items)
                continue
            begun = next(items)
            if not isinstance(begun, PartStart) or begun.at != expected:
                _drain(items)
                exact = replace(part, span=replace(part.span, start=expected), begins_with_record=True)
                items = self._readers.read_again(exact)
            for item in items:
                if isinstance(item, Portion):
                    yield item
                elif isinstance(item, PartEnd):
                    expected = item.at

    def give_up(self, number: int) -> None:
        """Leave the rest of a file unread."""
        self._given_up.add(number)

    def close(self) -> None:
        """End reading."""
        if isinstance(self._stream, Generator):
            self._stream.close()

    def _wanted(self) -> Iterator[WarcPart]:
        for number, parts in enumerate(self._parts):
            for part in parts:
                if number in self._given_up:
                    break
                self.is_ending = part is self._parts[-1][-1]
                yield part

    def _taken(self, requested: WarcPart) -> Iterator[Item]:
        """Return the contents of a part, and skip the parts of files that were given up."""
        for part, items in self._stream:
            if part is requested:
                return items
            _drain(items)
        raise AssertionError(f"{requested} was never read")


def _drain(items: Iterator[Item]) -> None:
    """Read and discard the remaining items."""
    with suppress(WebstrataError):
        for _ in items:
            pass
