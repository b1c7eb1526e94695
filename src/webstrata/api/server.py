"""The application: parts in, routes and the rules for every request out."""

from fastapi import FastAPI
from starlette.middleware import Middleware

from webstrata import __version__
from webstrata.api import admin_job_orders, admin_jobs, admin_sources, health, search, snapshots, sources
from webstrata.api.cors import PublicCors
from webstrata.api.error_answers import UnexpectedErrors, add_error_answers
from webstrata.api.head import HeadAsGet
from webstrata.api.headers import SafeHeaders
from webstrata.api.limits import RequestLimits
from webstrata.api.live import Viewers
from webstrata.api.request_log import RequestLog
from webstrata.app import App


def create_api(app: App) -> FastAPI:
    """Return the API over an archive's parts; the caller closes them."""
    api = FastAPI(
        title="Webstrata",
        version=__version__,
        openapi_url="/openapi.json",
        docs_url=None,
        redoc_url=None,
        middleware=[
            Middleware(RequestLog),
            Middleware(SafeHeaders),
            Middleware(PublicCors, origins=app.settings.cors_origins),
            Middleware(RequestLimits),
            Middleware(UnexpectedErrors),
            Middleware(HeadAsGet),
        ],
    )
    api.state.webstrata = app
    api.state.viewers = Viewers()
    add_error_answers(api)
    for area in (health, sources, search, snapshots, admin_jobs, admin_job_orders, admin_sources):
        api.include_router(area.router)
    return api
