"""The application: its routes, and the middlewares that every request passes."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial

from anyio import CapacityLimiter
from fastapi import APIRouter, FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from webstrata import __version__
from webstrata.api import (
    admin_sources,
    cdx,
    changes,
    compare_live,
    exports,
    health,
    metrics,
    replay,
    reports,
    search,
    search_debug,
    snapshots,
    sources,
    usage,
)
from webstrata.api.auditing import audits
from webstrata.api.auditing import schedules as audit_schedules
from webstrata.api.collections import admin_collections, hauls, listings, scraper_health
from webstrata.api.description import DescribedApi
from webstrata.api.integrity import admin_integrity
from webstrata.api.jobs import admin_job_commands, admin_jobs
from webstrata.api.notifications import admin_notifications, admin_reviews
from webstrata.api.operations import admin_audit_log, admin_holds, admin_reports, admin_retention
from webstrata.api.watching import admin_watches, site_diff
from webstrata.api.watching import feeds as watching_feeds
from webstrata.app import App
from webstrata.db.sql.revision import Revision
from webstrata.http.auth import token_verdict
from webstrata.http.comparing import close_comparisons, pair_comparisons
from webstrata.http.compression import Compression
from webstrata.http.cors import PublicCors
from webstrata.http.error_responses import EVERYWHERE, UnexpectedErrors, add_error_responses
from webstrata.http.headers import SafeHeaders
from webstrata.http.limits.rate_limits import BucketStore, RateLimits, RatePolicy
from webstrata.http.limits.request_limits import RequestLimits
from webstrata.http.live import Viewers
from webstrata.http.methods import AllowedMethods, HeadAsGet
from webstrata.http.metrics.request_metrics import Metrics, RequestMetrics, RouteNoted
from webstrata.http.metrics.usage_counts import Event, UsageCounter, writing_usage_counts
from webstrata.http.request_log import RequestLog
from webstrata.http.response_cache import ResponseCache
from webstrata.http.retention_trigger import RetentionAfterResponse
from webstrata.retention.trigger import RetentionTrigger

_READERS = (
    *(health, sources, search, snapshots, changes, compare_live, replay, cdx, reports, usage, exports),
    *(listings, scraper_health, hauls),
    *(site_diff, watching_feeds),
)
_OPERATORS = (
    *(admin_jobs, admin_job_commands, admin_sources, admin_reports, admin_audit_log, admin_retention, admin_holds),
    admin_collections,
    *(admin_integrity, admin_notifications, admin_reviews, admin_watches, search_debug, metrics),
    *(audit_schedules, audits),
)

_included: dict[int, BaseRoute] = {}
"""Routers prepared for applications, by identity: modules' routers live as long as the process."""


def create_api(
    app: App,
    buckets: BucketStore | None = None,
    *,
    rules: Sequence[Middleware] = (),
    before_routes: Sequence[Middleware] = (),
) -> FastAPI:
    """Return the API of an archive; the caller closes its parts.

    Without `buckets`, rate limits are counted in this process. The middlewares `rules` come after the log and the
    headers and before cached responses; those in `before_routes` come last.
    """
    numbers = Metrics(app)
    counter = UsageCounter(app.database, enabled=app.settings.usage_enabled and not app.database.is_read_only)
    api = DescribedApi(
        title="Webstrata",
        version=__version__,
        openapi_url="/openapi.json",
        docs_url=None,
        redoc_url=None,
        middleware=[*_rules(app, numbers, counter, buckets, rules), *before_routes],
        lifespan=_lifespan,
        responses=EVERYWHERE,
    )
    api.state.webstrata = app
    api.state.viewers = Viewers()
    api.state.metrics = numbers
    api.state.usage = counter
    api.state.comparisons = pair_comparisons(app)
    api.state.live_pages = app.live_pages()
    api.state.searches = CapacityLimiter(search.MOST_AT_ONCE)
    add_error_responses(api)
    for area in (*_READERS, *_OPERATORS):
        add_routes(api, area.router)
    return api


def _rules(
    app: App,
    numbers: Metrics,
    counter: UsageCounter,
    buckets: BucketStore | None,
    further: Sequence[Middleware],
) -> list[Middleware]:
    """Return the middlewares before the routes, the outermost first."""
    return [
        Middleware(
            RetentionAfterResponse, trigger=RetentionTrigger(app.database, max_share=app.settings.retention_max_share)
        ),
        Middleware(RequestMetrics, metrics=numbers),
        Middleware(RequestLog),
        Middleware(
            SafeHeaders,
            has_csp=app.settings.csp_enabled,
            hsts_max_age=app.settings.hsts_max_age if app.settings.hsts_enabled else None,
        ),
        *further,
        Middleware(PublicCors, origins=app.settings.cors_origins),
        Middleware(
            RateLimits,
            policy=RatePolicy.of(app.settings),
            buckets=buckets,
            token_verdict=partial(token_verdict, app.settings),
        ),
        Middleware(RequestLimits),
        Middleware(UnexpectedErrors),
        Middleware(HeadAsGet),
        Middleware(AllowedMethods),
        Middleware(
            ResponseCache,
            paths=(search.SEARCH_PATH,),
            revision=Revision(app.database),
            most_bytes=app.settings.kept_answers_bytes,
            reused=lambda _path: counter.add(Event.SEARCH_REQUESTS, datetime.now(UTC)),
        ),
        Middleware(Compression),
        Middleware(RouteNoted),
    ]


def add_routes(api: FastAPI, router: APIRouter, *, first: bool = False) -> None:
    """Add the routes of a module after all others, or before them: the first route that matches is used."""
    if id(router) not in _included:
        _included[id(router)] = _include(router)
    api.router.routes.insert(0 if first else len(api.router.routes), _included[id(router)])


def _include(router: APIRouter) -> BaseRoute:
    """Return a router in the form in which FastAPI includes it.

    FastAPI analyses the parameters of routes at the first request, a fifth of a second for all routes; here it is done
    once per process, for any number of applications.
    """
    parent = FastAPI(responses=EVERYWHERE)
    parent.include_router(router)
    return parent.router.routes[-1]


@asynccontextmanager
async def _lifespan(api: FastAPI) -> AsyncIterator[None]:
    """Write the usage counts while an application is served, and stop its child processes at the end."""
    async with writing_usage_counts(api):
        try:
            yield
        finally:
            await run_in_threadpool(close_comparisons, api)
