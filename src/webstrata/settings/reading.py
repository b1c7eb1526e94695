"""Reads settings from the environment and `.env`: typed, documented, unknown names are errors.

A setting is read from `WEBSTRATA_<NAME>` first, then from the older names listed with it. This is the only module
that looks at the environment.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dotenv import dotenv_values
from pydantic import SecretStr, ValidationError

from webstrata.errors import SettingsError
from webstrata.settings.auditing import AuditSettings
from webstrata.settings.browser import BrowserSettings
from webstrata.settings.coordination import CoordinationSettings
from webstrata.settings.crawling import CrawlSettings
from webstrata.settings.general import GeneralSettings
from webstrata.settings.integrity import IntegritySettings
from webstrata.settings.notifying import NotificationSettings
from webstrata.settings.replay import ReplaySettings
from webstrata.settings.retention import RetentionSettings
from webstrata.wrong_values import plain_words

PREFIX = "WEBSTRATA_"
OLDER_PREFIX = "HEALTHARCHIVE_"

DOTENV = ".env"
LOG_LEVEL = f"{PREFIX}LOG_LEVEL"
_HIDDEN = "********"
_QUERY_PASSWORD = re.compile(r"([?&][^=&]*password=)[^&]*", re.IGNORECASE)


# The order of the bases is the reverse of that in the reference.
class Settings(
    AuditSettings,
    IntegritySettings,
    NotificationSettings,
    BrowserSettings,
    RetentionSettings,
    CrawlSettings,
    CoordinationSettings,
    ReplaySettings,
    GeneralSettings,
):
    """The effective settings of one process."""


_SECRET = frozenset(name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation))


@dataclass(frozen=True)
class ShownSetting:
    """A setting: its effective value, safe to show, and where it came from."""

    name: str
    value: str
    origin: str
    sentence: str


def names_of(field_name: str) -> tuple[str, ...]:
    """Return the variables that set a field, by precedence."""
    extra = Settings.model_fields[field_name].json_schema_extra
    assert isinstance(extra, dict)
    older = extra["older_names"]
    assert isinstance(older, list)
    return (PREFIX + field_name.upper(), *(str(name) for name in older))


def load_settings(environ: Mapping[str, str] | None = None, dotenv: Path | None = None) -> Settings:
    """Return the settings of this process; a SettingsError names every wrong value or unknown setting."""
    given, origins = _given_values(environ, dotenv)
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        raise SettingsError(_explained(error, origins)) from None


def ignored_names(environ: Mapping[str, str] | None = None, dotenv: Path | None = None) -> tuple[str, ...]:
    """Return the names with the older prefix that are set and that no setting reads."""
    read = {name for field_name in Settings.model_fields for name in names_of(field_name)}
    found = {name for variables in _sources(environ, dotenv).values() for name in variables}
    return tuple(sorted(n for n in found - read if n.startswith(OLDER_PREFIX)))


@contextmanager
def in_environment(name: str, value: str) -> Iterator[None]:
    """Set an environment variable during a block, for libraries and child processes."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def show_settings(
    settings: Settings, environ: Mapping[str, str] | None = None, dotenv: Path | None = None
) -> list[ShownSetting]:
    """Return every setting with its effective value, secrets masked, and its origin."""
    _, origins = _given_values(environ, dotenv)
    return [
        ShownSetting(name, _shown(name, getattr(settings, name)), origins.get(name, "default"), field.description or "")
        for name, field in Settings.model_fields.items()
    ]


def _given_values(environ: Mapping[str, str] | None, dotenv: Path | None) -> tuple[dict[str, str], dict[str, str]]:
    """Return the raw values that were given, by field, and where each came from; an empty value counts as not given."""
    sources = _sources(environ, dotenv)
    _refuse_unknown(sources)
    values, origins = {}, {}
    for field_name in Settings.model_fields:
        for place, variables in sources.items():
            name = next((n for n in names_of(field_name) if variables.get(n)), None)
            if name is not None:
                values[field_name], origins[field_name] = variables[name], f"{name} ({place})"
                break
    return values, origins


def _sources(environ: Mapping[str, str] | None, dotenv: Path | None) -> dict[str, dict[str, str]]:
    """Return the places of settings with their variables, by precedence."""
    return {
        "environment": dict(os.environ if environ is None else environ),
        DOTENV: _read_dotenv(dotenv or Path(DOTENV)),
    }


def _read_dotenv(file: Path) -> dict[str, str]:
    """Return the settings in a file; none when it does not exist."""
    try:
        return {name: value for name, value in dotenv_values(file).items() if value is not None}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}") from None


def _refuse_unknown(sources: Mapping[str, Mapping[str, str]]) -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    unknown = sorted(n for variables in sources.values() for n in variables if n.startswith(PREFIX) and n not in known)
    if unknown:
        raise SettingsError(f"unknown setting {', '.join(unknown)}; docs/settings.md lists the known ones")


def _explained(error: ValidationError, origins: Mapping[str, str]) -> str:
    """Return which variables are wrong and why, without repeating a secret."""
    parts = []
    for problem in error.errors():
        name = str(problem["loc"][0]) if problem["loc"] else ""
        words = plain_words(dict(problem), is_secret=name in _SECRET)
        parts.append(f"{origins.get(name, name)}: {words}" if name else words)
    return "; ".join(parts)


def _shown(name: str, value: object) -> str:
    if isinstance(value, SecretStr):
        secret = value.get_secret_value()
        return without_passwords(secret) if name.endswith("_url") else _HIDDEN
    if isinstance(value, tuple):
        return ", ".join(str(part) for part in value)
    return "" if value is None else str(value)


def without_passwords(address: str) -> str:
    """Return a server's address with its passwords hidden, in the user part and in the query."""
    scheme, separator, rest = address.partition("://")
    if not separator:
        return _HIDDEN
    rest = _QUERY_PASSWORD.sub(rf"\g<1>{_HIDDEN}", rest)
    # A password may contain "/", ":" and "@": it begins after the first ":" and ends at the last "@".
    credentials, at, place = rest.rpartition("@")
    user, colon, _ = credentials.partition(":")
    return f"{scheme}://{user}:{_HIDDEN}@{place}" if colon else f"{scheme}://{credentials}{at}{place}"
