"""Withheld captures stay withheld, and what is under a legal hold stays."""

import gzip
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import select, update
from starlette.testclient import TestClient

from tests.retention.rows import DAY, NOW, count
from tests.support.databases import FreshDatabase
from tests.support.web_server import WebServer, page
from webstrata.app import App
from webstrata.db.engine import Database
from webstrata.db.retention import holds
from webstrata.db.schema.collection_tables import DiagnosticRow
from webstrata.db.schema.retention_tables import Tombstone
from webstrata.db.schema.tables import Capture, Snapshot, Source
from webstrata.errors import ConflictError, NotFoundError, StorageError, UsageError
from webstrata.index.pipeline import index_job
from webstrata.jobs.folders.manifest import write_manifest, write_sources
from webstrata.jobs.folders.rebuild import Rebuild
from webstrata.jobs.packages.importing import ImportRequest, import_files
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.queueing import queue_archive
from webstrata.retention.holds import place_hold, release_hold
from webstrata.retention.sweep import run_manual_pass
from webstrata.retention.withholding import WithholdRequest, withhold_snapshots
from webstrata.settings import Settings
from webstrata.site import create_site
from webstrata.warc.packages.contents import ExportRequest
from webstrata.warc.packages.export import export_captures
from webstrata.warc.packages.formats import PackageFormat

ADMIN = {"Authorization": "Bearer s3cret"}


@pytest.fixture
def archived(runner: Runner, web_server: WebServer) -> Runner:
    """Four pages, crawled twice: the second time all but one are revisits."""
    web_server.answers["/"] = page("Front", "/a", "/b", "/secret")
    for name in ("a", "b"):
        web_server.answers[f"/{name}"] = page(name, text=f"Words of {name}.")
    web_server.answers["/secret"] = page("Secret", text="Zanzibar is mentioned here.")
    for _ in range(2):
        job_id = queue_archive(runner.database, runner.archive_root, (web_server.url(),))
        runner.run(job_id)
        write_manifest(runner.database, job_id, archive_root=runner.archive_root)
        web_server.answers["/a"] = page("a", text="Other words.")
    write_sources(runner.database, runner.archive_root)
    return runner


def snapshots(database: Database, ending: str = "") -> list[int]:
    with database.read() as session:
        rows = session.execute(select(Snapshot.id, Snapshot.url).order_by(Snapshot.id))
        return [row.id for row in rows if row.url.endswith(ending)]


def withhold(runner: Runner, *numbers: int, confirmed: bool = False) -> None:
    request = WithholdRequest(numbers, "court order 7", confirmed)
    withhold_snapshots(runner.database, runner.archive_root, request, NOW, max_share=0.5)


def make_client(runner: Runner) -> TestClient:
    app = App(Settings(admin_token=SecretStr("s3cret")), runner.database, runner.archive_root)
    return TestClient(create_site(app))


def test_a_withheld_capture_is_410_everywhere_and_found_nowhere(archived: Runner) -> None:
    client = make_client(archived)
    first, second = snapshots(archived.database, "/secret")
    assert client.get("/api/search", params={"q": "zanzibar"}).json()["total"] == 1
    url = client.get(f"/api/snapshot/{first}").json()["originalUrl"]
    listed = client.get("/cdx", params={"url": url}).text.split()
    exact = f"/web/{listed[1]}id_/{url}"
    assert "Zanzibar" in client.get(exact).text
    body = {"snapshotIds": [first, second], "reason": "court order 7"}
    done = client.post("/api/admin/withhold", json=body, headers=ADMIN)
    assert [item["snapshotId"] for item in done.json()["items"]] == [first, second]
    for path in (f"/api/snapshot/{first}", f"/api/snapshots/raw/{first}", f"/api/snapshots/{first}/timeline"):
        gone = client.get(path)
        assert gone.status_code == 410, path
        tombstone = gone.json()["tombstone"]
        assert (tombstone["snapshotId"], tombstone["reason"]) == (first, "court order 7")
        assert tombstone["digest"].startswith("sha")
        assert tombstone["date"]
    shown = client.get(f"/snapshot/{first}")
    assert shown.status_code == 410
    assert "court order 7" in shown.text
    assert client.get("/api/search", params={"q": "zanzibar"}).json()["total"] == 0
    assert client.get("/api/snapshot/999999").status_code == 404
    for address in (exact, exact.replace("id_", ""), f"/web/2id_/{url}", f"/web/2/{url}", f"/web/{url}"):
        replayed = client.get(address)
        assert (replayed.status_code, "Zanzibar" in replayed.text) == (410, False), address
        assert "court order 7" in replayed.text, address
    assert client.get("/cdx", params={"url": url}).text == ""
    assert listed[1] not in client.get(f"/web/timemap/link/{url}").text
    log = client.get("/api/admin/audit-log", params={"action": "snapshot.withhold"}, headers=ADMIN).json()
    assert {entry["target"] for entry in log["items"]} == {f"snapshot:{first}", f"snapshot:{second}"}
    again = client.post("/api/admin/withhold", json=body, headers=ADMIN)
    assert (again.status_code, again.json()["items"]) == (200, [])


