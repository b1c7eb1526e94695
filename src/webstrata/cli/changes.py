"""`changes` and `compute-changes`: what changed between captures, listed and computed."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson, OfSource
from webstrata.cli.start import INTERRUPTED, interruptible, note, print_json, started
from webstrata.errors import ConflictError
from webstrata.model.list_totals import MOST_COUNTED, is_capped
from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.changes.stage import ChangeCounts, ChangeTracking
    from webstrata.db.changes.change_lists import EventView, TemplateChangeView
    from webstrata.model.jobs.registry import SourceView

verbs = typer.Typer()


@command(verbs, "changes", example="webstrata changes --source example-org --min-significance 0.3")
def list_changes(
    source: OfSource = None,
    min_significance: Annotated[
        float,
        typer.Option("--min-significance", min=0, max=1, help="Only changes of at least this significance (0 to 1)."),
    ] = 0.0,
    review: Annotated[
        Literal["reviewed", "important", "noise", "unreviewed"] | None,
        typer.Option("--review", help="Only changes with this mark; unreviewed: without a mark.", show_default=False),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="Maximum number of changes.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the changes between captures, newest first.

    The significance of a change is between 0 and 1; changes from about 0.3 are worth reading.
    """
    from webstrata.db.changes import change_lists
    from webstrata.db.changes.change_lists import EventFilter
    from webstrata.model.notifications.values import ReviewFilter

    mark = None if review is None else ReviewFilter(review)
    filters = EventFilter(source=source, min_significance=min_significance, review=mark)
    with started(quiet=True) as app:
        _check_enabled(app)
        _sources(app, source)
        with app.database.read() as session:
            total = change_lists.count_events(session, filters)
            events = change_lists.list_events(session, filters, limit=limit)
            templates = change_lists.list_template_changes(session, filters)
    if as_json:
        print_json(
            {
                "total": total,
                "total_capped": is_capped(total),
                "results": [dataclasses.asdict(event) for event in events],
                "template_changes": [dataclasses.asdict(change) for change in templates],
            }
        )
    else:
        _print_events(events, total, templates, is_narrowed=bool(source or min_significance or review))


