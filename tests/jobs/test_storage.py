import os
import shutil
from pathlib import Path

import pytest

from tests.support.folders import ARCHIVE, CrawledFolder
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.errors import StorageError
from webstrata.jobs.folders.job_folders import check_output, folder_bytes, health, report, scan_all, scan_storage
from webstrata.model.jobs.job import JobStatus
from webstrata.storage.file_system import device_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def folder(database: Database, root: Path) -> CrawledFolder:
    return CrawledFolder.made(database, root, root / "hc" / "job", status=JobStatus.RUNNING)


def fill(path: Path, size: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(size))
    return path


def check(folder: CrawledFolder, minimum: int = 0) -> None:
    with folder.database.read() as session:
        job = jobs.load_job(session, folder.job_id)
    check_output(folder.database, job, min_free_bytes=minimum)


def test_bytes_are_counted_by_kind_and_once(tmp_path: Path) -> None:
    stable = fill(tmp_path / "warcs" / "a.warc.gz", 1_000)
    fill(tmp_path / "a.log", 10)
    fill(tmp_path / ".tmpa" / ARCHIVE / "b.warc.gz", 200)
    fill(tmp_path / ".tmpa" / "profile" / "cache", 30)
    os.link(stable, tmp_path / ".tmpa" / ARCHIVE / "a.warc.gz")
    (tmp_path / "link.warc.gz").symlink_to(stable)
    (tmp_path / "everything").symlink_to("/")
    counted = folder_bytes(tmp_path)
    assert (counted.temp, counted.temp_non_warc, counted.unreadable) == (230, 30, 0)
    assert (counted.warc, counted.output) == (1_200, 1_240)
    assert folder_bytes(stable).warc == 1_000


def test_what_cannot_be_read_is_counted_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "a.log", 10)
    fill(tmp_path / "locked" / "b.log", 10)
    scandir = os.scandir

    def refusing(path: str | Path) -> object:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert (folder_bytes(tmp_path).output, folder_bytes(tmp_path).unreadable) == (10, 1)


def test_a_scan_is_written_down_with_the_job(folder: CrawledFolder) -> None:
    fill(folder.output / "warcs" / "a.warc.gz", 1_000)
    fill(folder.output / ".tmpa" / "x", 5)
    scan_storage(folder.database, folder.root, folder.job_id)
    row = folder.row()
    assert (row.warc_bytes_total, row.output_bytes_total) == (1_000, 1_005)
    assert (row.tmp_bytes_total, row.tmp_non_warc_bytes_total) == (5, 5)
    assert row.storage_scanned_at is not None


def test_all_folders_are_counted_and_a_missing_one_is_named(
    database: Database, root: Path, folder: CrawledFolder
) -> None:
    other = CrawledFolder.made(database, root, root / "phac" / "job", source="phac")
    fill(other.output / "warcs" / "a.warc", 7)
    folder.output.rmdir()
    before = report(database, root)
    assert [(source.code, source.unscanned) for source in before.sources] == [("hc", 1), ("phac", 1)]
    (problem,) = scan_all(database, root)
    assert "job 1 is gone" in problem
    after = report(database, root)
    assert [(source.code, source.warc, source.unscanned) for source in after.sources] == [("hc", 0, 1), ("phac", 7, 0)]
    assert after.database_bytes > 0
    assert after.free_bytes is not None
    assert after.scanned_since is not None


def test_a_folder_in_order_passes_and_its_device_is_remembered(folder: CrawledFolder) -> None:
    check(folder)
    assert folder.row().output_device == device_of(folder.output)
    check(folder)


def test_a_folder_on_another_device_is_refused_until_a_person_confirms_it(folder: CrawledFolder) -> None:
    folder.set(output_device="fsid:other")
    with pytest.raises(StorageError, match=r"another device than before.*fsid:other.*resume-job --id 1"):
        check(folder)
    assert folder.row().output_device == "fsid:other"
    folder.set(output_device=None)
    check(folder)


def test_a_folder_that_is_gone_or_full_or_read_only_is_refused(folder: CrawledFolder) -> None:
    with pytest.raises(StorageError, match="must stay free"):
        check(folder, 10**18)
    folder.set(output_dir="/proc/self", output_device=None)
    with pytest.raises(StorageError, match="/proc/self cannot be written to"):
        check(folder)
    folder.output.rmdir()
    folder.set(output_dir=str(folder.output))
    with pytest.raises(StorageError, match="the folder of job 1 is gone"):
        check(folder)


def test_the_folder_of_a_job_that_has_not_begun_is_made_where_its_parent_is_there(folder: CrawledFolder) -> None:
    folder.output.rmdir()
    check(folder)
    assert folder.output.is_dir()
    folder.output.rmdir()
    with pytest.raises(StorageError, match="the folder of job 1 is gone"):
        check(folder)
    folder.set(output_device=None, output_dir=str(folder.root / "unmounted" / "job"))
    with pytest.raises(StorageError, match="the folder of job 1 is gone"):
        check(folder)
    assert not (folder.root / "unmounted").exists()


def test_a_folder_that_held_captures_is_not_made_again(folder: CrawledFolder) -> None:
    folder.warc("warcs/a.warc.gz", "https://example.org/")
    shutil.rmtree(folder.output)
    with pytest.raises(StorageError, match="the folder of job 1 is gone"):
        check(folder)
    assert not folder.output.exists()


def test_an_archive_in_order_is_healthy(folder: CrawledFolder) -> None:
    found = health(folder.database, folder.root, 1)
    assert found.problems == ()
    assert found.writable
    assert found.free_bytes is not None


def test_every_trouble_of_the_archives_disk_is_reported(folder: CrawledFolder, root: Path) -> None:
    assert "must stay free" in health(folder.database, root, 10**18).problems[0]
    (missing,) = health(folder.database, root / "gone", 1).problems
    assert "does not exist" in missing
    (read_only,) = health(folder.database, Path("/proc/self"), 0).problems
    assert "cannot be written to" in read_only
    folder.set(output_device="fsid:other")
    assert health(folder.database, root, 1).device_changed == (folder.job_id,)
    folder.set(status=JobStatus.INDEXED)
    assert health(folder.database, root, 1).problems == ()
