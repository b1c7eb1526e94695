"""A rebuild that dies as soon as it says that a second job is begun, or that pages are indexed."""

import os
import signal
import sys
from pathlib import Path

from webstrata.db.engine import Database
from webstrata.jobs.folders.rebuild import Rebuild, RebuildCallbacks

if __name__ == "__main__":
    url, root, when = sys.argv[1:]

    def die(*news: object) -> None:
        if when == "indexed" or news[1] == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    Rebuild(Database(url), Path(root), watcher=RebuildCallbacks(**{when: die})).run()
