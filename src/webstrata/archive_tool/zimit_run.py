"""Runs zimit for archive-tool: crawls into a folder of ZIM and WARC files, without a database."""

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


def crawl_into(arguments: Arguments) -> int:
    """Crawl into a folder and return the exit code."""
    if arguments.help_only:
        return NOTHING_TO_DO  # There are no helpers for a container.
    settings = load_settings()
    start_logging(settings, quiet=True, level=arguments.log_level)
    for flag in arguments.without_effect():
        log.warning("option.without_effect", flag=flag)
    room = partial(check_room, arguments.output_dir, settings.min_free_bytes)
    _make_folder(arguments.output_dir)
    with held(arguments.output_dir), ended_by_signals() as ended:
        state = CrawlState(arguments.output_dir, workers_of(arguments))
        with noted(state, is_child=arguments.tied):
            room()
            mode = run_mode(found_in(arguments.output_dir), overwrite=arguments.overwrite)
            engine = ZimitEngine(arguments, state, mode)
            engine.check()
            log.info("run.mode", mode=mode)
            begin(state, mode, workers_of(arguments), overwrite=arguments.overwrite)
        limits = arguments.monitor_limits()
        monitor = Monitor(limits, state) if limits is not None else None
        code = supervise(engine, state, monitor, ended, check_room=room, is_child=arguments.tied)
    if code == DONE:
        print(f"{arguments.name!r} is crawled into {arguments.output_dir}")
    else:
        print(f"{arguments.name!r} is not done: {(state.ended or {}).get('reason') or f'exit code {code}'}")
    return code


def workers_of(arguments: Arguments) -> int:
    """Return the number of workers at the start of a crawl."""
    return arguments.initial_workers or INITIAL_WORKERS


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror}") from error
    check_writable(folder)
