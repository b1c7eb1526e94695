"""Commands and flags of `webstrata` and `archive-tool`: names, kinds and defaults."""

import argparse
from collections.abc import Iterator
from typing import Any

from typer.core import TyperArgument, TyperOption
from typer.main import get_command

Command = Any
"""A command as Typer makes it: it shares no public type with a group of commands."""


def webstrata_lines() -> Iterator[str]:
    """Yield every command of `webstrata` and what each accepts."""
    from webstrata.cli.main import NAME, OLD_NAME, program

    yield from (f"program {name}" for name in (NAME, OLD_NAME))
    yield from _command(get_command(program), NAME)


def archive_tool_lines() -> Iterator[str]:
    """Yield every flag of `archive-tool`."""
    from webstrata.archive_tool.arguments import _parser

    for action in _parser()._actions:
        for flag in action.option_strings:
            yield f"archive-tool {flag}"
            yield from (f"archive-tool {flag} {line}" for line in _argparse_facts(action))


def _argparse_facts(action: argparse.Action) -> Iterator[str]:
    yield "is a flag" if action.nargs == 0 else f"takes {action.nargs or 'one value'}"
    if not action.required:
        yield "may be left out"
    if action.default not in (None, argparse.SUPPRESS):
        yield f"default {action.default!r}"
    yield from (f"= {choice}" for choice in action.choices or ())


def _command(command: Command, path: str) -> Iterator[str]:
    yield path
    for place, argument in enumerate(p for p in command.params if isinstance(p, TyperArgument)):
        yield from (f"{path} argument {place + 1} {fact}" for fact in _facts(argument))
    for option in (p for p in command.params if isinstance(p, TyperOption)):
        for flag in (*option.opts, *option.secondary_opts):
            yield f"{path} {flag}"
            yield from (f"{path} {flag} {fact}" for fact in _facts(option))
    for name, inner in getattr(command, "commands", {}).items():
        yield from _command(inner, f"{path} {name}")


def _facts(parameter: TyperArgument | TyperOption) -> Iterator[str]:
    kind = parameter.type_descriptor
    if getattr(parameter, "is_flag", False):
        yield "is a flag"
    elif kind.is_choice:
        yield from (f"= {getattr(choice, 'value', choice)}" for choice in kind.choices or ())
    else:
        yield f"takes {getattr(kind.annotation, '__name__', str(kind.annotation))}"
    if parameter.multiple or parameter.nargs != 1:
        yield "may be given more than once"
    if not parameter.required:
        yield "may be left out"
    if parameter.default not in (None, False):
        yield f"default {getattr(parameter.default, 'value', parameter.default)!r}"
