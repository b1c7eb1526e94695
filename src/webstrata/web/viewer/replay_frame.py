"""Replay in the browser: the page that starts the replay worker, the worker, and wabac.js, which it runs on."""

import json
import re
from pathlib import Path
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from webstrata.app import App
from webstrata.http.dependencies import Parts
from webstrata.model.replay.replay_address import REPLAY_PATH, Modifier, plain_url
from webstrata.web.assets import StaticFile, read_assets
from webstrata.web.pages import page_text
from webstrata.web.viewer.replay_host import ARCHIVED_PATH, FRAME_PATH, WORKER_PATH, SiteOrigins, site_origins
from webstrata.web.viewer.replay_policy import CONFINED, WORKER_POLICY, archived_page_policy, start_page_policy
from webstrata.web.wayback import written_address

FILES = read_assets(Path(__file__).parents[1] / "replay_static")
WABAC = "vendor/wabac.js"
_ASK_AGAIN = "no-cache"
_ARCHIVED = re.compile(r"(?P<timestamp>[0-9]{1,14})([a-z]{2}_)?/(?P<url>.+)", re.DOTALL)

router = APIRouter(include_in_schema=False)


def can_replay() -> bool:
    """Return whether wabac.js was fetched at set-up."""
    return WABAC in FILES


@router.get(FRAME_PATH)
def start(request: Request, app: Parts) -> Response:
    """Send the page that starts the worker and then shows the capture that the address names."""
    origins, asked = _origins(request, app), request.query_params
    timestamp, url = asked.get("timestamp", ""), plain_url(asked.get("url", ""))
    if request.headers.get("sec-fetch-dest") == "document":
        # Only in a frame: an archived page that is not framed could navigate its window to the live web.
        return RedirectResponse(f"{origins.site}{REPLAY_PATH}{timestamp}/{url}", 302, headers=CONFINED)
    plain = f"{origins.site}{REPLAY_PATH}{timestamp}{Modifier.MAIN}/{url}"
    policy = start_page_policy(origins, app.settings.cors_origins)
    headers = CONFINED | {"Content-Security-Policy": policy, "Cache-Control": _ASK_AGAIN}
    return HTMLResponse(page_text("replay_start.html", archived_path=ARCHIVED_PATH, plain=plain), headers=headers)


@router.get(WORKER_PATH)
def worker(request: Request, app: Parts) -> Response:
    """Send the service worker, with the headers that it gives every response."""
    origins = _origins(request, app)
    policy = archived_page_policy(origins, app.settings.cors_origins)
    values = {
        "archivedPath": ARCHIVED_PATH,
        "headers": CONFINED | {"Content-Security-Policy": policy},
        "viewer": f"{origins.site}{REPLAY_PATH}",
        "wabac": f"{FRAME_PATH}{WABAC}",
    }
    script = f"const replay = {json.dumps(values)};\n{FILES['worker.js'].content.decode()}"
    headers = CONFINED | {"Content-Security-Policy": WORKER_POLICY, "Cache-Control": _ASK_AGAIN}
    return Response(script, media_type="text/javascript", headers=headers)


@router.get(ARCHIVED_PATH + "{address:path}")
def start_again(request: Request) -> Response:
    """Redirect a frame whose worker has stopped to the page that starts it."""
    written, query = written_address(request, ARCHIVED_PATH)
    found = _ARCHIVED.fullmatch(f"{written}?{query}" if query else written)
    if found is None or request.headers.get("sec-fetch-mode") != "navigate":
        raise HTTPException(404, "This URL is served by the replay worker, which is not running")
    asked = urlencode({"timestamp": found["timestamp"], "url": found["url"]})
    return RedirectResponse(f"{FRAME_PATH}?{asked}", 302, headers=CONFINED)


@router.get(FRAME_PATH + "{name:path}")
def send_file(name: str, request: Request) -> Response:
    """Send a file of replay; wabac.js as it was published."""
    asset = FILES.get(name)
    if asset is None or name == "worker.js":
        raise HTTPException(404, "There is no such file")
    headers = CONFINED | {
        "Content-Security-Policy": "default-src 'none'",
        "Cache-Control": _ASK_AGAIN,
        "ETag": f'W/"{asset.digest}"',
        "Vary": "Accept-Encoding",
    }
    return _send(asset, request, headers)


def _send(asset: StaticFile, request: Request, headers: dict[str, str]) -> Response:
    if asset.digest in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.compressed, media_type=asset.media_type, headers=headers | {"Content-Encoding": "gzip"})
    return Response(asset.content, media_type=asset.media_type, headers=headers)


def _origins(request: Request, app: App) -> SiteOrigins:
    origins = site_origins(request, app.settings)
    assert origins is not None, "ReplayHost lets no other request pass"
    return origins
