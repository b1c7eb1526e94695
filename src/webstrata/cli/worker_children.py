"""`python -m webstrata index-job --tied`, `run-audits --tied`: the child processes of a worker.

It imports nothing that only interactive commands need, as a worker starts many child processes.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from webstrata.cli.start import INTERRUPTED, collecting_seldom, interruptible, print_error, started
from webstrata.errors import UsageError, WebstrataError

TIED = "--tied"
"""The flag of a process that ends when its standard input closes."""

RUN_AUDITS = "run-audits"
_NICENESS = 5


def main() -> None:
    """Run the program and leave with its exit code."""
    with collecting_seldom():
        code = run(sys.argv[1:])
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Index for the worker that started this process, end with it, and return the exit code."""
    try:
        asked = _parser().parse_args(arguments)
        if asked.verb == RUN_AUDITS:
            return _run_audits(once=asked.once)
        if asked.id is None:
            raise UsageError("the following arguments are required: --id")
        return _run_index(asked.id, so_far=asked.so_far)
    except WebstrataError as error:
        return print_error(error, "webstrata")
    except KeyboardInterrupt:
        return INTERRUPTED


def _run_index(job_id: int, *, so_far: bool) -> int:
    from webstrata.jobs.running.children import Lifeline
    from webstrata.jobs.running.stage_process import on_behalf_of

    with interruptible() as interrupted:
        lifeline = Lifeline.from_parent()
        with started(quiet=True, is_child=True) as app:
            runner, leader = app.runner(), lifeline.leader
            if so_far or leader is None:
                # Lower priority than the crawl that runs at the same time.
                os.nice(_NICENESS)
                return runner.index_so_far(job_id, interrupted)
            return on_behalf_of(leader, app.database, job_id, partial(runner.index, job_id, leader, interrupted))


def _run_audits(*, once: bool) -> int:
    """Run queued audits until none was due for the duration of a throttle; with `once`, until the queue is empty."""
    import asyncio
    from datetime import timedelta

    from webstrata.jobs.auditing.loop import run_audits
    from webstrata.jobs.running.children import Lifeline

    with interruptible() as interrupted:
        Lifeline.from_parent()
        with started(quiet=True, is_child=True) as app:
            idle = timedelta(seconds=0 if once else app.settings.domain_throttle_ttl_seconds)
            asyncio.run(run_audits(app.audit_parts(), app.audit_browser(), interrupted, idle))
            return INTERRUPTED if interrupted.is_set() else 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise UsageError, which the caller prints in one line."""
        raise UsageError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="webstrata", add_help=False, allow_abbrev=False)
    parser.add_argument("verb", choices=["index-job", RUN_AUDITS])
    parser.add_argument("--id", type=int)
    parser.add_argument(TIED, action="store_true", required=True)
    parser.add_argument("--so-far", action="store_true")
    parser.add_argument("--once", action="store_true")
    return parser
