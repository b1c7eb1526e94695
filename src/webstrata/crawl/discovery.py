"""Discovery: the URLs that a site's own sitemaps list, read once in a job."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime

import structlog

from webstrata.coordination.threads import in_thread
from webstrata.crawl.robots import RobotsRules
from webstrata.crawl.scope import CrawlScope
from webstrata.crawl.sitemaps import sitemap_roots, sitemap_urls
from webstrata.db.engine import Database
from webstrata.db.queue import frontier, jobs, leases
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.crawl.tasks import MAX_RECLAIMS, SUSPECT_AFTER, Link
from webstrata.model.urls import origin_of

log = structlog.get_logger()

_LISTED_AT_ONCE = 1_000
_LISTED_DEPTH = 1
"""The depth of URLs in sitemaps: the same as of links on the front page."""


class Discovery:
    """Reads the sitemaps during the visits; the crawl ends only after it has."""

    def __init__(
        self,
        database: Database,
        job_id: int,
        robots: RobotsRules,
        scope: CrawlScope,
        fetch: Callable[[str], Awaitable[FetchResult]],
        found: Callable[[Sequence[Link]], None],
    ) -> None:
        """Prepare; nothing is read before `begin`, and then only for `seeds`. `found` is called with new links."""
        self._database = database
        self._job_id = job_id
        self._robots = robots
        self._scope = scope
        self._fetch = fetch
        self._found = found
        self._reading: asyncio.Task[None] | None = None
        self._alone = False
        self._tries = 0
        self._is_counted = False
        self.seeds: tuple[str, ...] = ()
        """The seeds whose sites' sitemaps have not been read yet."""
        self.is_given_up = False
        """Whether crawlers died too often while they read them."""

    @property
    def may_begin(self) -> bool:
        """Return whether there are sitemaps to read, and reading has not begun."""
        return self._reading is None and bool(self.seeds)

    @property
    def is_under_way(self) -> bool:
        """Return whether the sitemaps are being read."""
        return self._reading is not None and not self._reading.done()

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """Return the task that reads, if it has begun."""
        return [] if self._reading is None else [self._reading]

    def plan(self, seeds: tuple[str, ...], tries: int) -> None:
        """Plan to read the sitemaps of some sites; `tries` is the number of crawlers that died while reading them.

        After two deaths they are read when nothing else is left to do; after five they are given up.
        """
        self.is_given_up = tries >= MAX_RECLAIMS
        if self.is_given_up:
            log.warning("crawl.sitemaps.given_up", job_id=self._job_id, deaths=tries)
            return
        self.seeds, self._tries, self._alone = seeds, tries, tries >= SUSPECT_AFTER

    def begin_beside_visits(self) -> None:
        """Begin to read while pages are visited, unless earlier crawlers died while reading."""
        if not self._alone:
            self.begin()

    def begin(self) -> None:
        """Begin to read the sitemaps, once; called after the site's first response, when its robots.txt is known."""
        if self.may_begin:
            self._reading = asyncio.create_task(self._read())
            self._reading.add_done_callback(lambda _done: self._found(()))

    def take_leave(self) -> None:
        """Remove the mark of a reading in progress, as this worker leaves properly and was not killed by it."""
        if self._is_counted:
            self._note_tries(self._tries)

    async def _read(self) -> None:
        for origin in dict.fromkeys(map(origin_of, self.seeds)):
            announced = await self._robots.sitemaps(f"{origin}/")
            if announced:
                self._is_counted = True
                await in_thread(self._note_tries, self._tries + 1)
                await self._add_listed(sitemap_urls(self._fetch, sitemap_roots(origin, announced)))
        await in_thread(self._note_that_they_were_read)

    async def _add_listed(self, urls: AsyncIterator[str]) -> None:
        batch: list[Link] = []
        async for url in urls:
            batch.append(Link(url))
            if len(batch) == _LISTED_AT_ONCE:
                self._found(await in_thread(self._add_links, batch))
                batch = []
        self._found(await in_thread(self._add_links, batch))

    def _add_links(self, links: Sequence[Link]) -> tuple[Link, ...]:
        admitted = self._scope.admit_links(links, _LISTED_DEPTH)
        with self._database.write() as session:
            leases.lock_job(session, self._job_id)
            frontier.add_links(session, self._job_id, admitted, _LISTED_DEPTH, datetime.now(UTC))
        return admitted

    def _note_tries(self, tries: int) -> None:
        with self._database.write() as session:
            jobs.set_job(session, self._job_id, sitemap_tries=tries)

    def _note_that_they_were_read(self) -> None:
        with self._database.write() as session:
            jobs.set_job(session, self._job_id, sitemaps_read_at=datetime.now(UTC))
