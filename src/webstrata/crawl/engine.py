"""The crawl loop: claim what is due, visit it, commit what came back, until nothing is left or somebody says stop."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial

import structlog

from webstrata.coordination.permits import HostPermits
from webstrata.coordination.threads import in_thread
from webstrata.crawl.commit import Claim, Committed, Committer, CrawlTarget, recover
from webstrata.crawl.outcome import Outcome
from webstrata.crawl.recall import earlier_links
from webstrata.crawl.robots import RobotsRules
from webstrata.crawl.scope import Scope
from webstrata.crawl.sitemaps import sitemap_roots, sitemap_urls
from webstrata.crawl.tally import CrawlProgress, Tally
from webstrata.crawl.visit import PageWishes, Visitor
from webstrata.db import frontier, jobs, leases, reports
from webstrata.db.engine import Database
from webstrata.db.frontier import FrontierCounts
from webstrata.errors import OUR_TROUBLE, DatabaseError, StorageError, WebstrataError
from webstrata.fetch.fetcher import Fetcher
from webstrata.model.fetching import FetchResult
from webstrata.model.jobs import CrawlConfig
from webstrata.model.scope import ScopeRules
from webstrata.model.tasks import Link, Task, TaskStatus
from webstrata.model.traps import TrapGuard
from webstrata.model.urls import host_of, origin_of

log = structlog.get_logger()

_REPORT_EVERY = 0.5
_REPORT_SHARE = 10
_SHORTEST_WAIT = 0.02
_LONGEST_WAIT = 1.0
_MOST_AHEAD = 10
"""How many times what is under way is leased at most."""

_HELPERS_LEAVE_SECONDS = 5.0
_IDLE_HELPER_LEAVES = timedelta(seconds=10)
"""A worker that finds nothing to do in another's crawl for so long looks for other work."""

_LISTED_AT_ONCE = 1_000
_LISTED_DEPTH = 1
"""What a sitemap lists is as near as what the front page links to."""

Progress = Callable[[CrawlProgress], None]


@dataclass(frozen=True)
class CrawlRun:
    """What is crawled, and as whom."""

    target: CrawlTarget
    seeds: tuple[str, ...]
    rules: ScopeRules
    config: CrawlConfig
    owner: str
    started_at: datetime
    leads: bool = True
    """Whether this worker also begins the crawl and reads the sitemaps; others come to help."""


@dataclass(frozen=True)
class CrawlEnd:
    """How a worker's part in a run ended."""

    counts: FrontierCounts
    stopped: bool
    limit: str | None
    """Which limit ended it before everything was fetched, if one did."""
    first_error: str | None
    worked: bool
    """Whether this worker brought anything in."""


