"""The site for replay checks, which runs in this process and shows captures in the viewer's frame."""

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import replace
from html import escape
from typing import Any
from urllib.parse import urlencode

from starlette.responses import HTMLResponse

from webstrata.app import App
from webstrata.model.captures import ArchivedCapture
from webstrata.model.replay.replay_address import Modifier, replay_path
from webstrata.replay.browser.site import PORT, REPLAY_HOST, SITE_HOST, ReplaySite
from webstrata.settings import Environment, Settings
from webstrata.site import create_site
from webstrata.web.viewer.replay_frame import can_replay
from webstrata.web.viewer.replay_host import ARCHIVED_PATH, FRAME_PATH
from webstrata.web.viewer.replay_policy import FRAME_SANDBOX

_FRAMING_PATH = "/check-replay"
_PAGE = '<!doctype html><title>Replay check</title><iframe src="{address}" sandbox="{sandbox}" {size}></iframe>'
_SIZE = 'width="1280" height="800"'

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]


def checked_site(app: App) -> ReplaySite:
    """Return the site for replay checks of an archive, with wabac.js, or with plain HTML if it is not installed."""
    site = create_site(replace(app, settings=_settings(app)))
    if not can_replay():
        return ReplaySite(site, _plain_path, None)

    async def framing(scope: _Message, receive: _Receive, send: _Send) -> None:
        is_frame = scope["path"] == _FRAMING_PATH and dict(scope["headers"]).get(b"host", b"").startswith(
            SITE_HOST.encode()
        )
        await (_frame(scope) if is_frame else site)(scope, receive, send)

    return ReplaySite(framing, _framing_path, ARCHIVED_PATH)


def _settings(app: App) -> Settings:
    """Return settings for the check: without rate limits and usage counts."""
    changed = {
        "env": Environment.DEVELOPMENT,
        "replay_host": None,
        "public_site_url": None,
        "rate_limiting_enabled": False,
        "usage_enabled": False,
        "hsts_enabled": False,
    }
    return app.settings.model_copy(update=changed)


def _framing_path(capture: ArchivedCapture) -> str:
    return f"{_FRAMING_PATH}?{urlencode({'timestamp': capture.timestamp, 'url': capture.url})}"


def _plain_path(capture: ArchivedCapture) -> str:
    return replay_path(capture.timestamp, capture.url, Modifier.MAIN)


def _frame(scope: _Message) -> HTMLResponse:
    """Return the page around the frame of a capture, like the page of a snapshot."""
    asked = scope["query_string"].decode("ascii", "replace")
    address = f"http://{REPLAY_HOST}:{PORT}{FRAME_PATH}?{asked}"
    return HTMLResponse(_PAGE.format(address=escape(address), sandbox=FRAME_SANDBOX, size=_SIZE))
