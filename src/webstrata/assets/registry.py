"""The registry of plugins: the built-in ones, and those that installed packages offer through entry points."""

import importlib.metadata
import re
from collections.abc import Iterable, Sequence
from importlib.metadata import EntryPoint

import structlog

from webstrata.assets.listing import ListingPlugin
from webstrata.assets.media import MediaPlugin
from webstrata.assets.page import PagePlugin
from webstrata.assets.plugin import Plugin, version_of
from webstrata.errors import UsageError

GROUPS = ("webstrata.plugins", "sitesync.plugins")
BUILT_IN: tuple[type[Plugin], ...] = (PagePlugin, MediaPlugin, ListingPlugin)

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
_LONGEST_VERSION = 100
_METHODS = ("supports", "normalize")

log = structlog.get_logger()


class PluginRegistry:
    """Plugins by name; two cannot have the same."""

    def __init__(self, plugins: Iterable[object] = BUILT_IN) -> None:
        """Begin with some plugins: by default, the built-in ones."""
        self._plugins: dict[str, Plugin] = {}
        for plugin in plugins:
            self.register(plugin)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the plugins."""
        return tuple(self._plugins)

    def register(self, plugin: object) -> None:
        """Add a plugin, given as an instance or as a class without constructor arguments."""
        made = _check_plugin(plugin() if isinstance(plugin, type) else plugin)
        if made.name in self._plugins:
            raise UsageError(f"there is a plugin {made.name!r} already")
        self._plugins[made.name] = made

    def load_entrypoints(self) -> None:
        """Add the plugins of installed packages; one that cannot be loaded is skipped and logged."""
        loaded: set[str] = set()
        for entry in _entry_points():
            # A plugin may be in both groups, for programs that read only one of them.
            if entry.value not in loaded and self._load(entry):
                loaded.add(entry.value)

    def selected(self, names: Sequence[str] | None = None) -> tuple[Plugin, ...]:
        """Return the plugins of these names, or all when none are named; UsageError for an unknown name."""
        if names is None:
            return tuple(self._plugins.values())
        unknown = sorted(set(names) - set(self._plugins))
        if unknown:
            found = ", ".join(sorted(self._plugins))
            raise UsageError(f"there is no plugin {', '.join(unknown)} (found: {found})")
        return tuple(self._plugins[name] for name in dict.fromkeys(names))

    def _load(self, entry: EntryPoint) -> bool:
        try:
            self.register(entry.load())
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a broken plugin must not affect others
            reason = f"{type(error).__name__}: {error}"
            log.warning("plugin.load.failed", group=entry.group, plugin=entry.name, value=entry.value, reason=reason)
            return False
        log.debug("plugin.load.success", group=entry.group, plugin=entry.name, value=entry.value)
        return True


def _check_plugin(candidate: object) -> Plugin:
    """Return an object as a plugin; UsageError names what it lacks."""
    name = getattr(candidate, "name", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UsageError(f"{candidate!r} is not a plugin: its name is {name!r}, not a short word in lower case")
    lacking = [method for method in _METHODS if not callable(getattr(candidate, method, None))]
    if lacking or not isinstance(candidate, Plugin):
        raise UsageError(f"{candidate!r} is not a plugin: it has no {' and no '.join(lacking)}")
    version = version_of(candidate) or ""
    if not version.isprintable() or len(version) > _LONGEST_VERSION:
        raise UsageError(f"{candidate!r} is not a plugin: its version is {version!r:.200}")
    return candidate


def _entry_points() -> list[EntryPoint]:
    """Return the entry points of our groups, in the order of the groups."""
    found = importlib.metadata.entry_points()
    if hasattr(found, "select"):
        return [entry for group in GROUPS for entry in found.select(group=group)]
    # Older versions of importlib.metadata, which may be installed as a package, return a dict.
    return [entry for group in GROUPS for entry in found.get(group, ())]
