"""Write docs/settings.md from the code that reads the settings: `.venv/bin/python -m tools.settings_reference`."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from tools.console import ROOT, say
from webstrata import __version__
from webstrata.settings import Settings, names_of

REFERENCE = ROOT / "docs" / "settings.md"

INTRODUCTION = """\
# Settings

Every setting is an environment variable, or a line in a file `.env` in the folder where the program is started.

- An environment variable takes precedence over `.env`. If a setting has older names, its first name takes precedence
  over them.
- An empty value is the same as no value.
- Lists are separated by commas. Yes and no are `true` and `false`.
- An invalid value is an error, and so is an unknown name that begins with `WEBSTRATA_`. An unknown name that begins
  with `HEALTHARCHIVE_` is a warning.
- Settings of crawls are defaults, which a job or a source can override ([job files](jobs.md#job-files)).

`webstrata check-env` shows every setting with its value and origin.

`.venv/bin/python -m tools.settings_reference` writes this page from the code; a test fails if it is out of date.

| Variable | Default | What it does |
|---|---|---|
"""

_BOUNDS = {"ge": "at least", "le": "at most"}


def reference() -> str:
    """Return the page."""
    rows = "".join(f"{_row(name, field)}\n" for name, field in Settings.model_fields.items())
    return INTRODUCTION + rows


def _row(name: str, field: FieldInfo) -> str:
    variable, *older = names_of(name)
    sentences = [field.description or "", *_limits(field)]
    if older:
        sentences.append(f"Also read from {', '.join(f'`{n}`' for n in older)}.")
    return f"| `{variable}` | {_default(field)} | {' '.join(sentences)} |"


def _default(field: FieldInfo) -> str:
    """Return a default as one would write it; an empty one is told by its sentence."""
    value = field.default
    if value is None or isinstance(value, SecretStr) or value == Path():
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f"`{text.replace(__version__, '<version>')}`" if text else ""


def _limits(field: FieldInfo) -> Iterator[str]:
    found = {word: getattr(limit, word) for limit in field.metadata for word in _BOUNDS if hasattr(limit, word)}
    if found:
        said = " and ".join(f"{_BOUNDS[word]} {value:,}" for word, value in found.items())
        yield f"{said[0].upper()}{said[1:]}."


if __name__ == "__main__":
    REFERENCE.write_text(reference(), encoding="utf-8")
    say(f"Wrote {REFERENCE.relative_to(ROOT)}")
