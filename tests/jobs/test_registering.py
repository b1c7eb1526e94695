import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from tests.support.arcs import arc_file, arc_records, page
from tests.support.fetched import fetched, write_warc
from tests.support.folders import ARCHIVE, STATE
from webstrata.coordination.permits import DatabasePermits
from webstrata.db.engine import Database
from webstrata.db.queue import jobs, leases
from webstrata.db.schema.tables import ArchiveJob, WarcFile
from webstrata.errors import ConflictError, NotFoundError, UsageError
from webstrata.jobs.folders.registering import Registered, register_job_dir
from webstrata.jobs.running.queueing import resume_job
from webstrata.jobs.running.recovery import Recovery
from webstrata.model.jobs.job import JobStatus
from webstrata.warc.adopting import adopt_warcs_for_job

PAGE = "https://example.org/a"


@pytest.fixture
def root(tmp_path: Path, database: Database) -> Path:
    folder = tmp_path / "archive"
    folder.mkdir()
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url="https://example.org/")
        jobs.ensure_source(session, "other", name="Other", base_url=None)
    return folder


def warc(path: Path, url: str = PAGE) -> Path:
    write_warc(path, [fetched(url)])
    return path


def register(database: Database, root: Path, path: Path, source: str = "hc", name: str | None = None) -> Registered:
    return register_job_dir(database, root, source, path, name=name)


def job(database: Database, job_id: int) -> ArchiveJob:
    with database.read() as session:
        return session.get_one(ArchiveJob, job_id)


def files(database: Database) -> dict[str, int]:
    with database.read() as session:
        return {row.path: row.committed_bytes for row in session.scalars(select(WarcFile).order_by(WarcFile.id))}


def job_count(database: Database) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(ArchiveJob)) or 0


def test_workers_leave_a_job_for_a_while_to_who_registers_it_in_order_to_index_it(
    database: Database, root: Path
) -> None:
    warc(root / "hc" / "one" / "a.warc.gz")
    kept = timedelta(minutes=1)
    job_id = register_job_dir(database, root, "hc", root / "hc" / "one", left_alone_for=kept).job_id
    now = datetime.now(UTC)
    with database.read() as session:
        assert jobs.next_to_index(session, now) is None
        assert jobs.next_to_index(session, now + kept) == job_id
    with database.write() as session:
        leases.lease_for_index(session, job_id, "host:1:abc", now, kept)


def test_a_folder_of_an_earlier_crawl_becomes_a_job_that_waits_to_be_indexed(database: Database, root: Path) -> None:
    output = root / "hc" / "20200101T000000Z__hc-20200101"
    file = warc(output / ".tmpa" / ARCHIVE / "rec-1.warc.gz")
    (output / STATE).write_text(f'{{"temp_dirs_host_paths": ["{output}/.tmpa"]}}')
    before = {path: path.stat().st_mtime_ns for path in output.rglob("*")}
    done = register(database, root, output)
    assert (done.is_new, done.notes, [found.path for found in done.files]) == (True, (), [file])
    assert files(database) == {f"hc/20200101T000000Z__hc-20200101/.tmpa/{ARCHIVE}/rec-1.warc.gz": file.stat().st_size}
    row = job(database, done.job_id)
    assert (row.status, row.name, row.output_dir) == ("completed", output.name, str(output))
    assert (row.warc_file_count, row.warc_bytes_total) == (1, file.stat().st_size)
    assert row.state_file_path == str(output / STATE)
    assert {path: path.stat().st_mtime_ns for path in output.rglob("*") if path.name != "job.json"} == before
    assert f'"id": {done.job_id}' in (output / "job.json").read_text()


def test_files_outside_of_the_archive_root_stay_where_they_are(database: Database, root: Path, tmp_path: Path) -> None:
    flat = tmp_path / "disk" / "2019"
    paths = [str(warc(flat / name)) for name in ("a.warc.gz", "b.bin")]
    done = register(database, root, flat, name="the old disk")
    assert list(files(database)) == paths
    assert sorted(map(str, flat.iterdir())) == paths
    assert job(database, done.job_id).name == "the old disk"


