"""What people tell sources: be there, be archived at some times, rest. The archive's folder is told as well."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import structlog

from webstrata.db import sources
from webstrata.db.engine import Database
from webstrata.db.sources import NewSource
from webstrata.errors import UsageError
from webstrata.jobs import registry
from webstrata.jobs.manifest import write_sources
from webstrata.jobs.queueing import source_code_of
from webstrata.model.registry import SourceJobConfig, seeds_of
from webstrata.model.urls import host_of

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


class SourceOrders:
    """Changes the sources of one archive; every change is logged and written down in its folder."""

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

    def set_schedule(self, code: str, schedule: str) -> None:
        """Say when a source is archived; an empty schedule, or `none`, means only when somebody asks."""
        with self._database.write() as session:
            sources.set_schedule(session, code, _schedule(schedule), datetime.now(UTC))
        self._changed("source.scheduled", code)

    def pause(self, code: str) -> None:
        """Let a source's schedule rest."""
        with self._database.write() as session:
            sources.pause_schedule(session, code)
        self._changed("source.paused", code)

    def resume(self, code: str) -> None:
        """Let a paused schedule go on."""
        with self._database.write() as session:
            sources.resume_schedule(session, code, datetime.now(UTC))
        self._changed("source.resumed", code)

    def set_enabled(self, code: str, enabled: bool) -> None:
        """Say whether jobs are made of a source at all."""
        with self._database.write() as session:
            sources.set_enabled(session, code, enabled)
        self._changed("source.enabled" if enabled else "source.disabled", code)

    def _changed(self, event: str, code: str) -> None:
        write_sources(self._database, self._archive_root)
        log.info(event, source=code)


def _schedule(said: str) -> str | None:
    said = said.strip()
    return None if said.lower() in {"", NO_SCHEDULE} else said
