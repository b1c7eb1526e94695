"""Expired html_gz artifacts are deleted one by one, the file before its row."""

import threading
from datetime import datetime
from pathlib import Path

import pytest

from tests.retention.rows import DAY, NOW, TICK
from webstrata.db.engine import Database
from webstrata.db.retention import artifacts
from webstrata.db.schema.retention_tables import LegalHold
from webstrata.model.retention.artifacts import ArtifactType, NewArtifact, retention_until
from webstrata.retention.artifact_cleanup import ArtifactCleanupReport, clean_up_artifacts
from webstrata.storage.artifacts import ArtifactFolder

SESSION = "0b0c7b0e-0000-4000-8000-000000000001"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "artifacts"


def store(
    database: Database,
    folder: Path,
    uri: str,
    created_at: datetime,
    kind: ArtifactType = ArtifactType.HTML_GZ,
    session_id: str = SESSION,
) -> int:
    """Store an artifact as an audit does."""
    file = ArtifactFolder(folder).put(uri, b"twelve bytes")
    until = retention_until(kind, created_at, 14)
    new = NewArtifact(session_id, kind, file.uri, file.size_bytes, file.checksum, created_at, retention_until=until)
    with database.write() as session:
        return artifacts.add_artifact(session, new)


def clean(database: Database, folder: Path, *, batch_size: int = 100, dry_run: bool = False) -> ArtifactCleanupReport:
    return clean_up_artifacts(database, folder, NOW, batch_size=batch_size, dry_run=dry_run)


def deleted(database: Database) -> dict[int, datetime | None]:
    with database.read() as session:
        return {found.id: found.deleted_at for found in artifacts.artifacts_of_session(session, SESSION)}


def test_only_expired_html_goes_the_longest_expired_first_and_a_dry_run_touches_nothing(
    database: Database, folder: Path
) -> None:
    stays = store(database, folder, "a/edge.html.gz", NOW - 14 * DAY)
    newer = store(database, folder, "a/newer.html.gz", NOW - 14 * DAY - TICK)
    older = store(database, folder, "a/older.html.gz", NOW - 99 * DAY)
    text = store(database, folder, "a/text.txt", NOW - 999 * DAY, ArtifactType.VISIBLE_TEXT)
    assert clean(database, folder, dry_run=True) == ArtifactCleanupReport(True, candidates=2)
    assert set(deleted(database).values()) == {None}
    assert clean(database, folder, batch_size=1) == ArtifactCleanupReport(False, 1, deleted=1, bytes=12)
    assert deleted(database) == {stays: None, newer: None, older: NOW, text: None}
    assert clean(database, folder).deleted == 1
    assert sorted(path.name for path in (folder / "a").iterdir()) == ["edge.html.gz", "text.txt"]
    assert clean(database, folder).candidates == 0


def test_what_is_missing_is_marked_and_what_cannot_be_deleted_waits_after_the_others(
    database: Database, folder: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.html.gz"
    outside.write_bytes(b"not ours")
    missing = store(database, folder, "missing.html.gz", NOW - 30 * DAY)
    (folder / "missing.html.gz").unlink()
    stuck = store(database, folder, "stuck", NOW - 40 * DAY)
    (folder / "stuck").unlink()
    (folder / "stuck").mkdir()
    with database.write() as session:
        new = NewArtifact(SESSION, ArtifactType.HTML_GZ, "../outside.html.gz", 8, "0" * 64, NOW, None, NOW - 50 * DAY)
        escaping = artifacts.add_artifact(session, new)
    good = store(database, folder, "good.html.gz", NOW - 20 * DAY)
    report = clean(database, folder, batch_size=2)
    assert (report.candidates, report.failed, report.deleted) == (2, 2, 0)
    report = clean(database, folder, batch_size=2)
    assert (report.candidates, report.missing, report.deleted, report.bytes) == (2, 1, 1, 12)
    assert deleted(database) == {missing: NOW, stuck: None, escaping: None, good: NOW}
    assert outside.read_bytes() == b"not ours"
    assert (folder / "stuck").is_dir()


def test_a_link_never_leads_a_cleanup_to_another_file(database: Database, folder: Path) -> None:
    kept = store(database, folder, "b/kept.html.gz", NOW)
    for uri in ("b/link.html.gz", "c/kept.html.gz"):
        store(database, folder, uri, NOW - 30 * DAY)
    (folder / "b" / "link.html.gz").unlink()
    (folder / "b" / "link.html.gz").symlink_to("kept.html.gz")
    (folder / "c" / "kept.html.gz").unlink()
    (folder / "c").rmdir()
    (folder / "c").symlink_to("b")
    report = clean(database, folder)
    assert (report.candidates, report.failed, report.deleted) == (2, 2, 0)
    assert (folder / "b" / "kept.html.gz").read_bytes() == b"twelve bytes"
    assert deleted(database)[kept] is None


def test_two_cleanups_at_once_delete_each_file_once(database: Database, folder: Path) -> None:
    for number in range(20):
        store(database, folder, f"{number}.html.gz", NOW - 30 * DAY)
    reports: list[ArtifactCleanupReport] = []
    threads = [threading.Thread(target=lambda: reports.append(clean(database, folder))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sum(report.deleted for report in reports) == 20
    assert sum(report.missing + report.failed for report in reports) == 0
    assert not list(folder.iterdir())


def test_a_legal_hold_keeps_the_artifacts_of_its_audit(database: Database, folder: Path) -> None:
    store(database, folder, "held.html.gz", NOW - 30 * DAY)
    with database.write() as session:
        session.add(LegalHold(scope="audit", session_id=SESSION, reason="court", created_by="me", created_at=NOW))
    assert clean(database, folder).candidates == 0
    assert (folder / "held.html.gz").exists()
