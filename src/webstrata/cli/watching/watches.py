"""`watch`, `watches` and the commands for single watches."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import print_json, started
from webstrata.model.watching.watches import WatchRequest, WatchScope
from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.jobs.watching.watch_commands import WatchCommands
    from webstrata.model.watching.watches import Watch, WatchView

verbs = typer.Typer()

_LARGEST_ID = 2**31 - 1

_WhichWatch = Annotated[
    int,
    typer.Argument(metavar="WATCH", min=1, max=_LARGEST_ID, help="Number of the watch, as `watches` shows it."),
]


@command(verbs, "watch", example="webstrata watch https://example.org/recalls --every 1d --select main")
def add_watch(
    url: Annotated[str, typer.Argument(metavar="URL", help="URL of the page to watch.", show_default=False)],
    every: Annotated[
        str, typer.Option("--every", metavar="SCHEDULE", help="How often: 6h, 1d, or a cron line.")
    ] = "1d",
    scope: Annotated[
        WatchScope, typer.Option("--scope", help="Watch the page, the pages of its folder, or its whole site.")
    ] = WatchScope.PAGE,
    select: Annotated[
        str,
        typer.Option("--select", metavar="CSS", help="Report only changes in elements that match this CSS selector."),
    ] = "",
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore",
            metavar="CSS|TEXT",
            help="Changes in elements of this selector, or in lines with this text, do not count; may be repeated.",
        ),
    ] = None,
    notify: Annotated[
        list[str] | None,
        typer.Option("--notify", metavar="ADDRESS", help="Webhook or other address to notify; may be repeated."),
    ] = None,
    min_significance: Annotated[
        float, typer.Option("--min-significance", min=0, max=1, help="Only changes of at least this significance.")
    ] = 0.3,
    as_json: AsJson = False,
) -> None:
    """Watch a page, a folder or a site: capture it on a schedule and report its changes.

    The first check reports nothing; later checks are compared with it.
    """
    request = WatchRequest(url, every, scope, select, tuple(ignore or ()), min_significance)
    with started(quiet=True) as app:
        watch, made = _commands(app).add_notifying(request, notify or (), app.notification_guard())
        view = _view(app, watch.id)
    if as_json:
        print_json({**view.to_json(), "signingSecrets": {one.target.name: one.signing_secret for one in made}})
        return
    print(f"watch {watch.id}: {watch.url} ({watch.scope}), {watch.schedule}, source {view.source_code}")
    for one in made:
        print(f"{one.target.name} is notified of its changes")
        if one.signing_secret:
            print(f"signing secret of this webhook, shown once: {one.signing_secret}")
    print("A running worker (webstrata serve, or webstrata worker) makes the first check at once.")


@command(verbs, "watches", example="webstrata watches --json")
def list_watches(as_json: AsJson = False) -> None:
    """List the watches with their last check and their last change."""
    from webstrata.db.watching import watches

    with started(quiet=True) as app, app.database.read() as session:
        views = watches.list_watches(session)
    if as_json:
        print_json([view.to_json() for view in views])
        return
    console = Console()
    if not views:
        console.print("No watches yet: webstrata watch https://example.org/page --every 1d")
    for view in views:
        _print(console, view)


@command(verbs, "check-watch", example="webstrata check-watch 3")
def check_watch(watch: _WhichWatch, as_json: AsJson = False) -> None:
    """Queue a check of a watch now."""
    with started(quiet=True) as app:
        job_id = _commands(app).check(watch)
    if as_json:
        print_json({"watch": watch, "jobId": job_id})
    else:
        print(f"job {job_id} checks watch {watch}; a worker runs it, or webstrata run-db-job {job_id}")


@command(verbs, "pause-watch", example="webstrata pause-watch 3")
def pause_watch(watch: _WhichWatch) -> None:
    """Pause a watch: it is not checked until it is resumed."""
    with started(quiet=True) as app:
        _commands(app).set_paused(watch, True)
    print(f"watch {watch} is paused")


@command(verbs, "resume-watch", example="webstrata resume-watch 3")
def resume_watch(watch: _WhichWatch) -> None:
    """Resume a paused watch; a check that was missed is made at once."""
    with started(quiet=True) as app:
        found = _commands(app).set_paused(watch, False)
    print(f"watch {watch} is checked again, next {found.next_run_at:%Y-%m-%d %H:%M} UTC")


@command(verbs, "remove-watch", example="webstrata remove-watch 3")
def remove_watch(watch: _WhichWatch) -> None:
    """Remove a watch with its subscriptions; its captures stay."""
    with started(quiet=True) as app:
        removed = _commands(app).remove(watch)
    print(f"watch {watch} of {removed.url} is removed")


def _commands(app: "App") -> "WatchCommands":
    from webstrata.jobs.watching.watch_commands import WatchCommands

    return WatchCommands(app.database, app.archive_root)


def _view(app: "App", watch_id: int) -> "WatchView":
    from webstrata.db.watching import watches

    with app.database.read() as session:
        (view,) = watches.list_watches(session, watch_id=watch_id)
    return view


def _print(console: Console, view: "WatchView") -> None:
    watch = view.watch
    console.print(Text(f"{watch.id}  {watch.url}", style="bold"), soft_wrap=True)
    console.print(Text(f"   {watch.scope}, {_schedule(watch)}, source {view.source_code}{_rules(watch)}"))
    checked = f"{view.last_check_at:%Y-%m-%d %H:%M} UTC" if view.last_check_at else "not yet"
    console.print(Text(f"   last check {checked}{f' ({view.last_check_status})' if view.last_check_status else ''}"))
    if view.last_change_at:
        changed = f"{view.last_change_at:%Y-%m-%d %H:%M} UTC: {view.last_change_summary or 'changed'}"
        console.print(Text(f"   last change {changed} ({counted(view.changes, 'change')})"), soft_wrap=True)
    else:
        console.print(Text("   no change yet"))
    if watch.schedule_error:
        console.print(Text(f"   not checked: {watch.schedule_error}", style="red"))


def _schedule(watch: "Watch") -> str:
    return "paused" if watch.paused else f"{watch.schedule}, next {watch.next_run_at:%Y-%m-%d %H:%M} UTC"


def _rules(watch: "Watch") -> str:
    select = f", select {watch.rules.selector}" if watch.rules.selector else ""
    return select + "".join(f", ignore {rule.partition(':')[2]}" for rule in watch.rules.ignored)
