"""The `webstrata` program: its commands, exit codes and one-line errors."""

import os
import sys
from pathlib import Path

import typer

from webstrata import __version__
from webstrata.cli.commands import LazyGroup
from webstrata.cli.start import DONE, FAILED, INTERRUPTED, WRONG_USAGE, collecting_seldom, print_error
from webstrata.errors import WebstrataError

NAME, OLD_NAME = "webstrata", "ha-backend"

program = typer.Typer(
    name="webstrata",
    cls=LazyGroup,
    help="A self-hosted web archive: crawl sites into WARC files, search them, compare captures and replay pages.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@program.callback(invoke_without_command=True)
def _version(version: bool = typer.Option(False, "--version", help="Show the version and exit.")) -> None:
    if version:
        print(f"webstrata {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the program, under the name it was called by, and leave with its exit code."""
    called = Path(sys.argv[0]).name
    with collecting_seldom():
        code = run(sys.argv[1:], called if called == OLD_NAME else NAME)
    sys.exit(code)


def run(arguments: list[str], name: str = NAME) -> int:
    """Run one command line and return its exit code; an error is printed in one line on standard error."""
    try:
        code = _run(arguments, name)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the pipe has closed it: Python must not try to flush the output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return code


def _run(arguments: list[str], name: str) -> int:
    try:
        code = program(arguments, prog_name=name, standalone_mode=False)
    except typer.Exit as leaving:
        return leaving.exit_code
    except typer.TyperException as error:
        _say_plainly(error)
        print(f"{name}: {' '.join(error.format_message().split())} (see --help)", file=sys.stderr)
        return WRONG_USAGE
    except WebstrataError as error:
        return print_error(error, name)
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    return code if isinstance(code, int) else DONE


def _say_plainly(error: typer.TyperException) -> None:
    """Rewrite an error about an option's value in plain words."""
    from pydantic import ValidationError

    if isinstance(error.__cause__, ValidationError):
        from webstrata.wrong_values import plain_words

        error.message = "; ".join(plain_words(dict(problem)) for problem in error.__cause__.errors())
