"""Job files: a job written down in YAML.

    seeds: [https://example.org/, https://example.org/fr/]    # or url: https://example.org/
    source: {code: example, name: The example site}
    crawl: {max_pages: 500, per_host_delay: 2.5}              # any crawl setting
    scope:
      allowed_domains: [example.org, "*.example.net"]
      allow_paths: [/news/]
      deny_paths: [/news/private/, "*.zip$"]
    plugins: [page, media]

Only `url` or `seeds` is needed. Anything that is not understood is an error with its position: `file:line: what`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from webstrata.jobs.sources.yaml_reading import Check, SettingCheck, YamlReader, compose_yaml
from webstrata.model.crawl.scope import ScopeRules
from webstrata.model.jobs.registry import check_plugin_name, check_source_code, check_source_name, seeds_of

_KEYS = ("url", "seeds", "source", "crawl", "scope", "plugins")


@dataclass(frozen=True)
class JobFile:
    """The contents of a job file."""

    seeds: tuple[str, ...]
    scope: ScopeRules
    source_code: str | None = None
    source_name: str | None = None
    crawl: Mapping[str, object] = field(default_factory=dict)
    plugins: tuple[str, ...] | None = None
    """The plugins to run; None when the file does not list any."""


def read_job_file(path: Path, settings: Mapping[str, object], check: SettingCheck = dict) -> JobFile:
    """Return the contents of a job file; UsageError, with file and line, for anything invalid.

    `settings` has the names and types of the crawl settings; `check` raises UsageError for invalid values.
    """
    reader = YamlReader(str(path))
    node = compose_yaml(path, "a job file")
    parts = reader.mapping(node, "a job file", _KEYS)
    seeds = _seeds(reader, node, parts)
    source = _source(reader, parts)
    return JobFile(
        seeds=seeds,
        scope=ScopeRules.of(seeds, **reader.scope(seeds, parts)),
        source_code=source.get("code"),
        source_name=source.get("name"),
        crawl=reader.settings(parts, "crawl", settings, check),
        plugins=reader.texts(parts["plugins"], "plugins", check_plugin_name) if "plugins" in parts else None,
    )


def _seeds(reader: YamlReader, node: yaml.Node, parts: Mapping[str, yaml.Node]) -> tuple[str, ...]:
    if "url" in parts and "seeds" in parts:
        raise reader.wrong(parts["seeds"], "give url or seeds, not both")
    if "url" in parts:
        return seeds_of((reader.text(parts["url"], "url", _check_address),))
    seeds = reader.texts(parts["seeds"], "seeds", _check_address) if "seeds" in parts else ()
    if not seeds:
        raise reader.wrong(parts.get("seeds", node), "nothing to archive: give a url, or seeds")
    return seeds_of(seeds)


def _source(reader: YamlReader, parts: Mapping[str, yaml.Node]) -> dict[str, str]:
    checks: Mapping[str, Check] = {"code": check_source_code, "name": check_source_name}
    given = reader.mapping(parts["source"], "source", checks) if "source" in parts else {}
    return {key: reader.text(node, f"source.{key}", checks[key]) for key, node in given.items()}


def _check_address(text: str) -> None:
    seeds_of((text,))
