"""Output about sources on a terminal: the list, messages after a change, and the next run."""

import dataclasses
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO

from rich.table import Column, Table
from rich.text import Text

if TYPE_CHECKING:
    from webstrata.jobs.sources.registry import Added, MadeJob
    from webstrata.model.jobs.registry import SourceView


def print_made(made: "MadeJob", as_json: bool) -> None:
    """Report a job that was queued."""
    if as_json:
        print(json.dumps(dataclasses.asdict(made), indent=2))
        return
    print(f"job {made.id} ({made.name}) is queued; its files go to {made.output_dir}")
    if made.beside:
        others = ", ".join(map(str, made.beside))
        print(f"also unfinished: job {others} of {made.source}; see webstrata list-jobs --source {made.source}")
    print("next: a worker runs it (webstrata worker --once, or webstrata serve)")


def print_added(done: "Added", as_json: bool) -> None:
    """Print the added sources; as JSON for scripts, with warnings on standard error."""
    if as_json:
        print(json.dumps({"added": done.added, "kept": done.kept}, indent=2))
    elif done.added:
        print(f"added {', '.join(done.added)}; next: webstrata sources run {done.added[0]}, or webstrata sources")
    if done.kept and not as_json:
        print(f"already there, left unchanged: {', '.join(done.kept)}")
    for overlap in done.overlaps:
        print_overlap(overlap.code, overlap.others, sys.stderr if as_json else sys.stdout)


def print_overlap(code: str, others: "Sequence[str]", file: TextIO | None = None) -> None:
    """Name the other sources on a new source's domain, if there are any."""
    if others:
        message = (
            f"note: {code} shares a domain with {', '.join(others)}: a page in the scope of both is captured for each"
        )
        print(message, file=file)


def shown_source(source: "SourceView") -> dict[str, object]:
    """Return all details of a source except secrets."""
    from webstrata.logs import without_secrets

    return {
        name: without_secrets(value) if isinstance(value, dict) else value
        for name, value in dataclasses.asdict(source).items()
    }


def source_table(found: "Sequence[SourceView]", now: datetime) -> Table:
    """Return the list of sources as a table."""
    from webstrata.logs import harmless

    table = Table(
        Column("code", no_wrap=True),
        "name",
        "schedule",
        "next run",
        "last job",
        Column("snapshots", justify="right"),
        box=None,
        pad_edge=False,
    )
    for source in found:
        job = source.last_job
        table.add_row(
            Text(source.code),
            Text(harmless(source.name)),
            Text(source.schedule or "–"),
            Text(harmless(_next_run(source, now))),
            Text(f"{job.id} {job.status}" if job else "–"),
            str(source.snapshots),
        )
    return table


def _next_run(source: "SourceView", now: datetime) -> str:
    if not source.enabled:
        return "disabled"
    if source.schedule_paused:
        return "paused"
    if source.next_run_at is None:
        return "–"
    if source.schedule_error:
        return f"due, but {source.schedule_error}"
    return f"{_in_words(source.next_run_at, now)} ({source.next_run_at:%Y-%m-%d %H:%M} UTC)"


def next_words(first: datetime | None) -> str:
    """Return when a source runs next, in words."""
    if first is None:
        return "it has no schedule"
    return f"its next run is {_in_words(first, datetime.now(UTC))} ({first:%Y-%m-%d %H:%M} UTC)"


def _in_words(moment: datetime, now: datetime) -> str:
    """Return the time until a moment, in words."""
    seconds = (moment - now).total_seconds()
    if seconds < 60:
        return "due now"
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            count = round(seconds / size)
            return f"in {count} {unit}{'' if count == 1 else 's'}"
    return "due now"
