import errno
import json
import os
import shutil
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.folders import ARCHIVE, STATE, CrawledFolder
from tests.support.stored_assets import assets_of_source, read_version
from webstrata.assets.registry import PluginRegistry
from webstrata.assets.stage import run_plugins
from webstrata.db.captures import captures
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import Capture
from webstrata.errors import ConflictError, NotFoundError, StorageError, UsageError
from webstrata.jobs.folders.cleanup import CleanupReport, _index_locked, cleanup_job, keep_warcs_of
from webstrata.jobs.running.persistent import WorkerContext
from webstrata.jobs.running.worker import index_next_job
from webstrata.model.jobs.job import JobStatus
from webstrata.storage.paths import PresentFiles, recorded_as

PAGE = "https://example.org/a"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def folder(database: Database, root: Path) -> CrawledFolder:
    return CrawledFolder.made(database, root, root / "hc" / "job")


def clean(folder: CrawledFolder, mode: str = "temp", **options: bool) -> CleanupReport:
    return cleanup_job(folder.database, folder.root, folder.job_id, mode=mode, **options)


def test_temporary_folders_and_the_state_file_go_and_the_job_reports_it(folder: CrawledFolder) -> None:
    (stable,) = folder.warc("warcs/kept.warc.gz", f"{PAGE}/kept")
    (lost,) = folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)
    folder.state(".tmpa")
    (folder.output / "a.log").write_text("log")
    report = clean(folder)
    assert folder.files() == ["a.log", "warcs/kept.warc.gz"]
    assert [part.path.name for part in report.deleted] == [".tmpa", STATE]
    assert (report.warcs_deleted, report.snapshots_lost) == (1, 1)
    row = folder.row()
    assert (row.cleanup_status, row.state_file_path) == ("temp_cleaned", None)
    assert row.cleaned_at is not None
    assert (row.tmp_bytes_total, row.output_bytes_total) == (
        0,
        sum(p.stat().st_size for p in folder.output.rglob("*") if p.is_file()),
    )
    assert folder.shown(stable) == b"<p>text"
    with pytest.raises(NotFoundError, match=r"^Underlying WARC file .* is missing: its job was cleaned up on 20"):
        folder.shown(lost)


def test_assets_of_deleted_warc_files_stay_readable(folder: CrawledFolder) -> None:
    folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE, body="GIF89a")
    folder.state(".tmpa")
    run_plugins(folder.job_id, database=folder.database, archive_root=folder.root, registry=PluginRegistry())
    clean(folder)
    with folder.database.read() as session:
        (asset,) = assets_of_source(session, jobs.load_job(session, folder.job_id).source_id)
    assert read_version(folder.database, folder.root, asset.id, 1) == b"GIF89a"


def test_a_dry_run_has_the_same_content_and_changes_nothing(folder: CrawledFolder) -> None:
    (page,) = folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)
    folder.state(".tmpa")
    before = folder.files()
    would = clean(folder, dry_run=True)
    assert folder.files() == before
    assert folder.row().cleanup_status == "none"
    assert folder.shown(page)
    did = clean(folder)
    assert (would.deleted, would.snapshots_lost, would.freed_bytes) == (
        did.deleted,
        did.snapshots_lost,
        did.freed_bytes,
    )
    assert would.freed_bytes > 0


def test_where_there_is_nothing_to_clean_up_nothing_changes(folder: CrawledFolder) -> None:
    folder.warc("warcs/kept.warc.gz", PAGE)
    before = folder.row()
    report = clean(folder)
    assert report.nothing_to_do
    after = folder.row()
    assert (after.cleanup_status, after.cleaned_at, after.state_file_path) == ("none", None, before.state_file_path)
    assert (after.updated_at, folder.files()) == (before.updated_at, ["warcs/kept.warc.gz"])


def test_a_state_file_alone_is_something_to_clean_up(folder: CrawledFolder) -> None:
    folder.state(".tmpgone")
    clean(folder)
    assert folder.files() == []
    assert folder.row().cleanup_status == "temp_cleaned"


def test_without_a_state_the_newest_temporary_folder_goes(folder: CrawledFolder) -> None:
    for name, changed in ((".tmpold", 1), (".tmpnew", 2)):
        (folder.output / name).mkdir()
        os.utime(folder.output / name, (changed, changed))
    clean(folder)
    assert [path.name for path in folder.output.iterdir()] == [".tmpold"]


