"""`subscribe`, `unsubscribe` and `notify-targets`: what is notified of which changes."""

import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import fold_code, print_json, started
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.model.notifications.values import Subscription, Target

verbs = typer.Typer()

_LARGEST_ID = 2**31 - 1


@command(verbs, example="webstrata subscribe https://example.org/hook --source example-org")
def subscribe(
    address: Annotated[
        str,
        typer.Argument(
            metavar="ADDRESS",
            help="Address such as https://example.org/hook or mailto://user:password@example.org, or a target's name.",
            show_default=False,
        ),
    ],
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="CODE", help="Notify of the changes of a source.", parser=fold_code),
    ] = None,
    page: Annotated[str | None, typer.Option("--page", metavar="URL", help="Notify of the changes of a page.")] = None,
    watch: Annotated[
        int | None,
        typer.Option("--watch", metavar="WATCH", min=1, max=_LARGEST_ID, help="Notify of what a watch reports."),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option("--search", metavar="NAME", help="Notify of new and changed captures that match a saved search."),
    ] = None,
    min_significance: Annotated[
        float | None,
        typer.Option(
            "--min-significance",
            min=0,
            max=1,
            help="Only changes of at least this significance; by default 0.3, with --watch and --search 0.",
        ),
    ] = None,
    each: Annotated[bool, typer.Option("--each", help="One message per change instead of one per run.")] = False,
    as_json: AsJson = False,
) -> None:
    """Notify an address of the changes of a source, a page, a watch or a saved search, from now on."""
    from webstrata.notifications.subscribing import SubjectRequest, subscribe_to

    wanted = SubjectRequest(source, page, watch, search)
    if sum(value is not None for value in (source, page, watch, search)) != 1:
        raise UsageError("give one of --source, --page, --watch and --search")
    with started(quiet=True) as app:
        made = subscribe_to(
            app.database,
            app.archive_root,
            address,
            wanted,
            guard=app.notification_guard(),
            min_significance=min_significance,
            digest=not each,
        )
    if as_json:
        print_json(dataclasses.asdict(made))
        return
    print(f"subscription {made.id}: {made.target.name} is notified of {subject_words(made)}")
    if made.signing_secret:
        print(f"signing secret of this webhook, shown once: {made.signing_secret}")
    print(f"next: webstrata notify --test {made.target.name}")


@command(verbs, example="webstrata unsubscribe 3")
def unsubscribe(
    subscription: Annotated[
        int, typer.Argument(metavar="ID", min=1, help="Number of the subscription.", show_default=False)
    ],
) -> None:
    """Remove a subscription, with its messages that are not delivered yet."""
    from webstrata.notifications.backup import write_notifications
    from webstrata.notifications.subscribing import unsubscribe as remove

    with started(quiet=True) as app:
        removed = remove(app.database, subscription)
        write_notifications(app.database, app.archive_root)
    print(f"{removed.target.name} is no longer notified of {subject_words(removed)}")


@command(verbs, "notify-targets", example="webstrata notify-targets --pause example.org")
def notify_targets(
    add: Annotated[
        str | None, typer.Option("--add", metavar="ADDRESS", help="Add a target.", show_default=False)
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="Name of the added target.", show_default=False)] = None,
    pause: Annotated[
        str | None,
        typer.Option("--pause", metavar="TARGET", help="Pause a target: its messages wait until it is resumed."),
    ] = None,
    resume: Annotated[
        str | None, typer.Option("--resume", metavar="TARGET", help="Deliver to a paused target again.")
    ] = None,
    new_secret: Annotated[
        str | None, typer.Option("--new-secret", metavar="TARGET", help="Replace a webhook's secret.")
    ] = None,
    remove: Annotated[
        str | None, typer.Option("--remove", metavar="TARGET", help="Remove a target and its subscriptions.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the targets of notifications and their subscriptions; or add, pause, resume or remove a target."""
    from webstrata.db.notifications import subscriptions
    from webstrata.notifications.backup import write_notifications

    with started(quiet=True) as app:
        secret = _edit(app, add, name, pause, resume, new_secret, remove)
        if any((add, pause, resume, new_secret, remove)):
            write_notifications(app.database, app.archive_root)
        with app.database.read() as session:
            targets = subscriptions.list_targets(session)
            subscribed = subscriptions.list_subscriptions(session)
    if as_json:
        print_json(
            {
                "targets": [dataclasses.asdict(target) for target in targets],
                "subscriptions": [dataclasses.asdict(one) for one in subscribed],
                **({"signing_secret": secret} if secret else {}),
            }
        )
        return
    if secret:
        print(f"signing secret, shown once: {secret}")
    _print_targets(targets, subscribed)


def _edit(
    app: "App",
    add: str | None,
    name: str | None,
    pause: str | None,
    resume: str | None,
    new_secret: str | None,
    remove: str | None,
) -> str | None:
    """Make the requested change, and return a new signing secret if there is one."""
    from webstrata.db.notifications import subscriptions
    from webstrata.notifications.subscribing import add_target, new_signing_secret

    if sum(value is not None for value in (add, pause, resume, new_secret, remove)) > 1:
        raise UsageError("give one of --add, --pause, --resume, --new-secret and --remove")
    if add is not None:
        return add_target(app.database, add, name, guard=app.notification_guard())[1]
    if new_secret is not None:
        return new_signing_secret(app.database, new_secret)
    with app.database.write() as session:
        if pause is not None or resume is not None:
            subscriptions.set_paused(session, pause or resume or "", pause is not None)
        if remove is not None:
            subscriptions.remove_target(session, remove)
    return None


def _print_targets(targets: "list[Target]", subscribed: "list[Subscription]") -> None:
    if not targets:
        print("no targets yet: webstrata subscribe https://example.org/hook --source CODE")
        return
    table = Table("target", "address", "last result", "subscriptions", box=None, pad_edge=False)
    for target in targets:
        theirs = [f"{one.id}: {subject_words(one)}" for one in subscribed if one.target.id == target.id]
        state = "paused" if target.paused else target.last_result or "none yet"
        table.add_row(target.name, target.shown, state, "\n".join(theirs) or "none")
    Console().print(table)


def subject_words(subscription: "Subscription") -> str:
    """Return what a subscription is about, in words."""
    subject = subscription.subject
    if subject.page is not None:
        return f"page {subject.page}"
    if subject.watch_id is not None:
        return f"watch {subject.watch_id}"
    if subject.saved_search_id is not None:
        return f"saved search {subject.saved_search_id}"
    return f"source {subscription.source_code}"
