"""HEAD wherever GET works."""

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

IS_HEAD = "webstrata.is_head"
"""What a scope has that was a HEAD: a route may leave out work that only the body needs."""


class HeadAsGet:
    """Responds to HEAD as to GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; of the response to a HEAD only the head is sent."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        # Cancelled once the head is out: a live view would else go on for as long as there is something to see.
        with anyio.CancelScope() as answering:

            async def without_body(message: Message) -> None:
                if message["type"] != "http.response.body":
                    await send(message)
                elif not answering.cancel_called:
                    await send({"type": "http.response.body", "body": b""})
                    answering.cancel()

            await self.app({**scope, "method": "GET", IS_HEAD: True}, receive, without_body)
