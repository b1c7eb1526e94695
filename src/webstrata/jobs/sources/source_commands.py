"""Commands for sources: add, edit, schedule, pause, resume; the archive's `sources.json` follows."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import structlog

from webstrata.db.engine import Database, Session
from webstrata.db.operations import audit_log
from webstrata.db.sources import sources
from webstrata.db.sources.source_scopes import source_scopes
from webstrata.db.sources.sources import NewSource, SourceChange
from webstrata.errors import UsageError
from webstrata.jobs.folders.manifest import write_sources
from webstrata.jobs.sources import registry, source_removal
from webstrata.jobs.sources.source_choice import source_code_of
from webstrata.model.jobs.registry import (
    SourceJobConfig,
    SourceView,
    check_entry,
    check_source_name,
    page_parameters_of,
    seeds_of,
)
from webstrata.model.jobs.source_scope import source_beginning_at
from webstrata.model.jobs.tool_options import TOOL_OPTIONS
from webstrata.model.urls import host_of, parse_url, with_scheme

log = structlog.get_logger()

NO_SCHEDULE = "none"


@dataclass(frozen=True)
class SourceRequest:
    """The description of a source to be added; empty fields are derived or left out."""

    urls: tuple[str, ...]
    code: str = ""
    name: str = ""
    description: str = ""
    schedule: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    """Crawl settings and tool options of its jobs, by name."""


@dataclass(frozen=True)
class AddedSource:
    """The source that was added, or an existing one with the same seeds."""

    code: str
    is_new: bool
    """False when a source with these seeds existed already: its code does not change, but it gets the schedule and
    other values."""
    overlaps: tuple[str, ...] = ()
    """The other sources on one of its domains, if it is new."""


@dataclass(frozen=True)
class EditedSource:
    """Changes of a source that were requested; None leaves a field unchanged."""

    name: str | None = None
    base_url: str | None = None
    description: str | None = None
    seeds: tuple[str, ...] | None = None
    crawl: Mapping[str, object] | None = None
    """The crawl settings of its jobs, all of them."""
    tool_options: Mapping[str, object] | None = None
    """The options for archive-tool, all of them."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Crawl settings and tool options to be changed, by name."""
    unset: tuple[str, ...] = ()
    """Crawl settings and tool options to be reset to their defaults."""
    page_parameters: tuple[str, ...] | None = None
    schedule: str | None = None
    """When it is archived; an empty one, or `none`, means only on request."""


class SourceCommands:
    """Changes the sources of one archive; every change is in the audit log and in the archive's folder."""

    def __init__(self, database: Database, archive_root: Path) -> None:
        """Run commands on an archive's sources."""
        self._database = database
        self._archive_root = archive_root

    def add(self, requested: SourceRequest) -> AddedSource:
        """Add a source; an existing one with the same seeds gets the schedule and other given values instead.

        ConflictError when the code is taken, UsageError for invalid values.
        """
        seeds = seeds_of([url for url in requested.urls if url.strip()])
        if not seeds:
            raise UsageError("a source needs a URL such as https://example.org/")
        with self._database.write() as session:
            added = _add_unless_known(session, requested, seeds)
        if added.is_new:
            self._write_and_log("source.added", added.code)
        else:
            self.edit(added.code, _additions(requested))
        return added

    def edit(self, code: str, requested: EditedSource) -> None:
        """Change the name and the job configuration of a source; existing jobs stay unchanged."""
        if requested == EditedSource():
            return
        with self._database.write() as session:
            if replace(requested, page_parameters=None, schedule=None) != EditedSource():
                with _recording(session, code, "edit"):
                    _edit(session, code, requested)
            if requested.page_parameters is not None:
                with _recording(session, code, "parameters"):
                    sources.set_page_parameters(session, code, page_parameters_of(requested.page_parameters))
            if requested.schedule is not None:
                with _recording(session, code, "schedule"):
                    sources.set_schedule(session, code, _schedule(requested.schedule), datetime.now(UTC))
        self._write_and_log("source.edit", code)

    def set_page_parameters(self, code: str, names: Collection[str]) -> bool:
        """Set which query parameters distinguish a source's pages; return whether its pages must be regrouped."""
        with self._changing(code, "parameters") as session:
            return sources.set_page_parameters(session, code, page_parameters_of(names))

    def set_schedule(self, code: str, schedule: str) -> None:
        """Set when a source is archived; an empty schedule, or `none`, means only on request."""
        with self._changing(code, "schedule") as session:
            sources.set_schedule(session, code, _schedule(schedule), datetime.now(UTC))

    def pause(self, code: str) -> None:
        """Pause a source's schedule."""
        with self._changing(code, "pause") as session:
            sources.pause_schedule(session, code)

    def resume(self, code: str) -> None:
        """Resume a paused schedule."""
        with self._changing(code, "resume") as session:
            sources.resume_schedule(session, code, datetime.now(UTC))

    def set_enabled(self, code: str, enabled: bool) -> None:
        """Enable or disable a source: no jobs are made of a disabled one."""
        with self._changing(code, "enable" if enabled else "disable") as session:
            sources.set_enabled(session, code, enabled)

    def remove(self, code: str) -> None:
        """Remove a source without captures, with its jobs and their files; ConflictError for any other."""
        source_removal.refuse_with_warcs(self._database, code)
        with self._database.write() as session:
            before = _audit_values(sources.source_view(session, code))
            removed = sources.remove_source(session, code, datetime.now(UTC))
            gone = [job.id for job in removed]
            audit_log.record(session, "source.remove", f"source:{code}", before=before, jobs=gone)
        source_removal.delete_files(self._archive_root, code, removed)
        self._write_and_log("source.removed", code)

    @contextmanager
    def _changing(self, code: str, order: str) -> Iterator[Session]:
        """Open a session that changes a source, and write the changes to the audit log in the same transaction."""
        with self._database.write() as session, _recording(session, code, order):
            yield session
        self._write_and_log(f"source.{order}", code)

    def _write_and_log(self, event: str, code: str) -> None:
        write_sources(self._database, self._archive_root)
        log.info(event, source=code)