def test_one_file_is_a_job_and_its_neighbours_are_not_in_it(database: Database, root: Path, tmp_path: Path) -> None:
    file = warc(tmp_path / "disk" / "one.warc.gz")
    warc(tmp_path / "disk" / "two.warc.gz")
    done = register(database, root, file)
    assert list(files(database)) == [str(file)]
    assert (job(database, done.job_id).output_dir, job(database, done.job_id).name) == (str(file), "one")
    register(database, root, tmp_path / "disk" / "two.warc.gz")
    assert job_count(database) == 2


def test_a_torn_end_is_left_out_and_reported(database: Database, root: Path) -> None:
    file = warc(root / "hc" / "job" / "torn.warc.gz")
    whole = file.stat().st_size
    with file.open("ab") as more:
        more.write(file.read_bytes()[:30])
    done = register(database, root, file.parent)
    assert list(files(database).values()) == [whole]
    assert done.notes == (f"{file}: its last 30 bytes are not a complete record and are left out",)


def test_what_is_left_out_is_reported_with_its_reason(database: Database, root: Path) -> None:
    warc(root / "hc" / "job" / "good.warc.gz")
    (root / "hc" / "job" / "bad.warc.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    (root / "hc" / "job" / STATE).write_text("{")
    (damage, refused) = register(database, root, root / "hc" / "job").notes
    assert "cut off" in damage
    assert "bad.warc.zst: compressed with zstd" in refused


def test_the_same_folder_twice_is_refused_with_the_job_that_has_it(database: Database, root: Path) -> None:
    folder = warc(root / "hc" / "job" / "a.warc.gz").parent
    first = register(database, root, folder)
    (root / "alias").symlink_to(folder)
    for path in (folder, root / "hc" / ".." / "hc" / "job", root / "alias"):
        with pytest.raises(ConflictError, match=f"is the folder of job {first.job_id} .* nothing new"):
            register(database, root, path)
    with pytest.raises(ConflictError, match="cannot be registered for source other"):
        register(database, root, folder, "other")
    assert (job_count(database), len(files(database))) == (1, 1)


def test_new_files_in_a_known_folder_are_added_to_its_job(database: Database, root: Path) -> None:
    folder = warc(root / "hc" / "job" / "a.warc.gz").parent
    first = register(database, root, folder)
    with database.write() as session:
        jobs.set_job(session, first.job_id, status=JobStatus.INDEXED)
    new = warc(folder / "b.warc.gz")
    second = register(database, root, folder)
    assert (second.job_id, second.is_new, [found.path for found in second.files]) == (first.job_id, False, [new])
    assert list(files(database)) == ["hc/job/a.warc.gz", "hc/job/b.warc.gz"]
    row = job(database, first.job_id)
    assert (row.status, row.warc_file_count) == ("completed", 2)


def test_nothing_is_added_to_a_job_that_is_under_way(database: Database, root: Path) -> None:
    folder = warc(root / "hc" / "job" / "a.warc.gz").parent
    first = register(database, root, folder)
    with database.write() as session:
        jobs.set_job(session, first.job_id, status=JobStatus.RUNNING)
    warc(folder / "b.warc.gz")
    with pytest.raises(ConflictError, match="running"):
        register(database, root, folder)


def test_a_file_is_one_jobs_only(database: Database, root: Path) -> None:
    file = warc(root / "hc" / "job" / "a.warc.gz")
    first = register(database, root, file.parent)
    with pytest.raises(ConflictError, match=f"belongs to job {first.job_id} already"):
        register(database, root, file)
    assert job_count(database) == 1


def test_what_cannot_be_registered_leaves_nothing_behind(database: Database, root: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "page.html").write_text("<html>")
    good = warc(tmp_path / "good" / "a.warc.gz").parent
    for path, source, said in (
        (empty, "hc", f"no WARC files in {empty}"),
        (tmp_path / "gone", "hc", "No such file"),
        (tmp_path / "page.html", "hc", "no WARC record in it"),
        (good, "nobody", "there is no source 'nobody'"),
    ):
        with pytest.raises(NotFoundError, match=said):
            register(database, root, path, source)
    assert (job_count(database), files(database)) == (0, {})


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "x" * 201])
def test_a_name_is_one_line(database: Database, root: Path, name: str) -> None:
    folder = warc(root / "hc" / "job" / "a.warc.gz").parent
    with pytest.raises(UsageError, match="a line of 1 to 200"):
        register(database, root, folder, name=name)


