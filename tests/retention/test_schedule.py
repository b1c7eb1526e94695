"""The worker's share of retention."""

import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from tests.retention.rows import DAY, NOW, add_row, count
from webstrata.db.engine import Database
from webstrata.db.retention import artifacts
from webstrata.db.schema.collection_tables import HaulRow
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.persistent import WorkerContext
from webstrata.jobs.running.worker import apply_retention
from webstrata.model.retention.artifacts import ArtifactType, NewArtifact
from webstrata.retention.schedule import ArtifactSchedule, RetentionSchedule
from webstrata.storage.artifacts import ArtifactFolder

QUIET = threading.Event()


def test_a_worker_deletes_what_is_expired_once_an_hour_and_artifacts_only_if_enabled(
    database: Database, tmp_path: Path
) -> None:
    folder = ArtifactFolder(tmp_path)
    file = folder.put("a.html.gz", b"bytes")
    new = NewArtifact("s", ArtifactType.HTML_GZ, file.uri, 5, file.checksum, NOW, None, NOW - DAY)
    with database.write() as session:
        artifacts.add_artifact(session, new)
    add_row(database, "hauls", NOW - 99 * DAY, "first")
    without = RetentionSchedule(database)
    without.run_due(NOW, QUIET)
    assert count(database, HaulRow) == 0
    assert (tmp_path / "a.html.gz").exists()
    add_row(database, "hauls", NOW - 99 * DAY, "second")
    with_artifacts = replace(without, artifacts=ArtifactSchedule(tmp_path, timedelta(hours=1), 100, dry_run=False))
    with_artifacts.run_due(NOW + timedelta(minutes=59), QUIET)
    assert count(database, HaulRow) == 1
    assert not (tmp_path / "a.html.gz").exists()
    with_artifacts.run_due(NOW + timedelta(hours=1), QUIET)
    assert count(database, HaulRow) == 0


def test_a_worker_applies_retention_beside_its_jobs(runner: Runner) -> None:
    add_row(runner.database, "hauls", NOW - 9_999 * DAY, "old")
    context = WorkerContext(runner.database, runner.archive_root, runner.recovery, runner)
    assert not apply_retention(context, QUIET)
    assert count(runner.database, HaulRow) == 1
    assert not apply_retention(replace(context, retention=RetentionSchedule(runner.database)), QUIET)
    assert count(runner.database, HaulRow) == 0