def test_a_damaged_state_is_reported_and_every_temporary_folder_goes(folder: CrawledFolder) -> None:
    (folder.output / ".tmpa").mkdir()
    (folder.output / ".tmpb").mkdir()
    (folder.output / STATE).write_text('{"temp_')
    report = clean(folder)
    assert "cut off" in report.notes[0]
    assert list(folder.output.iterdir()) == []


def test_a_job_that_is_not_there_cannot_be_cleaned_up(folder: CrawledFolder) -> None:
    with pytest.raises(NotFoundError, match="there is no job 99"):
        cleanup_job(folder.database, folder.root, 99)


def test_a_mode_that_is_none_is_refused(folder: CrawledFolder) -> None:
    with pytest.raises(UsageError, match="'everything' is not a clean-up mode"):
        clean(folder, mode="everything")


@pytest.mark.parametrize("force", [False, True])
def test_a_job_that_may_still_need_its_files_is_left_alone(folder: CrawledFolder, force: bool) -> None:
    folder.state(".tmpa")
    folder.set(status=JobStatus.COMPLETED)
    with pytest.raises(ConflictError, match="job 1 is completed"):
        clean(folder, force=force)
    assert folder.files() == [STATE]


def test_while_replay_is_enabled_only_force_deletes(folder: CrawledFolder) -> None:
    folder.state(".tmpa")
    with pytest.raises(ConflictError, match="replay is enabled"):
        clean(folder, replay_enabled=True)
    assert folder.files() == [STATE]
    clean(folder, replay_enabled=True, force=True)
    assert folder.files() == []


@pytest.mark.parametrize("output_dir", ["", "/nowhere/at/all"])
def test_a_folder_that_is_gone_is_reported(folder: CrawledFolder, output_dir: str) -> None:
    folder.set(output_dir=output_dir)
    with pytest.raises(StorageError, match="the folder of job 1 is gone"):
        clean(folder)


def test_a_job_that_is_being_indexed_is_left_alone(folder: CrawledFolder) -> None:
    folder.state(".tmpa")
    until = datetime.now(UTC) + timedelta(minutes=1)
    folder.set(index_lease_owner="elsewhere:1:abc", index_lease_token="t", index_lease_expires_at=until)
    with pytest.raises(ConflictError, match="being indexed"):
        clean(folder)
    assert folder.files() == [STATE]


def test_nothing_outside_of_the_folder_is_ever_deleted(folder: CrawledFolder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("x")
    (folder.output / ".tmplink").symlink_to(outside)
    (folder.output / ".tmpa").mkdir()
    (folder.output / ".tmpa" / "link").symlink_to(outside)
    (folder.output / ".tmpa" / "file.warc.gz").symlink_to(outside / "precious")
    paths = [str(outside), "/etc", str(folder.output), str(folder.output / ".tmplink"), str(folder.output / ".tmpa")]
    (folder.output / STATE).write_text(json.dumps({"temp_dirs_host_paths": paths}))
    clean(folder, mode="temp-nonwarc")
    assert (outside / "precious").read_text() == "x"
    assert folder.files() == [".tmplink"]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("force", [False, True])
def test_what_another_jobs_revisits_refer_to_is_never_deleted(
    folder: CrawledFolder, database: Database, root: Path, named: bool, force: bool
) -> None:
    folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)
    folder.state(".tmpa")
    other = CrawledFolder.made(database, root, root / "hc" / "other")
    other.warc("warcs/other.warc.gz", f"{PAGE}/other")
    with database.write() as session:
        record_id = session.get_one(Capture, 1).warc_record_id
        other.revisit(session, record_id if named else "", "sha1:x" if named else f"sha1:{PAGE}")
    for dry_run in (True, False):
        with pytest.raises(ConflictError, match=r"revisits of job 2 refer to .*one\.warc\.gz.*temp-nonwarc"):
            clean(folder, force=force, dry_run=dry_run)
    assert len(folder.files()) == 2
    clean(folder, mode="temp-nonwarc")
    assert folder.files() == ["warcs/one.warc.gz"]


@pytest.mark.parametrize("copy", ["there", "gone"])
def test_a_record_that_revisits_refer_to_may_go_when_a_file_that_stays_has_a_copy(
    folder: CrawledFolder, database: Database, root: Path, copy: str
) -> None:
    folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)
    other = CrawledFolder.made(database, root, root / "hc" / "other")
    other.warc("warcs/copy.warc.gz", PAGE)
    with database.write() as session:
        record_id = session.get_one(Capture, 1).warc_record_id
        session.get_one(Capture, 2).warc_record_id = record_id
        other.revisit(session, record_id)
    if copy == "gone":
        (other.output / "warcs" / "copy.warc.gz").unlink()
        with pytest.raises(ConflictError, match=r"revisits of job 2 refer to .*one\.warc\.gz"):
            clean(folder)
    else:
        assert clean(folder).warcs_deleted == 1


