"""`archive` and `run`: from an address to a searchable archive in one go."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from typer.models import OptionInfo

from webstrata.cli.help_pages import command
from webstrata.model.crawl.crawl_config import CRAWL_SETTINGS

verbs = typer.Typer()

Addresses = Annotated[
    list[str] | None,
    typer.Argument(metavar="[URL...]", help="URLs to start from, all on one site.", show_default=False),
]
JobFilePath = Annotated[
    Path | None,
    typer.Option(
        "--file", metavar="FILE", help="Job file (YAML) with seeds, scope and crawl settings; see docs/jobs.md."
    ),
]


def _crawl_option(name: str) -> OptionInfo:
    """Return the option that sets a crawl setting for one job."""
    declared = CRAWL_SETTINGS[name]
    option: OptionInfo = typer.Option(
        declared.flag,
        min=declared.lowest,
        max=declared.highest,
        metavar=None if declared.lowest is None else declared.unit,
        help=declared.sentence,
        show_default=declared.unset or _shown(declared.default),
    )
    return option


def _shown(default: object) -> str:
    return (
        f"{default:,}" if isinstance(default, int) else f"{default:g}" if isinstance(default, float) else str(default)
    )


@command(verbs, example="webstrata archive https://example.org/ --max-pages 500")
def archive(
    urls: Addresses = None,
    file: JobFilePath = None,
    max_pages: Annotated[int | None, _crawl_option("max_pages")] = None,
    max_requisites: Annotated[int | None, _crawl_option("max_requisites")] = None,
    max_depth: Annotated[int | None, _crawl_option("max_depth")] = None,
    max_seconds: Annotated[float | None, _crawl_option("max_seconds")] = None,
    max_bytes: Annotated[int | None, _crawl_option("max_bytes")] = None,
    delay: Annotated[float | None, _crawl_option("per_host_delay")] = None,
    per_host_concurrency: Annotated[int | None, _crawl_option("per_host_concurrency")] = None,
    max_crawl_delay: Annotated[float | None, _crawl_option("max_crawl_delay")] = None,
    jitter: Annotated[float | None, _crawl_option("jitter")] = None,
    fetcher: Annotated[Literal["http", "null", "browser", "auto"] | None, _crawl_option("fetcher")] = None,
) -> None:
    """Archive a site: fetch its pages, store them as WARC files and make them searchable.

    A run that was stopped or killed continues when the same command is given again.
    """
    from webstrata.cli.jobs.run_here import archive_here

    given = {
        "max_pages": max_pages,
        "max_requisites": max_requisites,
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


@command(verbs, example="webstrata run https://example.org/ --port 8081")
def run(
    site: Annotated[
        str | None, typer.Argument(metavar="[SITE]", help="URL to start from; without one, the demo site is archived.")
    ] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port to serve on.", show_default="8080")] = None,
) -> None:
    """Archive a site, or the built-in demo site, and serve the archive until Ctrl-C."""
    from webstrata.cli.jobs.run_here import run_here

    run_here(site, port)
