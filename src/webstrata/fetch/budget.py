"""The memory budget for response bodies: downloads beyond it pause until earlier bodies are written."""

import asyncio
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from webstrata.model.crawl.fetching import FetchResult


class Download:
    """A response body in memory, counted from its first byte until it is freed; its download can be paused."""

    def __init__(self, budget: "BodyBudget", deadline: asyncio.Timeout) -> None:
        """Begin with nothing received; a pause of the download also pauses its deadline."""
        self.size = 0
        self._budget = budget
        self._deadline = deadline
        self._seconds_left = 0.0
        self._transport: asyncio.ReadTransport | None = None

    def grow(self, size: int, transport: asyncio.ReadTransport) -> bool:
        """Count the received bytes and return whether to read on; if not, reading pauses until memory is free."""
        self._count(size)
        if self._transport is None and not self._budget.may_go_on(self) and not self._deadline.expired():
            self._pause(transport)
        return self._transport is None

    def finish(self, size: int) -> None:
        """Count a complete body."""
        self._count(size)

    def belong_to(self, result: FetchResult) -> None:
        """Count the body until its result is garbage-collected, in any thread."""
        weakref.finalize(result, self._budget.free, self).atexit = False

    def resume(self) -> None:
        """Read on, with as much time left as there was at the pause."""
        transport, self._transport = self._transport, None
        if transport is None or transport.is_closing() or self._deadline.expired():
            return
        self._deadline.reschedule(asyncio.get_running_loop().time() + self._seconds_left)
        transport.resume_reading()

    def _count(self, size: int) -> None:
        self._budget.count(size - self.size)
        self.size = size

    def _pause(self, transport: asyncio.ReadTransport) -> None:
        ends_at = self._deadline.when()
        assert ends_at is not None
        self._transport = transport
        self._seconds_left = ends_at - asyncio.get_running_loop().time()
        self._deadline.reschedule(None)
        transport.pause_reading()
        self._budget.wait(self)


class BodyBudget:
    """Counts the bytes of all bodies in memory, arriving or waiting to be written.

    Above the budget only one download may continue until its body is freed. So one always finishes, and memory is
    limited to the budget, one body, and one read per connection. Only `free` may be called from another thread.
    """

    def __init__(self, most_bytes: int) -> None:
        """Prepare a budget for the downloads of the running event loop."""
        self._most = most_bytes
        self._held = 0
        self._exceeding: Download | None = None
        self._paused: dict[Download, None] = {}
        self._beginning: deque[asyncio.Future[None]] = deque()
        self._freed: deque[Download] = deque()
        self._loop = asyncio.get_running_loop()

    async def wait_for_room(self) -> None:
        """Return once a download may begin."""
        while not self._has_room():
            waiting: asyncio.Future[None] = self._loop.create_future()
            self._beginning.append(waiting)
            self._settle()
            await waiting

    @contextmanager
    def download(self, deadline: asyncio.Timeout) -> Iterator[Download]:
        """Count a download; a failed one is freed at once."""
        download = Download(self, deadline)
        try:
            yield download
        except BaseException:
            self.free(download)
            raise
        finally:
            self._paused.pop(download, None)

    def count(self, more: int) -> None:
        """Count more bytes of a download."""
        self._held += more

    def may_go_on(self, download: Download) -> bool:
        """Return whether a download may receive more."""
        if self._has_room():
            return True
        if self._exceeding is None:
            self._exceeding = download
        return self._exceeding is download

    def wait(self, download: Download) -> None:
        """Resume a paused download as soon as memory is free."""
        self._paused[download] = None
        self._settle()

    def free(self, download: Download) -> None:
        """Stop counting a body; called in any thread, when the last reference to it is dropped."""
        self._freed.append(download)
        if self._paused or self._beginning:
            # An event loop that has ended has no waiting downloads.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._settle)

    def _has_room(self) -> bool:
        while self._freed:
            download = self._freed.popleft()
            self._held -= download.size
            if self._exceeding is download:
                self._exceeding = None
        return self._held < self._most

    def _settle(self) -> None:
        """Resume paused downloads: all while memory is free, else one if no other exceeds the budget."""
        if self._has_room():
            going_on = list(self._paused)
            self._begin_all()
        else:
            going_on = list(self._paused)[:1] if self._exceeding is None else []
            self._exceeding = going_on[0] if going_on else self._exceeding
        for download in going_on:
            del self._paused[download]
            download.resume()

    def _begin_all(self) -> None:
        while self._beginning:
            waiting = self._beginning.popleft()
            if not waiting.done():
                waiting.set_result(None)
