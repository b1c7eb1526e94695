"""zimit, as archive-tool runs it: crawls into a folder of ZIM and WARC files; no database is used."""

from functools import partial
from pathlib import Path

import structlog

from webstrata.archive_tool.arguments import Arguments
from webstrata.archive_tool.modes import run_mode
from webstrata.archive_tool.monitor.watching import Monitor
from webstrata.archive_tool.supervising import begin, ended_by_signals, noted, supervise
from webstrata.archive_tool.zimit import ZimitEngine
from webstrata.archive_tool.zimit_files import found_in, held
from webstrata.cli.start import start_logging
from webstrata.errors import StorageError
from webstrata.jobs.running.stages import DONE, NOTHING_TO_DO
from webstrata.settings import load_settings
from webstrata.storage.crawl_state import CrawlState
from webstrata.storage.file_system import check_room, check_writable

log = structlog.get_logger()

INITIAL_WORKERS = 1


def crawl_into(told: Arguments) -> int:
    """Crawl into a folder and return the exit code."""
    if told.help_only:
        return NOTHING_TO_DO  # A container works alone.
    settings = load_settings()
    start_logging(settings, quiet=True, level=told.log_level)
    for flag in told.without_effect():
        log.warning("option.without_effect", flag=flag)
    room = partial(check_room, told.output_dir, settings.min_free_bytes)
    _make_folder(told.output_dir)
    with held(told.output_dir), ended_by_signals() as ended:
        state = CrawlState(told.output_dir, workers_of(told))
        with noted(state, is_tied=told.tied):
            room()
            mode = run_mode(found_in(told.output_dir), overwrite=told.overwrite)
            engine = ZimitEngine(told, state, mode)
            engine.check()
            log.info("run.mode", mode=mode)
            begin(state, mode, workers_of(told), overwrite=told.overwrite)
        limits = told.monitor_limits()
        monitor = Monitor(limits, state) if limits is not None else None
        code = supervise(engine, state, monitor, ended, check_room=room, is_tied=told.tied)
    if code == DONE:
        print(f"{told.name!r} is crawled into {told.output_dir}")
    else:
        print(f"{told.name!r} is not done: {(state.ended or {}).get('reason') or f'exit code {code}'}")
    return code


def workers_of(told: Arguments) -> int:
    """Return with how many workers a crawl begins."""
    return told.initial_workers or INITIAL_WORKERS


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror}") from error
    check_writable(folder)
