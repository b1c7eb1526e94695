"""Cleanup of artifacts: deletes expired html_gz artifacts one at a time, first the file, then its row."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog

from webstrata.db.engine import Database
from webstrata.db.retention import artifacts
from webstrata.errors import StorageError
from webstrata.model.retention.artifacts import StoredArtifact
from webstrata.storage.artifacts import ArtifactFolder

log = structlog.get_logger()


@dataclass(frozen=True)
class ArtifactCleanupReport:
    """The result of a cleanup."""

    dry_run: bool
    candidates: int
    deleted: int = 0
    missing: int = 0
    """Files that were gone already: their rows are marked, and no bytes are counted."""
    failed: int = 0
    skipped: int = 0
    """Artifacts that another cleanup deleted meanwhile."""
    bytes: int = 0


def clean_up_artifacts(
    database: Database, artifacts_dir: Path, now: datetime, *, batch_size: int, dry_run: bool
) -> ArtifactCleanupReport:
    """Delete expired html_gz artifacts and return what was done; a dry run only logs the candidates."""
    with database.read() as session:
        candidates = artifacts.get_expired_html_artifacts(session, now, batch_size)
    if dry_run:
        for artifact in candidates:
            log.info("retention.artifact.candidate", artifact_id=artifact.id, uri=artifact.storage_uri)
        return ArtifactCleanupReport(dry_run=True, candidates=len(candidates))
    folder, counts = ArtifactFolder(artifacts_dir), Counter[str]()
    for artifact in candidates:
        counts.update(_delete(database, folder, artifact, now))
    report = ArtifactCleanupReport(dry_run=False, candidates=len(candidates), **counts)
    log.info("retention.artifacts.done", **counts, candidates=len(candidates))
    return report


def _delete(database: Database, folder: ArtifactFolder, artifact: StoredArtifact, now: datetime) -> dict[str, int]:
    """Delete one artifact and return what to count; killed in between, the next cleanup finds the file missing."""
    try:
        # The row is locked during the deletion, so that only one of two concurrent cleanups deletes and counts the
        # file.
        with database.write() as session:
            if artifacts.take_expired_artifact(session, artifact.id, now) is None:
                return {"skipped": 1}
            size = folder.delete(artifact.storage_uri)
            artifacts.mark_artifact_deleted(session, artifact.id, now)
    except StorageError as error:
        log.error("retention.artifact.failed", artifact_id=artifact.id, uri=artifact.storage_uri, reason=str(error))
        with database.write() as session:
            artifacts.postpone_artifact(session, artifact.id, now)
        return {"failed": 1}
    log.info("retention.artifact.deleted", artifact_id=artifact.id, uri=artifact.storage_uri, bytes=size or 0)
    return {"missing": 1} if size is None else {"deleted": 1, "bytes": size}