class Job:
    def __init__(self, job_id: int, output_dir: Path) -> None:
        self.id = job_id
        self.output_dir = str(output_dir)


def test_files_that_appear_later_are_taken_up_once(database: Database, root: Path) -> None:
    folder = warc(root / "hc" / "job" / "warcs" / "a.warc.gz").parents[1]
    registered = register(database, root, folder)
    known = Job(registered.job_id, folder)
    assert adopt_warcs_for_job(known, database=database, archive_root=root) == []
    later = warc(folder / ".tmpz" / ARCHIVE / "b.warc.gz")
    # A second name of a file that is known, and a whole copy of it, are no new files.
    os.link(folder / "warcs" / "a.warc.gz", folder / ".tmpz" / ARCHIVE / "c.warc.gz")
    (folder / ".tmpz" / ARCHIVE / "a.warc.gz").write_bytes((folder / "warcs" / "a.warc.gz").read_bytes())
    adopted = f"hc/job/.tmpz/{ARCHIVE}/b.warc.gz"
    assert adopt_warcs_for_job(known, database=database, archive_root=root) == [adopted]
    assert adopt_warcs_for_job(known, database=database, archive_root=root) == []
    before = later.stat().st_size
    later.write_bytes(later.read_bytes() * 2)
    assert adopt_warcs_for_job(known, database=database, archive_root=root) == [adopted]
    assert files(database)[adopted] == 2 * before


def test_a_file_that_is_being_written_is_its_writers_alone(database: Database, root: Path) -> None:
    folder = warc(root / "hc" / "job" / "warcs" / "a.warc.gz").parents[1]
    registered = register(database, root, folder)
    with database.write() as session:
        session.execute(update(WarcFile).values(owner="somebody", committed_bytes=10))
    assert adopt_warcs_for_job(Job(registered.job_id, folder), database=database, archive_root=root) == []
    assert files(database) == {"hc/job/warcs/a.warc.gz": 10}


def test_what_was_not_crawled_here_cannot_continue(database: Database, root: Path) -> None:
    warc(root / "hc" / "old" / "one.warc.gz")
    registered = register(database, root, root / "hc" / "old")
    with pytest.raises(ConflictError, match="no crawl to resume"):
        resume_job(Recovery(database, root, DatabasePermits(database)), registered.job_id)
    assert job(database, registered.job_id).status == JobStatus.COMPLETED


def test_every_file_that_is_left_out_is_named(database: Database, root: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    taken = [warc(disk / "warcs" / "one.warc.gz"), warc(disk / "flat.warc.gz"), disk / "old.arc.gz"]
    taken[2].write_bytes(arc_file(arc_records(1, (PAGE, "19961104142103", "text/html", page("Old"))), packed=True))
    for name in ("beside.wacz", "notes.txt", "warcs/list.csv", "warcs/captures.cdxj", "2019/deep.wacz", ".hidden"):
        (disk / name).parent.mkdir(exist_ok=True)
        (disk / name).write_bytes(b"PK\3\4")
    warc(disk / "2019" / "unsearched.warc.gz")
    (disk / "empty.arc").touch()
    os.link(taken[0], disk / "2019" / "alias.warc.gz")
    done = register(database, root, disk)
    assert {found.path for found in done.files} == set(taken)
    wacz = "a WACZ file is not registered but imported (webstrata import)"
    assert sorted(done.notes) == sorted(
        [
            f"{disk}/beside.wacz: {wacz}",
            f"{disk}/2019/deep.wacz: {wacz}",
            f"{disk}/2019/unsearched.warc.gz: {disk}/2019 is not searched: register that folder by itself",
            f"{disk}/empty.arc: an empty file",
            "left out, because there is no WARC record in it: notes.txt, list.csv",
        ]
    )
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "crawl.wacz").write_bytes(b"PK\3\4")
    for place in (tmp_path / "only", tmp_path / "only" / "crawl.wacz"):
        with pytest.raises(NotFoundError, match="a WACZ file is not registered but imported"):
            register(database, root, place)
