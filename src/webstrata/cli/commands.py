"""The list of commands by module; a module is imported only when one of its commands is run."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any

from typer import Typer
from typer.main import get_group

from webstrata.cli.help_pages import PlainGroup

MODULES = {
    "jobs.archiving": ("archive", "run"),
    "serving": ("serve", "start-worker", "worker"),
    "searching": ("search",),
    "changes": ("changes", "compute-changes"),
    "pages.showing": ("show",),
    "pages.diffing": ("diff",),
    "watching.site_diff": ("site-diff",),
    "watching.watches": ("watch", "watches", "check-watch", "pause-watch", "resume-watch", "remove-watch"),
    "watching.saved_searches": ("save-search", "saved-searches", "remove-saved-search"),
    "pages.quality": ("quality",),
    "pages.extracting": ("extract",),
    "checks": ("check-env", "check-db"),
    "jobs.jobs": ("list-jobs", "show-job", "stop-job", "resume-job", "retry-job", "fetch-missing"),
    "jobs.running": ("check-archive-tool", "run-job", "run-db-job", "index-job"),
    "jobs.checking": ("validate-job-config",),
    "jobs.status": ("status",),
    "folders": ("register-job-dir", "cleanup-job", "storage"),
    "artifacts": ("cleanup",),
    "sources": ("seed-sources", "create-job", "regroup"),
    "verifying": ("verify",),
    "packages.source_deletion": ("remove-source",),
    "packages.exporting": ("export",),
    "packages.importing": ("import",),
    "packages.replay_collections": ("replay-index-job",),
    "audits.auditing": ("audit",),
    "audits.schedules": (
        *("audit-schedules", "pause-audit-schedule", "resume-audit-schedule", "remove-audit-schedule"),
    ),
    "audit_log": ("audit-log",),
    "rebuilding": ("rebuild",),
    "notifications.deliveries": ("notify", "dead-letters", "retry-dead-letters"),
    "notifications.reviewing": ("review-change",),
    "notifications.subscriptions": ("subscribe", "unsubscribe", "notify-targets"),
    "browser.replay_checks": ("check-replay",),
}
"""The commands of each module's `verbs`."""

SECTIONS = {
    "Everyday": (
        *("archive", "run", "serve", "search", "show", "changes", "review-change", "diff", "site-diff"),
        *("audit", "hauls", "status"),
    ),
    "Jobs": ("list-jobs", "show-job", "stop-job", "resume-job", "retry-job", "fetch-missing", "worker", "audit-log"),
    "Sources": ("sources", "seed-sources", "create-job", "regroup", "remove-source"),
    "Watching": (
        *("watch", "watches", "check-watch", "pause-watch", "resume-watch", "remove-watch"),
        *("save-search", "saved-searches", "remove-saved-search"),
        *("audit-schedules", "pause-audit-schedule", "resume-audit-schedule", "remove-audit-schedule"),
    ),
    "Notifications": ("subscribe", "unsubscribe", "notify-targets", "notify", "dead-letters", "retry-dead-letters"),
    "Files and database": (
        *("storage", "cleanup-job", "cleanup", "retention", "export", "import", "register-job-dir", "verify", "assets"),
        *("replay-index-job", "check-replay"),
        *("rebuild", "db", "check-db", "check-env"),
    ),
    "Low level": (
        *("index-job", "compute-changes", "quality", "extract", "validate-job-config"),
        *("run-job", "run-db-job", "check-archive-tool"),
    ),
}
"""The headings of the help page, and the commands below each."""

Command = Any
"""A command as Typer makes it: it shares no public type with a group of commands."""

GROUPS = {
    "sources": ("sources", "sources"),
    "assets": ("assets", "verbs"),
    "retention": ("retention", "verbs"),
    "hauls": ("collections.hauls", "verbs"),
    "db": ("database", "verbs"),
}
"""Command groups: the module and the name of each."""


class LazyGroup(PlainGroup):
    """The program's commands, each loaded when it is run or its help line is shown."""

    sections = SECTIONS

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401 - the library's own arguments
        """Make a Typer group with the commands of this list."""
        super().__init__(**attributes)
        self.commands = _Commands()


class _Commands(MutableMapping[str, Command]):
    """Every command of the program by its name."""

    def __init__(self) -> None:
        self._modules = {name: module for module, names in MODULES.items() for name in names}
        self._loaded: dict[str, Command] = {}

    def __getitem__(self, name: str) -> Command:
        """Return a command; its module is loaded now."""
        if name not in self._loaded:
            self._loaded |= self._commands_beside(name)
        return self._loaded[name]

    def __setitem__(self, name: str, command: Command) -> None:
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        raise TypeError("the program keeps its commands")

    def __iter__(self) -> Iterator[str]:
        return iter((*self._modules, *GROUPS))

    def __len__(self) -> int:
        return len(self._modules) + len(GROUPS)

    def _commands_beside(self, name: str) -> Mapping[str, Command]:
        """Return all commands of the module with a command; KeyError for an unknown command."""
        if name not in GROUPS:
            return get_group(_attribute(self._modules[name], "verbs")).commands
        group = get_group(_attribute(*GROUPS[name]))
        group.name = name
        return {name: group}


def _attribute(module: str, name: str) -> Typer:
    found = getattr(import_module(f"webstrata.cli.{module}"), name)
    assert isinstance(found, Typer)
    return found
