"""robots.txt as RFC 9309 reads it: asked once an origin, obeyed for a day."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from protego import Protego

from webstrata.content.decode import decoded
from webstrata.errors import FetchError, TransientFetchError
from webstrata.model.fetching import FetchResult, retry_after
from webstrata.model.urls import join, origin_of

_MAX_BYTES = 500 * 1024
_MAX_REDIRECTS = 5
_KEPT_FOR = timedelta(hours=24)

_ALLOW_ALL = ""

Fetch = Callable[[str], Awaitable[FetchResult]]


class RobotsRules:
    """Answers whether our crawler may ask for a URL."""

    def __init__(self, fetch: Fetch, user_agent: str) -> None:
        """Ask for robots.txt with a fetch that keeps the house's politeness."""
        self._fetch = fetch
        self._user_agent = user_agent
        self._asked: dict[str, tuple[asyncio.Task[Protego], datetime]] = {}

    async def allows(self, url: str) -> bool:
        """Tell whether robots.txt lets us fetch a URL; FetchError when it cannot be had, which forbids everything."""
        return bool((await self._known(url)).can_fetch(url, self._user_agent))

    async def sitemaps(self, url: str) -> tuple[str, ...]:
        """Return the sitemaps that the robots.txt of a URL's origin names; none when it cannot be had."""
        try:
            return tuple((await self._known(url)).sitemaps)
        except FetchError:
            return ()

    async def _known(self, url: str) -> Protego:
        origin = origin_of(url)
        known = self._asked.get(origin)
        if known is None or datetime.now(UTC) - known[1] > _KEPT_FOR:
            known = (asyncio.ensure_future(self._rules(origin)), datetime.now(UTC))
            known[0].add_done_callback(_noticed)
            self._asked[origin] = known
        try:
            return await asyncio.shield(known[0])
        except FetchError:
            self._asked.pop(origin, None)
            raise

    async def _rules(self, origin: str) -> Protego:
        return Protego.parse(await self._text(f"{origin}/robots.txt"))

    async def _text(self, url: str) -> str:
        """Return what governs an origin: nothing when there is no robots.txt or it leads nowhere."""
        for _ in range(_MAX_REDIRECTS + 1):
            result = await self._fetch(url)
            target = result.redirect_target
            if target is None:
                return _text_of(result)
            followed = join(url, target)
            if followed is None:
                return _ALLOW_ALL
            url = followed
        return _ALLOW_ALL


def _noticed(asking: asyncio.Task[Protego]) -> None:
    """Look at a failure that nobody may be left to look at: every visit that waited for it may have been called off."""
    if not asking.cancelled():
        asking.exception()


def _text_of(result: FetchResult) -> str:
    if result.transient or result.status >= 500:
        wait = retry_after(result.header("retry-after"), datetime.now(UTC))
        raise TransientFetchError(f"{result.url}: the server answered {result.status} {result.reason}".rstrip(), wait)
    if result.status >= 300:
        return _ALLOW_ALL
    return decoded(result.body, result.header("content-encoding"))[:_MAX_BYTES].decode("utf-8-sig", "replace")
