"""`review-change`: mark a change as reviewed, important or noise."""

from typing import Annotated, Literal

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.start import started

verbs = typer.Typer()


@command(verbs, "review-change", example="webstrata review-change 12 important --note 'dose doubled'")
def review_change(
    change: Annotated[int, typer.Argument(metavar="ID", min=1, help="Number of the change.", show_default=False)],
    status: Annotated[
        Literal["reviewed", "important", "noise", "none"],
        typer.Argument(metavar="reviewed|important|noise|none", help="The mark; none removes it.", show_default=False),
    ],
    note: Annotated[str | None, typer.Option("--note", help="A note on the change.", show_default=False)] = None,
) -> None:
    """Mark a change as reviewed, important or noise; `webstrata changes --review` lists the changes with a mark."""
    from webstrata.model.notifications.values import ReviewStatus
    from webstrata.notifications.reviewing import mark_change

    mark = None if status == "none" else ReviewStatus(status)
    with started(quiet=True) as app:
        mark_change(app.database, app.archive_root, change, mark, note)
    print(f"change {change}: {status}")
