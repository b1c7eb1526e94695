"""A crawl in a process of its own, which reports its peak of memory, in bytes beyond those at its beginning."""

import resource
import sys
from pathlib import Path

from tests.crawl.runs import new_archive
from webstrata.db.engine import Database
from webstrata.db.migrate import make_ready


def peak_bytes() -> int:
    """Return how much memory this process had at most so far."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    folder, seed, max_body_bytes, max_buffered_bytes = sys.argv[1:]
    root = Path(folder)
    database = Database(f"sqlite:///{root / 'webstrata.db'}")
    make_ready(database)
    archive = new_archive(database, root)
    before = peak_bytes()
    end = archive.crawl(
        seed,
        concurrency=16,
        fetch_timeout=600,
        max_body_bytes=int(max_body_bytes),
        max_buffered_bytes=int(max_buffered_bytes),
    )
    sys.stdout.write(f"{end.counts.finished} {peak_bytes() - before}\n")
