"""Bring what a make target needs: `python3 -m tools.setup runtime|dev|test`."""

import argparse
import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tools import assets, environment, replay_assets, system_packages, wheelhouse
from tools.console import CACHE, SetupError, warn


def main() -> None:
    """Set up one level; each includes the one before."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.setup", description=__doc__)
    parser.add_argument("level", choices=("runtime", "dev", "test"))
    level = parser.parse_args().level
    try:
        with _one_at_a_time():
            _set_up(level)
    except SetupError as error:
        sys.exit(error.full)
    except KeyboardInterrupt:
        sys.exit("Interrupted; the next run goes on from here.")


def _set_up(level: str) -> None:
    if level == "test":
        environment.ensure("dev")
        assets.ensure()
        replay_assets.ensure()
        system_packages.require(system_packages.REDIS, system_packages.BROWSER)
        wheelhouse.ensure()
        return
    environment.ensure(level)
    try:
        assets.ensure()
    except SetupError as error:
        warn(f"{error} The web pages work without it, only less smoothly.")
    try:
        replay_assets.ensure()
    except SetupError as error:
        warn(f"{error} Archived pages are shown without it, but as plain HTML.")


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Keep a second set-up waiting: two pips in one environment break it."""
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "setup.lock").open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    main()