@command(verbs, "compute-changes", example="webstrata compute-changes --backfill --since-days 90")
def compute_changes(
    source: OfSource = None,
    max_events: Annotated[int, typer.Option("--max-events", min=1, help="Maximum number of events to compute.")] = 200,
    since_days: Annotated[
        int, typer.Option("--since-days", min=1, max=36_500, help="With --backfill: only captures of the last N days.")
    ] = 30,
    backfill: Annotated[
        bool,
        typer.Option("--backfill", help="Also compute events of older captures that have none, without notifications."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show how many events would be computed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compute the change events that are still missing; a worker does the same after indexing."""
    since = datetime.now(UTC) - timedelta(days=since_days)
    with started(quiet=True) as app:
        _check_enabled(app)
        sources = _sources(app, source)
        if dry_run:
            _print_waiting({one.code: _waiting(app, one.id, since, backfill=backfill) for one in sources}, as_json)
            return
        counts, was_stopped = _compute(app, sources, max_events, since if backfill else None)
        left = sum(_waiting(app, one.id, since, backfill=False) for one in sources)
    _print_computed(counts, left, as_json)
    if was_stopped:
        raise typer.Exit(INTERRUPTED)


def change_tracking(app: "App", computed_by: str) -> "ChangeTracking":
    """Return the change tracking of an archive."""
    from webstrata.changes.site.reporting import SiteReporting
    from webstrata.changes.stage import ChangeTracking
    from webstrata.index.version import INDEX_VERSION
    from webstrata.jobs.watching.search_matching import SearchMatching

    return ChangeTracking(
        app.database,
        app.archive_root,
        INDEX_VERSION,
        computed_by=computed_by,
        site_reporting=SiteReporting(app.database, app.archive_root, app.site_comparison().defaults),
        match_searches=SearchMatching(app.database).match,
    )


def _compute(
    app: "App", sources: Sequence["SourceView"], max_events: int, backfill_since: datetime | None
) -> tuple["ChangeCounts", bool]:
    from webstrata.changes.stage import ChangeCounts
    from webstrata.db.changes import changes

    tracking, total = change_tracking(app, "compute-changes"), ChangeCounts()
    with interruptible() as stopping:
        for source in sources:
            if total.total >= max_events or stopping.is_set():
                break
            if backfill_since is not None:
                with app.database.write() as session:
                    changes.add_missing(session, source.id, backfill_since)
            found = tracking.compute(source.id, max_events=max_events - total.total, stopping=stopping)
            total.by_type.update(found.by_type)
            total.template_changes += found.template_changes
        was_stopped = stopping.is_set()
    note(app, "changes.compute", "archive", events=total.total, backfill=backfill_since is not None)
    return total, was_stopped


def _page(event: "EventView") -> str:
    """Return the name of the page that changed: its URL without scheme, as http and https are the same page."""
    return event.normalized_url_group.removeprefix("https://")


def _check_enabled(app: "App") -> None:
    if not app.settings.change_tracking_enabled:
        raise ConflictError("change tracking is switched off (WEBSTRATA_CHANGE_TRACKING_ENABLED=true switches it on)")


def _sources(app: "App", code: str | None) -> list["SourceView"]:
    """Return the source with a code, or all; NotFoundError for an unknown source."""
    from webstrata.db.sources.sources import list_sources, source_view

    with app.database.read() as session:
        return list_sources(session) if code is None else [source_view(session, code)]


def _waiting(app: "App", source_id: int, since: datetime, *, backfill: bool) -> int:
    from webstrata.db.changes import changes

    with app.database.read() as session:
        missing = changes.missing_count(session, source_id, since) if backfill else 0
        return changes.pending_count(session, source_id) + missing


def _print_waiting(waiting: dict[str, int], as_json: bool) -> None:
    total = sum(waiting.values())
    if as_json:
        print_json({"dry_run": True, "waiting": total, "sources": waiting})
        return
    for code, count in waiting.items():
        if count:
            print(f"{code}: {counted(count, 'capture')}")
    print(f"the events of {counted(total, 'capture')} would be computed")


def _print_computed(counts: "ChangeCounts", left: int, as_json: bool) -> None:
    kinds: Counter[str] = counts.by_type
    if as_json:
        shown = {"events": counts.total, "by_type": dict(kinds), "template_changes": counts.template_changes}
        print_json({"dry_run": False, **shown, "waiting": left})
        return
    words = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in sorted(kinds.items()))
    print(f"computed {counted(counts.total, 'event')}{f': {words}' if words else ''}")
    if left:
        print(f"{counted(left, 'event')} still missing: run the same command again, or with a larger --max-events")
    elif not counts.total:
        print("No event is missing; --backfill also computes the events of older captures.")
    if counts.template_changes:
        print(f"{counted(counts.template_changes, 'template change')} found")


def _print_events(
    events: list["EventView"], total: int, templates: list["TemplateChangeView"], *, is_narrowed: bool
) -> None:
    console = Console()
    if not total and not templates:
        more = "webstrata changes lists all." if is_narrowed else "They appear once a site is archived a second time."
        console.print(f"No changes found. {more}")
        return
    changes = f"more than {counted(MOST_COUNTED, 'change')}" if is_capped(total) else counted(total, "change")
    console.print(f"{changes} found" + (f", the first {len(events)}:" if len(events) < total else ":"))
    for change in templates:
        console.print(Text(f"{change.source_code}: {change.summary} ({counted(change.pages, 'page')})"))
    for event in events:
        console.print()
        console.print(Text(event.title or event.normalized_url_group, style="bold"))
        sentence = event.summary or event.change_type.value.replace("_", " ")
        weight = f"{event.significance:.2f}  " if event.change_type == "updated" else ""
        console.print(Text(f"{weight}{sentence}"))
        for reason in sorted(event.reasons, key=lambda reason: -reason.weight)[:3]:
            console.print(Text(f"  ± {reason.text}"))
        pair = f"snapshots {event.from_snapshot_id} and {event.to_snapshot_id}"
        place = pair if event.from_snapshot_id else f"snapshot {event.to_snapshot_id}"
        console.print(Text(f"{event.to_captured_at:%Y-%m-%d %H:%M} UTC  {_page(event)}  ({place})", style="dim"))
