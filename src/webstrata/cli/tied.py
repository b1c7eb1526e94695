"""`python -m webstrata index-job --tied`: what a worker starts to index a job for it.

It loads nothing that only a person at a terminal needs: many of them start in the life of an archive.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from webstrata.cli.start import INTERRUPTED, collecting_seldom, interruptible, started, told
from webstrata.errors import UsageError, WebstrataError

TIED = "--tied"
"""The flag of a process that ends when its standard input closes."""

_NICENESS = 5


def main() -> None:
    """Run the program and leave with its exit code."""
    with collecting_seldom():
        code = run(sys.argv[1:])
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Index on behalf of the worker that started us, end with it, and return the exit code."""
    try:
        asked = _parser().parse_args(arguments)
        return _indexed(asked.id, so_far=asked.so_far)
    except WebstrataError as error:
        return told(error, "webstrata")
    except KeyboardInterrupt:
        return INTERRUPTED


def _indexed(job_id: int, *, so_far: bool) -> int:
    from webstrata.jobs.behalf import on_behalf_of
    from webstrata.jobs.children import Lifeline

    with interruptible() as interrupted:
        lifeline = Lifeline.taken_up()
        with started(quiet=True, is_child=True) as app:
            runner, leader = app.runner(), lifeline.leader
            if so_far or leader is None:
                # The crawl beside which this runs goes first where both want the processor.
                os.nice(_NICENESS)
                return runner.index_so_far(job_id, interrupted)
            return on_behalf_of(leader, app.database, job_id, partial(runner.index, job_id, leader, interrupted))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Let the caller say it in one line."""
        raise UsageError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="webstrata", add_help=False, allow_abbrev=False)
    parser.add_argument("verb", choices=["index-job"])
    parser.add_argument("--id", type=int, required=True)
    parser.add_argument(TIED, action="store_true", required=True)
    parser.add_argument("--so-far", action="store_true")
    return parser
