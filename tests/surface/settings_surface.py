"""Settings, failures, plugins and what other packages find: names, defaults and bounds."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from annotated_types import BaseMetadata
from pydantic.fields import FieldInfo

from webstrata import __version__, compat, errors
from webstrata.assets.registry import BUILT_IN, GROUPS
from webstrata.http.error_responses import STATUS_CODES
from webstrata.jobs.running import stages
from webstrata.settings import Settings, names_of

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def setting_lines() -> Iterator[str]:
    """Yield every variable that is read, and the default and the bounds of what it sets."""
    for field_name, field in Settings.model_fields.items():
        for name in names_of(field_name):
            yield name
            yield from (f"{name} {fact}" for fact in _field_facts(field))


def _field_facts(field: FieldInfo) -> Iterator[str]:
    yield f"default {field.default}".replace(__version__, "*")
    for bound in field.metadata:
        if isinstance(bound, BaseMetadata):
            yield f"bound {bound}"


def failure_lines() -> Iterator[str]:
    """Yield the error classes with their HTTP status codes, and the exit codes of commands and stages."""
    for error in _subclasses(errors.WebstrataError):
        code = next(STATUS_CODES[ancestor] for ancestor in error.__mro__ if ancestor in STATUS_CODES)
        yield f"error {error.__name__} status {code}"
    yield from (f"exit code {name} {value}" for name, value in vars(stages).items() if _is_exit_code(name, value))


def _is_exit_code(name: str, value: object) -> bool:
    return name.isupper() and isinstance(value, int)


def _subclasses(kind: type[errors.WebstrataError]) -> Iterator[type[errors.WebstrataError]]:
    yield kind
    for inner in kind.__subclasses__():
        if inner.__module__ == errors.__name__:
            yield from _subclasses(inner)


def package_lines() -> Iterator[str]:
    """Yield the scripts, extras, entry point groups, built-in plugins and names for older scripts."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    yield from (f"script {name}" for name in project["scripts"])
    yield from (f"extra {name}" for name in project["optional-dependencies"])
    yield from (f"entry point group {name}" for name in GROUPS)
    yield from (f"plugin {plugin().name}" for plugin in BUILT_IN)
    yield from (f"webstrata.compat.{name}" for name in compat.__all__)