def test_an_exact_address_never_shows_another_capture_than_the_withheld_one(archived: Runner) -> None:
    first, second = snapshots(archived.database, "/a")
    with archived.database.write() as session:
        later = update(Capture).where(Capture.id.in_(select(Snapshot.capture_id).where(Snapshot.id == second)))
        session.execute(
            later.values(capture_timestamp=NOW + 400 * DAY), execution_options={"synchronize_session": False}
        )
    client = make_client(archived)
    shown = client.get(f"/api/snapshot/{first}").json()
    url, stamp = shown["originalUrl"], client.get("/cdx", params={"url": shown["originalUrl"]}).text.split()[1]
    assert client.get(f"/web/{stamp}/{url}").status_code == 200
    withhold(archived, first)
    for modifier in ("", "id_", "im_"):
        assert client.get(f"/web/{stamp}{modifier}/{url}", follow_redirects=False).status_code == 410
    assert client.get(f"/web/2/{url}").status_code == 200


def test_the_later_capture_of_the_same_payload_is_shown_when_only_the_first_is_withheld(archived: Runner) -> None:
    first, second = snapshots(archived.database, "/secret")
    withhold(archived, first)
    client = make_client(archived)
    assert client.get(f"/api/snapshots/raw/{second}").status_code == 200
    for job_id in (1, 2):
        assert index_job(job_id, database=archived.database, archive_root=archived.archive_root, again=True) == 0
    assert snapshots(archived.database, "/secret") == [second]
    assert client.get("/api/search", params={"q": "zanzibar"}).json()["total"] == 1


def test_indexing_again_and_a_rebuild_bring_nothing_back(
    archived: Runner, fresh_database_url: FreshDatabase, tmp_path: Path
) -> None:
    database, root = archived.database, archived.archive_root
    first, second = snapshots(database, "/secret")
    withhold(archived, first, second)
    place_hold(database, root, NOW, "lawsuit", snapshot_id=snapshots(database, "/b")[0])
    before = snapshots(database)
    for job_id in (1, 2):
        assert index_job(job_id, database=database, archive_root=root, again=True) == 0
    assert snapshots(database) == before
    moved = Path(shutil.copytree(root, tmp_path / "moved"))
    with fresh_database_url() as url:
        other = Database(url)
        report = Rebuild(other, moved).run()
        assert report.problems == []
        assert snapshots(other) == before
        assert count(other, Tombstone) == 2
        with other.read() as session:
            (hold,) = holds.list_holds(session, active_only=True)
        assert hold.reason == "lawsuit"
        client = make_client(Runner(other, moved, archived.defaults, archived.guard, archived.permits))
        assert client.get(f"/api/snapshots/raw/{first}").status_code == 410
        other.dispose()


