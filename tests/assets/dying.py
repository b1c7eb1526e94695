"""The stage with a plugin that takes the process down on one page, begun again until it ends well; tells how often."""

import json
import os
import signal
import sys
from pathlib import Path

from tests.assets.plugins import Counting
from webstrata.assets.plugin import CapturedContent
from webstrata.assets.registry import PluginRegistry
from webstrata.assets.stage import run_plugins
from webstrata.db.engine import Database
from webstrata.logs import configure_logging

_MORE_THAN_ENOUGH = 20


def die_on_the_deadly_page(content: CapturedContent) -> None:
    if content.url.endswith("/deadly"):
        os.kill(os.getpid(), signal.SIGKILL)


def run(url: str, archive_root: Path, job_id: int) -> None:
    registry = PluginRegistry([Counting(die_on_the_deadly_page)])
    run_plugins(job_id, database=Database(url), archive_root=archive_root, registry=registry)


def survives(url: str, archive_root: Path, job_id: int) -> bool:
    """Run the stage in a process of its own; tell whether it came to its end."""
    child = os.fork()
    if child == 0:
        run(url, archive_root, job_id)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


if __name__ == "__main__":
    configure_logging(level="ERROR")
    deaths = 0
    while deaths < _MORE_THAN_ENOUGH and not survives(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])):
        deaths += 1
    sys.stdout.write(json.dumps({"deaths": deaths}))
