"""Reads the links of fetched pages: unchanged pages from the database, small pages in this process, others in child
processes."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from queue import SimpleQueue

from webstrata.content.decode import decoded
from webstrata.content.html import PageLinks
from webstrata.content.link_record import LinkRecord, unpacked
from webstrata.content.reader.page_reader import PageReader
from webstrata.content.reader.page_requests import ReadLinks, ReadQuality
from webstrata.content.robots_txt import product_token
from webstrata.crawl.outcome import FoundLinks
from webstrata.errors import UnreadablePageError
from webstrata.model.captures import EarlierCapture
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.crawl.tasks import TaskType
from webstrata.model.quality import QualityKind
from webstrata.storage.paths import place_of
from webstrata.warc.reader import read_record

MAX_PROCESSES = 4

_FEW_LINKS = 3
"""A page with more links to pages than this is neither a block page nor a page that scripts would have filled."""

_MAX_JUDGED_BYTES = 1_000_000


class LinkReaders:
    """Reads the links of pages for one worker, several pages at once."""

    def __init__(self, user_agent: str, max_seconds: float) -> None:
        """Prepare; processes start when the first page that is not small comes."""
        self._user_agent = user_agent
        self._robot = product_token(user_agent)
        count = min(len(os.sched_getaffinity(0)), MAX_PROCESSES)
        self._threads = ThreadPoolExecutor(count, "page-reader")
        self._idle: SimpleQueue[PageReader] = SimpleQueue()
        self._readers = [PageReader(max_seconds) for _ in range(count)]
        for reader in self._readers:
            self._idle.put(reader)

    async def read(self, result: FetchResult, earlier: EarlierCapture | None = None) -> FoundLinks:
        """Return the links of a response; UnreadablePageError when it cannot be read within the limits."""
        content_type, x_robots_tag = result.header("content-type"), result.header_lines("x-robots-tag")
        if earlier is not None and result.body_digest == earlier.payload_digest:
            known = self._stored_record(earlier)
            if known is not None and known.is_read_as(content_type, x_robots_tag):
                return FoundLinks(known.page)
        request = ReadLinks(
            url=result.url,
            content=result.body,
            content_type=content_type,
            content_encoding=result.header("content-encoding"),
            x_robots_tag=x_robots_tag,
            user_agent=self._user_agent,
        )
        found = await self._find(request)
        return replace(found, kind=await self._judge(result)) if _is_suspect(result, found.page) else found

    async def read_earlier(self, archive_root: Path, earlier: EarlierCapture) -> FoundLinks:
        """Return the links of an earlier capture: as they are stored, else from its WARC file."""
        known = self._stored_record(earlier)
        if known is not None:
            return FoundLinks(known.page)
        return await self._find(await asyncio.to_thread(self._earlier_page, archive_root, earlier))

    def close(self) -> None:
        """End the processes."""
        for reader in self._readers:
            reader.kill()
        self._threads.shutdown(cancel_futures=True)
        for reader in self._readers:
            reader.close()

    def _stored_record(self, earlier: EarlierCapture) -> LinkRecord | None:
        return None if earlier.packed_links is None else unpacked(earlier.packed_links, self._robot)

    async def _find(self, request: ReadLinks) -> FoundLinks:
        page = await self._read(request)
        return FoundLinks(page, LinkRecord(page, request.content_type, request.x_robots_tag, self._robot))

    async def _read(self, request: ReadLinks) -> PageLinks:
        request = request.simplified()
        if request.is_small:
            return self._readers[0].links(request)
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._read_apart, request)

    async def _judge(self, result: FetchResult) -> QualityKind | None:
        """Return the kind of a response; None when it cannot be determined within the limits."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._judge_apart, result)
        except UnreadablePageError:
            return None

    def _judge_apart(self, result: FetchResult) -> QualityKind:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in result.headers}
        body = decoded(result.body, result.header("content-encoding"), _MAX_JUDGED_BYTES)
        reader = self._idle.get()
        try:
            return reader.quality(ReadQuality(result.url, result.status, headers, body)).kind
        finally:
            self._idle.put(reader)

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


def _is_suspect(result: FetchResult, page: PageLinks) -> bool:
    """Return whether a page may be a refusal, or empty without scripts."""
    is_page = result.status == HTTPStatus.OK and "html" in (result.header("content-type") or "")
    if not is_page or not 0 < len(result.body) <= _MAX_JUDGED_BYTES:
        return False
    # Scripts, styles and images do not count, as a page filled by scripts has many.
    pages = (link for link in page.links if link.task_type is TaskType.PAGE)
    return next(islice(pages, _FEW_LINKS, None), None) is None
