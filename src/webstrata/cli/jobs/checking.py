"""`validate-job-config`: check the configuration of a job before it is run."""

import dataclasses
import json
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson, JobOption, WhichJob, chosen_job
from webstrata.cli.start import FAILED, fold_code, print_json, start_logging, started
from webstrata.errors import NotFoundError, UsageError, WebstrataError

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.model.jobs.registry import SourceJobConfig
    from webstrata.model.jobs.tool_options import OptionProblem
    from webstrata.settings import Settings

verbs = typer.Typer()

_LARGEST_CONFIG = 1_000_000
_DRY_RUN_SECONDS = 120
_OWN_NAME = "archive-tool"


@dataclass(frozen=True)
class _CheckedJob:
    """The job that would be run."""

    name: str
    folder: Path
    config: Mapping[str, object]
    job_id: int | None = None


@command(verbs, "validate-job-config", example="webstrata validate-job-config --source example-org")
def validate_job_config(
    number: WhichJob = None,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="CODE", help="Check the next job of this source.", parser=fold_code),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="Check a configuration in JSON; - reads standard input."),
    ] = None,
    id_option: JobOption = None,
    options: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="With --source: a crawl setting or tool option."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the configuration of a job without running it, and show its problems or the command that would run.

    Exit codes: 0 the job can be run, 1 it cannot, 2 wrong usage.
    """
    from webstrata.settings import load_settings

    job_id = None if number is None and id_option is None else chosen_job(number, id_option)
    if sum(given is not None for given in (source, config, job_id)) != 1:
        raise UsageError("give one thing to check: a job's number, --source CODE or --config FILE")
    if options and source is None:
        raise UsageError("--option can only be used with --source")
    settings = load_settings()
    if config is not None:
        start_logging(settings, quiet=True)
        requested = _of_file(_read(config), settings)
    else:
        with started(quiet=True) as app:
            requested = _of_job(app, job_id) if job_id is not None else _of_source(app, source or "", options or [])
    raise typer.Exit(_report(requested, settings, as_json))


def _read(path: Path) -> Mapping[str, object]:
    """Return the configuration in a file; UsageError when it is invalid."""
    try:
        with nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb") as file:
            content = file.read(_LARGEST_CONFIG + 1)
        found = json.loads(content) if len(content) <= _LARGEST_CONFIG else None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not valid JSON: {error}") from None
    if not isinstance(found, dict):
        raise UsageError(f"{path}: expected a JSON object of at most {_LARGEST_CONFIG:,} bytes")
    return found


def _of_file(config: Mapping[str, object], settings: "Settings") -> _CheckedJob:
    from webstrata.jobs.sources.source_choice import source_code_of
    from webstrata.model.jobs.registry import SourceJobConfig, build_output_dir_for_job, generate_job_name
    from webstrata.model.urls import parse_url

    seeds = config.get("seeds")
    try:
        code = source_code_of(parse_url(str(seeds[0])).href) if isinstance(seeds, list) and seeds else "example-org"
    except UsageError:
        code = "example-org"  # a wrong seed is reported with the other problems
    now = datetime.now(UTC)
    name = generate_job_name(SourceJobConfig.plain(code, ()), now)
    return _CheckedJob(name, build_output_dir_for_job(code, name, settings.archive_root.resolve(), now), config)


def _of_job(app: "App", job_id: int) -> _CheckedJob:
    from webstrata.db.operations import catalog

    with app.database.read() as session:
        job = catalog.job(session, job_id)
    if job is None:
        raise NotFoundError(f"there is no job {job_id}")
    return _CheckedJob(job.name, Path(job.output_dir), job.config or {}, job_id)


def _of_source(app: "App", code: str, options: Sequence[str]) -> _CheckedJob:
    from webstrata.db.sources.sources import registry_entry
    from webstrata.model.jobs.registry import build_output_dir_for_job, generate_job_name, parse_override

    overrides = dict(map(parse_override, options))
    with app.database.read() as session:
        entry = registry_entry(session, code)
    now = datetime.now(UTC)
    name = generate_job_name(entry, now)
    folder = build_output_dir_for_job(code, name, app.archive_root, now)
    return _CheckedJob(name, folder, _config_of(entry, overrides))


def _config_of(entry: "SourceJobConfig", overrides: Mapping[str, object]) -> Mapping[str, object]:
    """Return the configuration of a source's next job; if no job can be made, the stored settings unchecked."""
    from webstrata.model.jobs.registry import build_job_config, plain_job_config

    try:
        return build_job_config(entry, overrides=overrides)
    except UsageError:
        return plain_job_config(entry, overrides)


