"""`archive` and `run`: from an address to a searchable archive in one go."""

from pathlib import Path
from typing import Annotated, Literal

import typer

verbs = typer.Typer()

Addresses = Annotated[
    list[str] | None, typer.Argument(metavar="[URL...]", help="Where to begin, all on one site.", show_default=False)
]
JobFilePath = Annotated[
    Path | None,
    typer.Option("--file", metavar="FILE", help="A job file (YAML): seeds, scope, crawl knobs; docs/jobs.md."),
]
MaxPages = Annotated[int | None, typer.Option(min=1, help="Fetch at most this many URLs.")]
MaxDepth = Annotated[int | None, typer.Option(min=0, help="Follow links at most this far.")]
MaxSeconds = Annotated[float | None, typer.Option(min=0.001, max=31_536_000, help="Crawl at most this long.")]
MaxBytes = Annotated[int | None, typer.Option(min=1, help="Receive at most this many bytes.")]
Delay = Annotated[
    float | None, typer.Option("--delay", min=0, max=3600, help="Seconds for which a host rests after a request.")
]
PerHost = Annotated[
    int | None, typer.Option("--per-host-concurrency", min=1, max=256, help="Requests to one host at once.")
]
MaxCrawlDelay = Annotated[
    float | None, typer.Option(min=0, max=3600, help="Seconds of a Crawl-delay that are obeyed at most.")
]
Jitter = Annotated[float | None, typer.Option(min=0, max=1, help="By which share waits are lengthened at random.")]
Fetcher = Annotated[
    Literal["http", "null"] | None, typer.Option(help="What fetches; null reaches no network, for dry runs.")
]


@verbs.command()
def archive(
    urls: Addresses = None,
    file: JobFilePath = None,
    max_pages: MaxPages = None,
    max_depth: MaxDepth = None,
    max_seconds: MaxSeconds = None,
    max_bytes: MaxBytes = None,
    delay: Delay = None,
    per_host_concurrency: PerHost = None,
    max_crawl_delay: MaxCrawlDelay = None,
    jitter: Jitter = None,
    fetcher: Fetcher = None,
) -> None:
    """Archive a site: fetch its pages, keep them as WARC, make them searchable.

    A run that was stopped or killed goes on where it was when the same command is given again.
    """
    from webstrata.cli.jobs_here import archive_here

    given = {
        "max_pages": max_pages,
        "max_depth": max_depth,
        "max_seconds": max_seconds,
        "max_bytes": max_bytes,
        "per_host_delay": delay,
        "per_host_concurrency": per_host_concurrency,
        "max_crawl_delay": max_crawl_delay,
        "jitter": jitter,
        "fetcher": fetcher,
    }
    archive_here(urls or [], file, {name: value for name, value in given.items() if value is not None})


@verbs.command()
def run(
    site: Annotated[
        str | None, typer.Argument(metavar="[SITE]", help="Where to begin; without it, the demo site.")
    ] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port to serve on.")] = None,
) -> None:
    """Archive a site, or the built-in demo site, and serve the archive until Ctrl-C."""
    from webstrata.cli.jobs_here import run_here

    run_here(site, port)
