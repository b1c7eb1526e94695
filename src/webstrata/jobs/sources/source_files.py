"""Source files: sources written down in YAML, each under its code.

    example:
      name: The example site
      seeds: [https://example.org/, https://example.org/fr/]
      schedule: weekly                                        # or a cron line, "0 3 * * 1"
      description: What it is and why it is archived.
      crawl: {max_pages: 5000, per_host_delay: 2}             # any crawl setting
      scope: {allow_paths: [/news/], deny_paths: ["*.zip$"]}
      plugins: [page, media]
      page_parameters: [id]                                   # query parameters that distinguish pages
      name_template: "example-{date:%Y%m%d}"                  # what its jobs are called
      tool_options: {initial_workers: 2}                      # options for archive-tool
      zimit_passthrough_args: [--lang, en]                    # ignored without the tool option engine: zimit

Only `seeds` is needed. Anything that is not understood is an error with its position: `file:line: what`.
"""

from collections.abc import Mapping
from pathlib import Path

import yaml

from webstrata.db.sources.sources import NewSource
from webstrata.errors import UsageError
from webstrata.jobs.sources.yaml_reading import Check, YamlReader, compose_yaml
from webstrata.model.crawl.crawl_config import CRAWL_SETTING_TYPES, check_crawl_settings
from webstrata.model.jobs.registry import (
    MAX_NAME_LENGTH,
    SourceJobConfig,
    check_entry,
    check_plugin_name,
    check_source_code,
    check_source_name,
    page_parameters_of,
    seeds_of,
)
from webstrata.model.jobs.schedules import parse_schedule
from webstrata.model.jobs.tool_options import TOOL_OPTIONS, ArchiveToolOptions
from webstrata.model.urls import host_of

MAX_SOURCES = 1_000
MAX_DESCRIPTION_LENGTH = 2_000


def read_source_file(path: Path) -> list[NewSource]:
    """Return the sources that a file names; UsageError, with file and line, for invalid entries."""
    reader = YamlReader(str(path))
    node = compose_yaml(path, "a file of sources")
    codes = [key.value for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
    if len(codes) > MAX_SOURCES:
        raise reader.wrong(node, f"a file cannot have more than {MAX_SOURCES} sources")
    sources = reader.mapping(node, "a file of sources", codes)
    for key, _ in node.value:
        with reader.at(key):
            check_source_code(str(key.value))
    return [_source(reader, code, below) for code, below in sources.items()]


def _source(reader: YamlReader, code: str, node: yaml.Node) -> NewSource:
    parts = reader.mapping(node, code, (*_TEXTS, *_LISTS, "crawl", "scope", "tool_options"))
    texts = {key: reader.text(parts[key], key, check) for key, check in _TEXTS.items() if key in parts}
    lists = {key: reader.texts(parts[key], key, check) for key, check in _LISTS.items() if key in parts}
    if not lists.get("seeds"):
        raise reader.wrong(parts.get("seeds", node), f"{code} needs seeds: the URLs to start from")
    seeds = seeds_of(lists["seeds"])
    entry = SourceJobConfig(
        code,
        texts.get("name_template", SourceJobConfig.plain(code, seeds).name_template),
        seeds,
        lists.get("zimit_passthrough_args", ()),
        reader.settings(parts, "tool_options", TOOL_OPTIONS, ArchiveToolOptions.from_json),
        schedule_hint=texts.get("schedule"),
        crawl=reader.settings(parts, "crawl", CRAWL_SETTING_TYPES, check_crawl_settings),
        scope=reader.scope(seeds, parts),
        plugins=lists.get("plugins"),
    )
    with reader.at(parts.get("tool_options", node)):
        check_entry(entry)
    return NewSource(
        entry,
        name=texts.get("name", host_of(seeds[0])),
        base_url=texts.get("base_url", seeds[0]),
        description=texts.get("description"),
        page_parameters=page_parameters_of(lists.get("page_parameters", ())),
    )


def _check_address(text: str) -> None:
    seeds_of((text,))


def _check_template(text: str) -> None:
    check_entry(SourceJobConfig("code", text, ("https://example.org/",)))


def _check_description(text: str) -> None:
    if len(text) > MAX_DESCRIPTION_LENGTH:
        raise UsageError(f"a description cannot be longer than {MAX_DESCRIPTION_LENGTH} characters")


def _check_argument(text: str) -> None:
    if not text or not text.isprintable() or len(text) > MAX_NAME_LENGTH:
        raise UsageError(f"{text[:80]!r} is not an argument for zimit")


_TEXTS: Mapping[str, Check] = {
    "name": check_source_name,
    "base_url": _check_address,
    "description": _check_description,
    "name_template": _check_template,
    "schedule": parse_schedule,
}
_LISTS: Mapping[str, Check] = {
    "seeds": _check_address,
    "plugins": check_plugin_name,
    "page_parameters": lambda name: page_parameters_of((name,)),
    "zimit_passthrough_args": _check_argument,
}
