"""`cleanup`: delete the expired html_gz artifacts of audits."""

import dataclasses
from typing import Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import FAILED, print_json, started
from webstrata.model.words import counted

verbs = typer.Typer()


@command(verbs, example="webstrata cleanup --dry-run")
def cleanup(
    dry_run: Annotated[
        bool | None,
        typer.Option(
            "--dry-run/--apply",
            help="Only count expired artifacts, or delete them. Default: RETENTION_CLEANUP_DRY_RUN.",
        ),
    ] = None,
    batch_size: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100_000,
            metavar="N",
            help="Maximum number of artifacts. Default: RETENTION_CLEANUP_BATCH_SIZE.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Delete the saved HTML of audits (html_gz artifacts) after its retention time."""
    from datetime import UTC, datetime

    from webstrata.retention.artifact_cleanup import clean_up_artifacts
    from webstrata.storage.file_system import shown_bytes

    with started(quiet=as_json) as app:
        settings = app.settings
        report = clean_up_artifacts(
            app.database,
            settings.artifacts_dir.resolve(),
            datetime.now(UTC),
            batch_size=batch_size or settings.retention_cleanup_batch_size,
            dry_run=settings.retention_cleanup_dry_run if dry_run is None else dry_run,
        )
    if as_json:
        print_json(dataclasses.asdict(report))
    elif report.dry_run:
        print(f"{counted(report.candidates, 'artifact')} would be deleted; nothing was deleted")
    else:
        print(
            f"{counted(report.candidates, 'artifact')} expired: {report.deleted} deleted, {report.missing} missing, "
            f"{report.failed} failed, {shown_bytes(report.bytes)} freed"
        )
    if report.failed:
        raise typer.Exit(FAILED)
