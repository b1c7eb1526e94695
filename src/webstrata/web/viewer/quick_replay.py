"""Archived files at `/web/<14 digits>id_/<url>`, served before the router; everything unusual is passed on to it.

On SQLite, looking up and reading a small record takes less time than passing the work to a thread; on PostgreSQL it
runs in a thread, because it waits for the server.
"""

import re
from dataclasses import dataclass

from anyio import to_thread
from fastapi import Request
from fastapi.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from webstrata.app import App
from webstrata.errors import UsageError
from webstrata.http.archived_responses import EXACTLY, encodings_of, refusal_to_run, send_replay
from webstrata.model.replay.replay_address import REPLAY_PATH, Modifier, archived_url
from webstrata.model.timestamps import http_date, latest_moment
from webstrata.replay.quick import QuickArchive
from webstrata.replay.responses import replay
from webstrata.web.wayback import memento_links

_EXACT = re.compile(rb"%s([0-9]{14})id_/(.+)" % REPLAY_PATH.encode(), re.DOTALL)


@dataclass(frozen=True)
class _Route:
    """The route under which metrics count these requests: the router's own."""

    path: str = f"{REPLAY_PATH}{{address:path}}"


_ROUTE = _Route()


class QuickReplay:
    """Middleware that serves archived files from the fast path."""

    def __init__(self, app: ASGIApp, parts: App) -> None:
        """Wrap an application."""
        self.app = app
        self._parts = parts
        self._archive = QuickArchive(parts.database, parts.archive_root)
        self._is_waiting = not parts.database.is_sqlite

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve an archived file, or pass the request on."""
        is_asked = scope["type"] == "http" and scope["method"] == "GET" and scope["path"].startswith(REPLAY_PATH)
        found = _EXACT.fullmatch((scope.get("raw_path") or b"").partition(b"?")[0]) if is_asked else None
        response = None
        if found is not None and self._is_waiting:
            response = await to_thread.run_sync(self._respond, scope, found)
        elif found is not None:
            response = self._respond(scope, found)
        await (self.app if response is None else response)(scope, receive, send)

    def _respond(self, scope: Scope, found: re.Match[bytes]) -> Response | None:
        request = Request(scope)
        if refusal_to_run(request) is not None:
            return None
        try:
            written = found[2] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
            url = archived_url(written.decode("utf-8", "replace"))
        except UsageError:
            return None
        digits = found[1].decode()
        capture = self._archive.find(url, latest_moment(digits))
        if capture is None or capture.capture.timestamp != digits:
            return None
        scope["route"] = _ROUTE
        headers = {
            "Memento-Datetime": http_date(capture.capture.captured_at),
            "Link": memento_links(request, self._parts, capture, url),
        }
        return send_replay(request, replay(capture, Modifier.IDENTITY, encodings_of(request)), headers, EXACTLY)
