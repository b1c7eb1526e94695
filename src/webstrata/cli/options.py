"""Options and arguments that several commands share."""

from typing import Annotated

import typer

from webstrata.cli.start import fold_code
from webstrata.errors import UsageError

_LARGEST_ID = 2**31 - 1

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
WhichJob = Annotated[
    int | None,
    typer.Argument(
        metavar="JOB", min=1, max=_LARGEST_ID, help="Number of the job, as list-jobs shows it.", show_default=False
    ),
]
JobOption = Annotated[
    int | None,
    typer.Option("--id", metavar="N", min=1, max=_LARGEST_ID, help="The same as JOB.", show_default=False),
]
OfSource = Annotated[
    str | None,
    typer.Option("--source", metavar="CODE", help="Only this source, by its short code.", parser=fold_code),
]


def chosen_job(job: int | None, job_id: int | None) -> int:
    """Return the job that was named, as an argument or with --id; UsageError without one, or with two."""
    if job is not None and job_id is not None and job != job_id:
        raise UsageError(f"name one job, not both {job} and {job_id}")
    found = job_id if job is None else job
    if found is None:
        raise UsageError("give the number of a job (webstrata list-jobs shows the numbers)")
    return found
