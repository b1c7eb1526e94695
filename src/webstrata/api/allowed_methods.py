"""What an address takes, for those who asked something else of it."""

from collections.abc import Iterator

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


class AllowedMethods:
    """Lists the methods of all routes of an address in every 405; the router names only the first
    route's, and no HEAD.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and complete the `Allow` header of a refusal of its method."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def completed(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 405:
                MutableHeaders(scope=message)["Allow"] = ", ".join(_allowed(scope))
            await send(message)

        await self.app(scope, receive, completed)


def _allowed(scope: Scope) -> Iterator[str]:
    app, path, root = scope["app"], scope["path"], scope.get("root_path", "")
    assert isinstance(app, Starlette)
    for method in _METHODS:
        asked = {"type": "http", "method": method, "path": path, "root_path": root}
        if any(route.matches(asked)[0] is Match.FULL for route in app.routes):
            yield method
            if method == "GET":
                yield "HEAD"
