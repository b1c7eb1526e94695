"""`fetch-missing`: fetch the images, styles and fonts that a captured page lacks."""

from dataclasses import asdict
from typing import Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import print_json, started

verbs = typer.Typer()


@command(verbs, "fetch-missing", example="webstrata fetch-missing --snapshot 42")
def fetch_missing(
    snapshot: Annotated[int, typer.Option(min=1, metavar="ID", help="Snapshot of the page.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Queue a job that captures one page again, with the images, styles, scripts and fonts that it lacks."""
    from webstrata.jobs.missing import queue_missing

    with started(quiet=True) as app:
        queued = queue_missing(app.database, app.archive_root, snapshot)
    if as_json:
        print_json(asdict(queued))
        return
    print(f"job {queued.job_id} of {queued.source} is queued: {queued.url}")
    print("next: a worker runs it (webstrata worker --once, or webstrata serve)")
