"""Storage problems that keep new captures from being stored."""

import structlog

from webstrata.app import App
from webstrata.db.operations import catalog
from webstrata.jobs.folders import job_folders

log = structlog.get_logger()


def storage_trouble(app: App) -> tuple[str, ...]:
    """Return why new captures could not be stored, a sentence each, for administrators."""
    found = job_folders.health(app.database, app.archive_root, app.settings.min_free_bytes)
    with app.database.read() as session:
        is_new = found.root_missing and not catalog.has_jobs(session)
    # The first job creates the folder.
    trouble = () if is_new else found.problems
    if trouble:
        log.warning("health.storage", problems=list(trouble))
    return trouble
