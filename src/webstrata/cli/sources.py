"""`sources`, `seed-sources`, `create-job`: whose pages are kept, when they are due, and a job of them now."""

import dataclasses
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from webstrata.cli.source_words import (
    next_words,
    print_added,
    print_made,
    print_overlap,
    shown_source,
    source_table,
)
from webstrata.cli.start import fold_code, print_json, started

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.jobs.registry import MadeJob
    from webstrata.jobs.source_orders import SourceOrders
    from webstrata.model.registry import SourceView

verbs = typer.Typer()
sources = typer.Typer(help="List the sources, add and change them, and say when each is archived.")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
Code = Annotated[
    str, typer.Argument(metavar="CODE", help="The source's short name.", show_default=False, parser=fold_code)
]
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
    print_added(done, as_json)


@verbs.command("create-job")
def create_job(
    source: Annotated[
        str, typer.Option("--source", metavar="CODE", help="Which source.", show_default=False, parser=fold_code)
    ],
    seeds: MoreSeeds = None,
    options: Options = None,
    as_json: AsJson = False,
) -> None:
    """Queue a job of a source, made from its entry in the registry."""
    print_made(_made(source, seeds or [], options or []), as_json)


@verbs.command("regroup")
def regroup(
    source: Annotated[
        str | None, typer.Option("--source", metavar="CODE", help="Only this source.", parser=fold_code)
    ] = None,
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
        print_json([shown_source(source) for source in found])
    elif found:
        Console().print(source_table(found, datetime.now(UTC)))
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
    values = {**shown_source(source), "job_config": without_secrets(entry)}
    if as_json:
        print_json(values)
        return
    for name, value in values.items():
        if value is not None:
            shown = json.dumps(value, default=str) if isinstance(value, dict | list | tuple) else harmless(str(value))
            print(f"{name:>18}  {shown}")


@sources.command("add")
def add(
    code: Annotated[str, typer.Argument(metavar="CODE", help="The source's short name.", show_default=False)],
    urls: Annotated[list[str], typer.Argument(metavar="URL...", help="Where its jobs begin.", show_default=False)],
    name: Annotated[str | None, typer.Option(help="What people call it; else its host.")] = None,
    schedule: Annotated[str | None, typer.Option(help='When it is archived: 6h, 7d, monthly, "0 3 * * 1".')] = None,
    description: Annotated[str | None, typer.Option(help="What it is.")] = None,
    options: Options = None,
) -> None:
    """Add a source; one that begins at the same address already keeps its code and gets the schedule instead."""
    from webstrata.jobs.source_orders import WantedSource
    from webstrata.model.registry import source_code_from

    wanted = WantedSource(
        tuple(urls),
        source_code_from(code),
        name or "",
        description=description or "",
        schedule=schedule or "",
        options=_overrides(options or []),
    )
    with started(quiet=True) as app:
        added = _orders(app).add(wanted)
        turn = next_words(_view(app, added.code).next_run_at)
    if added.is_new:
        print(f"{added.code} is added; {turn}")
    else:
        print(f"{added.code} is the source of that address already and keeps its code; {turn}")
    print_overlap(added.code, added.overlaps)


@sources.command("edit")
def edit(
    code: Code,
    name: Annotated[str | None, typer.Option(help="What people call it.")] = None,
    url: Annotated[str | None, typer.Option("--url", metavar="URL", help="Its address.")] = None,
    seeds: Annotated[
        list[str] | None, typer.Option("--seed", metavar="URL", help="Where its jobs begin, instead of where they did.")
    ] = None,
    description: Annotated[str | None, typer.Option(help="What it is.")] = None,
    schedule: Annotated[
        str | None, typer.Option(help='When it is archived: 6h, 7d, monthly, "0 3 * * 1", or none.')
    ] = None,
    options: Options = None,
    unset: Annotated[
        list[str] | None, typer.Option("--unset", metavar="NAME", help="A crawl setting or tool option to take away.")
    ] = None,
    parameters: Annotated[
        str | None, typer.Option("--parameters", metavar="NAMES", help="Page parameters, as in id,lang; or none.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change a source and what its next jobs are made from; jobs that are there stay as they are."""
    from webstrata.errors import UsageError
    from webstrata.jobs.source_orders import EditedSource

    wanted = EditedSource(
        name=name,
        base_url=url,
        description=description,
        seeds=tuple(seeds) if seeds else None,
        options=_overrides(options or []),
        unset=tuple(map(_option_name, unset or [])),
        page_parameters=None if parameters is None else _names(parameters),
        schedule=schedule,
    )
    if wanted == EditedSource():
        raise UsageError("say what is to be different, such as --name or --schedule")
    with started(quiet=True) as app:
        _orders(app).edit(code, wanted)
        view = _view(app, code)
    if as_json:
        print_json(shown_source(view))
    else:
        print(f"{code} is changed; {next_words(view.next_run_at)}{_regrouping(view)}")


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
    print_added(done, as_json)


@sources.command("remove")
def remove(code: Code) -> None:
    """Remove a source of which nothing was archived, with its jobs; others can be disabled."""
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
        print(f"{code}: {next_words(_view(app, code).next_run_at)}")


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
        print(f"{code}: {next_words(_view(app, code).next_run_at)}")


@sources.command("run")
def run_now(code: Code, seeds: MoreSeeds = None, options: Options = None, as_json: AsJson = False) -> None:
    """Queue a job of a source now, whatever its schedule says."""
    print_made(_made(code, seeds or [], options or []), as_json)


@sources.command("parameters")
def parameters(
    code: Code,
    names: Annotated[str, typer.Argument(metavar="NAMES", help="Query parameters, as in id,lang; or none.")],
) -> None:
    """Say which query parameters tell a source's pages apart; all others are left out of a page's name."""
    with started(quiet=True) as app:
        _orders(app).set_page_parameters(code, _names(names))
        view = _view(app, code)
    told = f"{code}: pages are told apart by {', '.join(view.page_parameters) or 'no query parameter'}"
    print(f"{told}{_regrouping(view)}")


def _names(text: str) -> tuple[str, ...]:
    """Return the query parameters that a person lists; none for `none`."""
    return () if text.strip().lower() in {"none", ""} else tuple(name.strip() for name in text.split(","))


def _regrouping(view: "SourceView") -> str:
    return f"; now webstrata regroup --source {view.code}" if view.needs_regrouping else ""


def _made(code: str, seeds: Sequence[str], options: Sequence[str]) -> "MadeJob":
    from webstrata.jobs.registry import make_job
    from webstrata.model.registry import seeds_of

    overrides = _overrides(options)
    with started(quiet=True) as app:
        return make_job(app.database, app.archive_root, code, extra_seeds=seeds_of(seeds), overrides=overrides)


def _option_name(text: str) -> str:
    from webstrata.model.registry import option_name

    return option_name(text)


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
