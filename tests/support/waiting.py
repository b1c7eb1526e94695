"""Waiting for something to become true, with a deadline instead of a sleep."""

import time
from collections.abc import Callable

POLL_SECONDS = 0.02


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 30) -> None:
    """Return once the condition holds; fail, saying what did not happen, when the deadline passes first."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:g} s: {what}")
        time.sleep(POLL_SECONDS)
