"""Adding and removing saved searches; the archive's folder is updated as well."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from webstrata.db.engine import Database
from webstrata.db.operations import audit_log
from webstrata.db.sources.sources import source_view
from webstrata.db.watching import saved_searches
from webstrata.jobs.watching.files import write_watching
from webstrata.model.watching.saved_searches import SavedSearch, check_name, check_parameters
from webstrata.notifications.backup import write_notifications
from webstrata.notifications.subscribing import unsubscribe_all


@dataclass(frozen=True)
class SavedSearchCommands:
    """Changes the saved searches of an archive."""

    database: Database
    archive_root: Path

    def add(self, name: str, parameters: Mapping[str, str]) -> SavedSearch:
        """Save a search; ConflictError when its name is taken, NotFoundError for a source that does not exist."""
        checked, found = check_name(name), check_parameters(parameters)
        with self.database.write() as session:
            if "source" in found:
                source_view(session, found["source"])
            saved = saved_searches.add_search(session, checked, found, datetime.now(UTC))
            audit_log.record(session, "saved_search.add", f"saved-search:{saved.id}", name=checked, parameters=found)
        write_watching(self.database, self.archive_root)
        return saved

    def remove(self, name_or_id: str) -> SavedSearch:
        """Remove a saved search, by its name or its number, with its subscriptions."""
        with self.database.write() as session:
            saved = saved_searches.load_search(session, name_or_id)
            saved_searches.remove_search(session, saved.id)
            audit_log.record(session, "saved_search.remove", f"saved-search:{saved.id}", name=saved.name)
        if unsubscribe_all(self.database, saved_search_id=saved.id):
            write_notifications(self.database, self.archive_root)
        write_watching(self.database, self.archive_root)
        return saved
