"""A process that reads parts of WARC files for the indexer, and how the indexer speaks with it.

Parsers written in C meet hostile pages here: what kills one of these processes does not kill the indexer.
"""

import contextlib
import ctypes
import fcntl
import gc
import os
import pickle
import resource
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection

from webstrata.errors import WebstrataError
from webstrata.index.reading import Begun, Ended, Found, Item, Part, Portion, Revisit, read_part, read_revisit

SECONDS_A_RECORD = 120.0
"""A reader that stays with one record for longer is taken for hung."""

MAX_MEMORY = 2_000_000_000
"""Of address space. A page of 32 KB can make a parser ask for gigabytes: that is to fail, and to cost only the page."""

_PIPE_BYTES = 1_048_576
"""How much may be on its way between two processes, where the system lets us choose: the usual 64 KB are soon full."""

_NICENESS = 15
_OBJECTS_A_COLLECTION = 50_000
_HEAD = struct.Struct("<cq")
_NOTE = struct.Struct("<q")
_NOWHERE = -1
_PR_SET_PDEATHSIG = 1


class ReaderDiedError(Exception):
    """A reader process ended before its work did."""

    def __init__(self, offset: int, exit_code: int | None) -> None:
        super().__init__(f"exit status {exit_code}")
        self.offset = offset
        self.exit_code = exit_code


@dataclass(frozen=True)
class Message:
    """Something that a reader has to say, still packed."""

    kind: bytes
    position: int
    packed: bytes | memoryview

    @property
    def size(self) -> int:
        """Return how much room it takes."""
        return len(self.packed)

    @property
    def is_begin(self) -> bool:
        """Tell whether a part begins with it."""
        return self.kind == b"b"

    @property
    def is_last(self) -> bool:
        """Tell whether a part ends with it."""
        return self.kind in b"ex" or (self.is_begin and self.position == _NOWHERE)

    def item(self) -> Item:
        """Return what was said; a failure is raised."""
        said = pickle.loads(self.packed)  # noqa: S301 - our own process packed it
        if isinstance(said, WebstrataError):
            raise said
        assert isinstance(said, Begun | Portion | Ended)
        return said


class ReaderProcess:
    """A running reader, as the indexer sees it."""

    program = "webstrata.index.reader_process"
    """The module that is run."""

    def __init__(self) -> None:
        """Start the process."""
        self._noted = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        _widen(theirs_out)
        fds = (theirs_in, theirs_out, self._noted.fileno())
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this program itself
                [sys.executable, "-m", self.program, *map(str, fds)], pass_fds=fds, stdin=subprocess.DEVNULL
            )
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self._requests = Connection(ours_out, readable=False)
        self._answers = Connection(ours_in, writable=False)

    @property
    def is_alive(self) -> bool:
        """Tell whether the process still runs."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """Return the process's number."""
        return self._process.pid

    def messages(self, part: Part) -> Iterator[Message]:
        """Yield what a part holds; ReaderDiedError when the process ends over it."""
        self._ask(part)
        while True:
            message = self._answer()
            yield message
            if message.is_last:
                return

    def found(self, revisit: Revisit) -> Found:
        """Return what a revisit captured; ReaderDiedError when the process ends over it."""
        self._ask(revisit)
        said = pickle.loads(self._answer().packed)  # noqa: S301 - our own process packed it
        if isinstance(said, WebstrataError):
            raise said
        assert isinstance(said, Found)
        return said

    def close(self) -> None:
        """End the process, and let go of all that leads to it."""
        self.kill()
        self._requests.close()
        self._answers.close()
        self._noted.close()

    def kill(self) -> None:
        """End the process, whatever it does; who waits for an answer hears of its death."""
        self._process.kill()
        self._process.wait()

    def _ask(self, wish: Part | Revisit) -> None:
        self._note(_NOWHERE)
        try:
            self._requests.send(wish)
        except OSError:
            raise self._death() from None

    def _answer(self) -> Message:
        try:
            while not self._answers.poll(SECONDS_A_RECORD):
                self._end_if_hung()
            data = self._answers.recv_bytes()
        except (EOFError, OSError):
            raise self._death() from None
        kind, position = _HEAD.unpack_from(data)
        return Message(kind, position, memoryview(data)[_HEAD.size :])

    def _end_if_hung(self) -> None:
        """End the process unless it has come to another record since it was last looked at."""
        at = self._at()
        if self._answers.poll(SECONDS_A_RECORD) or self._at() != at:
            return
        self._process.kill()

    def _death(self) -> ReaderDiedError:
        at = self._at()
        self.close()
        return ReaderDiedError(at, self._process.returncode)

    def _at(self) -> int:
        noted = os.pread(self._noted.fileno(), _NOTE.size, 0)
        return int(_NOTE.unpack(noted)[0]) if len(noted) == _NOTE.size else _NOWHERE

    def _note(self, offset: int) -> None:
        os.pwrite(self._noted.fileno(), _NOTE.pack(offset), 0)


def main(arguments: list[str]) -> None:
    """Read what is asked for until nobody asks any more."""
    asked, said, noted = map(int, arguments)
    _end_with_parent()
    _let_others_go_first()
    _bound_memory()
    _collect_rarely()
    requests, answers = Connection(asked, writable=False), Connection(said, readable=False)
    # Who asked may be gone, or have enough: both end this process without a word.
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            for message in _answers_to(requests.recv(), noted):
                answers.send_bytes(_HEAD.pack(message.kind, message.position) + message.packed)


def _answers_to(wish: Part | Revisit, noted: int) -> Iterator[Message]:
    try:
        if isinstance(wish, Revisit):
            yield _message(b"r", _NOWHERE, read_revisit(wish))
            return
        for item in read_part(wish, lambda offset: _noted(noted, offset)):
            yield _item_message(item)
    except WebstrataError as error:
        yield _message(b"x", _NOWHERE, error)


def _item_message(item: Item) -> Message:
    if isinstance(item, Begun):
        return _message(b"b", _NOWHERE if item.at is None else item.at, item)
    if isinstance(item, Portion):
        return _message(b"p", item.position, item)
    return _message(b"e", item.at, item)


def _message(kind: bytes, position: int, said: Item | Found | WebstrataError) -> Message:
    return Message(kind, position, pickle.dumps(said, pickle.HIGHEST_PROTOCOL))


def _widen(pipe: int) -> None:
    """Let a pipe hold more, where that can be had."""
    with contextlib.suppress(AttributeError, OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _let_others_go_first() -> None:
    """Leave the processor to the writer whenever it has something to do: there is one of it, and all wait for it."""
    os.nice(_NICENESS)


def _bound_memory() -> None:
    _, hardest = resource.getrlimit(resource.RLIMIT_AS)
    within = hardest == resource.RLIM_INFINITY or hardest >= MAX_MEMORY
    # Systems that know no such limit say so by refusing it.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY if within else hardest, hardest))


def _collect_rarely() -> None:
    """Spare the collector what is there for good: to look through it again and again takes a tenth of the time."""
    gc.freeze()
    gc.set_threshold(_OBJECTS_A_COLLECTION)


def _noted(descriptor: int, offset: int) -> None:
    os.pwrite(descriptor, _NOTE.pack(offset), 0)


def _end_with_parent() -> None:
    """Leave signals to the indexer, and end when it does: at once on Linux, elsewhere with the next thing to say."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    parent = os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
