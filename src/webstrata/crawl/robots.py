"""robots.txt by RFC 9309: fetched once per origin and valid for a day; while it is unavailable, nothing is fetched."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from webstrata.content.decode import decoded
from webstrata.content.robots_txt import MAX_BYTES, RobotsTxt
from webstrata.errors import FetchError, TransientFetchError
from webstrata.model.crawl.fetching import FetchResult, retry_after
from webstrata.model.urls import host_of, join, origin_of

_MAX_REDIRECTS = 5
_KEPT_FOR = timedelta(hours=24)
_FIRST_PAUSE = timedelta(seconds=0.5)
_LONGEST_PAUSE = timedelta(minutes=1)
"""How long an unavailable robots.txt is not requested again, however many URLs wait for it."""

_ALLOW_ALL = RobotsTxt()

Fetch = Callable[[str], Awaitable[FetchResult]]


@dataclass
class _Origin:
    """The robots.txt of an origin, fetched or being fetched."""

    rules: asyncio.Task[RobotsTxt]
    until: datetime
    failures: int = 0


class RobotsRules:
    """The robots.txt rules: decides whether our crawler may fetch a URL."""

    def __init__(
        self,
        fetch: Fetch,
        user_agent: str,
        on_delay: Callable[[str, float], None] | None = None,
        max_crawl_delay: float = 60.0,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Fetch robots.txt with `fetch`, which must be polite; `on_delay` is called with crawl delays, which are
        limited to `max_crawl_delay`."""
        self._fetch = fetch
        self._user_agent = user_agent
        self._on_delay = on_delay
        self._max_crawl_delay = max_crawl_delay
        self._clock = clock
        self._origins: dict[str, _Origin] = {}

    async def allows(self, url: str) -> bool:
        """Return whether robots.txt allows a URL; FetchError when it cannot be fetched, which forbids everything."""
        return (await self._cached_rules(url)).allows(url)

    async def sitemaps(self, url: str) -> tuple[str, ...]:
        """Return the sitemaps that the robots.txt of a URL's origin names; none when it cannot be fetched."""
        try:
            return (await self._cached_rules(url)).sitemaps
        except FetchError:
            return ()

    async def _cached_rules(self, url: str) -> RobotsTxt:
        origin = origin_of(url)
        known = self._origins.get(origin)
        if known is None or (known.rules.done() and self._clock() >= known.until):
            known = self._ask(origin, known.failures if known else 0)
        try:
            return await asyncio.shield(known.rules)
        except TransientFetchError as error:
            wait = max(known.until - self._clock(), timedelta(0))
            raise TransientFetchError(str(error), wait, kind=error.kind) from error

    def _ask(self, origin: str, failures: int) -> _Origin:
        asking = asyncio.ensure_future(self._rules(origin))
        known = self._origins[origin] = _Origin(asking, self._clock() + _KEPT_FOR, failures)
        asking.add_done_callback(lambda _done: self._settle(known))
        return known

    def _settle(self, known: _Origin) -> None:
        """Decide when to fetch the rules again; the task's exception is retrieved even if no caller waits for it any
        more."""
        error = None if known.rules.cancelled() else known.rules.exception()
        if isinstance(error, FetchError):
            pause = min(_FIRST_PAUSE * 2 ** min(known.failures, 10), _LONGEST_PAUSE)
            known.failures += 1
            known.until = self._clock() + max(pause, error.retry_after)
        elif error is not None or known.rules.cancelled():
            known.until = self._clock()
        else:
            known.failures = 0

    async def _rules(self, origin: str) -> RobotsTxt:
        result = await self._final_response(f"{origin}/robots.txt")
        if result is None or 300 <= result.status < 500:
            return _ALLOW_ALL
        content = decoded(result.body, result.header("content-encoding"), MAX_BYTES + 1)
        rules = RobotsTxt.parse(content, self._user_agent, is_cut=result.truncated is not None)
        delay = min(rules.crawl_delay, self._max_crawl_delay)
        if self._on_delay is not None and delay > 0:
            self._on_delay(host_of(f"{origin}/"), delay)
        return rules

    async def _final_response(self, url: str) -> FetchResult | None:
        """Return the final response for an origin's robots.txt, after redirects to any host; None when there are too
        many."""
        for _ in range(_MAX_REDIRECTS + 1):
            result = await self._fetch(url)
            unavailable = self._unavailable(result)
            if unavailable is not None:
                # Without its traceback, as the cached error would keep all local variables alive.
                del result
                raise unavailable
            target = result.redirect_target
            followed = None if target is None else join(url, target)
            if target is None or followed is None:
                return result
            # Free this body before the next download waits for memory.
            del result
            url = followed
        return None

    def _unavailable(self, result: FetchResult) -> TransientFetchError | None:
        """Return an error if a response means that the server cannot send its rules now."""
        if not result.transient and result.status < 500:
            return None
        wait = retry_after(result.header("retry-after"), self._clock())
        reason = f"{result.url}: the server answered {result.status} {result.reason}".rstrip()
        return TransientFetchError(reason, wait, kind=f"http_{result.status}")
