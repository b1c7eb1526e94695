"""`sources`, `seed-sources`, `create-job`: whose pages are kept, when they are due, and a job of them now."""

import dataclasses
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from webstrata.cli.start import print_json, started

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.jobs.registry import Added, MadeJob
    from webstrata.jobs.source_orders import SourceOrders
    from webstrata.model.registry import SourceView

verbs = typer.Typer()
sources = typer.Typer(help="List the sources, add and change them, and say when each is archived.")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
Code = Annotated[str, typer.Argument(metavar="CODE", help="The source's short name.", show_default=False)]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="A crawl knob or tool option, such as max_pages=500."),
]
MoreSeeds = Annotated[list[str] | None, typer.Option("--seed", metavar="URL", help="One more address to begin with.")]


@verbs.command("seed-sources")
def seed_sources(as_json: AsJson = False) -> None:
    """Add the baseline sources (hc, phac, cihr); what is there already stays as it is."""
    from webstrata.jobs import registry

    with started(quiet=True) as app:
        done = registry.seed_sources(app.database, datetime.now(UTC))
        _changed(app)
    _print_added(done, as_json)


@verbs.command("create-job")
def create_job(
    source: Annotated[str, typer.Option("--source", metavar="CODE", help="Which source.", show_default=False)],
    seeds: MoreSeeds = None,
    options: Options = None,
    as_json: AsJson = False,
) -> None:
    """Queue a job of a source, made from its entry in the registry."""
    _print_made(_made(source, seeds or [], options or []), as_json)


