"""`sources`, `seed-sources`, `create-job`, `regroup`: manage sources and their schedules, and queue jobs of them."""

import dataclasses
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from webstrata.cli.details import print_details
from webstrata.cli.help_pages import PlainGroup, command
from webstrata.cli.options import AsJson, OfSource
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
    from webstrata.jobs.sources.registry import MadeJob
    from webstrata.jobs.sources.source_commands import SourceCommands
    from webstrata.model.jobs.registry import SourceView

verbs = typer.Typer()
sources = typer.Typer(cls=PlainGroup, help="List, add and change the sources, and set their schedules.")

Code = Annotated[
    str, typer.Argument(metavar="CODE", help="Short code of the source.", show_default=False, parser=fold_code)
]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="A crawl setting or tool option, such as max_pages=500."),
]
MoreSeeds = Annotated[list[str] | None, typer.Option("--seed", metavar="URL", help="One more URL to start from.")]


@command(verbs, "seed-sources", example="webstrata seed-sources")
def seed_sources(as_json: AsJson = False) -> None:
    """Add the example sources (hc, phac, cihr); sources that exist are left unchanged."""
    from webstrata.jobs.sources import registry

    with started(quiet=True) as app:
        done = registry.seed_sources(app.database, datetime.now(UTC))
        _write_sources(app)
    print_added(done, as_json)


@command(verbs, "create-job", example="webstrata create-job --source example --option max_pages=500")
def create_job(
    source: Annotated[
        str,
        typer.Option(
            "--source", metavar="CODE", help="Short code of the source.", show_default=False, parser=fold_code
        ),
    ],
    seeds: MoreSeeds = None,
    options: Options = None,
    as_json: AsJson = False,
) -> None:
    """Queue a job of a source, with the settings that are stored for the source."""
    print_made(_make_job(source, seeds or [], options or []), as_json)


@command(verbs, "regroup", example="webstrata regroup --source example --dry-run")
def regroup(
    source: OfSource = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count the snapshots that would move.")] = False,
    as_json: AsJson = False,
) -> None:
    """Group captures into pages again, after an upgrade or a change of the parameters that distinguish pages.

    Without --source, all sources that need it are grouped. If it is interrupted, the same command continues.
    """
    from webstrata.jobs.folders.regrouping import regroup as regroup_sources

    with started(quiet=True) as app, Console(stderr=True).status("looking") as status:
        reports = regroup_sources(
            app.database,
            source,
            dry_run=dry_run,
            progress=lambda code, seen: status.update(f"{code}: {seen} snapshots checked"),
        )
        if not dry_run:
            _write_sources(app)
    if as_json:
        print(json.dumps([dataclasses.asdict(report) for report in reports], indent=2))
        return
    verb = "would move" if dry_run else "moved"
    for report in reports:
        print(f"{report.source}: {report.moved} of {report.snapshots} snapshots {verb} to another page")
    if not reports:
        print("No source needs to be regrouped.")


@sources.callback(invoke_without_command=True)
def list_all(context: typer.Context, as_json: AsJson = False) -> None:
    """List the sources with their schedule, next run, last job and number of snapshots."""
    from webstrata.db.sources.sources import list_sources

    if context.invoked_subcommand is not None:
        return
    with started(quiet=True) as app, app.database.read() as session:
        found = list_sources(session)
    if as_json:
        print_json([shown_source(source) for source in found])
    elif found:
        Console().print(source_table(found, datetime.now(UTC)))
        if stale := [source.code for source in found if source.needs_regrouping]:
            print(f"pages must be regrouped: {', '.join(stale)}; webstrata regroup")
    else:
        print(
            "No sources yet. Add one: webstrata sources add example https://example.org/ --schedule 7d;"
            " or add the example sources: webstrata seed-sources"
        )


@command(sources, "show", example="webstrata sources show example")
def show(code: Code, as_json: AsJson = False) -> None:
    """Show all details of a source and the settings of its jobs."""
    from webstrata.db.sources.sources import registry_entry, source_view
    from webstrata.logs import without_secrets

    with started(quiet=True) as app, app.database.read() as session:
        source = source_view(session, code)
        # Without a stored entry, show the one from which the next job would be made.
        entry = source.job_config or registry_entry(session, code).to_json()
    values = {**shown_source(source), "job_config": without_secrets(entry)}
    if as_json:
        print_json(values)
        return
    print_details({**values, "last_job": dataclasses.asdict(source.last_job) if source.last_job else None})


