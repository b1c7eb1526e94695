"""The demo site's one port: whoever starts the demo waits until no other test process does."""

import fcntl
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def demo_port() -> Iterator[None]:
    """A turn on the port, for the tests of one module."""
    with Path(tempfile.gettempdir(), "webstrata-demo-port.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
