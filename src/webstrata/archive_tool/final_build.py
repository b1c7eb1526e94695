"""The final build after a zimit crawl: it makes one ZIM of all WARC files and deletes temporary folders."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from webstrata.archive_tool.container import ContainerAttempt
from webstrata.archive_tool.zimit_files import (
    INTERIM,
    Phase,
    crawl_warcs,
    delete_set_aside,
    final_zim,
    linked_for_zimit,
    places_of,
    read_notes,
    set_zims_aside,
    write_notes,
)
from webstrata.errors import WebstrataError
from webstrata.jobs.running.stages import DONE, INTERRUPTED
from webstrata.model.jobs.zimit import wants_final_build
from webstrata.storage.combined_log import FINAL_BUILD

if TYPE_CHECKING:
    from webstrata.archive_tool.zimit import ZimitEngine

log = structlog.get_logger()

_LOOK_SECONDS = 0.2


def build_zim(engine: "ZimitEngine", ended: threading.Event) -> int:
    """Build a ZIM of all WARC files if the crawl's own ZIM is incomplete, and return the exit code.

    WebstrataError when zimit fails: no WARC file is lost; run the same command to try again.
    """
    notes = read_notes(engine.folder)
    if notes.phase is Phase.BUILD:
        if running := engine.docker.running(engine.label):
            return _wait_for(engine, engine.attach(running), ended)
        if final_zim(engine.folder) is not None:
            return DONE
    warcs = crawl_warcs(engine.folder, notes)
    if not _is_wanted(engine, warcs):
        return DONE
    write_notes(engine.folder, replace(notes, phase=Phase.BUILD))
    set_zims_aside(engine.folder, INTERIM)
    return _run_build(engine, warcs, ended)


def delete_leftovers(engine: "ZimitEngine") -> None:
    """Delete the ZIMs that were replaced and, with `--cleanup`, the temporary folders."""
    if final_zim(engine.folder) is not None:
        delete_set_aside(engine.folder)
    if engine.arguments.cleanup:
        try:
            _clean_up(engine)
        except WebstrataError as error:
            # The crawl is complete: leftovers can be deleted at any time.
            log.warning("cleanup.failed", folder=str(engine.folder), reason=str(error))


def _is_wanted(engine: "ZimitEngine", warcs: list[Path]) -> bool:
    has_zim = final_zim(engine.folder) is not None
    return wants_final_build(engine.arguments.final_build, places_of(engine.folder, warcs), has_zim=has_zim)


def _run_build(engine: "ZimitEngine", warcs: list[Path], ended: threading.Event) -> int:
    if ended.is_set():
        return INTERRUPTED
    with linked_for_zimit(engine.folder, warcs) as names:
        return _wait_for(engine, engine.start_container(FINAL_BUILD, engine.build_arguments(names)), ended)


def _wait_for(engine: "ZimitEngine", attempt: ContainerAttempt, ended: threading.Event) -> int:
    while (code := attempt.poll()) is None:
        if ended.wait(_LOOK_SECONDS):
            attempt.stop()
            return INTERRUPTED
    if code != DONE or final_zim(engine.folder) is None:
        raise WebstrataError(
            f"building the ZIM failed (exit code {code}, {attempt.log_path}): no WARC file is lost; run the "
            "same command to try again"
        )
    return DONE


def _clean_up(engine: "ZimitEngine") -> None:
    # Imported here: only this part of a zimit crawl needs a database, which takes long to load.
    from webstrata.app import build_app
    from webstrata.jobs.folders.cleanup import keep_warcs, keep_warcs_of
    from webstrata.settings import load_settings

    if engine.arguments.job_id is None:
        keep_warcs(engine.folder)
    else:
        app = build_app(load_settings())
        try:
            keep_warcs_of(app.database, app.archive_root, engine.arguments.job_id)
        finally:
            app.close()
    engine.state.save()
