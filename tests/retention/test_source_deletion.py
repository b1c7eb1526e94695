"""A source is deleted with its captures when its name is typed; what other sources use stays."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import func, select
from starlette.testclient import TestClient

from tests.retention.test_withholding import ADMIN
from tests.support.web_server import Answer, WebServer, page, serving
from webstrata.app import App
from webstrata.db.collections.export_history import begin_export, finish_export
from webstrata.db.engine import Database
from webstrata.db.schema.asset_tables import AssetBlob
from webstrata.db.schema.public_tables import AuditEntry
from webstrata.db.schema.retention_tables import Tombstone
from webstrata.db.schema.tables import ArchiveJob, Capture, Page, Snapshot, Source, WarcFile
from webstrata.errors import ConflictError, UsageError
from webstrata.jobs.packages.integrity import verify_archive
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.queueing import queue_archive
from webstrata.jobs.sources import source_deletion
from webstrata.jobs.sources.source_deletion import delete_source, plan_deletion
from webstrata.retention.holds import place_hold
from webstrata.settings import Settings
from webstrata.site import create_site

ROOT = Path(__file__).parents[2]
LOGO = Answer(b"\x89PNG shared by both", headers=(("Content-Type", "image/png"),))


@pytest.fixture
def two(runner: Runner, web_server: WebServer) -> Runner:
    """Two sources that show the same picture, the first crawled twice."""
    with serving() as other:
        for site in (web_server, other):
            site.answers |= {"/": Answer(b"<title>Front</title><img src=/logo.png><a href=/a>a</a>"), "/logo.png": LOGO}
            site.answers["/a"] = page("a", text="Words.")
        for site, code in ((web_server, "one"), (web_server, "one"), (other, "two")):
            runner.run(queue_archive(runner.database, runner.archive_root, (site.url(),), code=code))
    return runner


def counts(database: Database, *tables: type) -> list[int]:
    with database.read() as session:
        return [session.scalar(select(func.count()).select_from(table)) or 0 for table in tables]


def name_of(database: Database, code: str) -> str:
    with database.read() as session:
        return session.scalars(select(Source.name).where(Source.code == code)).one()


def warcs(root: Path) -> set[str]:
    return {file.relative_to(root).parts[0] for file in root.rglob("*.warc.gz")}


def test_a_deleted_source_leaves_tombstones_and_what_others_use(two: Runner) -> None:
    database, root = two.database, two.archive_root
    with pytest.raises(UsageError, match="confirm it with its name"):
        delete_source(database, root, "one", "another name")
    before = plan_deletion(database, root, "one")
    blobs = counts(database, AssetBlob)[0]
    done = delete_source(database, root, "one", name_of(database, "one"))
    assert (done.snapshots, done.files, done.is_removed) == (before.snapshots, before.files, True)
    assert warcs(root) == {"two"}
    assert not (root / "one").exists()
    with database.read() as session:
        assert session.scalars(select(Source.code)).all() == ["two"]
        assert {*session.scalars(select(Capture.source_id))} == {*session.scalars(select(Source.id))}
        assert {*session.scalars(select(Tombstone.source_code))} == {"one"}
        assert "source.delete" in session.scalars(select(AuditEntry.action)).all()
    assert counts(database, Tombstone, ArchiveJob) == [before.snapshots, 1]
    assert 0 < counts(database, AssetBlob)[0] <= blobs
    # The picture that both showed is still there, byte for byte.
    assert verify_archive(database, root, lambda _done, _total: None).findings == []


def test_killed_in_the_middle_the_same_command_continues(two: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    database, root, name = two.database, two.archive_root, name_of(two.database, "one")
    for step in ("_free_assets", "_withhold_snapshots", "_mark", "_delete_file", "_finish"):

        def die(*_arguments: object, at: str = step) -> None:
            raise SystemExit(at)

        with monkeypatch.context() as patched:
            patched.setattr(source_deletion, step, die)
            with pytest.raises(SystemExit):
                delete_source(database, root, "one", name)
    assert delete_source(database, root, "one", name).is_removed
    assert (counts(database, Source, Page), warcs(root)) == ([1, 2], {"two"})
    assert verify_archive(database, root, lambda _done, _total: None).findings == []


def test_a_file_with_originals_of_another_source_stays_and_a_hold_refuses(two: Runner) -> None:
    database, root, name = two.database, two.archive_root, name_of(two.database, "one")
    with database.write() as session:
        original = session.scalars(
            select(Capture).where(Capture.source_id == 1, Capture.record_type == "response")
        ).first()
        revisit = session.scalars(select(Capture).where(Capture.source_id == 2).order_by(Capture.id)).first()
        assert original is not None
        assert revisit is not None
        revisit.record_type, revisit.refers_to = "revisit", original.warc_record_id
        needed, kept = original.id, original.warc_file_id
    done = delete_source(database, root, "one", name)
    assert (len(done.kept_files), done.is_removed) == (1, False)
    with database.read() as session:
        assert session.scalars(select(Capture.id).where(Capture.source_id == 1)).all() == [needed]
        assert session.scalars(select(WarcFile.id).where(WarcFile.job_id < 3)).all() == [kept]
        assert session.scalars(select(Snapshot.id).where(Snapshot.source_id == 1)).all() == []


def test_a_running_export_and_a_hold_that_comes_late_stop_a_deletion(
    two: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, root, name = two.database, two.archive_root, name_of(two.database, "one")
    with database.write() as session:
        export = begin_export(session, "captures", "wacz", {"job": 1}, datetime.now(UTC))
    with pytest.raises(ConflictError, match=f"export {export} is reading"):
        delete_source(database, root, "one", name)
    assert name_of(database, "one") == name
    assert counts(database, Tombstone) == [0]
    with database.write() as session:
        finish_export(session, export, None, datetime.now(UTC))
    mark, files = source_deletion._mark, warcs(root)

    def hold_after_marking(*arguments: Any) -> Any:
        plan = mark(*arguments)
        place_hold(database, root, datetime.now(UTC), "case 7", source="one")
        return plan

    monkeypatch.setattr(source_deletion, "_mark", hold_after_marking)
    with pytest.raises(ConflictError, match="under a legal hold"):
        delete_source(database, root, "one", name)
    assert warcs(root) == files


def test_the_page_and_the_api_delete_a_source_whose_name_is_given(two: Runner) -> None:
    app = App(Settings(admin_token=SecretStr("s3cret")), two.database, two.archive_root)
    client, name = TestClient(create_site(app)), name_of(two.database, "one")
    address = "/api/admin/sources/one"
    assert client.delete(address, params={"confirm": name}).status_code in {401, 403}
    assert client.delete(address, params={"confirm": "no"}, headers=ADMIN).status_code == 422
    shown = client.get("/sources/one", headers=ADMIN).text
    assert f"Type <strong><bdi>{name}</bdi></strong> to confirm" in shown
    own = ADMIN | {"Origin": "http://testserver"}
    refused = client.post("/sources/one/delete", data={"confirm": "one "}, headers=own)
    assert (refused.status_code, "confirm it with its name" in refused.text) == (409, True)
    assert client.post("/sources/one/delete", data={"confirm": name}, headers=own).status_code == 200
    assert client.get("/sources/one", headers=ADMIN).status_code == 404
    other = name_of(two.database, "two")
    assert client.delete("/api/admin/sources/two", params={"confirm": other}, headers=ADMIN).status_code == 204
    assert (warcs(two.archive_root), counts(two.database, Source, Capture, Snapshot)) == (set(), [0, 0, 0])


def kill_deletions(two: Runner, every: int) -> dict[str, Any]:
    """Kill a deletion before every nth of its steps, each time with the archive as it was; return what that led to."""
    database = two.database
    name, planned = name_of(database, "one"), plan_deletion(database, two.archive_root, "one")
    file = str(database.engine.url.database)
    database.dispose()
    arguments = [file, str(two.archive_root), name, str(planned.snapshots), str(every)]
    command = [sys.executable, "-m", "tests.retention.dying_deletion", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_killed_before_some_of_its_steps_a_deletion_continues(two: Runner) -> None:
    assert kill_deletions(two, every=5)["wrong"] == []


@pytest.mark.soak
@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_killed_before_any_of_its_steps_a_deletion_continues(two: Runner) -> None:
    told = kill_deletions(two, every=1)
    assert told["wrong"] == []
    assert told["steps"] > 20
