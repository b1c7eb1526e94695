"""Response cache that is valid until the archive changes.

Searches are the slowest requests, and many are repeated. A response belongs to the state of the database before it was
computed. Every request reads the current state, and a change clears the whole cache. So no client gets a response that
is older than its request, whichever process made the change.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webstrata.db.sql.revision import Revision
from webstrata.http.compression import takes_gzip
from webstrata.http.metrics.request_metrics import note_route, noted_route

OK = 200
_OVERHEAD_BYTES = 1_000
"""Memory of a response in addition to its body: headers and Python objects."""

Key = tuple[str, bytes, str, str, str, bool]
"""Everything in a request that its response depends on: path, query, host (for links), and whether gzip is accepted."""


@dataclass(frozen=True)
class CachedResponse:
    """A response as it is sent."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    route: str

    async def send(self, send: Send) -> None:
        """Send it; the headers are copied, as middlewares add to them."""
        await send({"type": "http.response.start", "status": self.status, "headers": list(self.headers)})
        await send({"type": "http.response.body", "body": self.body})


class CacheStore:
    """Cached responses of one state of the archive, within a limit of bytes; the least recently used go first."""

    def __init__(self, most_bytes: int) -> None:
        """Begin empty."""
        self._most_bytes = most_bytes
        self._bytes = 0
        self._revision: str | None = None
        self._responses: OrderedDict[Key, CachedResponse] = OrderedDict()

    def __len__(self) -> int:
        """Return how many responses are cached."""
        return len(self._responses)

    def now_at(self, revision: str) -> None:
        """Clear the cache when the state of the archive has changed."""
        if revision != self._revision:
            self._responses.clear()
            self._bytes = 0
            self._revision = revision

    def get(self, key: Key) -> CachedResponse | None:
        """Return the cached response to a request, if there is one."""
        response = self._responses.get(key)
        if response is not None:
            self._responses.move_to_end(key)
        return response

    def put(self, key: Key, response: CachedResponse, revision: str) -> None:
        """Cache a response that was computed for a state, unless the state has changed since."""
        if revision != self._revision or key in self._responses:
            return
        self._responses[key] = response
        self._bytes += _weight(key, response)
        while self._bytes > self._most_bytes:
            self._bytes -= _weight(*self._responses.popitem(last=False))


class Freshness:
    """Reads the state of the archive, no earlier than the request; concurrent requests share one read."""

    def __init__(self, revision: Revision) -> None:
        """Prepare."""
        self._revision = revision
        self._asking = asyncio.Lock()
        # A separate thread, so that it does not wait for running searches.
        self._thread = CapacityLimiter(1)
        self._next: asyncio.Task[str | None] | None = None

    async def now(self) -> str | None:
        """Return the token of the present state; None when the database cannot be reached."""
        if self._revision.is_instant:
            return self._revision.now()
        if self._next is None:
            self._next = asyncio.create_task(self._current_revision())
        return await asyncio.shield(self._next)

    async def _current_revision(self) -> str | None:
        async with self._asking:
            # Later requests need another read: there may be a change that this one does not see.
            self._next = None
            return await to_thread.run_sync(self._revision.now, limiter=self._thread)


class ResponseCache:
    """Middleware that serves GET requests of some paths from the cache; equal concurrent requests are computed once."""

    def __init__(
        self, app: ASGIApp, paths: Collection[str], revision: Revision, most_bytes: int, reused: Callable[[str], None]
    ) -> None:
        """Wrap an application; `reused` is called with the path of each request that the cache served."""
        self.app = app
        self._paths = frozenset(paths)
        self._freshness = Freshness(revision)
        self._store = CacheStore(most_bytes)
        self._reused = reused
        self._under_way: dict[tuple[Key, str], asyncio.Task[CachedResponse]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request from the cache; pass the others on, and cache their responses."""
        can_be_kept = scope["type"] == "http" and scope["method"] == "GET" and scope["path"] in self._paths
        revision = await self._freshness.now() if can_be_kept else None
        if revision is None:
            await self.app(scope, receive, send)
            return
        self._store.now_at(revision)
        response = await self._respond(_key(scope), revision, scope, receive)
        note_route(scope, response.route)
        await response.send(send)

    async def _respond(self, key: Key, revision: str, scope: Scope, receive: Receive) -> CachedResponse:
        under_way = self._under_way.get((key, revision))
        response = self._store.get(key)
        if under_way is None and response is None:
            return await asyncio.shield(self._start(key, revision, scope, receive))
        if response is None:
            assert under_way is not None
            response = await asyncio.shield(under_way)
        if response.status == OK:
            self._reused(scope["path"])
        return response

    def _start(self, key: Key, revision: str, scope: Scope, receive: Receive) -> asyncio.Task[CachedResponse]:
        """Run the application in a separate task, as other clients may wait for its response after this one has
        disconnected."""
        task = asyncio.create_task(_run_app(self.app, scope, receive))
        self._under_way[key, revision] = task

        def store_response(task: asyncio.Task[CachedResponse]) -> None:
            del self._under_way[key, revision]
            if not task.cancelled() and task.exception() is None and task.result().status == OK:
                self._store.put(key, task.result(), revision)

        task.add_done_callback(store_response)
        return task


async def _run_app(app: ASGIApp, scope: Scope, receive: Receive) -> CachedResponse:
    """Return the response of an application to a request."""
    start: Message = {}
    pieces: list[bytes] = []

    async def collect(message: Message) -> None:
        if message["type"] == "http.response.start":
            start.update(message)
        else:
            pieces.append(message.get("body", b""))

    await app(scope, receive, collect)
    return CachedResponse(start["status"], tuple(start["headers"]), b"".join(pieces), noted_route(scope))


def _key(scope: Scope) -> Key:
    headers = Headers(scope=scope)
    address = (scope["scheme"], headers.get("x-forwarded-proto", ""), headers.get("host", ""))
    return scope["path"], scope["query_string"], *address, takes_gzip(headers.get("accept-encoding", ""))


def _weight(key: Key, response: CachedResponse) -> int:
    return sum(len(part) for part in key[:-1]) + len(response.body) + _OVERHEAD_BYTES
