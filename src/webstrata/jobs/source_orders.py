"""What people tell sources: be there, be archived at some times, rest. The archive's folder is told as well."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import structlog

from webstrata.db import audit_log, sources
from webstrata.db.engine import Database, Session
from webstrata.db.sources import NewSource, SourceChange
from webstrata.errors import UsageError
from webstrata.jobs import registry
from webstrata.jobs.manifest import write_sources
from webstrata.jobs.queueing import source_code_of
from webstrata.model.registry import (
    SourceJobConfig,
    SourceView,
    check_entry,
    check_source_name,
    page_parameters_of,
    seeds_of,
)
from webstrata.model.urls import host_of, parse_url, with_scheme

log = structlog.get_logger()

NO_SCHEDULE = "none"


@dataclass(frozen=True)
class WantedSource:
    """A source as a person describes it; what is empty is found out or left out."""

    urls: tuple[str, ...]
    code: str = ""
    name: str = ""
    description: str = ""
    schedule: str = ""


@dataclass(frozen=True)
class EditedSource:
    """What a person wants different about a source; what is None stays."""

    name: str | None = None
    base_url: str | None = None
    description: str | None = None
    seeds: tuple[str, ...] | None = None
    crawl: Mapping[str, object] | None = None
    """The crawl knobs of its jobs, all of them."""
    tool_options: Mapping[str, object] | None = None
    """What archive-tool is told, all of it."""


class SourceOrders:
    """Changes the sources of one archive; every change is in the audit log and written down in its folder."""

    def __init__(self, database: Database, archive_root: Path) -> None:
        """Take orders for an archive."""
        self._database = database
        self._archive_root = archive_root

    def add(self, wanted: WantedSource) -> str:
        """Add a source and return its code; ConflictError when that is taken, UsageError for what makes no sense."""
        seeds = seeds_of([url for url in wanted.urls if url.strip()])
        if not seeds:
            raise UsageError("a source needs an address such as https://example.org/")
        code = wanted.code or source_code_of(seeds[0])
        entry = replace(SourceJobConfig.plain(code, seeds), schedule_hint=_schedule(wanted.schedule))
        new = NewSource(
            entry, wanted.name or host_of(seeds[0]), base_url=seeds[0], description=wanted.description or None
        )
        registry.add_source(self._database, new, datetime.now(UTC))
        self._changed("source.added", code)
        return code

    def edit(self, code: str, wanted: EditedSource) -> None:
        """Change what a source is called and what its jobs are made from; jobs that are there stay as they are."""
        with self._changing(code, "edit") as session:
            entry = _edited(session, code, wanted)
            if wanted.name is not None:
                check_source_name(wanted.name)
            base_url = parse_url(with_scheme(wanted.base_url)).href if wanted.base_url else None
            sources.change_source(session, code, SourceChange(wanted.name, base_url, wanted.description, entry))

    def set_page_parameters(self, code: str, names: Collection[str]) -> bool:
        """Say which query parameters tell a source's pages apart, and whether its pages must be grouped anew."""
        with self._changing(code, "parameters") as session:
            return sources.set_page_parameters(session, code, page_parameters_of(names))

    def set_schedule(self, code: str, schedule: str) -> None:
        """Say when a source is archived; an empty schedule, or `none`, means only when somebody asks."""
        with self._changing(code, "schedule") as session:
            sources.set_schedule(session, code, _schedule(schedule), datetime.now(UTC))

    def pause(self, code: str) -> None:
        """Let a source's schedule rest."""
        with self._changing(code, "pause") as session:
            sources.pause_schedule(session, code)

    def resume(self, code: str) -> None:
        """Let a paused schedule go on."""
        with self._changing(code, "resume") as session:
            sources.resume_schedule(session, code, datetime.now(UTC))

    def set_enabled(self, code: str, enabled: bool) -> None:
        """Say whether jobs are made of a source at all."""
        with self._changing(code, "enable" if enabled else "disable") as session:
            sources.set_enabled(session, code, enabled)

    def remove(self, code: str) -> None:
        """Remove a source of which nothing was archived; ConflictError for any other."""
        with self._database.write() as session:
            before = _told(sources.source_view(session, code))
            sources.remove_source(session, code)
            audit_log.record(session, "source.remove", f"source:{code}", before=before)
        self._changed("source.removed", code)

    @contextmanager
    def _changing(self, code: str, order: str) -> Iterator[Session]:
        """Open a session to change a source in; what is different then is written to the audit log with it."""
        with self._database.write() as session:
            before = _told(sources.source_view(session, code))
            yield session
            session.flush()
            after = _told(sources.source_view(session, code))
            changed = [name for name, value in after.items() if before[name] != value]
            audit_log.record(
                session,
                f"source.{order}",
                f"source:{code}",
                before={name: before[name] for name in changed},
                after={name: after[name] for name in changed},
            )
        self._changed(f"source.{order}", code)

    def _changed(self, event: str, code: str) -> None:
        write_sources(self._database, self._archive_root)
        log.info(event, source=code)


def _told(view: SourceView) -> dict[str, object]:
    """Return what people decide about a source."""
    return {
        "name": view.name,
        "base_url": view.base_url,
        "description": view.description,
        "enabled": view.enabled,
        "schedule": view.schedule,
        "schedule_paused": view.schedule_paused,
        "page_parameters": list(view.page_parameters),
        "job_config": view.job_config,
    }


def _edited(session: Session, code: str, wanted: EditedSource) -> SourceJobConfig | None:
    """Return the registry's entry with what is wanted, checked; None when it stays as it is."""
    given = {
        "default_seeds": None if wanted.seeds is None else seeds_of(wanted.seeds),
        "crawl": wanted.crawl,
        "default_tool_options": wanted.tool_options,
    }
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if not changes:
        return None
    seeds = changes.get("default_seeds", ())
    edited = replace(sources.registry_entry(session, code, seeds), **changes)
    check_entry(edited)
    return edited


def _schedule(said: str) -> str | None:
    said = said.strip()
    return None if said.lower() in {"", NO_SCHEDULE} else said