@command(sources, "add", example="webstrata sources add example https://example.org/ --schedule 7d")
def add(
    code: Annotated[str, typer.Argument(metavar="CODE", help="Short code of the source.", show_default=False)],
    urls: Annotated[
        list[str], typer.Argument(metavar="URL...", help="URLs that its jobs start from.", show_default=False)
    ],
    name: Annotated[str | None, typer.Option(help="Name to show.", show_default="its host")] = None,
    schedule: Annotated[str | None, typer.Option(help='When to archive it: 6h, 7d, monthly, "0 3 * * 1".')] = None,
    description: Annotated[str | None, typer.Option(help="Description of the source.")] = None,
    options: Options = None,
) -> None:
    """Add a source, or set the schedule of the source that already has the same URL."""
    from webstrata.jobs.sources.source_commands import SourceRequest
    from webstrata.model.jobs.registry import source_code_from

    requested = SourceRequest(
        tuple(urls),
        source_code_from(code),
        name or "",
        description=description or "",
        schedule=schedule or "",
        options=_overrides(options or []),
    )
    with started(quiet=True) as app:
        added = _commands(app).add(requested)
        turn = next_words(_view(app, added.code).next_run_at)
    if added.is_new:
        print(f"{added.code} is added; {turn}")
    else:
        print(f"{added.code} already has that URL and keeps its code; {turn}")
    print_overlap(added.code, added.overlaps)


