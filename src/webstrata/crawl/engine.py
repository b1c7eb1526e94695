"""The crawl loop: claim what is due, visit it, commit what came back, until nothing is left or somebody says stop."""

import asyncio
import os
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import ParamSpec, TypeVar

import structlog

from webstrata.coordination.permits import HostPermits
from webstrata.crawl.commit import Claim, Committer, CrawlTarget, recover
from webstrata.crawl.outcome import Outcome
from webstrata.crawl.recall import earlier_links
from webstrata.crawl.robots import RobotsRules
from webstrata.crawl.scope import Scope
from webstrata.crawl.sitemaps import sitemap_roots, sitemap_urls
from webstrata.crawl.visit import PageWishes, Visitor
from webstrata.db import frontier
from webstrata.db.engine import Database
from webstrata.db.frontier import FrontierCounts
from webstrata.fetch.http import HttpFetcher
from webstrata.model.fetching import FetchResult
from webstrata.model.jobs import CrawlConfig
from webstrata.model.scope import ScopeRules
from webstrata.model.tasks import Link, Task, TaskStatus
from webstrata.model.traps import TrapGuard
from webstrata.model.urls import host_of, origin_of

log = structlog.get_logger()

_REPORT_EVERY = 0.5
_SHORTEST_WAIT = 0.02
_LONGEST_WAIT = 1.0
_AHEAD = 3
"""How many times what is under way is leased: a round on a slow disk must not leave connections idle."""

_LISTED_AT_ONCE = 1_000
_LISTED_DEPTH = 1
"""What a sitemap lists is as near as what the front page links to."""

Progress = Callable[[FrontierCounts], None]

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class CrawlEnd:
    """How a run of the crawl ended."""

    counts: FrontierCounts
    stopped: bool
    limit_reached: bool
    first_error: str | None


