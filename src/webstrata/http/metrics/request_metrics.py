"""Metrics of requests for Prometheus: how many, how long, by route."""

from time import perf_counter

from prometheus_client import CollectorRegistry, Histogram, ProcessCollector, values
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webstrata.app import App
from webstrata.http.metrics.archive_metrics import ArchiveNumbers

NO_ROUTE = "none"
"""The label of requests without a route: their paths must not become labels."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_SEARCHES = {"/api/search": "api", "/search": "page"}
_BUCKETS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.09, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_HOLDER = "webstrata.route"


class Metrics:
    """The metrics of one application, with its own registry, so that several applications in a process do not mix."""

    def __init__(self, app: App) -> None:
        """Begin to count."""
        self.registry = CollectorRegistry()
        counted = CollectorRegistry() if _shared_by_processes() else self.registry
        self._requests = Histogram(
            "webstrata_http_request_seconds",
            "Seconds until the first byte of a response, by route.",
            ["method", "route", "status"],
            buckets=_BUCKETS,
            registry=counted,
        )
        self._searches = Histogram(
            "webstrata_search_seconds",
            "Seconds until the first byte of a search's response.",
            ["door"],
            buckets=_BUCKETS,
            registry=counted,
        )
        self.registry.register(ArchiveNumbers(app))
        if counted is self.registry:
            ProcessCollector(registry=self.registry)
        else:
            # Counts are summed over all processes, including dead ones; the process metrics would only be those of one.
            MultiProcessCollector(self.registry)  # type: ignore[no-untyped-call]

    def count_response(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a response."""
        known = method if method in _METHODS else "other"
        self._requests.labels(known, route, str(status)).observe(seconds)
        if route in _SEARCHES and status == 200:
            self._searches.labels(_SEARCHES[route]).observe(seconds)


def share_numbers() -> None:
    """Write the counts of this process to the folder PROMETHEUS_MULTIPROC_DIR, which all processes share.

    The library reads the variable only at import, which may have been before it was set.
    """
    if not _shared_by_processes():
        values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]


def _shared_by_processes() -> bool:
    return values.ValueClass is not values.MutexValue


class RequestMetrics:
    """Counts every request and the time until its response began; must be the outermost, so that refusals count too."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        """Wrap an application."""
        self.app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and count it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        holder = scope[_HOLDER] = [NO_ROUTE]
        began = perf_counter()

        async def send_timed(message: Message) -> None:
            if message["type"] == "http.response.start":
                seconds = perf_counter() - began
                self._metrics.count_response(scope["method"], holder[0], message["status"], seconds)
            await send(message)

        await self.app(scope, receive, send_timed)


def note_route(scope: Scope, route: str) -> None:
    """Note which route handles a request."""
    if _HOLDER in scope:
        scope[_HOLDER][0] = route


def noted_route(scope: Scope) -> str:
    """Return the route that was noted for a request."""
    return str(scope[_HOLDER][0]) if _HOLDER in scope else NO_ROUTE


class RouteNoted:
    """Notes for `RequestMetrics` which route was taken; must be the innermost, where the router stores it."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and note its route when the response begins."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_noting_route(message: Message) -> None:
            if message["type"] == "http.response.start":
                note_route(scope, getattr(scope.get("route"), "path", NO_ROUTE))
            await send(message)

        await self.app(scope, receive, send_noting_route)