def test_while_the_source_is_being_crawled_no_warc_file_of_it_is_deleted(
    folder: CrawledFolder, database: Database, root: Path
) -> None:
    folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)
    CrawledFolder.made(database, root, root / "hc" / "next", status=JobStatus.RUNNING)
    CrawledFolder.made(database, root, root / "phac" / "other", source="phac", status=JobStatus.RUNNING)
    with pytest.raises(ConflictError, match=r"job 2 of the same source is running"):
        clean(folder, force=True)
    assert len(folder.files()) == 1
    clean(folder, mode="temp-nonwarc")


@pytest.mark.parametrize("mode", ["temp", "temp-nonwarc"])
def test_a_second_cleanup_by_a_worker_reports_only_files_that_should_have_stayed(
    folder: CrawledFolder, context: WorkerContext, mode: str
) -> None:
    folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)
    folder.state(".tmpa")
    folder.set(status=JobStatus.COMPLETED)
    assert index_next_job(context, threading.Event())
    clean(folder, mode)
    if mode == "temp-nonwarc":
        (folder.output / "warcs" / "one.warc.gz").unlink()
    folder.set(status=JobStatus.COMPLETED)
    assert index_next_job(context, threading.Event())
    row = folder.row()
    assert (row.status, row.index_problem_count) == (("indexed", 0) if mode == "temp" else ("index_failed", 1))
    assert row.indexed_page_count == 1


def test_no_one_refers_to_a_record_that_was_deleted(folder: CrawledFolder, database: Database) -> None:
    folder.warc("warcs/kept.warc.gz", f"{PAGE}/kept")
    folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)
    urls, there = [PAGE, f"{PAGE}/kept"], PresentFiles(folder.root).has
    with database.read() as session:
        assert set(captures.earlier_captures(session, 1, 99, urls, there)) == set(urls)
    clean(folder)
    with database.read() as session:
        assert set(captures.earlier_captures(session, 1, 99, urls, there)) == {f"{PAGE}/kept"}
        assert set(captures.originals(session, 1, [f"sha1:{url}" for url in urls], there)) == {f"sha1:{PAGE}/kept"}


def test_warc_files_move_to_the_stable_folder_and_everything_can_still_be_shown(folder: CrawledFolder) -> None:
    pages = folder.warc("warcs/one.warc.gz", f"{PAGE}/1", body="1")
    pages += folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", f"{PAGE}/2", body="2")
    pages += folder.warc(f".tmpa/{ARCHIVE}/two.warc.gz", f"{PAGE}/3", body="3")
    pages += folder.warc(f".tmpb/{ARCHIVE}/one.warc.gz", f"{PAGE}/4", body="4")
    (folder.output / ".tmpb" / "profile").write_bytes(bytes(5_000))
    folder.state(".tmpa", ".tmpb")
    report = clean(folder, mode="temp-nonwarc")
    assert folder.files() == [
        "warcs/one.warc.gz",
        "warcs/tmpa/one.warc.gz",
        "warcs/tmpb/one.warc.gz",
        "warcs/two.warc.gz",
    ]
    assert [folder.shown(page) for page in pages] == [b"1", b"2", b"3", b"4"]
    assert [Path(path).name for path in folder.warc_paths()] == [
        "one.warc.gz",
        "one.warc.gz",
        "two.warc.gz",
        "one.warc.gz",
    ]
    assert (report.warcs_deleted, report.snapshots_lost, len(report.moved)) == (0, 0, 3)
    assert 5_000 <= report.freed_bytes < 6_000
    assert folder.row().cleanup_status == "temp_cleaned"


def test_two_recorded_files_with_the_same_bytes_stay_two(folder: CrawledFolder) -> None:
    folder.warc("warcs/one.warc.gz", PAGE)
    folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)
    content = (folder.output / "warcs" / "one.warc.gz").read_bytes()
    (folder.output / ".tmpa" / ARCHIVE / "one.warc.gz").write_bytes(content)
    clean(folder, mode="temp-nonwarc")
    assert folder.warc_paths() == ["hc/job/warcs/one.warc.gz", "hc/job/warcs/tmpa/one.warc.gz"]
    assert all((folder.root / path).read_bytes() == content for path in folder.warc_paths())


