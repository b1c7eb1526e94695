"""The whole site: the API, the pages, and the files that the pages need."""

from fastapi import FastAPI

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
from webstrata.web.collections import hauls, listings
from webstrata.web.failures import show_unknown_addresses_as_pages
from webstrata.web.pages import prepare_templates

_READERS = (home, search, snapshot, changes, compare, sources, listings, hauls, exports, api_docs)
_REPLAY = (wayback, timemaps)
_OPERATORS = (source, jobs, job, job_orders, audit_log, retention, login)


def create_site(app: App, buckets: BucketStore | None = None) -> FastAPI:
    """Return the API with the web pages over an archive's parts; the caller closes them."""
    site = create_api(app, buckets)
    for area in (*_READERS, *_OPERATORS, assets):
        site.include_router(area.router)
    for area in _REPLAY:
        site.include_router(area.router)
        # Matched before all other routes: a replayed page loads dozens of files, and each would walk past them.
        site.router.routes.insert(0, site.router.routes.pop())
    prepare_templates()
    show_unknown_addresses_as_pages(site)
    return site
