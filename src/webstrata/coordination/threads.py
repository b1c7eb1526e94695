"""Blocking work beside the event loop."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


async def in_thread(work: Callable[_Given, _Result], *given: _Given.args, **named: _Given.kwargs) -> _Result:
    """Do something that blocks; when cancelled, wait for its end all the same, as a thread cannot be called off.

    Left behind, it would go on writing to a file that is closed by then, or hold what nobody gives back.
    """
    working = asyncio.ensure_future(asyncio.to_thread(work, *given, **named))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.gather(working, return_exceptions=True)
        raise
