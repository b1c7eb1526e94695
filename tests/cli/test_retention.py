"""Retention at a terminal: policies, passes, holds, withheld snapshots and the cleanup of artifacts."""

import json
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.retention.rows import DAY, add_row, count
from webstrata.db.engine import Database
from webstrata.db.retention import artifacts
from webstrata.db.schema.collection_tables import HaulRow
from webstrata.model.retention.artifacts import ArtifactType, NewArtifact
from webstrata.storage.artifacts import ArtifactFolder

KILLED_AFTER_THE_FILE = """
import os, signal, sys
from webstrata.db.retention import artifacts
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
artifacts.mark_artifact_deleted = die
from webstrata.cli.main import run
run(["cleanup"])
"""


@pytest.fixture
def lines(plain_webstrata: CommandLine, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Command lines on one kind of database: what is printed does not depend on it."""
    monkeypatch.setenv("WEBSTRATA_DATABASE_URL", sqlite_url)
    return plain_webstrata


@pytest.fixture
def stored(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three artifacts whose time is up."""
    folder = tmp_path / "artifacts"
    monkeypatch.setenv("ARTIFACTS_DIR", str(folder))
    now, database = datetime.now(UTC), Database(sqlite_url)
    for name in ("a", "b", "c"):
        file = ArtifactFolder(folder).put(f"{name}.html.gz", b"bytes")
        new = NewArtifact("s", ArtifactType.HTML_GZ, file.uri, 5, file.checksum, now, None, now - timedelta(days=1))
        with database.write() as session:
            artifacts.add_artifact(session, new)
    database.dispose()
    return folder


def test_policies_are_shown_set_and_reset(lines: CommandLine) -> None:
    assert "listings" in lines("retention").out
    assert lines("retention", "set", "hauls", "7").out == "hauls: 7 days\n"
    assert json.loads(lines("retention", "show", "--json").out)["policies"]["hauls"] == 7
    for wrong in (("hauls", "0"), ("listings", "9"), ("nothing", "9"), ("hauls", "x")):
        assert lines("retention", "set", *wrong).code == 2
    lines("retention", "reset")
    assert json.loads(lines("retention", "show", "--json").out)["policies"]["hauls"] == 30


def test_a_run_only_counts_unless_it_is_applied(lines: CommandLine, sqlite_url: str) -> None:
    database = Database(sqlite_url)
    add_row(database, "hauls", datetime.now(UTC) - 31 * DAY, "old")
    assert "dry run" in lines("retention", "run").out
    assert count(database, HaulRow) == 1
    done = json.loads(lines("retention", "run", "--apply", "--json").out)
    assert done["collections"]["hauls"]["deleted"] == 1
    assert count(database, HaulRow) == 0
    assert "(manual)" in lines("retention", "show").out
    database.dispose()


def test_a_cleanup_that_is_killed_after_deleting_a_file_is_finished_by_the_next(
    lines: CommandLine, stored: Path
) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED_AFTER_THE_FILE], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert sorted(path.name for path in stored.iterdir()) == ["b.html.gz", "c.html.gz"]
    report = json.loads(lines("cleanup", "--json").out)
    assert (report["candidates"], report["deleted"], report["missing"], report["failed"], report["bytes"]) == (
        3,
        2,
        1,
        0,
        10,
    )
    assert not list(stored.iterdir())
    assert lines("cleanup").out.startswith("0 artifacts expired")


def test_the_module_cleans_up_as_the_settings_say(
    lines: CommandLine, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-m", "webstrata.cleanup"]
    monkeypatch.setenv("RETENTION_CLEANUP_DRY_RUN", "true")
    dry = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert "3 artifacts would be deleted" in dry.stdout
    monkeypatch.setenv("RETENTION_CLEANUP_DRY_RUN", "false")
    monkeypatch.setenv("RETENTION_CLEANUP_BATCH_SIZE", "2")
    (stored / "a.html.gz").unlink()
    (stored / "a.html.gz").mkdir()
    failed = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert failed.returncode == 1
    assert "1 deleted, 0 missing, 1 failed" in failed.stdout
    assert lines("cleanup", "--batch-size", "1").code == 0, "what failed comes after the others"


def test_holds_are_placed_listed_and_released(lines: CommandLine) -> None:
    assert lines("retention", "holds").out == "no legal holds\n"
    lines("sources", "add", "site", "example.org")
    assert lines("retention", "hold", "--source", "site", "--reason", "lawsuit").code == 0
    assert "source site  lawsuit" in lines("retention", "holds").out
    assert lines("retention", "withhold", "1", "--reason", "order").code == 1
    assert lines("retention", "release", "1").out == "legal hold 1 is released\n"
    assert lines("retention", "hold", "--reason", "nothing named").code == 2
