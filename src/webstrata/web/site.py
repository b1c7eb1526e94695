"""The whole site: the API, the pages, and the files that the pages need."""

from fastapi import APIRouter, FastAPI
from starlette.middleware import Middleware

from webstrata.api.rates import BucketStore
from webstrata.api.server import create_api
from webstrata.app import App
from webstrata.web import (
    api_docs,
    assets,
    audit_log,
    changes,
    compare,
    exports,
    home,
    job,
    job_orders,
    jobs,
    login,
    retention,
    search,
    snapshot,
    source,
    sources,
    timemaps,
    wayback,
)
from webstrata.web.auditing import evidence
from webstrata.web.collections import hauls, listings
from webstrata.web.failures import show_unknown_addresses_as_pages
from webstrata.web.notifications import reviews, targets
from webstrata.web.operations import integrity
from webstrata.web.pages import prepare_templates
from webstrata.web.viewer import calendar, closest_snapshot, page_wacz, replay_frame
from webstrata.web.viewer.quick_replay import QuickReplay
from webstrata.web.viewer.replay_host import ReplayHost
from webstrata.web.watching import saved_searches, site_diff, watches

_READERS = (
    home,
    search,
    closest_snapshot,
    snapshot,
    page_wacz,
    calendar,
    changes,
    compare,
    site_diff,
    sources,
    listings,
    hauls,
    exports,
    api_docs,
)
_REPLAY = (replay_frame, wayback, timemaps)
_OPERATORS = (
    *(source, jobs, job, job_orders, audit_log, retention),
    *(targets, reviews, integrity, evidence, watches, saved_searches, login),
)


def create_site(app: App, buckets: BucketStore | None = None) -> FastAPI:
    """Return the API with the web pages over an archive's parts; the caller closes them."""
    site = create_api(
        app,
        buckets,
        rules=(Middleware(ReplayHost, settings=app.settings),),
        before_routes=(Middleware(QuickReplay, parts=app),),
    )
    for area in (*_READERS, *_OPERATORS, assets):
        site.include_router(area.router)
    for area in _REPLAY:
        _include_first(site, area.router)
    prepare_templates()
    show_unknown_addresses_as_pages(site)
    return site


def _include_first(site: FastAPI, router: APIRouter) -> None:
    """Add routes that are matched before all others: a replayed page loads dozens of files."""
    known = len(site.router.routes)
    site.include_router(router)
    added = site.router.routes[known:]
    del site.router.routes[known:]
    site.router.routes[:0] = added
