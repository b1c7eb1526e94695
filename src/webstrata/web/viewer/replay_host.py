"""The replay host: a host name of its own on which archived pages run, apart from the site's pages and API.

Cookies ignore ports, so another port is not enough. On a laptop the site is on 127.0.0.1 and replay on localhost.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from webstrata.http.caching import NEVER
from webstrata.http.clients import is_local
from webstrata.http.headers import is_https
from webstrata.settings import Environment, Settings

FRAME_PATH = "/replay/"
"""Where the files of replay are served, on the replay host alone."""

WORKER_PATH = f"{FRAME_PATH}worker.js"
ARCHIVED_PATH = f"{FRAME_PATH}w/archive/"
"""The path of archived pages, for which only the service worker responds, never this server."""

IS_REPLAY_HOST = "webstrata.is_replay_host"
"""Set in the scope of a request that was sent to the replay host."""

_HOSTS_CACHED = 64
_LAPTOP_SITE, _LAPTOP_REPLAY = "127.0.0.1", "localhost"
_CAPTURED_FILE = re.compile(r"/web/[0-9]{1,14}id_/")
_ELSEWHERE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Not here</title>
<p>This host name only replays archived pages. The archive is at <a href="{site}/">{site}</a>.</p></html>"""


@dataclass(frozen=True)
class SiteOrigins:
    """The two origins of a site: of its own pages, and of the archived pages that they frame."""

    site: str
    replay: str


def site_origins(request: HTTPConnection, settings: Settings) -> SiteOrigins | None:
    """Return the origins that a client uses; None when archived pages have no host name of their own."""
    if settings.replay_host is not None and settings.public_site_url is not None:
        site = urlsplit(settings.public_site_url)
        port = f":{site.port}" if site.port else ""
        return SiteOrigins(f"{site.scheme}://{site.netloc}", f"{site.scheme}://{settings.replay_host}{port}")
    name, port = _addressed_host(request)
    is_laptop = settings.env is Environment.DEVELOPMENT and is_local(request.scope)
    if settings.replay_host is not None or not is_laptop or name not in {_LAPTOP_SITE, _LAPTOP_REPLAY}:
        return None
    scheme = "https" if is_https(request.scope) else "http"
    return SiteOrigins(f"{scheme}://{_LAPTOP_SITE}{port}", f"{scheme}://{_LAPTOP_REPLAY}{port}")


def framing_origins(request: HTTPConnection, settings: Settings) -> SiteOrigins | None:
    """Return the origins for a page that frames the replay host; None when it was requested under another name."""
    origins = site_origins(request, settings)
    return origins if origins is not None and _is_addressed_to(request, origins.site) else None


class ReplayHost:
    """Serves replay on the replay host and everything else on other hosts, and neither on the other's."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        """Wrap an application."""
        self.app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or respond that there is nothing here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        origins = site_origins(request, self._settings)
        is_replay = origins is not None and _is_addressed_to(request, origins.replay)
        refusal = _refusal(request, origins.site) if is_replay and origins else _refusal_on_site(scope["path"])
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self.app({**scope, IS_REPLAY_HOST: is_replay}, receive, send)


def _refusal(request: HTTPConnection, site: str) -> Response | None:
    """Return a refusal for requests to the replay host other than those for archived files and files of replay."""
    path, headers = request.scope["path"], {"Cache-Control": NEVER}
    if "service-worker" in request.headers and (path != WORKER_PATH or request.scope["query_string"]):
        # Only our own worker may be registered: one from an archived script would outlive the page.
        return PlainTextResponse("Only one service worker runs here\n", status_code=403, headers=headers)
    if path.startswith(FRAME_PATH) or _CAPTURED_FILE.match(path):
        return None
    policy = "default-src 'none'; frame-ancestors 'none'"
    return HTMLResponse(
        _ELSEWHERE.format(site=site), status_code=404, headers=headers | {"Content-Security-Policy": policy}
    )


def _refusal_on_site(path: str) -> Response | None:
    if not path.startswith(FRAME_PATH):
        return None
    return PlainTextResponse("Archived pages run on the replay host only\n", status_code=404)


def _is_addressed_to(request: HTTPConnection, origin: str) -> bool:
    return _addressed_host(request)[0] == _split_host(origin.partition("://")[2])[0]


def _addressed_host(request: HTTPConnection) -> tuple[str, str]:
    """Return the host name that a request was sent to, and its port with a colon; both empty without a valid host."""
    return _split_host(request.headers.get("host", ""))


@lru_cache(_HOSTS_CACHED)
def _split_host(written: str) -> tuple[str, str]:
    """Return the name in a Host header, and its port with a colon.

    A name may end with a dot, which makes another origin for browsers but not for DNS.
    """
    try:
        host = urlsplit(f"//{written}")
        return (host.hostname or "").rstrip("."), f":{host.port}" if host.port else ""
    except ValueError:
        return "", ""