@command(sources, "edit", example='webstrata sources edit example --name "Example site" --schedule monthly')
def edit(
    code: Code,
    name: Annotated[str | None, typer.Option(help="Name to show.")] = None,
    url: Annotated[str | None, typer.Option("--url", metavar="URL", help="URL of the source.")] = None,
    seeds: Annotated[
        list[str] | None,
        typer.Option("--seed", metavar="URL", help="URL that its jobs start from; replaces the ones before."),
    ] = None,
    description: Annotated[str | None, typer.Option(help="Description of the source.")] = None,
    schedule: Annotated[
        str | None, typer.Option(help='When to archive it: 6h, 7d, monthly, "0 3 * * 1", or none.')
    ] = None,
    options: Options = None,
    unset: Annotated[
        list[str] | None, typer.Option("--unset", metavar="NAME", help="A crawl setting or tool option to remove.")
    ] = None,
    parameters: Annotated[
        str | None,
        typer.Option(
            "--parameters", metavar="NAMES", help="Query parameters that identify a page, such as id,lang; or none."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change a source and the settings of its next jobs; existing jobs stay unchanged."""
    from webstrata.errors import UsageError
    from webstrata.jobs.sources.source_commands import EditedSource

    requested = EditedSource(
        name=name,
        base_url=url,
        description=description,
        seeds=tuple(seeds) if seeds else None,
        options=_overrides(options or []),
        unset=tuple(map(_option_name, unset or [])),
        page_parameters=None if parameters is None else _names(parameters),
        schedule=schedule,
    )
    if requested == EditedSource():
        raise UsageError("give at least one change, such as --name or --schedule")
    with started(quiet=True) as app:
        _commands(app).edit(code, requested)
        view = _view(app, code)
    if as_json:
        print_json(shown_source(view))
    else:
        print(f"{code} is changed; {next_words(view.next_run_at)}{_regrouping(view)}")


@command(sources, "import", example="webstrata sources import sources.yaml")
def import_file(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="YAML file of sources; see docs/sources.md.", show_default=False)
    ],
    as_json: AsJson = False,
) -> None:
    """Add the sources of a YAML file; sources that exist are left unchanged."""
    from webstrata.jobs.sources import registry

    with started(quiet=True) as app:
        done = registry.import_sources(app.database, file, datetime.now(UTC))
        _write_sources(app)
    print_added(done, as_json)


@command(sources, "remove", example="webstrata sources remove example")
def remove(code: Code) -> None:
    """Remove a source that has no captures, with its jobs; remove-source also deletes captures."""
    with started(quiet=True) as app:
        _commands(app).remove(code)
    print(f"{code} is removed")


@command(sources, "enable", example="webstrata sources enable example")
def enable(code: Code) -> None:
    """Enable a disabled source: it can have jobs again."""
    with started(quiet=True) as app:
        _commands(app).set_enabled(code, True)
    print(f"{code} is enabled")


@command(sources, "disable", example="webstrata sources disable example")
def disable(code: Code) -> None:
    """Disable a source: it gets no more jobs, scheduled or manual; its captures stay."""
    with started(quiet=True) as app:
        _commands(app).set_enabled(code, False)
    print(f"{code} is disabled; webstrata sources enable {code}")


@command(sources, "schedule", example="webstrata sources schedule example 7d")
def schedule(
    code: Code,
    when: Annotated[
        str, typer.Argument(metavar="WHEN", help='6h, 7d, monthly, "0 3 * * 1" (UTC), or none.', show_default=False)
    ],
) -> None:
    """Set when a source is archived; a running worker queues its jobs."""
    with started(quiet=True) as app:
        _commands(app).set_schedule(code, when)
        print(f"{code}: {next_words(_view(app, code).next_run_at)}")


@command(sources, "pause", example="webstrata sources pause example")
def pause(code: Code) -> None:
    """Pause the schedule of a source; jobs can still be queued manually."""
    with started(quiet=True) as app:
        _commands(app).pause(code)
    print(f"{code} is paused; webstrata sources resume {code}")


@command(sources, "resume", example="webstrata sources resume example")
def resume(code: Code) -> None:
    """Resume a paused schedule; a run that was missed is queued immediately."""
    with started(quiet=True) as app:
        _commands(app).resume(code)
        print(f"{code}: {next_words(_view(app, code).next_run_at)}")


@command(sources, "run", example="webstrata sources run example")
def run_now(code: Code, seeds: MoreSeeds = None, options: Options = None, as_json: AsJson = False) -> None:
    """Queue a job of a source now, independent of its schedule."""
    print_made(_make_job(code, seeds or [], options or []), as_json)


@command(sources, "parameters", example="webstrata sources parameters example id,lang")
def parameters(
    code: Code,
    names: Annotated[
        str, typer.Argument(metavar="NAMES", help="Query parameters, such as id,lang; or none.", show_default=False)
    ],
) -> None:
    """Set which query parameters identify a page of a source; all others are ignored."""
    with started(quiet=True) as app:
        _commands(app).set_page_parameters(code, _names(names))
        view = _view(app, code)
    message = f"{code}: pages are identified by {', '.join(view.page_parameters) or 'no query parameter'}"
    print(f"{message}{_regrouping(view)}")


def _names(text: str) -> tuple[str, ...]:
    """Return the query parameters in an argument; empty for `none`."""
    return () if text.strip().lower() in {"none", ""} else tuple(name.strip() for name in text.split(","))


def _regrouping(view: "SourceView") -> str:
    return f"; now webstrata regroup --source {view.code}" if view.needs_regrouping else ""


def _make_job(code: str, seeds: Sequence[str], options: Sequence[str]) -> "MadeJob":
    from webstrata.jobs.sources.registry import make_job
    from webstrata.model.jobs.registry import seeds_of

    overrides = _overrides(options)
    with started(quiet=True) as app:
        return make_job(app.database, app.archive_root, code, extra_seeds=seeds_of(seeds), overrides=overrides)


def _option_name(text: str) -> str:
    from webstrata.model.jobs.registry import option_name

    return option_name(text)


def _overrides(options: Sequence[str]) -> dict[str, object]:
    from webstrata.model.jobs.registry import parse_override

    return dict(map(parse_override, options))


def _commands(app: "App") -> "SourceCommands":
    from webstrata.jobs.sources.source_commands import SourceCommands

    return SourceCommands(app.database, app.archive_root)


def _view(app: "App", code: str) -> "SourceView":
    from webstrata.db.sources.sources import source_view

    with app.database.read() as session:
        return source_view(session, code)


def _write_sources(app: "App") -> None:
    """Write the sources into the archive's folder, from which a rebuild restores them."""
    from webstrata.jobs.folders.manifest import write_sources

    write_sources(app.database, app.archive_root)