class Crawl:
    """One run of a job's crawl in this process; it expects to be the job's only one."""

    def __init__(
        self,
        database: Database,
        target: CrawlTarget,
        seeds: tuple[str, ...],
        config: CrawlConfig,
        fetcher: HttpFetcher,
        progress: Progress,
        *,
        rules: ScopeRules | None = None,
    ) -> None:
        """Prepare a run; nothing happens before `run`."""
        self._database = database
        self._target = target
        self._seeds = seeds
        self._config = config
        self._fetcher = fetcher
        self._progress = progress
        self._traps = TrapGuard(datetime.now(UTC).date())
        self._scope = Scope(rules or ScopeRules.of(seeds), config.max_depth, self._traps)
        self._permits = HostPermits(config.per_host_delay)
        self._committer = Committer(database, target, config.warc_max_bytes)
        self._owner = f"{socket.gethostname()}:{os.getpid()}"
        self._lease = timedelta(seconds=config.lease_seconds)
        self._unhurried = any(self._permits.delay_of(host) for host in self._scope.rules.allowed_domains)
        self._room = 0
        self._stopping = False
        self._news = asyncio.Event()
        self._outcomes: list[Outcome] = []
        self._ready: deque[Task] = deque()
        self._visits: dict[asyncio.Task[None], str] = {}
        self._robots = RobotsRules(self._polite_fetch, config.user_agent)
        self._discovery: asyncio.Task[None] | None = None

    def stop(self) -> None:
        """End the run soon: what was fetched is kept, what is under way is given back, nothing new begins."""
        self._stopping = True
        self._news.set()

    async def run(self) -> CrawlEnd:
        """Crawl until the frontier is empty, the page limit is reached, or `stop` is called."""
        await _in_thread(self._begin)
        async with self._fetcher:
            steps = [self._until_drained(self._visitor()), self._renew_loop(), self._report_loop()]
            tasks = [asyncio.create_task(step) for step in steps]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                _raise_failures([*tasks, *self._discoveries()])
                await _cancelled([*self._visits])
                await self._commit(None)
            finally:
                self._ready.clear()
                await _cancelled([*tasks, *self._discoveries(), *self._visits])
                self._committer.close()
        return await _in_thread(self._end)

    def _begin(self) -> None:
        """Clear up after a run that was killed, and make sure the seeds are known."""
        recover(self._database, self._target)
        now, job_id = datetime.now(UTC), self._target.job_id
        with self._database.write() as session:
            frontier.release_all(session, job_id, now)
            frontier.revive_errors(session, job_id, now)
            frontier.add_links(session, job_id, [Link(seed) for seed in self._seeds], 0, now)
            self._room = self._config.max_pages - frontier.counts(session, job_id).finished
            self._traps.remember(frontier.urls_with_queries(session, job_id))

    def _visitor(self) -> Visitor:
        config = self._config
        return Visitor(
            fetch=self._polite_fetch,
            robots=self._robots if config.respect_robots else None,
            scope=self._scope,
            retries=config.retry_policy,
            recall=partial(earlier_links, self._target.archive_root),
            wishes=PageWishes(config.user_agent, nofollow=config.respect_nofollow, noarchive=config.respect_noarchive),
        )

    def _discover(self) -> None:
        """Begin to read the sitemaps: once the site has answered, for then its robots.txt is known."""
        if self._discovery is None and self._config.use_sitemaps and self._config.respect_robots:
            self._discovery = asyncio.create_task(self._read_sitemaps())
            self._discovery.add_done_callback(lambda _done: self._news.set())

    def _discoveries(self) -> list[asyncio.Task[None]]:
        """Return the reading of sitemaps, if it has begun; only once it is over the crawl may be."""
        return [] if self._discovery is None else [self._discovery]

    async def _read_sitemaps(self) -> None:
        """Add what the sites' own sitemaps list."""
        for origin in dict.fromkeys(map(origin_of, self._seeds)):
            announced = await self._robots.sitemaps(f"{origin}/")
            roots = sitemap_roots(origin, announced) if announced else ()
            await self._add_listed(sitemap_urls(self._polite_fetch, roots))

    async def _add_listed(self, urls: AsyncIterator[str]) -> None:
        batch: list[Link] = []
        async for url in urls:
            batch.append(Link(url))
            if len(batch) == _LISTED_AT_ONCE:
                await _in_thread(self._add, batch)
                batch = []
        await _in_thread(self._add, batch)

    def _add(self, links: list[Link]) -> None:
        with self._database.write() as session:
            admitted = self._scope.admitted(links, _LISTED_DEPTH)
            frontier.add_links(session, self._target.job_id, admitted, _LISTED_DEPTH, datetime.now(UTC))
        self._news.set()

    async def _polite_fetch(self, url: str, conditions: Mapping[str, str] | None = None) -> FetchResult:
        async with self._permits.turn(host_of(url)):
            return await self._fetcher.fetch(url, conditions)

    async def _until_drained(self, visitor: Visitor) -> None:
        """Go round: commit what came back, lease what is next, visit it; until nothing is left to wait for."""
        while not self._stopping:
            self._news.clear()
            self._ready.extend(await self._commit(self._claim()))
            self._start_visits(visitor)
            if self._outcomes or self._stopping:
                continue
            # Asked before the frontier is: what a sitemap lists may be added in between.
            discovering = any(not discovery.done() for discovery in self._discoveries())
            due = None if self._visits else await _in_thread(self._seconds_until_due)
            if not self._visits and ((due is None and not discovering) or self._room <= 0):
                return
            await self._wait_for_news(due)

    async def _commit(self, claim: Claim | None) -> list[Task]:
        """Make what came back last, and lease more; what comes back meanwhile waits for the next round."""
        outcomes, self._outcomes = self._outcomes, []
        if not outcomes and (claim is None or claim.limit <= 0):
            return []
        claimed = await _in_thread(self._committer.commit, outcomes, claim)
        self._room -= sum(outcome.result is not None for outcome in outcomes)
        return claimed

    def _claim(self) -> Claim:
        """Return how much to lease: enough that a slow disk starves nobody, but one at a time where hosts need rest."""
        under_way = len(self._visits) + len(self._ready)
        wanted = (self._config.concurrency if self._unhurried else _AHEAD * self._config.concurrency) - under_way
        resting = {*self._permits.resting(), *(h for h in self._visits.values() if self._permits.delay_of(h))}
        limit = min(wanted, self._room - under_way - len(self._outcomes))
        return Claim(self._owner, min(limit, 1) if self._unhurried else limit, self._lease, frozenset(resting))

    def _start_visits(self, visitor: Visitor) -> None:
        while self._ready and len(self._visits) < self._config.concurrency and not self._stopping:
            task = self._ready.popleft()
            visiting = asyncio.create_task(self._visit(visitor, task))
            self._visits[visiting] = host_of(task.url)
            visiting.add_done_callback(lambda done: self._visit_ended(done, visitor))

    async def _visit(self, visitor: Visitor, task: Task) -> None:
        try:
            outcome = await visitor.visit(task)
        except Exception as error:
            # Whatever a page does to us, it costs that page only.
            log.exception("crawl.visit.broken", url=task.url)
            reason = f"{task.url}: {type(error).__name__}: {error}"
            outcome = Outcome(replace(task, status=TaskStatus.ERROR, attempts=task.attempts + 1, last_error=reason))
        self._outcomes.append(outcome)
        if outcome.result is not None:
            self._discover()

    def _visit_ended(self, visiting: asyncio.Task[None], visitor: Visitor) -> None:
        del self._visits[visiting]
        self._start_visits(visitor)
        self._news.set()

    def _seconds_until_due(self) -> float | None:
        with self._database.read() as session:
            due = frontier.next_due(session, self._target.job_id)
        return (due - datetime.now(UTC)).total_seconds() if due else None

    async def _wait_for_news(self, due: float | None) -> None:
        """Wait until something finished, but not longer than it takes for something to become due."""
        rests = [seconds for seconds in self._permits.resting().values() if seconds > 0]
        if due is not None and (due > 0 or not rests):
            rests.append(due)
        seconds = min(rests, default=_LONGEST_WAIT)
        try:
            await asyncio.wait_for(self._news.wait(), min(max(seconds, _SHORTEST_WAIT), _LONGEST_WAIT))
        except TimeoutError:
            return

    async def _renew_loop(self) -> None:
        while True:
            await asyncio.sleep(self._config.lease_seconds / 3)
            await _in_thread(self._renew)

    def _renew(self) -> None:
        with self._database.write() as session:
            frontier.renew(session, self._target.job_id, self._owner, datetime.now(UTC), self._lease)

    async def _report_loop(self) -> None:
        while True:
            await asyncio.sleep(_REPORT_EVERY)
            await _in_thread(self._report)

    def _report(self) -> None:
        with self._database.read() as session:
            counts = frontier.counts(session, self._target.job_id)
        self._progress(counts)

    def _end(self) -> CrawlEnd:
        """Give back what was not finished and say how it went."""
        with self._database.write() as session:
            frontier.release_all(session, self._target.job_id, datetime.now(UTC))
            counts = frontier.counts(session, self._target.job_id)
            first_error = frontier.first_error(session, self._target.job_id)
        self._progress(counts)
        return CrawlEnd(counts, self._stopping, self._room <= 0 and counts.pending > 0, first_error)


def _raise_failures(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        if task.done():
            task.result()


async def _cancelled(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _in_thread(work: Callable[_Given, _Result], *given: _Given.args, **named: _Given.kwargs) -> _Result:
    """Do something that blocks; when cancelled, wait for its end all the same, as a thread cannot be called off.

    Left behind, it would go on writing to a file that is closed by then, or counts that are no longer true.
    """
    working = asyncio.ensure_future(asyncio.to_thread(work, *given, **named))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.gather(working, return_exceptions=True)
        raise
