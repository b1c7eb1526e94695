"""Progress of a job: a live view on a terminal, regular lines elsewhere."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, ConsoleOptions, RenderResult
from rich.filesize import decimal
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Column, Table
from rich.text import Text

from webstrata.cli.jobs.job_state import JobState
from webstrata.db.queue.frontier import FrontierCounts
from webstrata.jobs.running.lifecycle import JobCallbacks
from webstrata.logs import harmless
from webstrata.model.crawl.run_reports import CrawlReport
from webstrata.model.jobs.estimates import Stage
from webstrata.model.words import counted

FIRST_LINE_AFTER = 1.0
LINE_EVERY = 2.0
"""The longest time without a line, in every stage."""

_JOIN_SECONDS = 1.0

HOSTS_SHOWN = 8
KINDS_SHOWN = 5

_LINES_BESIDE_HOSTS = 8
_WIDEST_BAR = 40
_NARROWEST_TABLE = 40


@contextmanager
def watching(label: str) -> Iterator[JobCallbacks]:
    """Show the progress of all stages of a job while it runs."""
    with _showing(JobState(f"archiving {harmless(label)}")) as watcher:
        yield watcher


@contextmanager
def watching_index(job_id: int) -> Iterator[JobCallbacks]:
    """Show the progress of a job's index while it grows."""
    with _showing(JobState(f"indexing job {job_id}", Stage.INDEX)) as watcher:
        yield watcher


@contextmanager
def _showing(state: JobState) -> Iterator[JobCallbacks]:
    console = Console(stderr=True)
    if not sys.stderr.isatty() or console.is_dumb_terminal:
        with printing_lines(state):
            yield state.watcher
        return
    with Live(LiveView(state), console=console, transient=True):
        yield state.watcher


@contextmanager
def printing_lines(state: JobState, first_after: float = FIRST_LINE_AFTER, every: float = LINE_EVERY) -> Iterator[None]:
    """Print a plain line every two seconds, in every stage of the job."""
    over = threading.Event()

    def print_lines() -> None:
        wait = first_after
        while not over.wait(wait):
            print(line(state), file=sys.stderr, flush=True)
            wait = every

    printing = threading.Thread(target=print_lines, name="progress-lines", daemon=True)
    try:
        # Inside the `try`, so that an interrupt at any moment ends the thread; the program must not wait for it at
        # exit.
        printing.start()
        yield
    finally:
        over.set()
        if printing.ident is not None:
            # An interrupt during the start of a thread may leave its lock acquired, so it is a daemon, and the wait is
            # limited.
            printing.join(_JOIN_SECONDS)


class LiveView:
    """The live view of a job on a terminal: progress, rate, pending and failed URLs, and the busiest hosts."""

    def __init__(self, state: JobState) -> None:
        """Prepare the view; it shows the state of the job at each refresh."""
        self._state = state

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the view, as large as fits on the terminal."""
        state = self._state
        counts, report = state.crawl.counts, state.crawl.report
        yield _one_line(state.title, "bold")
        yield _bar(state, options.max_width)
        if not counts.total:
            yield _one_line(str(state.elapsed))
            return
        yield _one_line(f"{state.elapsed}  {_speed(report)}, {decimal(report.bytes)}")
        yield _one_line(_queue(counts))
        if report.errors:
            yield _one_line(f"errors: {kinds(report)}", "red")
        if state.snapshots:
            yield _one_line(f"indexed {counted(state.snapshots, 'snapshot')}")
        rows = min(HOSTS_SHOWN, console.size.height - _LINES_BESIDE_HOSTS)
        if report.hosts and rows > 0 and options.max_width >= _NARROWEST_TABLE:
            yield _hosts(report, rows)


def line(state: JobState) -> str:
    """Return the progress of a job in one line."""
    counts, report = state.crawl.counts, state.crawl.report
    parts = [f"{state.title}: {state.words}"]
    if state.is_crawling and counts.total:
        parts += [f"{counts.error} failed", _queue(counts), _speed(report), decimal(report.bytes)]
    errors = f"; errors: {kinds(report)}" if state.is_crawling and report.errors else ""
    return ", ".join(parts) + errors


def kinds(report: CrawlReport) -> str:
    """Return the numbers of failed requests by kind, the most frequent first."""
    shown = [f"{count:,} {harmless(kind)}" for kind, count in list(report.errors.items())[:KINDS_SHOWN]]
    left = sum(report.errors.values()) - sum(list(report.errors.values())[:KINDS_SHOWN])
    return ", ".join([*shown, f"{left:,} of other kinds"] if left else shown)


def _queue(counts: FrontierCounts) -> str:
    return f"{counts.pending:,} waiting, {counts.in_progress:,} in progress"


def _speed(report: CrawlReport) -> str:
    return f"{report.rate:,.1f} responses a second"


def _one_line(words: str, style: str = "") -> Text:
    return Text(words, style=style, no_wrap=True, overflow="ellipsis")


def _bar(state: JobState, width: int) -> Table:
    words = state.words
    bar = ProgressBar(
        total=None if state.share is None else 1.0,
        completed=state.share or 0.0,
        width=max(4, min(_WIDEST_BAR, width - len(words) - 1)),
    )
    row = Table.grid(padding=(0, 1))
    row.add_row(bar, _one_line(words))
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
