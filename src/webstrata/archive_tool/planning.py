"""`--dry-run`: prints what a run would do, without touching the folder, the database or the web."""

import shlex
from datetime import timedelta
from pathlib import Path

from webstrata.archive_tool.arguments import Arguments
from webstrata.archive_tool.modes import EarlierRuns, RunMode, run_mode
from webstrata.errors import NotFoundError, StorageError
from webstrata.logs import without_secrets
from webstrata.model.crawl.monitoring import MonitorLimits
from webstrata.model.jobs.tool_options import ZIMIT, ignored_arguments
from webstrata.settings import Settings, load_settings
from webstrata.storage.crawl_state import CrawlState
from webstrata.storage.file_system import is_writable


def describe_plan(arguments: Arguments) -> int:
    """Print what a run would do and return 0; raises the same errors as the start of a run."""
    _check_writable(arguments.output_dir)
    lines = _of_zimit(arguments) if arguments.engine == ZIMIT else _of_native(arguments, load_settings())
    seeds = without_secrets({"of": arguments.seeds})["of"]
    print(f"would crawl {', '.join(seeds)} as {arguments.name!r} into {arguments.output_dir}")
    print("\n".join(lines))
    return 0


def _of_zimit(arguments: Arguments) -> list[str]:
    from webstrata.archive_tool.zimit import ZimitEngine
    from webstrata.archive_tool.zimit_files import found_in
    from webstrata.archive_tool.zimit_run import workers_of

    state = CrawlState(arguments.output_dir, workers_of(arguments))
    mode = run_mode(found_in(arguments.output_dir), overwrite=arguments.overwrite)
    engine = ZimitEngine(arguments, state, mode)
    workers = _workers(state, mode, workers_of(arguments))
    lines = _plan_lines(arguments, mode, workers, engine.command(workers))
    try:
        engine.check()
    except StorageError as error:
        lines.append(f"but not here: {error}")
    return lines


def _of_native(arguments: Arguments, settings: Settings) -> list[str]:
    from webstrata.archive_tool.native_engine import attempt_command

    state = CrawlState(arguments.output_dir, arguments.initial_workers or settings.concurrency)
    job_id, found, initial = _known_job(arguments, settings, state)
    mode = run_mode(found, overwrite=arguments.overwrite)
    workers = _workers(state, mode, initial)
    job = "job:      a new one" if job_id is None else f"job:      {job_id}"
    return [job, *_plan_lines(arguments, mode, workers, attempt_command(arguments, job_id, workers))]


def _known_job(arguments: Arguments, settings: Settings, state: CrawlState) -> tuple[int | None, EarlierRuns, int]:
    """Return the job, the state of its earlier runs and its workers; no job without a database."""
    from webstrata.archive_tool.native import found_for
    from webstrata.db.engine import Database, is_there
    from webstrata.db.migrate import current, make_ready
    from webstrata.db.queue import jobs
    from webstrata.jobs.running.queueing import check_in_root

    if arguments.job_id is None:
        check_in_root(arguments.output_dir, settings.archive_root.resolve())
    initial = arguments.initial_workers or settings.concurrency
    url = settings.database_url.get_secret_value()
    if not is_there(url):
        return _no_job(arguments, initial)
    database = Database(url)
    try:
        if current(database) is None:
            return _no_job(arguments, initial)
        make_ready(database)  # This refuses a database at another version and changes nothing in one that is not empty.
        with database.read() as session:
            job_id = arguments.job_id or jobs.job_in_folder(session, str(arguments.output_dir))
            if job_id is None:
                return _no_job(arguments, initial)
            own = jobs.load_job(session, job_id).config.crawl.get("concurrency")
            found = found_for(session, job_id, state, revived=arguments.job_id is None)
        return job_id, found, own if isinstance(own, int) else initial
    finally:
        database.dispose()


def _no_job(arguments: Arguments, initial: int) -> tuple[None, EarlierRuns, int]:
    if arguments.job_id is not None:
        raise NotFoundError(f"there is no job {arguments.job_id}")
    return None, EarlierRuns(), initial


def _workers(state: CrawlState, mode: RunMode, initial: int) -> int:
    return initial if mode in (RunMode.FRESH, RunMode.OVERWRITE) else state.current_workers


def _plan_lines(arguments: Arguments, mode: RunMode, workers: int, command: list[str]) -> list[str]:
    return [
        f"engine:   {arguments.engine}",
        f"mode:     {mode}",
        f"workers:  {workers}",
        *_limits(arguments.monitor_limits()),
        *(f"no effect: {flag}" for flag in arguments.without_effect()),
        *([f"no effect: {ignored}"] if (ignored := ignored_arguments(arguments.engine, arguments.passthrough)) else []),
        f"command:  {shlex.join(_hidden(command))}",
    ]


def _hidden(command: list[str]) -> list[str]:
    """Return a command with passwords in URLs and values of secret flags hidden."""
    shown: list[str] = []
    flag = ""
    for word in command:
        name, is_given, value = word.partition("=")
        if word.startswith("-"):
            shown.append(f"{name}={_plain(name, value)}" if is_given else word)
            flag = "" if is_given else word
        else:
            shown.append(_plain(flag, word))
            flag = ""
    return shown


def _plain(name: str, value: str) -> str:
    return str(without_secrets({name: value})[name])


def _limits(limits: MonitorLimits | None) -> list[str]:
    if limits is None:
        return ["watched:  no"]
    fewer = (
        f"never below {limits.min_workers}, at most {limits.max_worker_reductions} times fewer"
        if limits.adaptive_workers
        else "never fewer"
    )
    often = _span(limits.vpn_rotation_frequency)
    vpn = f"at most {limits.max_vpn_rotations} times, not within {often}" if limits.vpn is not None else "never changed"
    errors = ", ".join(f"{count} of kind {kind}" for kind, count in limits.error_thresholds.items())
    return [
        f"watched:  every {_span(limits.interval)}",
        f"stall:    {_span(limits.stall_timeout)} without a new page",
        f"errors:   {errors}",
        f"fewer:    {fewer}",
        f"VPN:      {vpn}",
        f"rest:     {_span(limits.backoff_delay)}",
    ]


def _span(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    return f"{seconds // 60} min" if seconds and seconds % 60 == 0 else f"{seconds} s"


def _check_writable(folder: Path) -> None:
    """Raise StorageError when files could not be made in a folder, or it could not be made."""
    there = next(place for place in (folder, *folder.parents) if place.exists() or place.is_symlink())
    if not there.is_dir():
        raise StorageError(f"{there}: Not a directory")
    if not is_writable(there):
        raise StorageError(f"{there}: Permission denied")
