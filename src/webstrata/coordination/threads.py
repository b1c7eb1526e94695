"""Blocking work in threads, beside the event loop."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


async def in_thread(work: Callable[_Given, _Result], *given: _Given.args, **named: _Given.kwargs) -> _Result:
    """Run a blocking function in a thread; when cancelled, wait for its end, as a thread cannot be stopped.

    Otherwise the thread might write to a closed file, or hold a lock that is never released.
    """
    working = asyncio.ensure_future(asyncio.to_thread(work, *given, **named))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.gather(working, return_exceptions=True)
        raise
