"""`archive` and `run`: from an address to a searchable archive in one go."""

import re
from typing import Annotated

import typer

from webstrata.app import App
from webstrata.cli.progress import watching
from webstrata.cli.serving import refuse_busy_port, serve_until_stopped
from webstrata.cli.start import started
from webstrata.cli.summary import print_summary
from webstrata.db import jobs
from webstrata.demo.server import serve_demo
from webstrata.demo.site import DEMO_HOST, DEMO_PORT
from webstrata.errors import WebstrataError
from webstrata.jobs.lifecycle import JobSummary, queue_archive
from webstrata.model.jobs import JobStatus

verbs = typer.Typer()

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:(?!\d)")

DEMO_CODE = "demo"
DEMO_NAME = "Northvale, the built-in demo site"

Addresses = Annotated[
    list[str], typer.Argument(metavar="URL...", help="Where to begin, all on one site.", show_default=False)
]
MaxPages = Annotated[int | None, typer.Option(min=1, help="Fetch at most this many URLs.")]
MaxDepth = Annotated[int | None, typer.Option(min=0, help="Follow links at most this far.")]
Delay = Annotated[float | None, typer.Option("--delay", min=0, help="Seconds between two requests to one host.")]


@verbs.command()
def archive(urls: Addresses, max_pages: MaxPages = None, max_depth: MaxDepth = None, delay: Delay = None) -> None:
    """Archive a site: fetch its pages, keep them as WARC, make them searchable.

    A run that was stopped or killed goes on where it was when the same command is given again.
    """
    given = {"max_pages": max_pages, "max_depth": max_depth, "per_host_delay": delay}
    knobs: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    with started(quiet=True) as app:
        job_id = queue_archive(app.database, app.archive_root, tuple(map(_with_scheme, urls)), crawl=knobs)
        print_summary(_run_job(app, job_id, label=urls[0]), next_step="webstrata serve")


@verbs.command()
def run(
    site: Annotated[
        str | None, typer.Argument(metavar="[SITE]", help="Where to begin; without it, the demo site.")
    ] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port to serve on.")] = None,
) -> None:
    """Archive a site, or the built-in demo site, and serve the archive until Ctrl-C."""
    with started(quiet=True) as app:
        address = (app.settings.host, port or app.settings.port)
        refuse_busy_port(*address)
        place = f"http://{address[0]}:{address[1]}/"
        if site is None:
            _archive_demo(app, place)
        else:
            job_id = queue_archive(app.database, app.archive_root, (_with_scheme(site),))
            print_summary(_run_job(app, job_id, label=site), next_step=place)
    serve_until_stopped(*address)


def _archive_demo(app: App, place: str) -> None:
    """Archive both editions of the demo site the first time, the second one later."""
    with app.database.read() as session:
        seen_before = jobs.has_indexed_job(session, DEMO_CODE)
    for edition in (2,) if seen_before else (1, 2):
        with serve_demo(edition) as origin:
            job_id = queue_archive(app.database, app.archive_root, (origin,), code=DEMO_CODE, name=DEMO_NAME)
            label = f"demo site, edition {edition}"
            print_summary(_run_job(app, job_id, (DEMO_HOST, DEMO_PORT), label=label), next_step=place, label=label)


def _run_job(app: App, job_id: int, *allowed_endpoints: tuple[str, int], label: str) -> JobSummary:
    with watching(label) as watcher:
        summary = app.runner(*allowed_endpoints).run(job_id, watcher)
    if summary.status is JobStatus.STOPPED:
        print_summary(summary, next_step="the same command again, to go on")
        raise KeyboardInterrupt
    if summary.status in (JobStatus.FAILED, JobStatus.INDEX_FAILED) or summary.refusal:
        raise WebstrataError(summary.refusal or summary.reason or f"job {job_id} failed")
    return summary


def _with_scheme(address: str) -> str:
    """Read `example.org` as a person means it."""
    return address if _SCHEME.match(address) else f"https://{address}"
