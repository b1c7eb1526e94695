"""Job files: a job written down in YAML.

    seeds: [https://example.org/, https://example.org/fr/]    # or url: https://example.org/
    source: {code: example, name: The example site}
    crawl: {max_pages: 500, per_host_delay: 2.5}              # any knob of a crawl
    scope:
      allowed_domains: [example.org, "*.example.net"]
      allow_paths: [/news/]
      deny_paths: [/news/private/, "*.zip$"]
    plugins: [page, media]

Only `url` or `seeds` is needed. Whatever is not understood is an error that says where it stands: `file:line: what`.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from types import NoneType
from typing import Literal, get_args, get_origin

import yaml
from yaml.constructor import SafeConstructor
from yaml.reader import ReaderError

from webstrata.errors import UsageError
from webstrata.model.scope import PathPattern, ScopeRules, canonical_domain
from webstrata.model.urls import parse_url, with_scheme

MAX_FILE_BYTES = 262_144
MAX_NAME_LENGTH = 200

Check = Callable[[str], object]
KnobCheck = Callable[[Mapping[str, object]], object]

_KEYS = ("url", "seeds", "source", "crawl", "scope", "plugins")
_SCOPE: Mapping[str, Check] = {
    "allowed_domains": canonical_domain,
    "allow_paths": PathPattern.parse,
    "deny_paths": PathPattern.parse,
}
_SOURCE_CODE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_PLUGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_MAX_SHOWN = 80

_NULL = "tag:yaml.org,2002:null"
_SIMPLE = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("bool", "int", "float", "str"))
_KINDS: Mapping[object, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "text, in quotes if it looks like something else"),
}
"""What a value of a type may be in YAML, and how a person would say so."""


@dataclass(frozen=True)
class JobFile:
    """What a job file asks for."""

    seeds: tuple[str, ...]
    scope: ScopeRules
    source_code: str | None = None
    source_name: str | None = None
    crawl: Mapping[str, object] = field(default_factory=dict)
    plugins: tuple[str, ...] | None = None
    """Which plugins are to run; None when the file does not say."""


def read_job_file(path: Path, knobs: Mapping[str, object], check: KnobCheck = dict) -> JobFile:
    """Return what a job file asks for; UsageError, with file and line, for what it should not.

    `knobs` are the names and types of a crawl's knobs; `check` raises UsageError for values that they cannot have.
    """
    return _Reader(str(path), knobs, check).job(_composed(path))


def _composed(path: Path) -> yaml.Node:
    """Return a file's YAML as nodes: they know their lines, and an alias in them is a reference, never a copy."""
    content = _content(path)
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
    except (ValueError, OverflowError):  # PyYAML's own slip: it takes the number in `"\U99999999"` as it is
        raise yaml.MarkedYAMLError(problem="a number that YAML cannot have", problem_mark=loader.get_mark()) from None
    return node


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if len(content) > MAX_FILE_BYTES:
        raise UsageError(f"{path}: a job file cannot be larger than {MAX_FILE_BYTES} bytes")
    return content