def _report(requested: _CheckedJob, settings: "Settings", as_json: bool) -> int:
    """Print the problems, or the command that would run, and return the exit code."""
    from webstrata.logs import harmless, without_secrets
    from webstrata.model.jobs.tool_options import OptionProblem

    problems, output, command = _problems(requested.config), None, None
    if not problems:
        try:
            command, output = _dry_run(requested, settings)
        except WebstrataError as error:
            problems = [OptionProblem(_OWN_NAME, str(error))]
    if as_json:
        report = {"valid": not problems, "problems": [dataclasses.asdict(problem) for problem in problems]}
        shown = {"config": without_secrets(requested.config), "command": command, "dry_run": output}
        print_json({**report, **shown})
    elif problems:
        for problem in problems:
            print(harmless(f"{problem.option}: {problem.reason.removeprefix(f'{problem.option}: ')}"))
    else:
        print(output)
    return FAILED if problems else 0


def _problems(config: Mapping[str, object]) -> "list[OptionProblem]":
    from webstrata.assets.registry import PluginRegistry
    from webstrata.model.jobs.job_checks import config_problems
    from webstrata.model.jobs.tool_options import OptionProblem

    found = list(config_problems(config))
    plugins = PluginRegistry()
    plugins.load_entrypoints()
    named = config.get("plugins")
    try:
        plugins.selected(named if isinstance(named, list) and not found else None)
    except UsageError as error:
        found.append(OptionProblem("plugins", str(error)))
    return found


def _dry_run(requested: _CheckedJob, settings: "Settings") -> tuple[list[str], str]:
    """Return the command line of archive-tool, secrets hidden, and the output of its dry run.

    Another program is not started, as it may not have a dry run.
    """
    from webstrata.jobs.running.tool import is_own_tool, job_arguments, tool_command, withheld_options
    from webstrata.model.jobs.job import ArchiveJobConfig

    config, command = ArchiveJobConfig.from_json(requested.config), tool_command(settings.tool_cmd)
    arguments = job_arguments(requested.name, config, requested.folder, command)
    shown = _without_secrets([*command, *arguments], config.options.vpn_connect_command)
    if not is_own_tool(command):
        withheld = ", ".join(withheld_options(config.options, command))
        unknown = f"; it has no flag for {withheld}" if withheld else ""
        return shown, f"would run {shlex.join(shown)} (WEBSTRATA_TOOL_CMD: only the configuration was checked{unknown})"
    which = [] if requested.job_id is None else ["--job-id", str(requested.job_id)]
    return shown, _output_of([*command, "--dry-run", *which, *arguments])


def _without_secrets(command: Sequence[str], secret: str | None) -> list[str]:
    from webstrata.logs import HIDDEN

    return [HIDDEN if secret and word == secret else word for word in command]


def _output_of(command: Sequence[str]) -> str:
    try:
        ended = subprocess.run(  # noqa: S603 - what the operator set
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_DRY_RUN_SECONDS, check=False, text=True
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WebstrataError(f"{command[0]} cannot be run: {error} (WEBSTRATA_TOOL_CMD)") from None
    if ended.returncode:
        output = ended.stderr.strip().splitlines()[-1:] or [f"exit code {ended.returncode}"]
        raise WebstrataError(output[0].removeprefix(f"{_OWN_NAME}: "))
    return ended.stdout.strip()
