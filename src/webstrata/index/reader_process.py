"""A child process that reads parts of WARC files for the indexer, and the parent's interface to it.

The process writes the offset of the current record to a file, so that the parent knows after a crash which page caused
it.
"""

import os
import struct
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webstrata.content.reader.child_process import (
    ChildDiedError,
    ChildProcess,
    packed,
    serve_requests,
    start_clock,
    unpacked,
)
from webstrata.errors import WebstrataError
from webstrata.index.reading import (
    Item,
    PartEnd,
    PartStart,
    Portion,
    ReadCapture,
    Revisit,
    WarcPart,
    read_part,
    read_revisit,
)

SECONDS_A_RECORD = 120.0
"""A reader that takes longer for one record counts as hung, even when it uses no processor time."""

_HEAD = struct.Struct("<cq")
_NOTE = struct.Struct("<q")
_NOWHERE = -1


class ReaderDiedError(Exception):
    """A reader process ended before its work did."""

    def __init__(self, offset: int, death: ChildDiedError) -> None:
        super().__init__(str(death))
        self.offset = offset
        self.death = death

    @property
    def exit_code(self) -> int | None:
        """Return the process's exit code."""
        return self.death.exit_code


@dataclass(frozen=True)
class Message:
    """A reply of a reader, still pickled."""

    kind: bytes
    position: int
    packed: bytes | memoryview

    @property
    def size(self) -> int:
        """Return the memory that the reply takes."""
        return len(self.packed)

    @property
    def is_begin(self) -> bool:
        """Return whether it is the first message of a part."""
        return self.kind == b"b"

    @property
    def is_last(self) -> bool:
        """Return whether it is the last message of a part."""
        return self.kind in b"ex" or (self.is_begin and self.position == _NOWHERE)

    def item(self) -> Item:
        """Return the unpickled reply, or raise it when it is an error."""
        item = _raised(self.packed)
        assert isinstance(item, PartStart | Portion | PartEnd)
        return item


class ReaderProcess(ChildProcess):
    """A running reader process, for the indexer."""

    program = "webstrata.index.reader_process"

    def __init__(self) -> None:
        """Start the process."""
        self._noted = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        super().__init__(self._noted.fileno())

    def messages(self, part: WarcPart) -> Iterator[Message]:
        """Yield the contents of a part; ReaderDiedError when the process dies while reading it."""
        self._ask(part)
        while True:
            message = self._next_message()
            yield message
            if message.is_last:
                return

    def found(self, revisit: Revisit) -> ReadCapture:
        """Return the capture of a revisit; ReaderDiedError when the process dies while reading it."""
        self._ask(revisit)
        found = _raised(self._next_message().packed)
        assert isinstance(found, ReadCapture)
        return found

    def close(self) -> None:
        """End the process and close its pipes."""
        super().close()
        self._noted.close()

    def _ask(self, request: WarcPart | Revisit) -> None:
        _note(self._noted.fileno(), _NOWHERE)
        try:
            self.send(request)
        except ChildDiedError as death:
            raise ReaderDiedError(_NOWHERE, death) from None

    def _next_message(self) -> Message:
        while not self.has_reply(SECONDS_A_RECORD):
            self._end_if_hung()
        # Read it before the pipes and the file are closed.
        at = self._position()
        try:
            data = self.receive()
        except ChildDiedError as death:
            raise ReaderDiedError(at, death) from None
        kind, position = _HEAD.unpack_from(data)
        return Message(kind, position, memoryview(data)[_HEAD.size :])

    def _end_if_hung(self) -> None:
        """End the process if it is still at the same record as at the last check."""
        at = self._position()
        if not self.has_reply(SECONDS_A_RECORD) and self._position() == at:
            self.kill()

    def _position(self) -> int:
        noted = os.pread(self._noted.fileno(), _NOTE.size, 0)
        return int(_NOTE.unpack(noted)[0]) if len(noted) == _NOTE.size else _NOWHERE


def main(arguments: list[str]) -> None:
    """Read the requested parts."""
    noted = int(arguments[2])
    serve_requests(arguments, lambda request: _replies(request, noted))


def _replies(request: object, noted: int) -> Iterable[bytes]:
    try:
        if isinstance(request, Revisit):
            start_clock()
            yield _message(b"r", _NOWHERE, read_revisit(request))
            return
        assert isinstance(request, WarcPart)
        for item in read_part(request, lambda offset: _begin_record(noted, offset)):
            yield _item_message(item)
    except WebstrataError as error:
        yield _message(b"x", _NOWHERE, error)
    finally:
        start_clock(0)


def _begin_record(noted: int, offset: int) -> None:
    _note(noted, offset)
    start_clock()


def _item_message(item: Item) -> bytes:
    if isinstance(item, PartStart):
        return _message(b"b", _NOWHERE if item.at is None else item.at, item)
    if isinstance(item, Portion):
        return _message(b"p", item.position, item)
    return _message(b"e", item.at, item)


def _message(kind: bytes, position: int, content: Item | ReadCapture | WebstrataError) -> bytes:
    return _HEAD.pack(kind, position) + packed(content)


def _raised(content: bytes | memoryview) -> object:
    """Return what was sent, or raise it when it is an error."""
    unpickled = unpacked(content)
    if isinstance(unpickled, WebstrataError):
        raise unpickled
    return unpickled


def _note(descriptor: int, offset: int) -> None:
    os.pwrite(descriptor, _NOTE.pack(offset), 0)


if __name__ == "__main__":
    main(sys.argv[1:])