class Crawl:
    """One worker's part in a job's crawl; there may be others, here and elsewhere."""

    def __init__(
        self,
        database: Database,
        run: CrawlRun,
        fetcher: Fetcher,
        permits: HostPermits,
        progress: Progress,
        tend: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare a run; nothing happens before `run`. `tend` is called now and then, to clear up after the dead."""
        self._database = database
        self._run = run
        self._config = run.config
        self._job_id = run.target.job_id
        self._fetcher = fetcher
        self._permits = permits
        self._progress = progress
        self._tend = tend
        self._traps = TrapGuard(datetime.now(UTC).date())
        self._scope = Scope(run.rules, run.config.max_depth, self._traps)
        self._committer = Committer(database, run.target, run.owner, run.config.warc_max_bytes)
        self._lease = timedelta(seconds=run.config.lease_seconds)
        self._unhurried = any(permits.is_limited(host) for host in run.rules.allowed_domains)
        self._resting: dict[str, float] = {}
        self._hosts: set[str] | None = None
        self._retries: set[datetime] = set()
        self._limit: str | None = None
        self._stopping = False
        self._worked = False
        self._brought = 0
        self._trouble: WebstrataError | None = None
        self._last_work = datetime.now(UTC)
        self._news = asyncio.Event()
        self._outcomes: list[Outcome] = []
        self._tally = Tally()
        self._ready: deque[Task] = deque()
        self._visits: dict[asyncio.Task[None], Task] = {}
        self._robots = RobotsRules(
            self._polite_fetch, run.config.user_agent, self._slow_down, run.config.max_crawl_delay
        )
        self._sitemaps_wanted = False
        self._discovery: asyncio.Task[None] | None = None

    def stop(self) -> None:
        """End the run soon: what was fetched is kept, what is under way is given back, nothing new begins."""
        self._stopping = True
        self._news.set()

    async def run(self) -> CrawlEnd:
        """Crawl until the frontier is empty, a limit is reached, or `stop` is called."""
        try:
            if not await in_thread(self._begin):
                self.stop()
            async with self._fetcher:
                await self._until_something_ends()
        except BaseException:
            with suppress(DatabaseError, StorageError):
                await in_thread(self._leave)
            raise
        return await in_thread(self._end)

    async def _until_something_ends(self) -> None:
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

    def _begin(self) -> bool:
        """Make sure the seeds are known, learn what the job knows, and return whether it is to be crawled at all."""
        if self._run.leads:
            seeds = [Link(seed) for seed in self._run.seeds]
            with self._database.write() as session:
                reports.clear(session, self._job_id, self._run.started_at)
                frontier.add_links(session, self._job_id, seeds, 0, datetime.now(UTC))
        with self._database.read() as session:
            self._traps.remember(frontier.urls_with_queries(session, self._job_id))
            if self._unhurried:
                self._hosts = frontier.hosts(session, self._job_id)
            asked_for = self._run.leads and self._config.use_sitemaps and self._config.respect_robots
            self._sitemaps_wanted = asked_for and not jobs.sitemaps_were_read(session, self._job_id)
            return leases.may_crawl(session, self._job_id)

    def _visitor(self) -> Visitor:
        config = self._config
        return Visitor(
            fetch=self._polite_fetch,
            robots=self._robots if config.respect_robots else None,
            scope=self._scope,
            retries=config.retry_policy,
            recall=partial(earlier_links, self._run.target.archive_root),
            wishes=PageWishes(config.user_agent, nofollow=config.respect_nofollow, noarchive=config.respect_noarchive),
        )

    def _discover(self) -> None:
        """Begin to read the sitemaps: once the site has answered, for then its robots.txt is known."""
        if self._discovery is None and self._sitemaps_wanted:
            self._discovery = asyncio.create_task(self._read_sitemaps())
            self._discovery.add_done_callback(lambda _done: self._news.set())

    def _discoveries(self) -> list[asyncio.Task[None]]:
        """Return the reading of sitemaps, if it has begun; only once it is over the crawl may be."""
        return [] if self._discovery is None else [self._discovery]

    async def _read_sitemaps(self) -> None:
        """Add what the sites' own sitemaps list."""
        for origin in dict.fromkeys(map(origin_of, self._run.seeds)):
            announced = await self._robots.sitemaps(f"{origin}/")
            roots = sitemap_roots(origin, announced) if announced else ()
            await self._add_listed(sitemap_urls(self._polite_fetch, roots))
        await in_thread(self._note_sitemaps)

    def _note_sitemaps(self) -> None:
        with self._database.write() as session:
            jobs.set_job(session, self._job_id, sitemaps_read_at=datetime.now(UTC))

    async def _add_listed(self, urls: AsyncIterator[str]) -> None:
        batch: list[Link] = []
        async for url in urls:
            batch.append(Link(url))
            if len(batch) == _LISTED_AT_ONCE:
                await in_thread(self._add, batch)
                batch = []
        await in_thread(self._add, batch)

    def _add(self, links: list[Link]) -> None:
        admitted = self._scope.admitted(links, _LISTED_DEPTH)
        with self._database.write() as session:
            leases.spend(session, self._job_id, 0, 0)
            frontier.add_links(session, self._job_id, admitted, _LISTED_DEPTH, datetime.now(UTC))
        self._met_hosts(admitted)
        self._news.set()

    def _met_hosts(self, links: tuple[Link, ...]) -> None:
        if self._hosts is not None:
            self._hosts.update(host_of(link.url) for link in links)

    async def _polite_fetch(self, url: str, conditions: Mapping[str, str] | None = None) -> FetchResult:
        host = host_of(url)
        if not self._permits.is_limited(host):
            return await self._fetcher.fetch(url, conditions)
        async with self._permits.turn(host):
            return await self._fetcher.fetch(url, conditions)

    def _slow_down(self, host: str, delay: float) -> None:
        """Obey a robots.txt that asks for a delay."""
        self._permits.slow_down(host, delay)
        self._unhurried = self._unhurried or self._permits.is_limited(host)

    async def _until_drained(self, visitor: Visitor) -> None:
        """Go round: commit what came back, lease what is next, visit it; until nothing is left to wait for."""
        while not self._stopping:
            self._news.clear()
            if self._trouble is not None:
                raise self._trouble
            leased = await self._round(visitor)
            if self._outcomes or (leased and self._unhurried) or self._stopping:
                continue
            if not self._visits and await self._nothing_to_wait_for():
                return
            await self._wait_for_news()

    async def _round(self, visitor: Visitor) -> bool:
        """Commit, lease and begin; tell whether anything was leased."""
        if self._unhurried:
            self._resting = await self._permits.resting()
        committed = await self._commit(self._claim())
        self._limit = "time limit" if self._out_of_time else committed.limit
        self._ready.extend(committed.tasks)
        self._start_visits(visitor)
        return bool(committed.tasks)

    async def _nothing_to_wait_for(self) -> bool:
        # Asked before the frontier is: what a sitemap lists may be added in between.
        discovering = any(not discovery.done() for discovery in self._discoveries())
        if not self._run.leads and datetime.now(UTC) - self._last_work > _IDLE_HELPER_LEAVES:
            return True
        if not await in_thread(self._is_drained) or discovering:
            return False
        # Whoever fetched the pages, the sitemaps are the leader's to read.
        if self._discovery is None and await in_thread(self._has_answer):
            self._discover()
        return self._discovery is None or self._discovery.done()

    def _has_answer(self) -> bool:
        with self._database.read() as session:
            return frontier.has_any(session, self._job_id, TaskStatus.FINISHED)

    def _is_drained(self) -> bool:
        """Tell whether nobody works on anything and nothing waits that may still be fetched."""
        waiting = () if self._limit is not None else (TaskStatus.PENDING,)
        with self._database.read() as session:
            return not frontier.has_any(session, self._job_id, TaskStatus.IN_PROGRESS, *waiting)

    async def _commit(self, claim: Claim | None) -> Committed:
        """Make what came back last, and lease more; what comes back meanwhile waits for the next round."""
        outcomes, self._outcomes = self._outcomes, []
        self._brought = len(outcomes)
        if not outcomes and (claim is None or (claim.limit <= 0 and self._limit is None)):
            return Committed([], self._limit)
        committed = await in_thread(self._committer.commit, outcomes, claim)
        self._learn(committed.outcomes)
        if outcomes or committed.tasks:
            self._last_work = datetime.now(UTC)
        return committed

    def _learn(self, outcomes: Sequence[Outcome]) -> None:
        """Remember of what was committed what later rounds and reports want to know."""
        for outcome in outcomes:
            self._tally.saw(outcome)
            self._met_hosts(outcome.links)
            if outcome.task.next_run_at is not None:
                self._retries.add(outcome.task.next_run_at)
        self._worked = self._worked or bool(outcomes)

    def _claim(self) -> Claim:
        """Return how much to lease: enough that a slow disk starves nobody, but one at a time where hosts need rest."""
        held = [*self._visits.values(), *self._ready]
        wanted = (self._config.concurrency if self._unhurried else self._ahead) - len(held)
        resting = self._not_now() if self._unhurried else frozenset()
        if self._out_of_time or any(task.suspect for task in held) or self._all_rest(resting):
            wanted = 0
        return Claim(
            limit=min(wanted, 1) if self._unhurried else wanted,
            lease=self._lease,
            max_pages=self._config.max_pages,
            max_bytes=self._config.max_bytes,
            resting_hosts=resting,
            alone=not held,
        )

    @property
    def _ahead(self) -> int:
        """Return how much to hold: beside what is under way, what will be begun before the next round is over.

        A round on a slow disk must not leave connections idle, nor a slow site's URLs wait in our hands; where bytes
        are limited, nothing is held that may be too much.
        """
        concurrency = self._config.concurrency
        if self._config.max_bytes is not None:
            return concurrency
        return min(_MOST_AHEAD * concurrency, concurrency + 3 * max(self._brought, len(self._outcomes)))

    def _all_rest(self, resting: frozenset[str]) -> bool:
        """Tell whether it is nobody's turn: then the database need not look through all that waits."""
        return bool(self._hosts) and self._hosts is not None and self._hosts <= resting

    def _not_now(self) -> frozenset[str]:
        """Return the hosts that no further visit may begin at: they rest, or we use all the turns they give."""
        visited = Counter(host_of(task.url) for task in [*self._visits.values(), *self._ready])
        limited = {host: visits for host, visits in visited.items() if self._permits.is_limited(host)}
        full = {host for host, visits in limited.items() if visits >= self._permits.slots_of(host)}
        return frozenset(full | self._resting.keys())

    @property
    def _out_of_time(self) -> bool:
        longest = self._config.max_seconds
        return longest is not None and datetime.now(UTC) >= self._run.started_at + timedelta(seconds=longest)

    def _start_visits(self, visitor: Visitor) -> None:
        while self._ready and len(self._visits) < self._config.concurrency and not self._stopping:
            task = self._ready.popleft()
            visiting = asyncio.create_task(self._visit(visitor, task))
            self._visits[visiting] = task
            visiting.add_done_callback(lambda done: self._visit_ended(done, visitor))

    async def _visit(self, visitor: Visitor, task: Task) -> None:
        try:
            outcome = await visitor.visit(task)
        except OUR_TROUBLE as error:
            self._trouble = error
            return
        except Exception as error:
            # Whatever a page does to us, it costs that page only.
            log.exception("crawl.visit.broken", url=task.url)
            reason = f"{task.url}: {type(error).__name__}: {error}"
            given_up = replace(task, status=TaskStatus.ERROR, attempts=task.attempts + 1, last_error=reason)
            outcome = Outcome(given_up, error_kind="internal")
        self._outcomes.append(outcome)
        if outcome.result is not None:
            self._discover()

    def _visit_ended(self, visiting: asyncio.Task[None], visitor: Visitor) -> None:
        del self._visits[visiting]
        self._start_visits(visitor)
        self._news.set()

    async def _wait_for_news(self) -> None:
        """Wait until something finished, but not longer than it takes for something to become due."""
        now = datetime.now(UTC)
        # What became due since the last claim has not been looked at: it counts once more.
        waits = [(due - now).total_seconds() for due in self._retries]
        self._retries = {due for due in self._retries if due > now}
        waits += [seconds for seconds in self._resting.values() if seconds > 0]
        with suppress(TimeoutError):
            seconds = max(min(waits, default=_LONGEST_WAIT), _SHORTEST_WAIT)
            await asyncio.wait_for(self._news.wait(), min(seconds, _LONGEST_WAIT))

    async def _renew_loop(self) -> None:
        while True:
            await asyncio.sleep(self._config.lease_seconds / 3)
            await in_thread(self._renew)

    def _renew(self) -> None:
        with self._database.write() as session:
            leases.spend(session, self._job_id, 0, 0)
            frontier.renew(session, self._job_id, self._run.owner, datetime.now(UTC), self._lease)

    async def _report_loop(self) -> None:
        took = 0.0
        while True:
            # To count a million tasks takes a while: a report must not be what the crawl is busy with.
            await asyncio.sleep(max(_REPORT_EVERY, _REPORT_SHARE * took))
            began = time.monotonic()
            if not await in_thread(self._report):
                self.stop()
            took = time.monotonic() - began

    def _report(self) -> bool:
        """Say how far the crawl is, see after the others, and return whether it is to go on."""
        self._tend()
        now = datetime.now(UTC)
        with self._database.write() as session:
            leases.spend(session, self._job_id, 0, 0)
            # Also where nothing is claimed any more: the crawl would else wait for the dead for ever.
            frontier.reclaim_expired(session, self._job_id, now)
            goes_on = leases.may_crawl(session, self._job_id)
            other_work = not self._run.leads and jobs.next_in_line(session, now) is not None
        self._tell()
        return goes_on and not other_work

    def _tell(self) -> FrontierCounts:
        """Write what this worker has seen, and tell what all have."""
        now = datetime.now(UTC)
        with self._database.write() as session:
            reports.write(session, self._job_id, self._run.owner, self._tally.report(), now)
        with self._database.read() as session:
            counts = frontier.counts(session, self._job_id)
            report = reports.merged(session, self._job_id, now)
        self._progress(CrawlProgress(counts, report))
        return counts

    def _end(self) -> CrawlEnd:
        """Take leave, and say how it went."""
        self._leave()
        if self._run.leads and self._stopping:
            self._let_the_others_leave()
        counts = self._tell()
        with self._database.read() as session:
            first_error = frontier.first_error(session, self._job_id)
        limit = self._limit if counts.pending else None
        return CrawlEnd(counts, self._stopping, limit, first_error, self._worked)

    def _let_the_others_leave(self) -> None:
        """Tell the helpers to stop and wait a moment for what they bring: it is to be indexed with the rest."""
        with self._database.write() as session:
            jobs.set_job(session, self._job_id, stop_requested_at=datetime.now(UTC))
        deadline = time.monotonic() + _HELPERS_LEAVE_SECONDS
        while time.monotonic() < deadline:
            with self._database.read() as session:
                if not frontier.under_way(session, self._job_id):
                    return
            time.sleep(_SHORTEST_WAIT)

    def _leave(self) -> None:
        """Give back what was not finished, and leave no file longer than it should be."""
        with self._database.write() as session:
            leases.spend(session, self._job_id, 0, 0)
            frontier.release(session, self._job_id, self._run.owner, datetime.now(UTC))
        recover(self._database, self._run.target.archive_root, self._run.owner)


def _raise_failures(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        if task.done():
            task.result()


async def _cancelled(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
