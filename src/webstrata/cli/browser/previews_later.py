"""Previews after a command: a separate process makes them after the command has ended."""

import subprocess
import sys
import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import structlog

from webstrata.errors import StorageError

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.jobs.running.lifecycle import Runner

log = structlog.get_logger()

ERRORS = "errors.log"
"""The file for the processes' errors, in the folder of the previews."""


def with_previews_later(app: "App", runner: "Runner") -> "Runner":
    """Return a runner that makes previews in the background; a runner without previews is returned unchanged."""
    return replace(runner, make_preview=partial(start_preview, app)) if runner.make_preview is not None else runner


def start_preview(app: "App", job_id: int) -> None:
    """Start the process that takes the picture of a job's front page; it outlives this one."""
    folder = app.previews().folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / ERRORS).open("ab") as errors:
            process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-m", "webstrata.cli.browser.previews_later", str(job_id)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
    except OSError as error:
        reason = StorageError(f"{folder}: {error.strerror}")
        log.warning("preview.failed", job_id=job_id, reason=str(reason))
        return
    # Otherwise the ended process would remain a zombie in a command that continues to serve the archive.
    threading.Thread(target=process.wait, daemon=True).start()


def main(job_id: int) -> None:
    """Take the picture of a job's front page, with the settings of the command that started this process."""
    from webstrata.cli.start import started

    with started(quiet=True, is_child=True) as app:
        if (make := app.preview_maker()) is not None:
            make(job_id)


if __name__ == "__main__":
    main(int(sys.argv[1]))
