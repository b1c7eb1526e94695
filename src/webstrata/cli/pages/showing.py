"""`show`: read the text of a snapshot in the terminal."""

from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.details import print_details
from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import print_json, started

if TYPE_CHECKING:
    from webstrata.model.archive import SnapshotView

verbs = typer.Typer()


@command(verbs, example="webstrata show 93")
def show(
    snapshot_id: Annotated[
        int,
        typer.Argument(
            metavar="SNAPSHOT",
            min=1,
            max=2**63 - 1,
            help="Id of the snapshot, as search prints it.",
            show_default=False,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Show the text of a snapshot, with its URL and the time of its capture."""
    from webstrata.content.blocks import without_cells
    from webstrata.db.captures.page_texts import load_page_text
    from webstrata.db.operations import catalog
    from webstrata.db.retention.tombstones import missing_snapshot
    from webstrata.logs import harmless

    with started(quiet=True) as app, app.database.read() as session:
        found = catalog.snapshot(session, snapshot_id)
        if found is None:
            raise missing_snapshot(session, snapshot_id, f"there is no snapshot {snapshot_id}")
        lines = [without_cells(line.text) for line in load_page_text(session, snapshot_id).lines]
    if as_json:
        print_json(_facts(found) | {"text": "\n".join(lines)})
        return
    print_details(_facts(found))
    print()
    for line in lines:
        print(harmless(line))


def _facts(found: "SnapshotView") -> dict[str, object]:
    return {
        "snapshot": found.id,
        "title": found.title,
        "url": found.url,
        "captured_at": found.captured_at,
        "source": found.source_code,
        "status_code": found.status_code,
        "quality": found.quality,
        "quality_reasons": found.quality_reasons,
    }
