"""How a job is getting on: a live view on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from rich.console import Console, ConsoleOptions, RenderResult
from rich.filesize import decimal
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.progress_bar import ProgressBar
from rich.table import Column, Table
from rich.text import Text

from webstrata.crawl.tally import CrawlProgress
from webstrata.db.frontier import FrontierCounts
from webstrata.jobs.lifecycle import Watcher
from webstrata.logs import harmless
from webstrata.model.reports import CrawlReport
from webstrata.model.words import counted

LINE_EVERY = 5.0
HOSTS_SHOWN = 8
KINDS_SHOWN = 5

_LINES_BESIDE_HOSTS = 8
_WIDEST_BAR = 40
_NARROWEST_TABLE = 40


@contextmanager
def watching(label: str) -> Iterator[Watcher]:
    """Show a job's progress while it runs."""
    console = Console(stderr=True)
    if not sys.stderr.isatty() or console.is_dumb_terminal:
        yield line_watcher(label)
        return
    view = LiveView(label)
    with Live(view, console=console, transient=True):
        yield Watcher(view.crawled, view.indexed)


@dataclass(frozen=True)
class IndexWatcher:
    """Who hears how an index grows: of so many pages more, and how many bytes of how many are read."""

    indexed: Callable[[int], None]
    advanced: Callable[[int, int], None]


@contextmanager
def watching_index(job_id: int) -> Iterator[IndexWatcher]:
    """Show how an index grows while it does."""
    console = Console(stderr=True)
    if not sys.stderr.isatty() or console.is_dumb_terminal:
        yield index_lines(job_id)
        return
    columns = (
        TextColumn("indexing job {task.description}"),
        BarColumn(),
        TextColumn("{task.fields[pages]:,} snapshots"),
    )
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        task = progress.add_task(str(job_id), total=None, pages=0)

        def indexed(pages: int) -> None:
            progress.update(task, pages=progress.tasks[0].fields["pages"] + pages)

        yield IndexWatcher(indexed, lambda done, total: progress.update(task, completed=done, total=total))


def index_lines(job_id: int, clock: Callable[[], float] = time.monotonic) -> IndexWatcher:
    """Return who prints a plain line every few seconds."""
    last, pages = clock(), 0

    def indexed(more: int) -> None:
        nonlocal pages
        pages += more

    def advanced(done: int, total: int) -> None:
        nonlocal last
        if clock() - last >= LINE_EVERY:
            last = clock()
            part = f"{100 * done // total}% read, " if total else ""
            print(f"indexing job {job_id}: {part}{counted(pages, 'snapshot')}", file=sys.stderr, flush=True)

    return IndexWatcher(indexed, advanced)


class LiveView:
    """What a terminal shows of a job: how far it is, how fast, what waits, what failed, and the busiest hosts."""

    def __init__(self, label: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin before the first news."""
        self._label = harmless(label)
        self._clock = clock
        self._began = clock()
        self._progress = CrawlProgress(FrontierCounts(), CrawlReport())
        self._indexed = 0

    def crawled(self, progress: CrawlProgress) -> None:
        """Take news of the crawl."""
        self._progress = progress

    def indexed(self, pages: int) -> None:
        """Take news of the index: so many pages more."""
        self._indexed += pages

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the view, as large as the terminal has room for."""
        counts, report = self._progress.counts, self._progress.report
        elapsed = timedelta(seconds=int(self._clock() - self._began))
        yield _one_line(f"archiving {self._label}", "bold")
        yield _bar(counts, options.max_width)
        yield _one_line(f"{elapsed}  {_speed(report)}, {decimal(report.bytes)}")
        yield _one_line(_queue(counts))
        if report.errors:
            yield _one_line(f"errors: {kinds(report)}", "red")
        if self._indexed:
            yield _one_line(f"indexed {counted(self._indexed, 'snapshot')}")
        rows = min(HOSTS_SHOWN, console.size.height - _LINES_BESIDE_HOSTS)
        if report.hosts and rows > 0 and options.max_width >= _NARROWEST_TABLE:
            yield _hosts(report, rows)


def line_watcher(label: str, clock: Callable[[], float] = time.monotonic) -> Watcher:
    """Return who prints a plain line every few seconds."""
    last = clock()

    def crawled(progress: CrawlProgress) -> None:
        nonlocal last
        if clock() - last >= LINE_EVERY:
            last = clock()
            print(line(label, progress), file=sys.stderr, flush=True)

    return Watcher(crawled)


def line(label: str, progress: CrawlProgress) -> str:
    """Return how a crawl is getting on, in one line."""
    counts, report = progress.counts, progress.report
    parts = [
        f"archiving {harmless(label)}: {counts.finished:,} of {counted(counts.total, 'URL')}",
        f"{counts.error} failed",
        _queue(counts),
        _speed(report),
        decimal(report.bytes),
    ]
    return ", ".join(parts) + (f"; errors: {kinds(report)}" if report.errors else "")


def kinds(report: CrawlReport) -> str:
    """Return how often tries failed, the most frequent kinds first."""
    shown = [f"{count:,} {harmless(kind)}" for kind, count in list(report.errors.items())[:KINDS_SHOWN]]
    left = sum(report.errors.values()) - sum(list(report.errors.values())[:KINDS_SHOWN])
    return ", ".join([*shown, f"{left:,} of other kinds"] if left else shown)


def _queue(counts: FrontierCounts) -> str:
    return f"{counts.pending:,} waiting, {counts.in_progress:,} in progress"


def _speed(report: CrawlReport) -> str:
    return f"{report.rate:,.1f} responses a second"


def _one_line(words: str, style: str = "") -> Text:
    return Text(words, style=style, no_wrap=True, overflow="ellipsis")


def _bar(counts: FrontierCounts, width: int) -> Table:
    done = counts.finished + counts.error
    bar = ProgressBar(total=counts.total or None, completed=done, width=max(4, min(_WIDEST_BAR, width - 30)))
    row = Table.grid(padding=(0, 1))
    row.add_row(bar, _one_line(f"{done:,} of {counted(counts.total, 'URL')}"))
    return row


def _hosts(report: CrawlReport, rows: int) -> Table:
    table = Table(
        "host",
        Column("responses", justify="right", no_wrap=True),
        Column("size", justify="right", no_wrap=True),
        Column("errors", justify="right", no_wrap=True),
        box=None,
        pad_edge=False,
        header_style="dim",
    )
    for host, seen in list(report.hosts.items())[:rows]:
        table.add_row(_one_line(harmless(host)), f"{seen.responses:,}", decimal(seen.bytes), f"{seen.errors:,}")
    return table