@dataclass(frozen=True)
class _Reader:
    """Turns nodes into the values that are expected of them, and says where that fails."""

    file: str
    knobs: Mapping[str, object]
    check: KnobCheck

    def job(self, node: yaml.Node) -> JobFile:
        parts = self._mapping(node, "a job file", _KEYS)
        seeds = self._seeds(node, parts)
        source = self._source(parts)
        return JobFile(
            seeds=seeds,
            scope=self._scope(seeds, parts),
            source_code=source.get("code"),
            source_name=source.get("name"),
            crawl=self._crawl(parts),
            plugins=self._texts(parts["plugins"], "plugins", _check_plugin) if "plugins" in parts else None,
        )

    def _seeds(self, node: yaml.Node, parts: Mapping[str, yaml.Node]) -> tuple[str, ...]:
        if "url" in parts and "seeds" in parts:
            raise self._wrong(parts["seeds"], "give url or seeds, not both")
        if "url" in parts:
            return (_address(self._text(parts["url"], "url", _address)),)
        seeds = self._texts(parts["seeds"], "seeds", _address) if "seeds" in parts else ()
        if not seeds:
            raise self._wrong(parts.get("seeds", node), "nothing to archive: give a url, or seeds")
        return tuple(dict.fromkeys(map(_address, seeds)))

    def _source(self, parts: Mapping[str, yaml.Node]) -> dict[str, str]:
        checks: Mapping[str, Check] = {"code": _check_source_code, "name": _check_source_name}
        given = self._mapping(parts["source"], "source", checks) if "source" in parts else {}
        return {key: self._text(node, f"source.{key}", checks[key]) for key, node in given.items()}

    def _crawl(self, parts: Mapping[str, yaml.Node]) -> dict[str, object]:
        given = self._mapping(parts["crawl"], "crawl", self.knobs) if "crawl" in parts else {}
        values: dict[str, object] = {}
        for name, node in given.items():
            values[name] = self._value(node, f"crawl.{name}", self.knobs[name])
            with self._at(node):
                self.check({name: values[name]})
        return values

    def _scope(self, seeds: tuple[str, ...], parts: Mapping[str, yaml.Node]) -> ScopeRules:
        if "scope" not in parts:
            return ScopeRules.of(seeds)
        given = self._mapping(parts["scope"], "scope", _SCOPE)
        rules = {key: self._texts(node, f"scope.{key}", _SCOPE[key]) for key, node in given.items()}
        with self._at(parts["scope"]):
            return ScopeRules.of(seeds, **rules)

    def _mapping(self, node: yaml.Node, what: str, keys: Collection[str]) -> dict[str, yaml.Node]:
        """Return a mapping's values by their keys: known ones, each once."""
        if not isinstance(node, yaml.MappingNode):
            raise self._wrong(node, f"{what} must be a mapping, not {_shown(node)}")
        found: dict[str, yaml.Node] = {}
        for key_node, value in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else _shown(key_node)
            if key not in keys:
                raise self._wrong(key_node, f"unknown key {key[:_MAX_SHOWN]!r} in {what}{_suggestion(key, keys)}")
            if key in found:
                raise self._wrong(key_node, f"{key} is given twice in {what}")
            found[key] = value
        return found

    def _texts(self, node: yaml.Node, what: str, check: Check) -> tuple[str, ...]:
        if not isinstance(node, yaml.SequenceNode):
            raise self._wrong(node, f"{what} must be a list, not {_shown(node)}")
        return tuple(self._text(item, f"an entry of {what}", check) for item in node.value)

    def _text(self, node: yaml.Node, what: str, check: Check) -> str:
        text = str(self._value(node, what, str))
        with self._at(node):
            check(text)
        return text

    def _value(self, node: yaml.Node, what: str, kind: object) -> object:
        """Return a simple value of a kind; null where a kind allows for none."""
        if get_origin(kind) is Literal:
            return self._choice(node, what, get_args(kind))
        kind, *others = get_args(kind) or (kind,)
        if others == [NoneType] and node.tag == _NULL:
            return None
        types, wanted = _KINDS[kind]
        value = _constructed(node)
        if type(value) not in types:
            raise self._wrong(node, f"{what} must be {wanted}, not {_shown(node)}")
        return value

    def _choice(self, node: yaml.Node, what: str, choices: tuple[str, ...]) -> str:
        """Return one of some words as it is written: one of them is null, which YAML takes for nothing."""
        if not isinstance(node, yaml.ScalarNode) or node.value not in choices:
            raise self._wrong(node, f"{what} must be {' or '.join(choices)}, not {_shown(node)}")
        return str(node.value)

    @contextmanager
    def _at(self, node: yaml.Node) -> Iterator[None]:
        """Say where it stands what somebody else finds wrong."""
        try:
            yield
        except UsageError as error:
            raise self._wrong(node, str(error)) from error

    def _wrong(self, node: yaml.Node, what: str) -> UsageError:
        return UsageError(f"{self.file}:{node.start_mark.line + 1}: {what}")


def _constructed(node: yaml.Node) -> object:
    """Return a simple value, or None for anything else."""
    if not isinstance(node, yaml.ScalarNode) or node.tag not in _SIMPLE:
        return None
    try:
        value: object = SafeConstructor().construct_object(node)
    except (ValueError, LookupError):  # `!!int` and `!!bool` may be put before anything
        return None
    return value


def _shown(node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode):
        return repr(node.value if len(node.value) <= _MAX_SHOWN else f"{node.value[:_MAX_SHOWN]}…")
    return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"


def _suggestion(key: str, keys: Collection[str]) -> str:
    close = get_close_matches(key[:_MAX_SHOWN], keys, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _address(text: str) -> str:
    return parse_url(with_scheme(text)).href


def _check_source_code(text: str) -> None:
    if not _SOURCE_CODE.fullmatch(text):
        raise UsageError(f"{text[:_MAX_SHOWN]!r} is not a source's code (expected something like example-org)")


def _check_source_name(text: str) -> None:
    if not text.strip() or not text.isprintable() or len(text) > MAX_NAME_LENGTH:
        raise UsageError(f"a source's name must be a line of 1 to {MAX_NAME_LENGTH} characters")


def _check_plugin(text: str) -> None:
    if not _PLUGIN.fullmatch(text):
        raise UsageError(f"{text[:_MAX_SHOWN]!r} is not a plugin's name")
