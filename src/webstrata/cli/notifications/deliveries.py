"""`notify`, `dead-letters` and `retry-dead-letters`: deliver notifications, list and retry those that were given up."""

import dataclasses
from typing import Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.notifications.delivering import delivery_line
from webstrata.cli.options import AsJson
from webstrata.cli.start import FAILED, interruptible, print_json, started
from webstrata.model.words import counted

verbs = typer.Typer()


@command(verbs, example="webstrata notify --test example.org")
def notify(
    test: Annotated[
        str | None,
        typer.Option("--test", metavar="TARGET", help="Send a test to this target instead, by its name or number."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Deliver the notifications that are due; workers and `archive` do so by themselves."""
    with started(quiet=True) as app, interruptible() as stopping:
        if test is not None:
            reason = app.delivery().send_test(test)
            _print_test(test, reason, as_json)
            return
        counts = app.delivery().deliver_due(stopping)
    if as_json:
        print_json(dataclasses.asdict(counts))
    else:
        print(delivery_line(counts))
    if counts.failed:
        raise typer.Exit(FAILED)


@command(verbs, "dead-letters", example="webstrata dead-letters")
def dead_letters(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of messages.")] = 200,
    as_json: AsJson = False,
) -> None:
    """List the notifications that could not be delivered, newest first."""
    from webstrata.db.notifications import outbox
    from webstrata.logs import harmless

    with started(quiet=True) as app, app.database.read() as session:
        found, total = outbox.list_dead(session, limit=limit), outbox.count_dead(session)
    if as_json:
        print_json({"total": total, "items": [dataclasses.asdict(letter) for letter in found]})
        return
    for letter in found:
        parts = (str(letter.id), f"{letter.dead_at:%Y-%m-%d %H:%M}", letter.target_name, letter.title)
        print(harmless(f"{'  '.join(parts)}  ({letter.last_error})"))
    print(counted(total, "dead letter") if total else "no dead letters")


@command(verbs, "retry-dead-letters", example="webstrata retry-dead-letters 12 13")
def retry_dead_letters(
    ids: Annotated[
        list[int] | None,
        typer.Argument(metavar="[ID...]", min=1, help="Numbers of messages; without any, all.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Retry undelivered notifications now."""
    from datetime import UTC, datetime

    from webstrata.db.notifications import outbox

    with started(quiet=True) as app:
        with app.database.write() as session:
            queued = outbox.retry_dead(session, datetime.now(UTC), ids or None)
        counts = app.delivery().deliver_due()
    if as_json:
        print_json({"retried": queued, **dataclasses.asdict(counts)})
    else:
        print(f"{counted(queued, 'notification')} tried again: {delivery_line(counts)}")
    if counts.failed:
        raise typer.Exit(FAILED)


def _print_test(target: str, reason: str | None, as_json: bool) -> None:
    if as_json:
        print_json({"target": target, "delivered": reason is None, "error": reason})
    else:
        print(f"test not delivered: {reason}" if reason else "test delivered")
    if reason is not None:
        raise typer.Exit(FAILED)
