"""The crawl loop: claim due tasks, visit them, commit the outcomes, until nothing is left or a stop is requested."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from webstrata.coordination.permits import HostPermits
from webstrata.coordination.threads import in_thread
from webstrata.crawl.commit import Claim, Committed, Committer, CrawlTarget, recover
from webstrata.crawl.discovery import Discovery
from webstrata.crawl.known_pages import KnownPages
from webstrata.crawl.link_readers import LinkReaders
from webstrata.crawl.outcome import Outcome
from webstrata.crawl.pace import SHORTEST_WAIT, Pace
from webstrata.crawl.rendering import PageRendering, RequestRules
from webstrata.crawl.reporting import Progress, Reporter
from webstrata.crawl.robots import RobotsRules
from webstrata.crawl.scope import CrawlScope
from webstrata.crawl.visit import Obeyed, UrlVisitor
from webstrata.crawl.visit_pool import Visits
from webstrata.db.engine import Database
from webstrata.db.queue import frontier, jobs, leases, run_reports
from webstrata.db.queue.frontier import FrontierCounts, GivenUp
from webstrata.errors import DatabaseError, StorageError
from webstrata.fetch.browser.fetcher import BrowserFetcher
from webstrata.fetch.browser.options import Admit
from webstrata.fetch.fetcher import Fetcher
from webstrata.model.crawl.crawl_config import CrawlConfig
from webstrata.model.crawl.fetching import FetchResult
from webstrata.model.crawl.scope import ScopeRules
from webstrata.model.crawl.tasks import Link, TaskStatus
from webstrata.model.crawl.traps import TrapGuard
from webstrata.model.urls import host_of

_ROOM_EVERY = 1.0
_HELPERS_LEAVE_SECONDS = 5.0
_IDLE_HELPER_LEAVES = timedelta(seconds=10)
"""After so long without work, a helper leaves a crawl."""


@dataclass(frozen=True)
class CrawlRun:
    """The job to crawl, and the worker that crawls it."""

    target: CrawlTarget
    seeds: tuple[str, ...]
    rules: ScopeRules
    config: CrawlConfig
    owner: str
    started_at: datetime
    leads: bool = True
    """Whether this worker also begins the crawl and reads the sitemaps; others are helpers."""


@dataclass(frozen=True)
class CrawlEnd:
    """How a worker's part in a run ended."""

    counts: FrontierCounts
    stopped: bool
    limit: str | None
    """The limit that ended it before everything was fetched, if any."""
    first_error: str | None
    given_up: GivenUp
    """The URLs that were given up because their crawlers died."""
    sitemaps_given_up: bool
    """Whether the sitemaps were given up for the same reason."""
    worked: bool
    """Whether this worker captured anything."""
    left: bool = False
    """Whether this worker left while there was more to do."""


