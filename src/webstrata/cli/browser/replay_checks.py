"""`check-replay`: open captures of a job as readers do, and rate how completely they are replayed."""

import asyncio
from typing import Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson, WhichJob, chosen_job
from webstrata.cli.start import print_json, started
from webstrata.model.browser.replay_checks import PageCheck, ReplayReport
from webstrata.model.words import counted

verbs = typer.Typer()

_LARGEST_ID = 2**31 - 1


@command(verbs, example="webstrata check-replay 3 --sample 20")
def check_replay(
    number: WhichJob = None,
    job: Annotated[
        int | None,
        typer.Option("--job", metavar="N", min=1, max=_LARGEST_ID, help="The same as JOB.", show_default=False),
    ] = None,
    sample: Annotated[int, typer.Option(metavar="N", min=1, max=10_000, help="Number of pages to open.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Open pages of a job in the browser as readers see them, and rate how completely they are replayed.

    The score of a page is the similarity of its text to the archived text, minus the share of its requests that failed.
    A request fails if it has no archived response, or if it was not rewritten to lead to the archive. The job's page
    shows the result.
    """
    from webstrata.cli.browser.checked_replay import checked_site

    job_id = chosen_job(number, job)
    with started(quiet=True) as app:
        show = _show_nothing if as_json else _show_page
        report = asyncio.run(app.replay_check(checked_site(app)).check_job(job_id, sample, show))
    if as_json:
        print_json(_json(report))
        return
    missing = counted(report.failed, "request") if report.failed else "no requests"
    print(f"Score {report.score:.2f}: {counted(len(report.pages), 'page')}, text {report.similarity:.0%} the same,")
    print(f"{missing} of {report.requests:,} failed.")


def _show_nothing(_page: PageCheck) -> None:
    pass


def _show_page(page: PageCheck) -> None:
    print(f"{page.score:.2f}  {page.url}")
    if page.problem is not None:
        print(f"      {page.problem}")
    for url in page.missing:
        print(f"      missing: {url}")


def _json(report: ReplayReport) -> dict[str, object]:
    from webstrata.db.replay.replay_checks import page_json

    return {
        "job": report.job_id,
        "checkedAt": report.checked_at.isoformat(),
        "score": round(report.score, 4),
        "similarity": round(report.similarity, 4),
        "requests": report.requests,
        "failed": report.failed,
        "pages": [page_json(page) for page in report.pages],
    }
