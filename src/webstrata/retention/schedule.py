"""Retention in workers: scheduled passes over the collections, and cleanups of artifacts."""

import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from webstrata.db.engine import Database
from webstrata.db.retention import retention
from webstrata.model.retention.rules import DEFAULT_MAX_SHARE
from webstrata.retention.artifact_cleanup import clean_up_artifacts
from webstrata.retention.sweep import run_scheduled_pass

_ARTIFACTS_PERMIT = "artifacts"


@dataclass(frozen=True)
class ArtifactSchedule:
    """Where artifacts are, how often they are cleaned up, and how many at a time."""

    folder: Path
    interval: timedelta
    batch_size: int
    dry_run: bool


@dataclass(frozen=True)
class RetentionSchedule:
    """The retention tasks of a worker; artifacts are cleaned up only if they have a schedule."""

    database: Database
    artifacts: ArtifactSchedule | None = None
    archive_root: Path | None = None
    max_share: float = DEFAULT_MAX_SHARE

    def run_due(self, now: datetime, interrupted: threading.Event) -> None:
        """Run what is due, unless another worker has; both are bounded in time or number."""
        run_scheduled_pass(self.database, now, interrupted, self.archive_root, self.max_share)
        if self.artifacts is not None and self._is_due(self.artifacts.interval, now):
            due = self.artifacts
            clean_up_artifacts(self.database, due.folder, now, batch_size=due.batch_size, dry_run=due.dry_run)

    def _is_due(self, interval: timedelta, now: datetime) -> bool:
        with self.database.write() as session:
            return retention.take_permit(session, _ARTIFACTS_PERMIT, now, interval)
