"""Progress of copying bytes: a bar on a terminal, a line every two seconds elsewhere."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from webstrata.storage.file_system import shown_bytes

_LINE_EVERY = 2.0


@contextmanager
def showing_bytes(label: str, interrupted: threading.Event) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback that shows (bytes done, bytes in total); it raises KeyboardInterrupt after an interruption."""
    console = Console(stderr=True)
    if not sys.stderr.isatty() or console.is_dumb_terminal:
        yield _lines(label, interrupted)
        return
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(label, total=None)

        def show(done: int, total: int) -> None:
            _refuse_to_go_on(interrupted)
            progress.update(task, completed=done, total=total)

        yield show


def _lines(label: str, interrupted: threading.Event) -> Callable[[int, int], None]:
    last = time.monotonic()

    def show(done: int, total: int) -> None:
        nonlocal last
        _refuse_to_go_on(interrupted)
        if time.monotonic() - last >= _LINE_EVERY:
            last = time.monotonic()
            print(f"{label}: {shown_bytes(done)} of {shown_bytes(total)}", file=sys.stderr, flush=True)

    return show


def _refuse_to_go_on(interrupted: threading.Event) -> None:
    if interrupted.is_set():
        raise KeyboardInterrupt
