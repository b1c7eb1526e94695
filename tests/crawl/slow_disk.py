"""The program on a disk that takes its time, so that a kill can find it between any two steps."""

import os
import sys
import time

from webstrata.cli.main import run

SECONDS = 0.03

really_sync = os.fdatasync


def slow_sync(descriptor: int) -> None:
    """Take a while before and after: killed before, bytes are there that nobody synced; after, that nobody recorded."""
    time.sleep(SECONDS)
    really_sync(descriptor)
    time.sleep(SECONDS)


os.fdatasync = slow_sync  # type: ignore[assignment]

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
