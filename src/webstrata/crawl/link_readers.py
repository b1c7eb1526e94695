"""Reading the links of fetched pages: small pages at once, others in processes with limits, never blocking the loop."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from webstrata.content.html import PageLinks
from webstrata.content.page_reader import PageReader
from webstrata.content.page_requests import ReadLinks
from webstrata.model.captures import EarlierCapture
from webstrata.model.fetching import FetchResult
from webstrata.storage.paths import place_of
from webstrata.warc.reader import read_record

MAX_PROCESSES = 4


class LinkReaders:
    """Reads the links of pages for one worker, several pages at once."""

    def __init__(self, user_agent: str, max_seconds: float) -> None:
        """Prepare; processes start when the first page that is not small comes."""
        self._user_agent = user_agent
        count = min(len(os.sched_getaffinity(0)), MAX_PROCESSES)
        self._threads = ThreadPoolExecutor(count, "page-reader")
        self._idle: SimpleQueue[PageReader] = SimpleQueue()
        self._readers = [PageReader(max_seconds) for _ in range(count)]
        for reader in self._readers:
            self._idle.put(reader)

    async def read(self, result: FetchResult) -> PageLinks:
        """Return the links of a response; UnreadablePageError when it cannot be read within the limits."""
        request = ReadLinks(
            url=result.url,
            content=result.body,
            content_type=result.header("content-type"),
            content_encoding=result.header("content-encoding"),
            x_robots_tag=result.header_lines("x-robots-tag"),
            user_agent=self._user_agent,
        )
        return await self._read(request)

    async def read_earlier(self, archive_root: Path, earlier: EarlierCapture) -> PageLinks:
        """Return the links of an earlier capture, from its WARC file."""
        return await self._read(await asyncio.to_thread(self._earlier_page, archive_root, earlier))

    def close(self) -> None:
        """End the processes."""
        for reader in self._readers:
            reader.kill()
        self._threads.shutdown(cancel_futures=True)
        for reader in self._readers:
            reader.close()

    async def _read(self, request: ReadLinks) -> PageLinks:
        request = request.simplified()
        if request.is_small:
            return self._readers[0].links(request)
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._read_apart, request)

    def _read_apart(self, request: ReadLinks) -> PageLinks:
        reader = self._idle.get()
        try:
            return reader.links(request)
        finally:
            self._idle.put(reader)

    def _earlier_page(self, archive_root: Path, earlier: EarlierCapture) -> ReadLinks:
        path = place_of(archive_root, earlier.warc_path, earlier.output_dir)
        record = read_record(path, earlier.warc_offset, earlier.warc_length)
        return ReadLinks(
            url=record.url,
            content=record.body_bytes,
            content_type=record.headers.get("content-type"),
            content_encoding=None,
            x_robots_tag=record.headers.get("x-robots-tag"),
            user_agent=self._user_agent,
        )
