"""`run-job`, `run-db-job`, `index-job` and `check-archive-tool`: single stages, run by hand."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.jobs.jobs import loaded, print_result
from webstrata.cli.options import AsJson, JobOption, WhichJob, chosen_job
from webstrata.cli.start import WRONG_USAGE, interruptible, note, only_json, print_json, start_logging, started
from webstrata.errors import UsageError, WebstrataError
from webstrata.model.words import counted

if TYPE_CHECKING:
    from webstrata.app import App

verbs = typer.Typer()

_HELP_SECONDS = 60

ToolOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="A tool option, such as engine=zimit; see docs/archive-tool.md."
    ),
]


@command(verbs, "check-archive-tool", example="webstrata check-archive-tool --engine zimit")
def check_archive_tool(
    engine: Annotated[
        str, typer.Option(metavar="ENGINE", help="Engine to check too: native, or zimit, which needs Docker.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Check that archive-tool and its crawl engine can be run."""
    from webstrata.jobs.running.tool import tool_command
    from webstrata.settings import load_settings

    settings = load_settings()
    start_logging(settings, quiet=True)
    command = tool_command(settings.tool_cmd)
    try:
        ended = subprocess.run(  # noqa: S603 - what the operator set
            [*command, "--help"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_HELP_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WebstrataError(f"{command[0]} cannot be run: {error} (WEBSTRATA_TOOL_CMD)") from None
    if ended.returncode:
        raise WebstrataError(f"{command[0]} --help ended with exit code {ended.returncode} (WEBSTRATA_TOOL_CMD)")
    _check_engine(engine)
    if as_json:
        print_json({"command": command, "engine": engine or None, "ready": True})
    else:
        print(f"{' '.join(command)} is ready{f' to crawl with {engine}' if engine else ''}")


@command(verbs, "run-job", example="webstrata run-job --name example --seeds https://example.org/")
def run_job(
    name: Annotated[str, typer.Option(help="Name of the job.", show_default=False)],
    seeds: Annotated[
        list[str], typer.Option("--seeds", metavar="URL", help="URL to start from; may be given more than once.")
    ],
    more_seeds: Annotated[list[str] | None, typer.Argument(metavar="[URL...]", help="More URLs to start from.")] = None,
    initial_workers: Annotated[int | None, typer.Option(min=1, max=256, help="Number of concurrent requests.")] = None,
    output_dir: Annotated[
        Path | None, typer.Option(help="Folder for its files, inside the archive root.", show_default="a new folder")
    ] = None,
    log_level: Annotated[
        str | None, typer.Option(help="Log level of archive-tool: DEBUG, INFO, WARNING or ERROR.")
    ] = None,
    cleanup: Annotated[bool, typer.Option("--cleanup", help="Delete temporary files after success.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Start again even if the crawl is finished.")] = False,
    options: ToolOptions = None,
    as_json: AsJson = False,
) -> None:
    """Crawl the given URLs now with archive-tool; a worker, or index-job, indexes the captures later.

    Arguments after -- are passed on to zimit: run-job … --option engine=zimit -- --pageLimit 10
    """
    from webstrata.jobs.running.tool import ToolRun, tool_command

    more, passthrough = _split_passthrough(more_seeds or [])
    with started(quiet=True) as app, interruptible() as interrupted, only_json(as_json):
        command = tool_command(app.settings.tool_cmd)
        flags = _flags(options or [], passthrough, command)
        job = ToolRun(name, (*seeds, *more))
        folder = output_dir or job.new_folder(app.archive_root)
        code = job.run(
            initial_workers,
            cleanup,
            overwrite,
            log_level,
            flags,
            output_dir_override=folder,
            archive_root=app.archive_root,
            command=command,
            interrupted=interrupted,
        )
    if as_json:
        print_json({"folder": folder, "exit_code": code})
    if code == WRONG_USAGE:
        raise typer.Exit(WRONG_USAGE)  # archive-tool has printed what was wrong
    _leave(code, interrupted, "archive-tool")


def _split_passthrough(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the URLs, and the arguments for zimit: everything from the first flag on."""
    place = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    return words[:place], words[place:]


def _flags(options: list[str], passthrough: list[str], command: tuple[str, ...]) -> list[str]:
    """Return the flags of tool options; UsageError for unknown or contradicting ones."""
    from webstrata.jobs.running.tool import tool_flags
    from webstrata.model.jobs.registry import parse_override
    from webstrata.model.jobs.tool_options import TOOL_OPTIONS, ArchiveToolOptions, validate_tool_options

    given = dict(map(parse_override, options))
    if others := sorted(
        {*given} - {*TOOL_OPTIONS} | {*given} & {"initial_workers", "cleanup", "overwrite", "log_level"}
    ):
        raise UsageError(f"{', '.join(others)}: not an option of run-job (see run-job --help)")
    tool_options = ArchiveToolOptions.from_json({"relax_perms": False, **given})
    validate_tool_options(tool_options, passthrough)
    return tool_flags(tool_options, passthrough, command)


def _check_engine(engine: str) -> None:
    from webstrata.model.jobs.tool_options import ENGINES, ZIMIT

    if engine and engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r} (there are {', '.join(ENGINES)})")
    if engine == ZIMIT:
        from webstrata.archive_tool.docker import Docker

        Docker().check()


@command(verbs, "run-db-job", example="webstrata run-db-job 3")
def run_db_job(number: WhichJob = None, id_option: JobOption = None, as_json: AsJson = False) -> None:
    """Crawl a queued job now with archive-tool; a worker, or index-job, indexes the captures later."""
    from webstrata.jobs.running.persistent import run_persistent_job

    job_id = chosen_job(number, id_option)
    with started(quiet=True) as app, interruptible() as interrupted, only_json(as_json):
        context = app.context()
        context.load(job_id)
        note(app, "job.run", f"job:{job_id}")
        code = run_persistent_job(job_id, context=context, interrupted=interrupted)
        job = context.load(job_id)
    words = f"job {job_id} is {job.status}{f': {job.status_reason}' if job.status_reason else ''}"
    print_result(job, words, as_json=as_json, exit_code=code)
    _leave(code, interrupted, "the crawl")


@command(verbs, "index-job", example="webstrata index-job 3")
def index_job(
    number: WhichJob = None,
    id_option: JobOption = None,
    every_job: Annotated[
        bool, typer.Option("--all", help="Index every job that an earlier version of this program indexed.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Read all WARC files again, also those that are indexed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make the captures of a job searchable; the job may be a crawl or a registered folder of WARC files.

    After an upgrade, --all indexes the jobs of earlier versions again. If interrupted, the same command continues.
    """
    if every_job is not (number is None and id_option is None):
        raise UsageError("give the number of a job, or --all")
    if every_job:
        _index_outdated(again=again, as_json=as_json)
    else:
        _index_one(chosen_job(number, id_option), again=again, as_json=as_json)


def _index_outdated(*, again: bool, as_json: bool) -> None:
    """Index every outdated job; a failure does not stop the others."""
    from webstrata.db.captures.captures import outdated_jobs
    from webstrata.index.version import INDEX_VERSION

    with started(quiet=True) as app, app.database.read() as session:
        outdated = outdated_jobs(session, INDEX_VERSION)
    if not outdated and not as_json:
        print("every job is indexed by this version")
    failed = []
    for job_id in outdated:
        try:
            _index_one(job_id, again=again, as_json=as_json)
        except WebstrataError as error:
            failed.append(job_id)
            print(f"job {job_id}: {error}", file=sys.stderr)
    if failed:
        raise WebstrataError(f"{counted(len(failed), 'job')} could not be indexed: {', '.join(map(str, failed))}")


def _index_one(job_id: int, *, again: bool, as_json: bool) -> None:
    from webstrata.jobs.running.indexing import refuse_cleaned_away

    with started(quiet=True) as app, interruptible() as interrupted:
        refuse_cleaned_away(app.database, app.archive_root, job_id)
        note(app, "job.index", f"job:{job_id}", again=again)
        code = _index_here(app, job_id, interrupted, again=again)
        job = loaded(app, job_id)
        pages, problems = _counts_of(app, job_id)
    if as_json or code == 0:
        where = f"; problems: {problems:,} (webstrata show-job {job_id} lists them)" if problems else ""
        words = f"job {job_id} is {job.status}: {counted(pages, 'snapshot')} can be searched{where}"
        print_result(job, words, as_json=as_json, pages=pages, problems=problems)
    if code and not interrupted.is_set():
        raise WebstrataError(job.status_reason or f"job {job_id} could not be indexed")
    _leave(code, interrupted, "the index")


def _index_here(app: "App", job_id: int, interrupted: threading.Event, *, again: bool) -> int:
    from webstrata.cli.browser.previews_later import with_previews_later
    from webstrata.cli.jobs.progress import watching_index
    from webstrata.db.queue import leases
    from webstrata.jobs.running.crawl_end import write_folder_records
    from webstrata.jobs.running.job_lease import lead_job

    runner = with_previews_later(app, app.runner())
    runner.recovery.tend()
    with (
        lead_job(app.database, app.archive_root, job_id, leases.lease_for_index) as leader,
        watching_index(job_id) as watcher,
    ):
        code = runner.index(
            job_id, leader, interrupted, watcher.indexed, advanced=watcher.read, looked=watcher.looked, again=again
        )
        write_folder_records(app.database, app.archive_root, job_id)
    return code


def _counts_of(app: "App", job_id: int) -> tuple[int, int]:
    """Return how many snapshots of a job can be searched, and how many problems its files have."""
    from webstrata.db.operations import catalog

    with app.database.read() as session:
        job = catalog.job(session, job_id)
    return (job.indexed_page_count, job.index_problem_count) if job else (0, 0)


def _leave(code: int, interrupted: threading.Event, what: str) -> None:
    """Exit with the code for an interruption or a failure, if there was one."""
    if interrupted.is_set():
        raise KeyboardInterrupt
    if code:
        raise WebstrataError(f"{what} ended with exit code {code}")
