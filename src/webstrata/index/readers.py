"""Readers of the parts of WARC files: in this process or in child processes, with results in order."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Protocol

import structlog

from webstrata.content.reader.child_process import ChildDiedError
from webstrata.content.reader.page_reader import PageReader, reason_of_death
from webstrata.content.reader.page_requests import SMALL_PAGE
from webstrata.errors import WarcError
from webstrata.index.reader_process import Message, ReaderDiedError, ReaderProcess
from webstrata.index.reading import Item, ReadCapture, Revisit, WarcPart, read_part, read_revisit

log = structlog.get_logger()

_PARTS_AHEAD = 4
"""How many parts a reader may be ahead of the writer: writing a batch takes as long as reading three or four."""

_BUFFERED_BYTES = 12_000_000
"""How many bytes of one part may wait for the writer: otherwise the texts of a few parts fill the memory."""

PartItems = tuple[WarcPart, Iterator[Item]]


class Readers(AbstractContextManager["Readers"], Protocol):
    """Interface of readers: yields the parts of files, and the contents of each part, in order."""

    part_bytes: int | None
    """The size of a part, or None when files are not split."""

    def read(self, parts: Iterable[WarcPart]) -> Iterator[PartItems]:
        """Yield each part with its contents."""

    def read_again(self, part: WarcPart) -> Iterator[Item]:
        """Return the contents of a part at once, outside the order of `read`."""

    def read_revisit(self, revisit: Revisit) -> ReadCapture:
        """Return what a revisit captured."""


class ReadersHere:
    """Reads in this process, except larger pages: for small files this is quicker."""

    part_bytes: int | None = None

    def __init__(self) -> None:
        """Prepare; the process for larger pages starts with the first of them."""
        self._pages = PageReader()

    def __enter__(self) -> "ReadersHere":
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process, if there is one."""
        self._pages.close()

    def read(self, parts: Iterable[WarcPart]) -> Iterator[PartItems]:
        """Yield each part with its contents."""
        return ((part, self.read_again(part)) for part in parts)

    def read_again(self, part: WarcPart) -> Iterator[Item]:
        """Return the contents of a part."""
        return read_part(part, read=self._pages.page)

    def read_revisit(self, revisit: Revisit) -> ReadCapture:
        """Return what a revisit captured."""
        return read_revisit(revisit, self._pages.page)


class ReaderProcesses:
    """Reads in several processes; a record that kills one costs only itself."""

    def __init__(self, count: int, part_bytes: int, start: Callable[[], ReaderProcess] = ReaderProcess) -> None:
        """Prepare; the processes start when there is something to read."""
        self.part_bytes: int | None = part_bytes
        self._count = count
        self._start = start
        self._running: list[_Survivor] = []
        self._aside: _Survivor | None = None
        self._pages = PageReader()
        self._closing = threading.Event()

    def __enter__(self) -> "ReaderProcesses":
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """End every process at once."""
        self._closing.set()
        self._pages.close()
        for reader in (*self._running, *filter(None, [self._aside])):
            reader.close()

    def read(self, parts: Iterable[WarcPart]) -> Iterator[PartItems]:
        """Yield each part with its contents; the processes are some parts ahead."""
        ahead: deque[_Slot] = deque()
        waiting: deque[_Slot] = deque()
        arrived = threading.Condition()
        threads = [self._thread(waiting, arrived) for _ in range(self._count)]
        try:
            for part in parts:
                slot = _Slot(part, self._closing)
                ahead.append(slot)
                with arrived:
                    waiting.append(slot)
                    arrived.notify()
                if len(ahead) > _PARTS_AHEAD * self._count:
                    yield ahead[0].part, ahead[0].items()
                    ahead.popleft()
            while ahead:
                yield ahead[0].part, ahead[0].items()
                ahead.popleft()
        finally:
            self._closing.set()
            with arrived:
                arrived.notify_all()
            for slot in ahead:
                slot.abandon()
            for reader in self._running:
                reader.kill()
            for thread in threads:
                thread.join()

    def read_again(self, part: WarcPart) -> Iterator[Item]:
        """Return the contents of a part, read by an extra process."""
        return (message.item() for message in self._side().messages(part))

    def read_revisit(self, revisit: Revisit) -> ReadCapture:
        """Return what a revisit captured; small records are read in this process, as another takes 0.2 seconds to
        start."""
        if max(revisit.place.length, revisit.payload.length) <= SMALL_PAGE:
            return read_revisit(revisit, self._pages.page)
        return self._side().found(revisit)

    def _side(self) -> "_Survivor":
        if self._aside is None:
            self._aside = _Survivor(self._start)
        return self._aside

    def _thread(self, waiting: "deque[_Slot]", arrived: threading.Condition) -> threading.Thread:
        reader = _Survivor(self._start)
        self._running.append(reader)
        thread = threading.Thread(target=self._serve, args=(reader, waiting, arrived), name="reader", daemon=True)
        thread.start()
        return thread

    def _serve(self, reader: "_Survivor", waiting: "deque[_Slot]", arrived: threading.Condition) -> None:
        """Send parts to one process until none are left."""
        while True:
            with arrived:
                arrived.wait_for(lambda: waiting or self._closing.is_set())
                if self._closing.is_set():
                    return
                slot = waiting.popleft()
            slot.fill(reader.messages(slot.part))


