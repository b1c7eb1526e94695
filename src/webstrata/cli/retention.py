"""`retention`: show and set the policies of the collections, and delete expired rows."""

import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Column, Table

from webstrata.cli.help_pages import PlainGroup, command
from webstrata.cli.options import AsJson
from webstrata.cli.start import FAILED, fold_code, print_json, started
from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.model.retention.rules import PassResult

verbs = typer.Typer(
    cls=PlainGroup,
    help="Show and set retention policies, delete expired rows, place legal holds and withhold snapshots.",
)


@verbs.callback(invoke_without_command=True)
def _show_by_default(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        show()


@command(verbs, example="webstrata retention show")
def show(as_json: AsJson = False) -> None:
    """Show after how many days the rows of each table expire, and the last deletion."""
    from webstrata.db.retention import retention
    from webstrata.model.retention.rules import EXEMPT, default_days
    from webstrata.retention.policies import show_policies

    with started(quiet=True) as app:
        view = show_policies(app.database)
        with app.database.read() as session:
            last = retention.last_run(session)
    if as_json:
        run = dataclasses.asdict(last) if last else None
        policies = view.ttl_days | view.further
        print_json({"policies": policies, "exempt": sorted(EXEMPT), "error": view.error, "last_run": run})
    else:
        table = Table("collection", Column("days", justify="right"), "default", box=None, pad_edge=False)
        for name, days in (view.ttl_days | view.further).items():
            table.add_row(name, str(days or "never"), str(default_days(name) or "never"))
        for name in sorted(EXEMPT):
            table.add_row(name, "never", "never")
        Console().print(table)
        print(f"last pass: {last.began_at:%Y-%m-%d %H:%M} UTC ({last.trigger})" if last else "no pass yet")
        if view.error:
            print(f"nothing is deleted: {view.error}")
    if view.error:
        raise typer.Exit(FAILED)


@command(verbs, "set", example="webstrata retention set diagnostics 30")
def set_days(
    collection: Annotated[
        str,
        typer.Argument(
            metavar="COLLECTION", help="Name of the collection, as retention show lists it.", show_default=False
        ),
    ],
    days: Annotated[int, typer.Argument(metavar="DAYS", help="Number of days, at least 1.", show_default=False)],
) -> None:
    """Set for how many days the rows of a collection are stored."""
    from webstrata.retention.policies import set_policy

    with started(quiet=True) as app:
        set_policy(app.database, collection, days)
    print(f"{collection}: {counted(days, 'day')}")


@command(verbs, example="webstrata retention reset")
def reset() -> None:
    """Restore the default policies of all collections."""
    from webstrata.retention.policies import reset_policies

    with started(quiet=True) as app:
        reset_policies(app.database)
    print("all collections have their default policies again")


@command(verbs, example="webstrata retention run --apply")
def run(
    apply: Annotated[bool, typer.Option("--apply", help="Delete expired rows; without this, only count them.")] = False,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Delete all expired rows, even if most of a source disappears.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Count the expired rows of each collection; with --apply, delete up to 100 of each."""
    from datetime import UTC, datetime

    from webstrata.retention.sweep import run_manual_pass

    with started(quiet=True) as app:
        result = run_manual_pass(
            app.database,
            datetime.now(UTC),
            dry_run=not apply,
            archive_root=app.archive_root,
            max_share=app.settings.retention_max_share,
            confirmed=confirm,
        )
    if as_json:
        print_json(dataclasses.asdict(result))
    else:
        _print_pass(result)
    if result.has_failed:
        raise typer.Exit(FAILED)


@command(verbs, "hold", example="webstrata retention hold --source example --reason 'court case'")
def place_hold(
    reason: Annotated[str, typer.Option("--reason", help="Reason of the hold.", show_default=False)],
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="CODE", help="Hold a source.", show_default=False, parser=fold_code),
    ] = None,
    url: Annotated[str | None, typer.Option("--url", help="Hold a page; with --source, only in this source.")] = None,
    snapshot: Annotated[int | None, typer.Option("--snapshot", min=1, help="Hold a snapshot, by its id.")] = None,
    audit: Annotated[str | None, typer.Option("--audit", help="Hold the artifacts of an audit session.")] = None,
) -> None:
    """Place a legal hold: nothing of a source, a page, a snapshot or an audit is deleted until it is released."""
    from datetime import UTC, datetime

    from webstrata.retention import holds

    with started(quiet=True) as app:
        now, root = datetime.now(UTC), app.archive_root
        hold = holds.place_hold(
            app.database, root, now, reason, source=source, url=url, snapshot_id=snapshot, session_id=audit
        )
    print(f"legal hold {hold.id} is in force ({hold.target.scope})")


@command(verbs, example="webstrata retention holds")
def holds(as_json: AsJson = False) -> None:
    """List the legal holds that are in force."""
    from webstrata.db.retention.holds import list_holds
    from webstrata.logs import harmless

    with started(quiet=True) as app, app.database.read() as session:
        found = list_holds(session, active_only=True)
    if as_json:
        print_json([dataclasses.asdict(hold) for hold in found])
        return
    for hold in found:
        values = (hold.target.source_code, hold.target.url_group, hold.target.snapshot_id, hold.target.session_id)
        covered = " ".join(str(value) for value in values if value is not None)
        print(harmless(f"{hold.id}  {hold.created_at:%Y-%m-%d}  {hold.target.scope} {covered}  {hold.reason}"))
    if not found:
        print("no legal holds")


@command(verbs, example="webstrata retention release 3")
def release(
    hold_id: Annotated[int, typer.Argument(min=1, metavar="ID", help="Number of the hold.", show_default=False)],
) -> None:
    """Release a legal hold."""
    from datetime import UTC, datetime

    from webstrata.retention.holds import release_hold

    with started(quiet=True) as app:
        release_hold(app.database, app.archive_root, hold_id, datetime.now(UTC))
    print(f"legal hold {hold_id} is released")


@command(verbs, example="webstrata retention withhold 12 13 --reason 'personal data'")
def withhold(
    snapshots: Annotated[
        list[int], typer.Argument(min=1, metavar="SNAPSHOT…", help="Ids of the snapshots.", show_default=False)
    ],
    reason: Annotated[
        str, typer.Option("--reason", help="Reason, shown in place of the snapshot.", show_default=False)
    ],
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Withhold even if most of a source would disappear.")
    ] = False,
) -> None:
    """Withhold snapshots: they are no longer found or shown, not even after indexing again or a rebuild."""
    from datetime import UTC, datetime

    from webstrata.retention.withholding import WithholdRequest, withhold_snapshots

    with started(quiet=True) as app:
        request = WithholdRequest(snapshots, reason, confirm)
        share = app.settings.retention_max_share
        done = withhold_snapshots(app.database, app.archive_root, request, datetime.now(UTC), max_share=share)
    print(f"{counted(len(done), 'snapshot')} withheld")


def _print_pass(result: "PassResult") -> None:
    if result.error:
        print(f"nothing was deleted: {result.error}")
        return
    numbers = ("days", "expired", "deleted", "remaining", "undated")
    table = Table("collection", *(Column(name, justify="right") for name in numbers), "error", box=None, pad_edge=False)
    for name, found in result.collections.items():
        counts = (found.ttl_days, found.expired, found.deleted, found.remaining, found.undated)
        table.add_row(name, *map(str, counts), found.error or "")
    Console().print(table)
    if guarded := sum(found.guarded for found in result.collections.values()):
        print(f"{counted(guarded, 'row')} not deleted, because they are most of a source's: add --apply --confirm")
    if result.dry_run:
        print("dry run: nothing was deleted; --apply deletes")