def test_an_import_of_what_was_exported_before_brings_nothing_back(archived: Runner, tmp_path: Path) -> None:
    database, root = archived.database, archived.archive_root
    first, second = snapshots(database, "/secret")
    with database.read() as session:
        url = session.scalars(select(Snapshot.url).where(Snapshot.id == first)).one()
        code = session.scalars(select(Source.code).join(Snapshot).where(Snapshot.id == first)).one()
    for number, request in enumerate((ExportRequest(url=url), ExportRequest(source_code=code))):
        export_captures(database, root, request, tmp_path / f"{number}.warc.gz", PackageFormat.WARC, lambda *_: None)
    imported(archived, tmp_path / "0.warc.gz")
    copies = snapshots(database, "/secret")[2:]
    assert len(copies) == 2
    withhold(archived, first, second, confirmed=True)
    assert snapshots(database, "/secret") == []
    job_id = imported(archived, tmp_path / "1.warc.gz")
    assert snapshots(database, "/secret") == []
    client = make_client(archived)
    assert [client.get(f"/api/snapshots/raw/{number}").status_code for number in copies] == [410, 410]
    assert client.get("/cdx", params={"url": url}).text == ""
    again = tmp_path / "again.warc.gz"
    export_captures(database, root, ExportRequest(job_id=job_id), again, PackageFormat.WARC, lambda *_: None)
    assert b"Zanzibar" not in gzip.decompress(again.read_bytes())


def imported(runner: Runner, file: Path) -> int:
    """Import a file and index it; return its job."""
    report = import_files(runner.database, runner.archive_root, ImportRequest([file]), lambda *_: None)
    assert report.job_id is not None
    assert index_job(report.job_id, database=runner.database, archive_root=runner.archive_root) == 0
    return report.job_id


def test_damaged_tombstones_stop_indexing_instead_of_showing_what_is_withheld(archived: Runner) -> None:
    first, _ = snapshots(archived.database, "/secret")
    withhold(archived, first)
    (file,) = archived.archive_root.rglob("withheld.jsonl")
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(StorageError, match="damaged"):
        index_job(1, database=archived.database, archive_root=archived.archive_root, again=True)


def test_most_of_a_source_disappears_only_with_a_confirmation(archived: Runner) -> None:
    most = snapshots(archived.database)[:5]
    with pytest.raises(ConflictError, match="5 of 8 snapshots"):
        withhold(archived, *most)
    assert len(snapshots(archived.database)) == 8
    withhold(archived, *most, confirmed=True)
    assert len(snapshots(archived.database)) == 3


def test_what_a_hold_covers_is_neither_withheld_nor_expired(archived: Runner) -> None:
    database, root = archived.database, archived.archive_root
    first, second = snapshots(database, "/secret")
    with database.write() as session:
        source = session.scalars(select(Source)).one()
        code = source.code
        group = session.get_one(Snapshot, first).normalized_url_group
        for number in (first, second):
            session.add(
                DiagnosticRow(
                    url="u",
                    source_id=source.id,
                    snapshot_id=number,
                    normalized_url_group=group,
                    created_at=NOW - 999 * DAY,
                )
            )
    with database.read() as session:
        url = session.get_one(Snapshot, first).url
    targets: list[dict[str, Any]] = [{"source": code}, {"url": url}, {"snapshot_id": first}]
    for target in targets:
        hold = place_hold(database, root, NOW, "lawsuit", **target)
        with pytest.raises(ConflictError, match="legal hold: lawsuit"):
            withhold(archived, first)
        if "snapshot_id" not in target:
            assert run_manual_pass(database, NOW, dry_run=False).collections["diagnostics"].deleted == 0
        release_hold(database, root, hold.id, NOW)
        with pytest.raises(ConflictError, match="was released"):
            release_hold(database, root, hold.id, NOW)
    assert run_manual_pass(database, NOW, dry_run=False).collections["diagnostics"].deleted == 2
    withhold(archived, first)


def test_holds_and_tombstones_want_a_target_that_is_there_and_a_reason(archived: Runner) -> None:
    database, root = archived.database, archived.archive_root
    now = datetime.now(UTC)
    with pytest.raises(NotFoundError):
        place_hold(database, root, now, "r", snapshot_id=999_999)
    with pytest.raises(NotFoundError):
        place_hold(database, root, now, "r", source="nothing")
    wrongs: list[dict[str, Any]] = [{}, {"source": "x", "snapshot_id": 1}]
    for wrong in wrongs:
        with pytest.raises((UsageError, NotFoundError)):
            place_hold(database, root, now, "r", **wrong)
    with pytest.raises(UsageError, match="reason"):
        place_hold(database, root, now, "  ", snapshot_id=1)
    with pytest.raises(NotFoundError, match="999999"):
        withhold(archived, 999_999)
