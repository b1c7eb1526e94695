"""`remove-source`: delete a source with its captures."""

import dataclasses
from typing import Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import fold_code, print_json, started
from webstrata.model.words import counted

verbs = typer.Typer()


@command(verbs, example='webstrata remove-source hc --confirm "Health Canada"')
def remove_source(
    code: Annotated[str, typer.Argument(metavar="CODE", help="Code of the source.", parser=fold_code)],
    confirm: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the source; without it nothing is deleted.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Delete a source with its captures and files; without --confirm, show what would be deleted.

    WARC files and blobs that other sources use are not deleted. If interrupted, the same command continues.
    """
    from webstrata.jobs.sources.source_deletion import delete_source, plan_deletion
    from webstrata.storage.file_system import shown_bytes

    with started(quiet=True) as app:
        if confirm:
            report = delete_source(app.database, app.archive_root, code, confirm)
        else:
            report = plan_deletion(app.database, app.archive_root, code)
    if as_json:
        print_json(dataclasses.asdict(report) | {"dry_run": not confirm})
        return
    size = f"{counted(report.snapshots, 'snapshot')}, {counted(report.files, 'WARC file')}, {shown_bytes(report.bytes)}"
    print(f"{report.code} ({report.name}): {size} {'deleted' if confirm else 'would be deleted'}")
    for path in report.kept_files:
        print(f"stays, because other sources refer to it: {path}")
    if not confirm:
        print(f'To delete them: webstrata remove-source {report.code} --confirm "{report.name}"')
