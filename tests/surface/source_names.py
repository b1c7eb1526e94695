"""Names that only the source shows: log events, audit actions, Redis keys, stored values.

They are collected from the syntax trees of all modules, so that moving a module or renaming a class changes nothing.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.surface.source_texts import Call, Module, last_name, read_module

PACKAGE = Path(__file__).parents[2] / "src" / "webstrata"

_LOG_METHODS = frozenset({"debug", "info", "warning", "error", "exception", "critical"})
_DOTTED = re.compile(r"[a-z_*]+(\.[a-z_*]+)+")
_ACTION = re.compile(r"(job|source|archive|report|changes|assets)\.[a-z_*]+|login")
_REDIS_KEY = re.compile(r"(webstrata|lock|throttle):\S*")
_ENUMS = frozenset({"StrEnum", "IntEnum", "Enum"})
_AUDIT_ARGUMENTS = 2
_RELEVANT = re.compile(r"get_logger|audit_log|\bnote\(|Enum\)|\"(?:webstrata|lock|throttle):")
"""What a module that holds any of these names has in its source; to parse the others would take seconds."""


def log_events() -> Iterator[str]:
    """Yield the event names of all log calls."""
    for module in _modules():
        for call in module.calls:
            if isinstance(call.node.func, ast.Attribute) and call.name in _LOG_METHODS:
                yield from filter(_DOTTED.fullmatch, _arguments(module, call, 1))


def audit_actions() -> Iterator[str]:
    """Yield the actions that the audit log stores: what functions that record get as first or second argument."""
    for module in _modules():
        for call in module.calls:
            if "record" in call.name or call.name == "note":
                yield from filter(_ACTION.fullmatch, _arguments(module, call, _AUDIT_ARGUMENTS))


def redis_keys() -> Iterator[str]:
    """Yield the keys that Redis gets, and their beginnings; a star is what varies."""
    for module in _modules():
        for node, inside in module.texts:
            yield from filter(_REDIS_KEY.fullmatch, module.values(node, inside))


def stored_values() -> Iterator[str]:
    """Yield the values of all enumerations: statuses, kinds and modes that rows, files and requests hold."""
    for module in _modules():
        for found in module.classes:
            if _ENUMS & {last_name(base) for base in found.bases}:
                yield from filter(None, _members(found))


@cache
def _modules() -> tuple[Module, ...]:
    files = (file for file in sorted(PACKAGE.rglob("*.py")) if "migrations" not in file.parts)
    sources = (file.read_text(encoding="utf-8") for file in files)
    return tuple(read_module(source) for source in sources if _RELEVANT.search(source))


def _arguments(module: Module, call: Call, most: int) -> Iterator[str]:
    for argument in call.node.args[:most]:
        yield from module.values(argument, call.inside)


def _members(enumeration: ast.ClassDef) -> Iterator[str]:
    for statement in enumeration.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            yield str(statement.value.value)
