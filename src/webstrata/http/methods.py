"""Methods of requests: HEAD wherever GET works, and 405 with the methods that an address allows."""

from collections.abc import Iterator

import anyio
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

IS_HEAD = "webstrata.is_head"
"""The key in the scope of a HEAD request: routes may skip work that only the body needs."""

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


class HeadAsGet:
    """Responds to HEAD as to GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; for HEAD, send only the head of the response."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        # Cancelled after the head is sent; otherwise a live view would continue until its job ends.
        with anyio.CancelScope() as responding:

            async def without_body(message: Message) -> None:
                if message["type"] != "http.response.body":
                    await send(message)
                elif not responding.cancel_called:
                    await send({"type": "http.response.body", "body": b""})
                    responding.cancel()

            await self.app({**scope, "method": "GET", IS_HEAD: True}, receive, without_body)


class AllowedMethods:
    """Lists the methods of all routes of an address in every 405; the router names only the first route's, and no
    HEAD."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and complete the `Allow` header of a refusal of its method."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_allow(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 405:
                MutableHeaders(scope=message)["Allow"] = ", ".join(_allowed(scope))
            await send(message)

        await self.app(scope, receive, send_with_allow)


def _allowed(scope: Scope) -> Iterator[str]:
    app, path, root = scope["app"], scope["path"], scope.get("root_path", "")
    assert isinstance(app, Starlette)
    for method in _METHODS:
        asked = {"type": "http", "method": method, "path": path, "root_path": root}
        if any(route.matches(asked)[0] is Match.FULL for route in app.routes):
            yield method
            if method == "GET":
                yield "HEAD"