class _Slot:
    """Buffer for the portions of a part that the writer has not taken yet; the reader waits while it is full."""

    def __init__(self, part: WarcPart, closing: threading.Event) -> None:
        self.part = part
        self._closing = closing
        self._messages: deque[Message | BaseException | None] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._abandoned = False

    def fill(self, messages: Iterator[Message]) -> None:
        try:
            for message in messages:
                self._put(message)
            self._put(None)
        except Exception as error:  # noqa: BLE001 - it is raised where the part is taken
            self._put(error)

    def abandon(self) -> None:
        with self._changed:
            self._abandoned = True
            self._changed.notify_all()

    def items(self) -> Iterator[Item]:
        try:
            while (message := self._take()) is not None:
                if isinstance(message, BaseException):
                    raise message
                yield message.item()
        finally:
            self.abandon()

    def _put(self, message: Message | BaseException | None) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._bytes < _BUFFERED_BYTES or self._abandoned or self._closing.is_set())
            if not self._abandoned:
                self._messages.append(message)
                self._bytes += message.size if isinstance(message, Message) else 0
                self._changed.notify_all()

    def _take(self) -> Message | BaseException | None:
        with self._changed:
            self._changed.wait_for(lambda: self._messages or self._closing.is_set())
            if not self._messages:
                raise WarcError(f"{self.part.warc_path}: reading was stopped")
            message = self._messages.popleft()
            self._bytes -= message.size if isinstance(message, Message) else 0
            self._changed.notify_all()
            return message


class _Survivor:
    """A reader that restarts its process after a crash and continues after the record that caused it."""

    def __init__(self, start: Callable[[], ReaderProcess]) -> None:
        self._start = start
        self._process: ReaderProcess | None = None
        self._closed = False
        self._lock = threading.Lock()

    def messages(self, part: WarcPart) -> Iterator[Message]:
        """Yield the contents of a part."""
        suspect: int | None = None
        begun = False
        while True:
            reached = None
            try:
                for message in self._running().messages(part):
                    if not (message.is_begin and begun):
                        yield message
                    begun, reached = True, message.position
                return
            except ReaderDiedError as death:
                if self._closed:
                    return
                log.warning("index.reader.died", file=part.warc_path.name, offset=death.offset, reason=str(death))
                died_at = max(death.offset, reached or 0)
                part = _after_death(part, reached, died_at, suspect, death)
                suspect = died_at

    def found(self, revisit: Revisit) -> ReadCapture:
        """Return what a revisit captured; WarcError when its payload kills the process twice."""
        for _ in range(2):
            try:
                return self._running().found(revisit)
            except ReaderDiedError as death:
                log.warning("index.reader.died", file=revisit.place.warc_path.name, reason=str(death))
        raise WarcError(f"{revisit.place.warc_path}: reading the original of this revisit crashes the reader process")

    def kill(self) -> None:
        """End the process for good; its callers get an error."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """End the process and release its resources; no thread may be reading from it."""
        self.kill()
        if self._process is not None:
            self._process.close()

    def _running(self) -> ReaderProcess:
        with self._lock:
            if self._closed:
                raise ReaderDiedError(-1, ChildDiedError(None))
            if self._process is None or not self._process.is_alive:
                self._process = self._start()
            return self._process


def _after_death(
    part: WarcPart, reached: int | None, died_at: int, suspect: int | None, death: ReaderDiedError
) -> WarcPart:
    """Return what remains of a part after a crash, to be read record by record, without the record that caused it."""
    deadly = part.deadly
    if died_at == suspect or death.death.ran_out_of_time:
        if died_at in deadly:
            raise WarcError(f"{part.warc_path}: byte {died_at}: reading this record crashes the reader ({death})")
        deadly = {**deadly, died_at: reason_of_death(death.death)}
    rest = part if reached is None else replace(part, span=replace(part.span, start=reached), begins_with_record=True)
    return replace(rest, deadly=deadly, one_by_one=True)
