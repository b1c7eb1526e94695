"""Settings in, wired parts out: the only place that names concrete backends."""

from dataclasses import dataclass, fields
from pathlib import Path

from webstrata.db.engine import Database
from webstrata.db.migrate import make_ready
from webstrata.fetch.guard import NetworkGuard
from webstrata.jobs.lifecycle import Runner
from webstrata.model.jobs import CrawlConfig
from webstrata.settings import Settings


@dataclass(frozen=True)
class App:
    """The parts of one process."""

    settings: Settings
    database: Database
    archive_root: Path

    def runner(self, *allowed_endpoints: tuple[str, int]) -> Runner:
        """Return what runs jobs here; single addresses may pass the network guard for it."""
        guard = NetworkGuard(self.settings.allow_private_networks, frozenset(allowed_endpoints))
        defaults = CrawlConfig(**{f.name: getattr(self.settings, f.name) for f in fields(CrawlConfig)})
        return Runner(self.database, self.archive_root, defaults, guard)

    def close(self) -> None:
        """Let go of every connection."""
        self.database.dispose()


def build_app(settings: Settings) -> App:
    """Return the wired parts; an empty database is made ready, one at another version is refused."""
    database = Database(settings.database_url.get_secret_value())
    make_ready(database)
    return App(settings=settings, database=database, archive_root=settings.archive_root.resolve())
