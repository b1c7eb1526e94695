"""Form that edits a source: its name, URLs and description, and the crawl settings of its next jobs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import Form

from webstrata.jobs.sources.source_commands import EditedSource
from webstrata.logs import without_secrets
from webstrata.model.crawl.crawl_config import CRAWL_SETTINGS
from webstrata.model.jobs.registry import SourceJobConfig, SourceView, parse_override
from webstrata.web.jobs.job import in_words

Line = Annotated[str, Form(max_length=2_048)]
Lines = Annotated[str, Form(max_length=100_000)]


@dataclass(frozen=True)
class SourceForm:
    """The values of the form; seeds are one URL per line, options one `name=value` per line."""

    name: str
    base_url: str
    description: str
    seeds: str
    options: str


def sent_form(
    name: Line = "", base_url: Line = "", description: Line = "", seeds: Lines = "", options: Lines = ""
) -> SourceForm:
    """Return the form as a person sent it."""
    return SourceForm(name.strip(), base_url.strip(), description.strip(), seeds, options)


def filled_form(view: SourceView, entry: SourceJobConfig) -> SourceForm:
    """Return the form of a source as it is; settings that hold a secret are left out."""
    options = _options(entry)
    hidden = _with_secrets(options)
    return SourceForm(
        view.name,
        view.base_url or "",
        view.description or "",
        "\n".join(entry.default_seeds),
        "\n".join(f"{name}={_text(value)}" for name, value in options.items() if name not in hidden),
    )


def requested_edit(form: SourceForm, entry: SourceJobConfig) -> EditedSource:
    """Return the changes of a sent form; settings that it does not show are left unchanged. UsageError if invalid."""
    given = dict(parse_override(line) for line in form.options.splitlines() if line.strip())
    return EditedSource(
        name=form.name,
        base_url=form.base_url or None,
        description=form.description,
        seeds=tuple(line.strip() for line in form.seeds.splitlines() if line.strip()) or None,
        crawl={},
        tool_options={},
        options={**_with_secrets(_options(entry)), **given},
    )


def further_settings(entry: SourceJobConfig) -> list[tuple[str, str]]:
    """Return the parts of a source's job configuration that the form does not edit, as names and words."""
    stored = {**entry.to_json(), "default_seeds": [], "crawl": {}, "default_tool_options": {}}
    secrets = _with_secrets(_options(entry))
    return in_words(without_secrets({**stored, "secrets": secrets} if secrets else stored))


def crawl_settings() -> list[tuple[str, str, str]]:
    """Return name, sentence and default of every crawl setting."""
    return [
        (name, declared.sentence, declared.unset or _text(declared.default))
        for name, declared in CRAWL_SETTINGS.items()
    ]


def _options(entry: SourceJobConfig) -> dict[str, object]:
    return {**entry.crawl, **entry.default_tool_options}


def _with_secrets(options: Mapping[str, object]) -> dict[str, object]:
    """Return the settings whose value no page may show, such as a proxy with a password."""
    shown = without_secrets(options)
    return {name: value for name, value in options.items() if shown[name] != value}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
