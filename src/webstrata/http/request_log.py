"""Request log: every request gets an id, and one line in the log."""

import re
import uuid
from time import perf_counter

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = structlog.get_logger()

HEADER = "X-Request-Id"
_SAFE_ID = re.compile(r"[A-Za-z0-9._~+/=:@-]{1,128}")


class RequestLog:
    """Gives each request its id, in the response and on every log line, and logs its outcome."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on under its id."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = _request_id(Headers(scope=scope).get(HEADER))
        status = 0
        began = perf_counter()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self.app(scope, receive, send_with_id)
            finally:
                elapsed = round((perf_counter() - began) * 1000, 1)
                log.info("http.request", method=scope["method"], path=scope["path"], status=status, ms=elapsed)


def _request_id(given: str | None) -> str:
    """Return the client's request id if it contains only safe characters, else a new one."""
    return given if given is not None and _SAFE_ID.fullmatch(given) else str(uuid.uuid4())