def test_where_no_links_can_be_made_files_are_copied(folder: CrawledFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    (page,) = folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)

    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    clean(folder, mode="temp-nonwarc")
    assert folder.files() == ["warcs/one.warc.gz"]
    assert folder.shown(page)


def test_a_full_disk_while_moving_deletes_nothing(folder: CrawledFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    (page,) = folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "link", full)
    with pytest.raises(StorageError, match="No space left"):
        clean(folder, mode="temp-nonwarc")
    assert folder.files() == [f".tmpa/{ARCHIVE}/one.warc.gz"]
    assert folder.shown(page)
    assert folder.row().cleanup_status == "none"


def test_a_stable_folder_that_is_a_link_gets_nothing(folder: CrawledFolder, tmp_path: Path) -> None:
    folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)
    (tmp_path / "elsewhere").mkdir()
    (folder.output / "warcs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="is a link"):
        clean(folder, mode="temp-nonwarc")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_folder_outside_of_the_archive_root_is_cleaned_up_as_well(
    database: Database, root: Path, tmp_path: Path
) -> None:
    root.mkdir()
    folder = CrawledFolder.made(database, root, tmp_path / "disk" / "job")
    (page,) = folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)
    clean(folder, mode="temp-nonwarc")
    assert folder.warc_paths() == [str(folder.output / "warcs" / "one.warc.gz")]
    assert recorded_as(root, folder.output / "warcs/one.warc.gz") == folder.warc_paths()[0]
    assert folder.shown(page)


def test_a_job_of_one_file_has_nothing_temporary(folder: CrawledFolder) -> None:
    folder.warc("warcs/one.warc.gz", PAGE)
    folder.set(output_dir=str(folder.output / "warcs" / "one.warc.gz"))
    assert clean(folder).nothing_to_do


def test_a_file_in_the_place_of_a_jobs_folder_is_an_error(folder: CrawledFolder) -> None:
    folder.warc("warcs/one.warc.gz", PAGE)
    shutil.rmtree(folder.output)
    folder.output.write_text("not what it was")
    for dry_run in (True, False):
        with pytest.raises(StorageError, match=f"^the folder of job 1 is not a folder: {folder.output}$"):
            clean(folder, dry_run=dry_run)
    assert folder.row().cleanup_status == "none"


def test_killed_before_one_of_its_steps_it_loses_nothing_and_continues(
    database_url: str, database_kind: str, root: Path
) -> None:
    # What happens on disk is the same with every database.
    told = killed(database_url, root, every=2 if database_kind == "sqlite" else 6)
    assert told["wrong"] == []
    assert 10 < told["steps"] < 100


@pytest.mark.soak
def test_killed_before_any_of_its_steps_it_loses_nothing_and_continues(database_url: str, root: Path) -> None:
    assert killed(database_url, root, every=1)["wrong"] == []


def killed(database_url: str, root: Path, *, every: int) -> dict[str, Any]:
    """Kill a cleanup before every nth of its steps, and return what that led to."""
    command = [sys.executable, "-m", "tests.jobs.dying_cleanup", database_url, str(root), str(every)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=110)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_a_crawl_that_is_just_over_keeps_its_warcs_and_what_is_indexed_of_them(folder: CrawledFolder) -> None:
    (first,) = folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)
    (second,) = folder.warc(f".tmpb/{ARCHIVE}/one.warc.gz", f"{PAGE}/2", body="<p>other")
    folder.state(".tmpa", ".tmpb")
    with folder.database.write() as session:
        jobs.set_job(session, folder.job_id, status=JobStatus.RUNNING)
    keep_warcs_of(folder.database, folder.root, folder.job_id)
    assert folder.files() == [STATE, "warcs/one.warc.gz", "warcs/tmpb/one.warc.gz"]
    assert (folder.shown(first), folder.shown(second)) == (b"<p>text", b"<p>other")
    assert folder.row().status == "running"
    keep_warcs_of(folder.database, folder.root, folder.job_id)
    assert folder.shown(second) == b"<p>other"


def test_warcs_are_not_moved_while_someone_indexes_them(folder: CrawledFolder) -> None:
    folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", PAGE)
    folder.state(".tmpa")
    with _index_locked(folder.database, folder.root, folder.job_id), pytest.raises(ConflictError):
        keep_warcs_of(folder.database, folder.root, folder.job_id)
    assert (folder.output / f".tmpa/{ARCHIVE}/one.warc.gz").is_file()
