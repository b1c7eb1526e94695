"""What other processes do with shared buckets; little is loaded here, so that they begin soon."""

import os
import time
from collections import Counter
from contextlib import closing
from multiprocessing.synchronize import Event
from pathlib import Path

from tests.support.waiting import wait_until
from webstrata.http.limits.rate_limits import RequestKind
from webstrata.http.limits.shared_rate_limits import SharedBuckets

ONE_ROW = 8
EVERYBODY = ("a", "b", "c", "d", "e")
LIMIT = 200
PROCESSES = 3


def stopped_clock() -> float:
    """Tell the same time to all processes: no bucket fills while they take from it."""
    return 1000.0


def taken_at_once(table: Path) -> Counter[str]:
    """Ask for each client as often as the limit allows, and return what each was given."""
    granted: Counter[str] = Counter()
    _meet(table.parent)
    with closing(SharedBuckets(table, ONE_ROW, stopped_clock)) as buckets:
        for _ in range(LIMIT):
            granted.update(client for client in EVERYBODY if buckets.take(RequestKind.SEARCH, client, LIMIT) == 0.0)
    return granted


def _meet(folder: Path) -> None:
    """Wait until all processes are there, so that none has finished before another begins."""
    (folder / f"here-{os.getpid()}").touch()
    wait_until(lambda: len(list(folder.glob("here-*"))) == PROCESSES, "all processes are there")


def hold_the_lock_for_ever(table: Path, holds: Event) -> None:
    """Ask for a token and never get to take it."""

    def told() -> float:
        """Stand still where the time is asked for: between reading and writing."""
        holds.set()
        while True:
            time.sleep(60)

    SharedBuckets(table, ONE_ROW, told).take(RequestKind.LOGINS, "a", 10)
