"""Help pages of commands: plain text with defaults, one example each, and no type names of Python."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import Enum
from pathlib import Path
from typing import Any, Protocol, TypeVar

from typer import Exit, Typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from webstrata.cli.start import WRONG_USAGE

Context = Any
"""The context of a command line: Typer has no public name for its type."""

Function = TypeVar("Function", bound=Callable[..., Any])

_NAME_WIDTH = 34
_VALUES = {int: "N", float: "NUMBER", Path: "PATH"}
_ANY_VALUE = "TEXT"
_OTHER = "Other commands"


class HelpWriter(Protocol):
    """Interface of Typer's formatter for help pages."""

    def write_usage(self, prog: str, args: str = "") -> None:
        """Write the line that shows how a command is called."""

    def write_paragraph(self) -> None:
        """Write an empty line."""

    def write_text(self, text: str) -> None:
        """Write paragraphs, wrapped."""

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30) -> None:
        """Write names and what they mean in two columns."""

    def section(self, name: str) -> AbstractContextManager[None]:
        """Write a heading; what is written inside is indented."""


class PlainCommand(TyperCommand):
    """A command whose help page is plain text; its epilog is an example."""

    def format_help(self, ctx: Context, formatter: HelpWriter) -> None:
        """Write the help page."""
        _write_page(self, ctx, formatter)


class PlainGroup(TyperGroup):
    """A group of commands whose help page lists them in sections."""

    sections: Mapping[str, Sequence[str]] = {}

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Read the arguments; without any, show the help page and exit as after wrong usage."""
        if not args and self.no_args_is_help:
            print(ctx.get_help())
            raise Exit(WRONG_USAGE)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Context, formatter: HelpWriter) -> None:
        """Write the help page."""
        _write_page(self, ctx, formatter)
        listed = [name for names in self.sections.values() for name in names]
        others = [name for name in self.list_commands(ctx) if name not in listed]
        for section, names in {**self.sections, _OTHER if listed else "Commands": others}.items():
            _write_rows(formatter, section, [*self._command_rows(ctx, names)])
        formatter.write_paragraph()
        formatter.write_text(f"{ctx.command_path} COMMAND --help shows the options of a command and an example.")

    def _command_rows(self, ctx: Context, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        for name in names:
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                yield name, " ".join((command.help or "").partition("\n\n")[0].split())


def command(
    verbs: Typer, name: str | None = None, *, example: str, hidden: bool = False
) -> Callable[[Function], Function]:
    """Add a function to a group as a command, with an example that its help page ends with."""
    add: Callable[[Function], Function] = verbs.command(name, cls=PlainCommand, epilog=example, hidden=hidden)
    return add


def _write_page(shown: TyperCommand | TyperGroup, ctx: Context, formatter: HelpWriter) -> None:
    formatter.write_usage(ctx.command_path, " ".join(_usage(shown, ctx)))
    formatter.write_paragraph()
    formatter.write_text("\n\n".join(" ".join(part.split()) for part in (shown.help or "").split("\n\n")))
    parameters = [p for p in shown.get_params(ctx) if not getattr(p, "hidden", False)]
    _write_rows(formatter, "Arguments", [_row(p) for p in parameters if isinstance(p, TyperArgument)])
    _write_rows(formatter, "Options", [_row(p) for p in parameters if isinstance(p, TyperOption)])
    if shown.epilog:
        _write_rows(formatter, "Example", [(shown.epilog, "")])


def _usage(shown: TyperCommand | TyperGroup, ctx: Context) -> Iterator[str]:
    yield "[OPTIONS]"
    for argument in (p for p in shown.get_params(ctx) if isinstance(p, TyperArgument)):
        yield _name(argument) if argument.required else f"[{_name(argument)}]"
    if isinstance(shown, TyperGroup):
        yield "COMMAND"


def _write_rows(formatter: HelpWriter, heading: str, rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(heading):
            formatter.write_dl(rows, col_max=_NAME_WIDTH)


def _row(parameter: TyperArgument | TyperOption) -> tuple[str, str]:
    notes = [f"default: {default}"] if (default := _default(parameter)) else []
    notes += ["required"] if parameter.required and isinstance(parameter, TyperOption) else []
    shown = f" [{'; '.join(notes)}]" if notes else ""
    return _name(parameter), f"{parameter.help or ''}{shown}"


def _name(parameter: TyperArgument | TyperOption) -> str:
    if isinstance(parameter, TyperArgument):
        return parameter.display_name_raw.strip("[]")
    flags = ", ".join(sorted(parameter.opts, key=len))
    if parameter.is_flag:
        return " / ".join([flags, *parameter.secondary_opts])
    return f"{flags} {_value(parameter)}"


def _value(option: TyperOption) -> str:
    """Return the placeholder of an option's value: its choices, the declared word, or that of its type."""
    kind = option.type_descriptor
    if option.metavar is not None:
        return option.metavar
    if kind.is_choice:
        return "|".join(str(choice.value if isinstance(choice, Enum) else choice) for choice in kind.choices or ())
    return _VALUES.get(kind.annotation, _ANY_VALUE)


def _default(parameter: TyperArgument | TyperOption) -> str:
    """Return the default to show; empty when there is none, or when the help text contains it."""
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    value = parameter.default
    if value is True and isinstance(parameter, TyperOption) and parameter.secondary_opts:
        return parameter.opts[0]
    if value is None or value == "" or isinstance(value, bool) or not parameter.show_default:
        return ""
    return str(value.value if isinstance(value, Enum) else value)
