"""The whole site: the API, the web pages, and their static files."""

from fastapi import FastAPI
from starlette.middleware import Middleware

from webstrata.api.server import add_routes, create_api
from webstrata.app import App
from webstrata.http.limits.rate_limits import BucketStore
from webstrata.web import (
    api_docs,
    assets,
    audit_log,
    changes,
    compare,
    exports,
    home,
    login,
    retention,
    snapshot,
    source,
    sources,
    timemaps,
    wayback,
)
from webstrata.web.auditing import evidence
from webstrata.web.auditing import schedules as audit_schedules
from webstrata.web.collections import hauls, listings, records
from webstrata.web.failures import show_unknown_addresses_as_pages
from webstrata.web.jobs import job, job_commands, jobs
from webstrata.web.notifications import reviews, targets
from webstrata.web.operations import integrity
from webstrata.web.pages import prepare_templates
from webstrata.web.search import search
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
    records,
    api_docs,
)
_REPLAY = (replay_frame, wayback, timemaps)
_OPERATORS = (
    *(source, jobs, job, job_commands, audit_log, retention),
    *(targets, reviews, integrity, evidence, audit_schedules, watches, saved_searches, login),
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
        add_routes(site, area.router)
    for area in _REPLAY:
        # Each before all others: a replayed page loads dozens of files, and TimeMaps have the longer paths.
        add_routes(site, area.router, first=True)
    prepare_templates()
    show_unknown_addresses_as_pages(site)
    return site
