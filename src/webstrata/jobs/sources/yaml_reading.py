"""Reads YAML files that people write, with file and line in every error.

Anything that is not understood is a UsageError with its position: `file:line: what`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import NoneType
from typing import Literal, get_args, get_origin

import yaml
from yaml.constructor import SafeConstructor
from yaml.reader import ReaderError

from webstrata.errors import UsageError
from webstrata.model.crawl.scope import PathPattern, ScopeRules, canonical_domain

MAX_FILE_BYTES = 262_144

Check = Callable[[str], object]
SettingCheck = Callable[[Mapping[str, object]], object]

SCOPE_CHECKS: Mapping[str, Check] = {
    "allowed_domains": canonical_domain,
    "allow_paths": PathPattern.parse,
    "deny_paths": PathPattern.parse,
}
_MAX_SHOWN = 80

_NULL = "tag:yaml.org,2002:null"
_SIMPLE = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("bool", "int", "float", "str"))
_KINDS: Mapping[object, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "text, in quotes if it looks like something else"),
}
"""For each type, the accepted YAML types and the words for messages."""


def compose_yaml(path: Path, what: str) -> yaml.Node:
    """Return a file's YAML as nodes, which have line numbers; aliases are references, so they cannot multiply the
    content."""
    content = _content(path, what)
    try:
        node = _document(content)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise UsageError(f"{path}:{mark.line + 1 if mark else 1}: {error.problem or error.context}") from None
    except ReaderError as error:
        line = content.count(b"\n", 0, error.position) + 1
        raise UsageError(f"{path}:{line}: {error.reason}") from None
    except RecursionError:
        raise UsageError(f"{path}:1: nested too deep") from None
    if node is None:
        raise UsageError(f"{path}:1: the file is empty")
    return node


def _document(content: bytes) -> yaml.Node | None:
    loader = yaml.SafeLoader(content)
    try:
        node: yaml.Node | None = loader.get_single_node()
    except (ValueError, OverflowError):  # a bug of PyYAML, which does not check the number in `"\U99999999"`
        raise yaml.MarkedYAMLError(problem="a number that YAML cannot have", problem_mark=loader.get_mark()) from None
    return node


def _content(path: Path, what: str) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if len(content) > MAX_FILE_BYTES:
        raise UsageError(f"{path}: {what} cannot be larger than {MAX_FILE_BYTES} bytes")
    return content


@dataclass(frozen=True)
class YamlReader:
    """Converts nodes into the expected values, and reports the position where that fails."""

    file: str

    def settings(
        self, parts: Mapping[str, yaml.Node], key: str, kinds: Mapping[str, object], check: SettingCheck
    ) -> dict[str, object]:
        """Return the settings under a key, each of its type and accepted by the check."""
        given = self.mapping(parts[key], key, kinds) if key in parts else {}
        values: dict[str, object] = {}
        for name, node in given.items():
            values[name] = self.value(node, f"{key}.{name}", kinds[name])
            with self.at(node):
                check({name: values[name]})
        return values

    def scope(self, seeds: tuple[str, ...], parts: Mapping[str, yaml.Node]) -> dict[str, tuple[str, ...]]:
        """Return the checked scope rules for some seeds."""
        if "scope" not in parts:
            return {}
        given = self.mapping(parts["scope"], "scope", SCOPE_CHECKS)
        rules = {key: self.texts(node, f"scope.{key}", SCOPE_CHECKS[key]) for key, node in given.items()}
        with self.at(parts["scope"]):
            ScopeRules.of(seeds, **rules)
        return rules

    def mapping(self, node: yaml.Node, what: str, keys: Collection[str]) -> dict[str, yaml.Node]:
        """Return a mapping's values by key; an unknown or repeated key is an error."""
        if not isinstance(node, yaml.MappingNode):
            raise self.wrong(node, f"{what} must be a mapping, not {_describe_node(node)}")
        found: dict[str, yaml.Node] = {}
        for key_node, value in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else _describe_node(key_node)
            if key not in keys:
                raise self.wrong(key_node, f"unknown key {key[:_MAX_SHOWN]!r} in {what}{_suggestion(key, keys)}")
            if key in found:
                raise self.wrong(key_node, f"{key} is given twice in {what}")
            found[key] = value
        return found

    def texts(self, node: yaml.Node, what: str, check: Check) -> tuple[str, ...]:
        """Return the texts of a list, each passed by the check."""
        if not isinstance(node, yaml.SequenceNode):
            raise self.wrong(node, f"{what} must be a list, not {_describe_node(node)}")
        return tuple(self.text(item, f"an entry of {what}", check) for item in node.value)

    def text(self, node: yaml.Node, what: str, check: Check) -> str:
        """Return a text that the check passes."""
        text = str(self.value(node, what, str))
        with self.at(node):
            check(text)
        return text

    def value(self, node: yaml.Node, what: str, kind: object) -> object:
        """Return a simple value of a type; null if the type allows None."""
        if get_origin(kind) is Literal:
            return self._choice(node, what, get_args(kind))
        kind, *others = get_args(kind) or (kind,)
        if others == [NoneType] and node.tag == _NULL:
            return None
        types, requested = _KINDS[kind]
        value = _simple_value(node)
        if type(value) not in types:
            raise self.wrong(node, f"{what} must be {requested}, not {_describe_node(node)}")
        return value

    def _choice(self, node: yaml.Node, what: str, choices: tuple[str, ...]) -> str:
        """Return one of some words as it is written; `null` may be one of them, which YAML parses as no value."""
        if not isinstance(node, yaml.ScalarNode) or node.value not in choices:
            raise self.wrong(node, f"{what} must be {_one_of(choices)}, not {_describe_node(node)}")
        return str(node.value)

    @contextmanager
    def at(self, node: yaml.Node) -> Iterator[None]:
        """Add the position in the file to a UsageError raised inside."""
        try:
            yield
        except UsageError as error:
            raise self.wrong(node, str(error)) from error

    def wrong(self, node: yaml.Node, what: str) -> UsageError:
        """Return the error with the reason and the position."""
        return UsageError(f"{self.file}:{node.start_mark.line + 1}: {what}")


def _simple_value(node: yaml.Node) -> object:
    """Return a simple value, or None for anything else."""
    if not isinstance(node, yaml.ScalarNode) or node.tag not in _SIMPLE:
        return None
    try:
        value: object = SafeConstructor().construct_object(node)
    except (ValueError, LookupError):  # the tags `!!int` and `!!bool` may be on any text
        return None
    return value


def _describe_node(node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode):
        return repr(node.value if len(node.value) <= _MAX_SHOWN else f"{node.value[:_MAX_SHOWN]}…")
    return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"


def _suggestion(key: str, keys: Collection[str]) -> str:
    close = get_close_matches(key[:_MAX_SHOWN], keys, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _one_of(choices: tuple[str, ...]) -> str:
    """Return values as a sentence lists them: `http, browser or auto`."""
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last
