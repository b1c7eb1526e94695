"""Readers of single pages: small pages are read in this process, others in a child process with limits."""

import atexit
import threading
from functools import lru_cache

from webstrata.content.extraction import PageExtract
from webstrata.content.html import PageLinks
from webstrata.content.reader.child_process import MAX_CPU_SECONDS, MAX_MEMORY, ChildDiedError, ChildProcess, unpacked
from webstrata.content.reader.page_requests import (
    ListingReply,
    PageReply,
    PageRequest,
    ReadExtract,
    ReadLinks,
    ReadListing,
    ReadPage,
    ReadQuality,
    ReadShopFeatures,
    ReadShopSignals,
    UnreadablePage,
)
from webstrata.content.reading import Reading
from webstrata.content.shop.features import ShopFeatures
from webstrata.content.shop.signals import ShopSignals
from webstrata.errors import UnreadablePageError
from webstrata.model.collections.listing import Listing
from webstrata.model.quality import Quality

MAX_SECONDS = 60.0
"""How long a page may take in total; usually the limit of processor time ends the process earlier."""


class PageReader:
    """Reads pages one at a time; its process starts when it is first needed, and again after a page crashed it."""

    def __init__(self, max_seconds: float = MAX_SECONDS) -> None:
        """Prepare; nothing is started yet."""
        self._max_seconds = max_seconds
        self._process: _PageProcess | None = None
        self._lock = threading.Lock()
        self._closed = False

    def page(self, request: ReadPage) -> Reading:
        """Return the contents of a page; UnreadablePageError when it cannot be read within the limits."""
        read = self._read(request)
        assert isinstance(read, Reading)
        return read

    def links(self, request: ReadLinks) -> PageLinks:
        """Return the links of a page; UnreadablePageError when it cannot be read within the limits."""
        read = self._read(request)
        assert isinstance(read, PageLinks)
        return read

    def quality(self, request: ReadQuality) -> Quality:
        """Return the quality of a response; UnreadablePageError when it cannot be read within the limits."""
        read = self._read(request)
        assert isinstance(read, Quality)
        return read

    def extract(self, request: ReadExtract) -> PageExtract:
        """Return the text and the listing of a page; UnreadablePageError when it cannot be read within the limits."""
        read = self._read(request)
        assert isinstance(read, PageExtract)
        return read

    def listing(self, request: ReadListing) -> Listing | None:
        """Return what a page offers; UnreadablePageError when it cannot be read within the limits."""
        read = self._read(request)
        assert isinstance(read, ListingReply)
        return read.listing

    def shop_signals(self, request: ReadShopSignals) -> ShopSignals:
        """Return the signals of a product page; UnreadablePageError when it cannot be read within the limits."""
        read = self._read(request)
        assert isinstance(read, ShopSignals)
        return read

    def shop_features(self, request: ReadShopFeatures) -> ShopFeatures:
        """Return the features of a shop's page; UnreadablePageError when it cannot be read within the limits."""
        read = self._read(request)
        assert isinstance(read, ShopFeatures)
        return read

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            if self._process is not None:
                self._process.close()
                self._process = None

    def kill(self) -> None:
        """End the process, if there is one; a thread that waits for a page gets UnreadablePageError."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()

    def _read(self, request: PageRequest) -> PageReply:
        if request.is_small:
            return read_here(request)
        with self._lock:
            reply = UnreadablePage("reading was ended") if self._closed else self._read_apart(request)
        if isinstance(reply, UnreadablePage):
            raise UnreadablePageError(reply.reason)
        assert isinstance(reply, PageReply)
        return reply

    def _read_apart(self, request: PageRequest) -> object:
        """Read in the child process; if it dies, once more in a new one, as the page may not be the cause."""
        is_new = self._process is None
        try:
            return self._exchange(request)
        except ChildDiedError as death:
            if not is_new and not death.ran_out_of_time and not self._closed:
                return self._read_apart(request)
            return UnreadablePage(reason_of_death(death))

    def _exchange(self, request: PageRequest) -> object:
        if self._process is None or not self._process.is_alive:
            self._process = _PageProcess()
        process = self._process
        try:
            process.send(request)
            if process.has_reply(self._max_seconds):
                return unpacked(process.receive())
        except ChildDiedError:
            self._process = None
            raise
        process.close()
        self._process = None
        return UnreadablePage(f"reading it took longer than {self._max_seconds:g} seconds")


def read_here(request: PageRequest) -> PageReply:
    """Read a small page in this process; UnreadablePageError when that fails."""
    try:
        return request.read()
    except Exception as error:  # pages are hostile: a failure affects only the page itself
        raise UnreadablePageError(reason_of_failure(error)) from error


@lru_cache(maxsize=1)
def shared_reader(_process_id: int) -> PageReader:
    """Return the reader of this process; the argument is `os.getpid()`, so that a forked process does not use its
    parent's."""
    reader = PageReader()
    atexit.register(reader.close)
    return reader


class _PageProcess(ChildProcess):
    program = "webstrata.content.reader.page_process"


def reason_of_death(death: ChildDiedError) -> str:
    """Return why a page was not read, from the death of the process that read it."""
    if death.ran_out_of_time:
        return f"reading it took more than {MAX_CPU_SECONDS:g} seconds of processor time"
    return f"reading it crashed the process ({death})"


def reason_of_failure(error: Exception) -> str:
    """Return why a page was not read, from the exception of its reader."""
    if isinstance(error, MemoryError):
        return f"reading it takes more than {MAX_MEMORY // 1_000_000} MB of memory"
    return str(error) or type(error).__name__