@contextmanager
def _recording(session: Session, code: str, order: str) -> Iterator[None]:
    """Write the changes that the block makes to a source to the audit log."""
    before = _audit_values(sources.source_view(session, code))
    yield
    session.flush()
    after = _audit_values(sources.source_view(session, code))
    changed = [name for name, value in after.items() if before[name] != value]
    audit_log.record(
        session,
        f"source.{order}",
        f"source:{code}",
        before={name: before[name] for name in changed},
        after={name: after[name] for name in changed},
    )


def _audit_values(view: SourceView) -> dict[str, object]:
    """Return the values of a source that the audit log records."""
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


def _add_unless_known(session: Session, requested: SourceRequest, seeds: tuple[str, ...]) -> AddedSource:
    """Add a source, unless there is one with the same seeds."""
    scopes = source_scopes(session)
    known = source_beginning_at(seeds, scopes)
    # A code that a person chose is not replaced; codes that `archive` derived may be.
    if known is not None and (known.code != requested.code or not _has_entry(session, known.code)):
        return AddedSource(known.code, is_new=False)
    new = _new_source(requested, seeds)
    registry.add_source_in(session, new, datetime.now(UTC))
    overlaps = registry.overlaps_with(scopes, [new])
    return AddedSource(new.code, is_new=True, overlaps=overlaps[0].others if overlaps else ())


def _has_entry(session: Session, code: str) -> bool:
    return sources.source_view(session, code).job_config is not None


def _new_source(requested: SourceRequest, seeds: tuple[str, ...]) -> NewSource:
    code = requested.code or source_code_of(seeds[0])
    crawl, tool_options = _by_kind(requested.options)
    entry = replace(
        SourceJobConfig.plain(code, seeds),
        schedule_hint=_schedule(requested.schedule),
        crawl=crawl,
        default_tool_options=tool_options,
    )
    return NewSource(
        entry, requested.name or host_of(seeds[0]), base_url=seeds[0], description=requested.description or None
    )


def _additions(requested: SourceRequest) -> EditedSource:
    """Return the changes to a source that already existed when it was added again."""
    return EditedSource(
        name=requested.name or None,
        description=requested.description or None,
        options=requested.options,
        schedule=requested.schedule.strip() or None,
    )


def _edit(session: Session, code: str, requested: EditedSource) -> None:
    entry = _edited_entry(session, code, requested)
    if requested.name is not None:
        check_source_name(requested.name)
    base_url = parse_url(with_scheme(requested.base_url)).href if requested.base_url else None
    sources.change_source(session, code, SourceChange(requested.name, base_url, requested.description, entry))


def _edited_entry(session: Session, code: str, requested: EditedSource) -> SourceJobConfig | None:
    """Return the registry's entry with the requested changes, checked; None when nothing changes."""
    seeds = None if requested.seeds is None else seeds_of(requested.seeds)
    if (
        (seeds, requested.crawl, requested.tool_options) == (None, None, None)
        and not requested.options
        and not requested.unset
    ):
        return None
    entry = sources.registry_entry(session, code, seeds or ())
    crawl, tool_options = _by_kind(requested.options)
    edited = replace(
        entry,
        default_seeds=entry.default_seeds if seeds is None else seeds,
        crawl=_merge_options(entry.crawl if requested.crawl is None else requested.crawl, crawl, requested.unset),
        default_tool_options=_merge_options(
            entry.default_tool_options if requested.tool_options is None else requested.tool_options,
            tool_options,
            requested.unset,
        ),
    )
    check_entry(edited)
    return edited


def _merge_options(
    before: Mapping[str, object], given: Mapping[str, object], unset: Collection[str]
) -> dict[str, object]:
    return {name: value for name, value in {**before, **given}.items() if name not in unset}


def _by_kind(options: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """Return the crawl settings and the tool options among some options."""
    tool_options = {name: value for name, value in options.items() if name in TOOL_OPTIONS}
    return {name: value for name, value in options.items() if name not in TOOL_OPTIONS}, tool_options


def _schedule(text: str) -> str | None:
    text = text.strip()
    return None if text.lower() in {"", NO_SCHEDULE} else text
