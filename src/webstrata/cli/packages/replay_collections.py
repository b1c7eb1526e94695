"""`replay-index-job`: a job as a collection for pywb."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson, JobOption, WhichJob, chosen_job
from webstrata.cli.start import note, print_json, started
from webstrata.model.words import counted

verbs = typer.Typer()


@command(verbs, "replay-index-job", example="webstrata replay-index-job 3")
def replay_index_job(
    number: WhichJob = None,
    id_option: JobOption = None,
    collections_dir: Annotated[
        Path | None,
        typer.Option(
            "--collections-dir",
            metavar="DIR",
            help="Folder of pywb's collections.",
            show_default="WEBSTRATA_REPLAY_COLLECTIONS_DIR",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Build or update the collection job-N of a job for a replay server such as pywb."""
    from webstrata.storage.collections import collection_folder
    from webstrata.warc.packages.collection import build_collection

    job_id = chosen_job(number, id_option)
    with started(quiet=True) as app:
        chosen = collections_dir or app.settings.replay_collections_dir
        report = build_collection(app.database, app.archive_root, job_id, chosen)
        # This also invalidates caches of browse URLs.
        note(app, "job.replay_index", f"job:{job_id}", captures=report.captures)
    folder = collection_folder(chosen, job_id)
    if as_json:
        print_json(dataclasses.asdict(report) | {"collection": str(folder)})
        return
    print(f"{folder}: {counted(report.captures, 'capture')} in {counted(report.files, 'file')}")
    if report.unresolved:
        print(f"{counted(report.unresolved, 'revisit')} without its original, which is not in the archive")