class Crawl:
    """One worker of a job's crawl; there may be others, also on other machines."""

    def __init__(
        self,
        database: Database,
        run: CrawlRun,
        fetcher: Fetcher,
        permits: HostPermits,
        progress: Progress,
        tend: Callable[[], None] = lambda: None,
        *,
        room: Callable[[], None] = lambda: None,
        renderer: BrowserFetcher | None = None,
    ) -> None:
        """Prepare a run; nothing happens before `run`.

        At intervals `tend` is called, which cleans up after dead workers, and `room`, which raises when the disk is
        full. A renderer opens pages in a browser: all of them or the empty ones, depending on the job's fetcher.
        """
        self._renderer = renderer
        self._database, self._run, self._job_id = database, run, run.target.job_id
        self._fetcher, self._permits = fetcher, permits
        self._tend, self._room = tend, room
        self._wake = asyncio.Event()
        self._limit: str | None = None
        self._stopping = self._asked_to_stop = self._left = self._worked = False
        self._last_work = datetime.now(UTC)
        self._traps = TrapGuard(self._last_work.date())
        self._scope = CrawlScope(run.rules, run.config.max_depth, self._traps, _page_requisites(run.config))
        self._committer = Committer(database, run.target, run.owner, run.config.warc_max_bytes)
        self._reporter = Reporter(database, self._job_id, run.owner, progress, leads=run.leads)
        self._pace = Pace(run.config, permits, run.started_at, run.rules.allowed_domains)
        robots = self._robots_rules(run.config)
        self._discovery = Discovery(database, self._job_id, robots, self._scope, self._polite_fetch, self._note_links)
        self._known_pages: KnownPages | None = None
        if run.leads:
            source_id = run.target.source_id
            self._known_pages = KnownPages(database, self._job_id, source_id, run.config, self._scope)
        self._link_readers = LinkReaders(run.config.user_agent, run.config.lease_seconds / 2)
        visitor = self._visitor(run.config, robots)
        self._visits = Visits(visitor, run.config.concurrency, self._wake, self._discovery.begin_beside_visits)

    def stop(self) -> None:
        """End the run soon: fetched responses are stored, unfinished tasks are released, and no new visits begin."""
        self._asked_to_stop = True
        self._begin_no_more()

    def leave(self) -> None:
        """Stop this worker as `stop` does; the crawl itself continues, with other workers or later."""
        self._left = True
        self._begin_no_more()

    def _begin_no_more(self) -> None:
        self._stopping = True
        self._visits.begin_no_more()
        self._wake.set()

    async def run(self) -> CrawlEnd:
        """Crawl until the frontier is empty, a limit is reached, or `stop` is called."""
        try:
            if not await in_thread(self._begin):
                self._begin_no_more()
            async with AsyncExitStack() as stack:
                await stack.enter_async_context(self._fetcher)
                if self._renderer is not None:
                    await stack.enter_async_context(self._renderer)
                await self._until_something_ends()
        except BaseException:
            with suppress(DatabaseError, StorageError):
                await in_thread(self._leave)
            raise
        return await in_thread(self._end)

    def _robots_rules(self, config: CrawlConfig) -> RobotsRules:
        return RobotsRules(self._polite_fetch, config.user_agent, self._pace.slow_down, config.max_crawl_delay)

    def _visitor(self, config: CrawlConfig, robots: RobotsRules) -> UrlVisitor:
        return UrlVisitor(
            fetch=self._polite_fetch,
            robots=robots if config.respect_robots else None,
            scope=self._scope,
            retries=config.retry_policy,
            read_links=self._link_readers.read,
            read_earlier=partial(self._link_readers.read_earlier, self._run.target.archive_root),
            obeyed=Obeyed(nofollow=config.respect_nofollow, noarchive=config.respect_noarchive),
            rendering=self._page_rendering(config, robots),
        )

    def _page_rendering(self, config: CrawlConfig, robots: RobotsRules) -> PageRendering | None:
        if self._renderer is None:
            return None
        rules = RequestRules(self._scope, robots if config.respect_robots else None)
        render = partial(self._polite_render, self._renderer, rules.admit)
        keeps_resources = config.capture_requisites
        return PageRendering(render, always=config.fetcher == "browser", keeps_resources=keeps_resources)

    async def _polite_render(self, renderer: BrowserFetcher, admit: Admit, url: str) -> FetchResult:
        """Open a page in the browser; all its requests use one permit of its host, which rests after the last
        request."""
        async with renderer.slot(), self._permits.permit(host_of(url)):
            return await renderer.render(url, admit)

    async def _polite_fetch(self, url: str, conditions: Mapping[str, str] | None = None) -> FetchResult:
        host = host_of(url)
        if not self._permits.is_limited(host):
            return await self._fetcher.fetch(url, conditions)
        async with self._permits.permit(host):
            return await self._fetcher.fetch(url, conditions)

    def _begin(self) -> bool:
        """Add the seeds, load the job's state, and return whether there is anything to crawl."""
        run, config = self._run, self._run.config
        if run.leads:
            with self._database.write() as session:
                run_reports.clear(session, self._job_id, run.started_at)
                frontier.add_links(session, self._job_id, [Link(seed) for seed in run.seeds], 0, datetime.now(UTC))
        with self._database.read() as session:
            self._traps.remember(frontier.urls_with_queries(session, self._job_id))
            if self._pace.is_throttled:
                self._pace.set_hosts(frontier.hosts(session, self._job_id))
            asked_for = run.leads and config.use_sitemaps and config.respect_robots
            if asked_for and not jobs.sitemaps_were_read(session, self._job_id):
                self._discovery.plan(run.seeds, jobs.sitemap_tries(session, self._job_id))
            return leases.may_crawl(session, self._job_id)

    async def _until_something_ends(self) -> None:
        """Run the crawl and its background tasks until the first of them ends or fails; then cancel the others."""
        steps: list[Coroutine[None, None, None]] = [
            self._until_drained(),
            self._renew_until_cancelled(),
            self._reporter.report_until_cancelled(self._tend, self._begin_no_more),
            self._see_after_room(),
        ]
        tasks = [asyncio.create_task(step) for step in steps]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            _raise_failures([*tasks, *self._discovery.tasks])
            await self._visits.cancel()
            await self._commit(None)
        finally:
            self._visits.begin_no_more()
            await _cancel([*tasks, *self._discovery.tasks])
            await self._visits.cancel()
            self._link_readers.close()
            self._committer.close()

    async def _until_drained(self) -> None:
        """Commit outcomes, lease tasks and visit them, in rounds, until nothing is left to do."""
        while not self._stopping:
            self._wake.clear()
            self._visits.raise_trouble()
            leased = await self._round()
            if self._visits.came_back or (leased and self._pace.is_throttled) or self._stopping:
                continue
            if not self._visits.any_under_way and await self._nothing_to_wait_for():
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), self._pace.seconds_to_wait())

    async def _round(self) -> bool:
        """Commit, lease and begin visits; return whether anything was leased."""
        await self._pace.load_resting_hosts()
        committed = await self._commit(self._pace.claim(self._visits.held, self._visits.came_back))
        self._limit = "time limit" if self._pace.out_of_time else committed.limit
        if not self._stopping:
            self._visits.begin(committed.tasks)
        return bool(committed.tasks)

    async def _commit(self, claim: Claim | None) -> Committed:
        """Commit the collected outcomes and lease more tasks; those that arrive meanwhile wait for the next round."""
        outcomes = self._visits.take()
        if not outcomes and (claim is None or (claim.limit <= 0 and self._limit is None)):
            return Committed([], self._limit)
        committed = await in_thread(self._committer.commit, outcomes, claim)
        self._learn(committed.outcomes)
        if outcomes or committed.tasks:
            self._last_work = datetime.now(UTC)
        return committed

    def _learn(self, outcomes: Sequence[Outcome]) -> None:
        """Update the tally and the pace with a committed batch."""
        for outcome in outcomes:
            self._reporter.tally.saw(outcome)
            self._pace.add_hosts(outcome.links)
            if outcome.task.next_run_at is not None:
                self._pace.add_retry(outcome.task.next_run_at)
        self._worked = self._worked or bool(outcomes)

    def _note_links(self, links: Sequence[Link]) -> None:
        """Update the pace with the URLs that the sitemaps added to the frontier."""
        self._pace.add_hosts(links)
        self._wake.set()

    async def _nothing_to_wait_for(self) -> bool:
        # Checked before the frontier: URLs of a sitemap may be added in between.
        discovering = self._discovery.is_under_way
        if not self._run.leads and datetime.now(UTC) - self._last_work > _IDLE_HELPER_LEAVES:
            return True
        if not await in_thread(self._is_drained) or discovering:
            return False
        # Only the leader reads the sitemaps, even if other workers fetched the pages.
        if self._discovery.may_begin and await in_thread(self._has_response):
            self._discovery.begin()
        return not self._discovery.is_under_way and not await self._adds_known_pages()

    async def _adds_known_pages(self) -> bool:
        """Add the pages that only an earlier run found, once; return whether there are any."""
        known, self._known_pages = self._known_pages, None
        if known is None or self._limit is not None or self._stopping:
            return False
        added = await in_thread(known.add_missing)
        self._note_links(added)
        return bool(added)

    def _has_response(self) -> bool:
        with self._database.read() as session:
            return frontier.has_any(session, self._job_id, TaskStatus.FINISHED)

    def _is_drained(self) -> bool:
        """Return whether no worker has a task and no task is left that may still be fetched."""
        waiting = () if self._limit is not None else (TaskStatus.PENDING,)
        with self._database.read() as session:
            return not frontier.has_any(session, self._job_id, TaskStatus.IN_PROGRESS, *waiting)

    async def _renew_until_cancelled(self) -> None:
        while True:
            await asyncio.sleep(self._run.config.lease_seconds / 3)
            await in_thread(self._renew)

    def _renew(self) -> None:
        lease = timedelta(seconds=self._run.config.lease_seconds)
        with self._database.write() as session:
            leases.lock_job(session, self._job_id)
            frontier.renew(session, self._job_id, self._run.owner, datetime.now(UTC), lease)

    async def _see_after_room(self) -> None:
        """Check at intervals that the disk has space left; acknowledged records are safe in any case."""
        while True:
            await in_thread(self._room)
            await asyncio.sleep(_ROOM_EVERY)

    def _end(self) -> CrawlEnd:
        """Leave the job and return how the crawl ended."""
        self._leave()
        if self._run.leads and self._stopping and not self._left:
            self._let_the_others_leave()
        counts = self._reporter.report()
        with self._database.read() as session:
            first_error = frontier.first_error(session, self._job_id)
            given_up = frontier.given_up(session, self._job_id)
        limit = self._limit if counts.pending else None
        left = self._left and counts.pending + counts.in_progress > 0
        # Leaving does not stop the crawl; but if nothing is left to do, the crawl is over.
        stopped = self._stopping and not self._left
        sitemaps = self._discovery.is_given_up
        return CrawlEnd(counts, stopped, limit, first_error, given_up, sitemaps, self._worked, left)

    def _let_the_others_leave(self) -> None:
        """Ask the helper processes to stop and wait a moment for their outcomes, so that they are indexed with the
        rest."""
        if self._asked_to_stop:
            # Otherwise the stop request is in the job's row, which all workers read, and another leader may own the row
            # by now.
            with self._database.write() as session:
                jobs.set_job(session, self._job_id, stop_requested_at=datetime.now(UTC))
        deadline = time.monotonic() + _HELPERS_LEAVE_SECONDS
        while time.monotonic() < deadline:
            with self._database.read() as session:
                if not frontier.under_way(session, self._job_id):
                    return
            time.sleep(SHORTEST_WAIT)

    def _leave(self) -> None:
        """Release unfinished tasks, and truncate the open file to its acknowledged length."""
        with self._database.write() as session:
            leases.lock_job(session, self._job_id)
            frontier.release(session, self._job_id, self._run.owner, datetime.now(UTC))
        self._discovery.take_leave()
        recover(self._database, self._run.target.archive_root, self._run.owner)


def _page_requisites(config: CrawlConfig) -> int:
    return config.max_page_requisites if config.capture_requisites else 0


def _raise_failures(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        if task.done():
            task.result()


async def _cancel(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
