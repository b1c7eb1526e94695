"""Middleware that lets requests trigger retention passes after their responses are sent."""

import asyncio

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from webstrata.retention.trigger import RetentionTrigger


class RetentionAfterResponse:
    """Runs a pass in a thread after the responses of randomly chosen requests, so that no request waits for it."""

    def __init__(self, app: ASGIApp, trigger: RetentionTrigger) -> None:
        """Wrap an application."""
        self.app = app
        self._trigger = trigger
        self._running: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; begin a pass once it is over."""
        await self.app(scope, receive, send)
        if scope["type"] == "http" and self._trigger.is_drawn(scope["path"]):
            # The event loop only has a weak reference to a task.
            task = asyncio.create_task(run_in_threadpool(self._trigger.run))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
