"""How a job is getting on: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from webstrata.db.frontier import FrontierCounts
from webstrata.jobs.lifecycle import Watcher

_LINE_EVERY = 10.0


@contextmanager
def watching(label: str) -> Iterator[Watcher]:
    """Show a job's progress while it runs."""
    if not sys.stderr.isatty():
        yield _line_watcher(label)
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _bar_watcher(bar, label)


def _bar_watcher(bar: Progress, label: str) -> Watcher:
    crawling = bar.add_task(f"archiving {label}", total=None, note="")
    indexing = bar.add_task("indexing", total=None, note="pages", visible=False)

    def crawled(counts: FrontierCounts) -> None:
        note = f"{counts.error} failed" if counts.error else ""
        bar.update(crawling, completed=counts.finished + counts.error, total=counts.total, note=note)

    def indexed(pages: int) -> None:
        bar.update(indexing, advance=pages, visible=True)

    return Watcher(crawled, indexed)


def _line_watcher(label: str) -> Watcher:
    last = time.monotonic()

    def crawled(counts: FrontierCounts) -> None:
        nonlocal last
        if time.monotonic() - last >= _LINE_EVERY:
            last = time.monotonic()
            print(
                f"archiving {label}: {counts.finished} of {counts.total} URLs, {counts.error} failed",
                file=sys.stderr,
                flush=True,
            )

    return Watcher(crawled)
