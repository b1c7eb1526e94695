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


def describe_plan(told: Arguments) -> int:
    """Say what would be done and return 0; what would be refused at once raises the same error here."""
    _check_writable(told.output_dir)
    lines = _of_zimit(told) if told.engine == ZIMIT else _of_native(told, load_settings())
    seeds = without_secrets({"of": told.seeds})["of"]
    print(f"would crawl {', '.join(seeds)} as {told.name!r} into {told.output_dir}")
    print("\n".join(lines))
    return 0


def _of_zimit(told: Arguments) -> list[str]:
    from webstrata.archive_tool.zimit import ZimitEngine
    from webstrata.archive_tool.zimit_files import found_in
    from webstrata.archive_tool.zimit_run import workers_of

    state = CrawlState(told.output_dir, workers_of(told))
    mode = run_mode(found_in(told.output_dir), overwrite=told.overwrite)
    engine = ZimitEngine(told, state, mode)
    workers = _workers(state, mode, workers_of(told))
    lines = _shown(told, mode, workers, engine.command(workers))
    try:
        engine.check()
    except StorageError as error:
        lines.append(f"but not here: {error}")
    return lines


def _of_native(told: Arguments, settings: Settings) -> list[str]:
    from webstrata.archive_tool.native_engine import attempt_command

    state = CrawlState(told.output_dir, told.initial_workers or settings.concurrency)
    job_id, found, initial = _known_job(told, settings, state)
    mode = run_mode(found, overwrite=told.overwrite)
    workers = _workers(state, mode, initial)
    job = "job:      a new one" if job_id is None else f"job:      {job_id}"
    return [job, *_shown(told, mode, workers, attempt_command(told, job_id, workers))]


def _known_job(told: Arguments, settings: Settings, state: CrawlState) -> tuple[int | None, EarlierRuns, int]:
    """Return which job it would be, what it left and its workers; a database that is not there yet knows none."""
    from webstrata.archive_tool.native import found_for
    from webstrata.db.engine import Database, is_there
    from webstrata.db.migrate import current, make_ready
    from webstrata.db.queue import jobs
    from webstrata.jobs.running.queueing import check_in_root

    if told.job_id is None:
        check_in_root(told.output_dir, settings.archive_root.resolve())
    initial = told.initial_workers or settings.concurrency
    url = settings.database_url.get_secret_value()
    if not is_there(url):
        return _no_job(told, initial)
    database = Database(url)
    try:
        if current(database) is None:
            return _no_job(told, initial)
        make_ready(database)  # One at another version is refused; this one is not empty, so nothing is made.
        with database.read() as session:
            job_id = told.job_id or jobs.job_in_folder(session, str(told.output_dir))
            if job_id is None:
                return _no_job(told, initial)
            own = jobs.load_job(session, job_id).config.crawl.get("concurrency")
            found = found_for(session, job_id, state, revived=told.job_id is None)
        return job_id, found, own if isinstance(own, int) else initial
    finally:
        database.dispose()


def _no_job(told: Arguments, initial: int) -> tuple[None, EarlierRuns, int]:
    if told.job_id is not None:
        raise NotFoundError(f"there is no job {told.job_id}")
    return None, EarlierRuns(), initial


def _workers(state: CrawlState, mode: RunMode, initial: int) -> int:
    return initial if mode in (RunMode.FRESH, RunMode.OVERWRITE) else state.current_workers


def _shown(told: Arguments, mode: RunMode, workers: int, command: list[str]) -> list[str]:
    return [
        f"engine:   {told.engine}",
        f"mode:     {mode}",
        f"workers:  {workers}",
        *_limits(told.monitor_limits()),
        *(f"no effect: {flag}" for flag in told.without_effect()),
        *([f"no effect: {ignored}"] if (ignored := ignored_arguments(told.engine, told.passthrough)) else []),
        f"command:  {shlex.join(_hidden(command))}",
    ]


def _hidden(command: list[str]) -> list[str]:
    """Return a command without passwords in addresses, and without what follows a flag that is called a secret."""
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
