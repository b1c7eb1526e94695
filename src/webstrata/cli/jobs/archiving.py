"""`archive` and `run`: from an address to a searchable archive in one go."""

from collections.abc import Callable
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated

import typer
from typer.models import OptionInfo

from webstrata.cli.help_pages import command
from webstrata.model.crawl.crawl_config import CRAWL_SETTING_TYPES, CRAWL_SETTINGS

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
        show_default=declared.unset or _format_default(declared.default),
    )
    return option


def _format_default(default: object) -> str:
    return (
        f"{default:,}" if isinstance(default, int) else f"{default:g}" if isinstance(default, float) else str(default)
    )


def _with_crawl_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add an option to a command for each crawl setting with a flag; values are passed by name."""
    own = [one for one in signature(function).parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
    flagged = [name for name, declared in CRAWL_SETTINGS.items() if declared.flag]
    names = sorted(flagged, key=lambda name: not name.startswith("max_"))
    options = {name: Annotated[CRAWL_SETTING_TYPES[name] | None, _crawl_option(name)] for name in names}
    more = [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind) for name, kind in options.items()]
    function.__annotations__ |= options
    setattr(function, "__signature__", signature(function).replace(parameters=[*own, *more]))  # noqa: B010
    return function


@command(verbs, example="webstrata archive https://example.org/ --max-pages 500")
@_with_crawl_options
def archive(
    urls: Addresses = None,
    file: JobFilePath = None,
    **crawl: object,
) -> None:
    """Archive a site: fetch its pages, store them as WARC files and make them searchable.

    A run that was stopped or killed continues when the same command is given again.
    """
    from webstrata.cli.jobs.run_here import archive_here

    archive_here(urls or [], file, {name: value for name, value in crawl.items() if value is not None})


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