@verbs.command("regroup")
def regroup(
    source: Annotated[str | None, typer.Option("--source", metavar="CODE", help="Only this source.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what would move, and change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Give captures the names of the pages they belong to now: after a change of page parameters, or an upgrade.

    Without --source, all sources that need it. Killed halfway, the same command goes on.
    """
    from webstrata.jobs.regrouping import regroup as regroup_sources

    with started(quiet=True) as app, Console(stderr=True).status("looking") as status:
        reports = regroup_sources(
            app.database,
            source,
            dry_run=dry_run,
            progress=lambda code, seen: status.update(f"{code}: {seen} snapshots looked at"),
        )
        if not dry_run:
            _changed(app)
    if as_json:
        print(json.dumps([dataclasses.asdict(report) for report in reports], indent=2))
        return
    verb = "would move" if dry_run else "moved"
    for report in reports:
        print(f"{report.source}: {report.moved} of {report.snapshots} snapshots {verb} to another page")
    if not reports:
        print("No source needs it.")


@sources.callback(invoke_without_command=True)
def list_all(context: typer.Context, as_json: AsJson = False) -> None:
    """List the sources: schedule, next run, last job, how much there is."""
    from webstrata.db.sources import list_sources

    if context.invoked_subcommand is not None:
        return
    with started(quiet=True) as app, app.database.read() as session:
        found = list_sources(session)
    if as_json:
        print_json([_shown(source) for source in found])
    elif found:
        Console().print(_table(found, datetime.now(UTC)))
        if stale := [source.code for source in found if source.needs_regrouping]:
            print(f"pages are not named as they should be: {', '.join(stale)}; webstrata regroup")
    else:
        print(
            "No sources yet. Add one: webstrata sources add example https://example.org/ --schedule 7d;"
            " or the baseline ones: webstrata seed-sources"
        )


@sources.command("show")
def show(code: Code, as_json: AsJson = False) -> None:
    """Show everything about one source, and what its jobs are made from."""
    from webstrata.db.sources import registry_entry, source_view
    from webstrata.logs import harmless, without_secrets

    with started(quiet=True) as app, app.database.read() as session:
        source = source_view(session, code)
        # An entry that was not written down is what the next job would be made from.
        entry = source.job_config or registry_entry(session, code).to_json()
    values = {**_shown(source), "job_config": without_secrets(entry)}
    if as_json:
        print_json(values)
        return
    for name, value in values.items():
        if value is not None:
            shown = json.dumps(value, default=str) if isinstance(value, dict | list | tuple) else harmless(str(value))
            print(f"{name:>18}  {shown}")


@sources.command("add")
def add(
    code: Code,
    urls: Annotated[list[str], typer.Argument(metavar="URL...", help="Where its jobs begin.", show_default=False)],
    name: Annotated[str | None, typer.Option(help="What people call it; else its host.")] = None,
    schedule: Annotated[str | None, typer.Option(help='When it is archived: 6h, 7d, monthly, "0 3 * * 1".')] = None,
    description: Annotated[str | None, typer.Option(help="What it is.")] = None,
    options: Options = None,
) -> None:
    """Add a source."""
    from webstrata.db.sources import NewSource
    from webstrata.jobs.registry import add_source
    from webstrata.model.registry import SourceJobConfig, seeds_of
    from webstrata.model.tool_options import TOOL_OPTIONS
    from webstrata.model.urls import host_of

    seeds, given = seeds_of(urls), _overrides(options or [])
    entry = dataclasses.replace(
        SourceJobConfig.plain(code, seeds),
        schedule_hint=schedule,
        default_tool_options={key: value for key, value in given.items() if key in TOOL_OPTIONS},
        crawl={key: value for key, value in given.items() if key not in TOOL_OPTIONS},
    )
    with started(quiet=True) as app:
        new = NewSource(entry, name=name or host_of(seeds[0]), base_url=seeds[0], description=description)
        first = add_source(app.database, new, datetime.now(UTC))
        _changed(app)
    print(f"{code} is added; {_next_words(first)}")


@sources.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A YAML file of sources; docs/sources.md.")],
    as_json: AsJson = False,
) -> None:
    """Add the sources that a YAML file names; what is there already stays as it is."""
    from webstrata.jobs import registry

    with started(quiet=True) as app:
        done = registry.import_sources(app.database, file, datetime.now(UTC))
        _changed(app)
    _print_added(done, as_json)


@sources.command("remove")
def remove(code: Code) -> None:
    """Remove a source of which nothing was archived; others can be disabled."""
    with started(quiet=True) as app:
        _orders(app).remove(code)
    print(f"{code} is removed")


@sources.command("enable")
def enable(code: Code) -> None:
    """Let jobs be made of a source again."""
    with started(quiet=True) as app:
        _orders(app).set_enabled(code, True)
    print(f"{code} is enabled")


@sources.command("disable")
def disable(code: Code) -> None:
    """Let no jobs be made of a source, by its schedule or by hand; what was archived stays."""
    with started(quiet=True) as app:
        _orders(app).set_enabled(code, False)
    print(f"{code} is disabled; webstrata sources enable {code}")


@sources.command("schedule")
def schedule(
    code: Code,
    when: Annotated[str, typer.Argument(metavar="WHEN", help='6h, 7d, monthly, "0 3 * * 1" (UTC), or none.')],
) -> None:
    """Say when a source is archived; workers queue its jobs then."""
    with started(quiet=True) as app:
        _orders(app).set_schedule(code, when)
        print(f"{code}: {_next_words(_view(app, code).next_run_at)}")


@sources.command("pause")
def pause(code: Code) -> None:
    """Let a source's schedule rest; jobs can still be made by hand."""
    with started(quiet=True) as app:
        _orders(app).pause(code)
    print(f"{code} is paused; webstrata sources resume {code}")


@sources.command("resume")
def resume(code: Code) -> None:
    """Let a paused schedule go on; a turn that was missed is taken at once."""
    with started(quiet=True) as app:
        _orders(app).resume(code)
        print(f"{code}: {_next_words(_view(app, code).next_run_at)}")


@sources.command("run")
def run_now(code: Code, seeds: MoreSeeds = None, options: Options = None, as_json: AsJson = False) -> None:
    """Queue a job of a source now, whatever its schedule says."""
    _print_made(_made(code, seeds or [], options or []), as_json)


@sources.command("parameters")
def parameters(
    code: Code,
    names: Annotated[str, typer.Argument(metavar="NAMES", help="Query parameters, as in id,lang; or none.")],
) -> None:
    """Say which query parameters tell a source's pages apart; all others are left out of a page's name."""
    none_given = names.strip().lower() in {"none", ""}
    wanted = [] if none_given else [name.strip() for name in names.split(",")]
    with started(quiet=True) as app:
        must_regroup = _orders(app).set_page_parameters(code, wanted)
        names_now = _view(app, code).page_parameters
    told = f"{code}: pages are told apart by {', '.join(names_now) or 'no query parameter'}"
    print(f"{told}; now webstrata regroup --source {code}" if must_regroup else told)


def _made(code: str, seeds: Sequence[str], options: Sequence[str]) -> "MadeJob":
    from webstrata.jobs.registry import make_job
    from webstrata.model.registry import seeds_of

    overrides = _overrides(options)
    with started(quiet=True) as app:
        return make_job(app.database, app.archive_root, code, extra_seeds=seeds_of(seeds), overrides=overrides)


def _overrides(options: Sequence[str]) -> dict[str, object]:
    from webstrata.model.registry import parse_override

    return dict(map(parse_override, options))


def _orders(app: "App") -> "SourceOrders":
    from webstrata.jobs.source_orders import SourceOrders

    return SourceOrders(app.database, app.archive_root)


def _view(app: "App", code: str) -> "SourceView":
    from webstrata.db.sources import source_view

    with app.database.read() as session:
        return source_view(session, code)


def _changed(app: "App") -> None:
    """Write the sources down in the archive's folder, from which they can be brought back."""
    from webstrata.jobs.manifest import write_sources

    write_sources(app.database, app.archive_root)


def _print_made(made: "MadeJob", as_json: bool) -> None:
    if as_json:
        print(json.dumps(dataclasses.asdict(made), indent=2))
        return
    print(f"job {made.id} ({made.name}) is queued; its files go to {made.output_dir}")
    if made.beside:
        others = ", ".join(map(str, made.beside))
        print(f"not over yet is also job {others} of {made.source}: webstrata list-jobs --source {made.source}")
    print("next: a worker takes it up (webstrata worker --once, or webstrata serve)")


def _print_added(done: "Added", as_json: bool) -> None:
    if as_json:
        print(json.dumps(dataclasses.asdict(done), indent=2))
        return
    if done.added:
        print(f"added {', '.join(done.added)}; next: webstrata sources run {done.added[0]}, or webstrata sources")
    if done.kept:
        print(f"there already, left as it is: {', '.join(done.kept)}")


def _shown(source: "SourceView") -> dict[str, object]:
    from webstrata.logs import without_secrets

    return {
        name: without_secrets(value) if isinstance(value, dict) else value
        for name, value in dataclasses.asdict(source).items()
    }


def _table(found: "Sequence[SourceView]", now: datetime) -> Table:
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


def _next_words(first: datetime | None) -> str:
    if first is None:
        return "it has no schedule"
    return f"its next run is {_in_words(first, datetime.now(UTC))} ({first:%Y-%m-%d %H:%M} UTC)"


def _in_words(moment: datetime, now: datetime) -> str:
    """Return how far away a moment is, as people say it."""
    seconds = (moment - now).total_seconds()
    if seconds < 60:
        return "due now"
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            count = round(seconds / size)
            return f"in {count} {unit}{'' if count == 1 else 's'}"
    return "due now"
